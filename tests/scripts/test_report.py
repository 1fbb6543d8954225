"""`evaluate-qa report`: a page with the figures of the functions, which runs and loads nothing, whatever rows hold."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from commands import run_command
from typer.testing import CliRunner

from evaluate_qa.cli import app
from evaluate_qa.estimation.joining import Names
from evaluate_qa.files.writing import write_rows
from evaluate_qa.reporting import charts
from evaluate_qa.reporting.examples import marked
from evaluate_qa.reporting.facts import gather
from evaluate_qa.uncertainty.intervals import Interval

COUNT = 100
GENERATOR = np.random.default_rng(0)
SCORES = {name: GENERATOR.beta(shape, 0.5, COUNT) for name, shape in (("old", 0.5), ("new", 0.8))}
LABELS = {name: (GENERATOR.random(COUNT) < scores).tolist() for name, scores in SCORES.items()}
ATTACK = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&{{ 7 * 7 }}"


def rows(name, **more):
    return [
        {
            "id": f"r{at}",
            "question": f"Q{at}?",
            "references": [f"Paris {at}", "b"],
            "prediction": f"{name}: Paris {at}.",
        }
        | {"score": SCORES[name][at], "verdict": bool(SCORES[name][at] > 0.5), "kind": "ab"[at % 2], "lexical": 0.25}
        | more
        for at in range(COUNT)
    ]


class Page(HTMLParser):
    """Collects tags, texts of cells and of the page, and finds tags that are left open."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.attributes, self.texts, self.rows = [], [], [], [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attributes):  # noqa: D102
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in ("meta", "rect", "line", "circle") and not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):  # noqa: D102
        if tag not in ("rect", "line", "circle"):
            assert self.open.pop() == tag

    def handle_data(self, data):  # noqa: D102
        self.texts.append(data)
        if {"td", "th"} & {*self.open}:
            self.rows[-1][-1] += data

    def row(self, name):
        """Return the rows of tables that begin with a name."""
        return [[" ".join(cell.split()) for cell in row] for row in self.rows if row[0] == name]


@pytest.fixture
def report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in SCORES:
        write_rows(f"{name}.jsonl", rows(name))
        write_rows(f"{name}.labels.jsonl", [{"id": f"r{at}", "label": LABELS[name][at]} for at in range(60)])

    def report(*arguments, code=0):
        done = run_command("report", *arguments, "--output", "report.html", code=code)
        return done.stderr if code else Path("report.html").read_text("utf-8")

    return report


def told(found, sign=""):
    return f"{found.value:{sign}.3f} [{found.low:{sign}.3f}, {found.high:{sign}.3f}]".replace("-", "−")


def test_the_figures_are_those_of_the_functions(report):
    page = Page(report("old.jsonl", "new.jsonl", "--labels", "old.labels.jsonl", "--labels", "new.labels.jsonl"))
    facts = gather(["old.jsonl", "new.jsonl"], ["old.labels.jsonl", "new.labels.jsonl"], Names())
    for one in facts.systems:
        expected = [told(one.powered.accuracy), told(one.powered.labels_alone), "60", f"{one.powered.worth:,.0f}"]
        assert [one.name, *expected, told(one.right), told(one.score)] in page.row(one.name)
    (pair,) = facts.pairs
    difference = facts.powered.differences["new", "old"]
    assert page.row("new")[1] == [
        "new", told(difference, "+"), told(pair.verdicts.difference, "+"), str(pair.wins), str(pair.losses),
        f"{pair.verdicts.adjusted:.4f}", f"{pair.verdicts.detectable:.3f}", told(pair.scores.difference, "+"),
    ]  # fmt: skip
    headings = [text for text in page.texts if re.match("Improved|Worsened|Lowest|Metric and", text)]
    assert {"Improved from old to new", "Worsened from old to new", "Lowest scores: old", "Lowest scores: new"} <= {
        *headings
    }


def test_weights_are_read_from_the_column_that_is_named(report):
    labels = [{"id": f"r{at}", "label": LABELS["old"][at], "stands_for": 1 + at % 3} for at in range(60)]
    write_rows("old.labels.jsonl", labels)
    page = Page(report("old.jsonl", "--labels", "old.labels.jsonl", "--column", "weight=stands_for"))
    (weighted,) = gather(["old.jsonl"], ["old.labels.jsonl"], Names(weight="stands_for")).systems
    (alike,) = gather(["old.jsonl"], ["old.labels.jsonl"], Names()).systems
    assert weighted.powered.accuracy != alike.powered.accuracy
    assert told(weighted.powered.accuracy) in page.row("old")[0]


def test_slices_and_examples(report):
    page = Page(report("old.jsonl", "--by", "kind", "--note", "signature: bem|v:1 A & B"))
    facts = gather(["old.jsonl"], [], Names(), by=["kind"])
    slices, more = facts.slices["kind"]
    assert more == 0
    for one, value in zip(slices, "ab", strict=True):
        verdicts = SCORES["old"]["ab".index(value) :: 2] > 0.5
        assert one.figures[0].value == pytest.approx(verdicts.mean())
        assert page.row(value) == [[value, "50", told(one.figures[0])]]
    worst = np.argsort(SCORES["old"])[:10]
    assert [text for text in page.texts if re.fullmatch(r"Q\d+\?", text)] == [f"Q{at}?" for at in worst]
    assert "lexical 0.250" in page.texts
    assert "signature: bem|v:1 A & B" in page.texts
    assert page.texts.count("Evaluation report") == 2
    assert page.tags.count("mark") == 2 * 10, "Paris and its number"


def test_whatever_is_in_rows_stays_text(report):
    odd = {"prediction": ATTACK, "references": [ATTACK], "kind": ATTACK, ATTACK: 0.5}
    attacked = [row | odd | {"question": ATTACK + row["id"]} for row in rows("old")]
    write_rows("<b>.jsonl", attacked)
    write_rows("new.jsonl", [row | {"question": ATTACK + row["id"]} for row in rows("new")])
    text = report("<b>.jsonl", "new.jsonl", "--by", "kind", "--note", ATTACK)
    page = Page(text)
    assert not {"script", "img", "b", "link", "iframe", "a"} & {*page.tags}
    names = {name for name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")} | {"src", "href"} & names
    assert any(ATTACK in part for part in page.texts), "nothing was computed of it"
    assert "http" not in re.sub("http-equiv", "", text)
    assert "default-src 'none'" in text


def test_odd_texts_are_written(report):
    write_rows("old.jsonl", [row | {"prediction": "\ud800 \x00 \u202e"} for row in rows("old")])
    Page(report("old.jsonl"))
    write_rows("new.jsonl", [{"question": f"Q{at}", "score": at * 10, "prediction": None} for at in range(30)])
    assert "(empty)" in Page(report("new.jsonl")).texts


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["old.jsonl", "--labels", "old.labels.jsonl", "--labels", "new.labels.jsonl"], "--labels was given 2 times"),
        (["old.jsonl", "--by", "kin"], "no column 'kin'. Did you mean 'kind'?"),
        (["none.jsonl"], "there is no such file"),
        (["old.jsonl", "-"], "report reads its rows twice. Give a file in place of standard input."),
        (["old.jsonl", "--labels", "few.jsonl"], "5 of 100 rows are labeled, and an interval needs at least 20"),
    ],
)
def test_what_is_wrong_is_told(report, arguments, message):
    write_rows("few.jsonl", [{"id": f"r{at}", "label": at % 2} for at in range(5)])
    assert message in report(*arguments, code=1)
    assert not Path("report.html").exists()


def test_a_page_is_html(report):
    done = CliRunner().invoke(app, ["report", "old.jsonl", "--output", "report.pdf"])
    assert (done.exit_code, "report.pdf: report files must end in .html." in done.stderr) == (1, True)


def test_marked_by_hand():
    assert marked("paris, PARIS!", ["Paris"]) == [("paris", True), (", ", False), ("PARIS", True), ("!", False)]
    assert marked("", ["Paris"]) == marked(" \n", ["Paris"]) == []
    assert marked("no", []) == [("no", False)]


def test_histogram_by_hand():
    """Of 20 bins from 0 to 1 the first has two scores and the last one, half as tall: 65 of 130."""
    drawn = charts.histogram(np.array([0.0, 0.04, 1.0]), "t")
    heights = [float(height) for height in re.findall(r'class="bar".*?height="([\d.]+)"', drawn)]
    assert heights == [130, *[0] * 18, 65]
    assert ">0</text>" in charts.histogram(np.array([0.5]), "t")
    assert ">−5</text>" in charts.histogram(np.array([-5.0, 90]), "t")


def test_intervals_by_hand():
    """From 0 to 1 with pads of .08: x = 140 + 320 · (v + .08)/1.16; the middle is at 300."""
    drawn = charts.intervals([("<a>", Interval(0.5, 0.0, 1.0)), ("b" * 30, Interval(0.5, 0.4, 0.6))], "t")
    assert re.findall(r'cx="([\d.]+)"', drawn) == ["300.0", "300.0"]
    assert f'x1="{140 + 320 * 0.08 / 1.16:.1f}" y1="25.0" x2="{140 + 320 * 1.08 / 1.16:.1f}"' in drawn
    assert "&lt;a&gt;" in drawn
    assert "b" * 17 + "…" in drawn


def test_calibration_bins_by_hand():
    """Scores .2 and .25 are of one bin: right are 1 of 2, or with weights 3 and 1, three quarters."""
    scores, labels = np.array([0.2, 0.25, 1.0, 0.5]), np.array([1, 0, 1, np.nan])
    assert charts.calibration_bins(scores, labels, None) == [
        charts.Bin(pytest.approx(0.225), 0.5, 2), charts.Bin(1.0, 1.0, 1)
    ]  # fmt: skip
    weighted = charts.calibration_bins(scores, labels, np.array([3, 1, 1, np.nan]))
    assert weighted[0] == charts.Bin(pytest.approx(0.2125), 0.75, 2)
    # On the page x = 60 + 280 · score and y = 300 − 280 · share.
    assert 'cx="123.0" cy="160.0"' in charts.calibration([charts.Bin(0.225, 0.5, 2)], "t")
