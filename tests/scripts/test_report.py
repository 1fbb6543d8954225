"""Tests of `evaluate-qa report`: the figures on the page, its charts, and safety against hostile rows."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from commands import run_command

from evaluate_qa.files.writing import write_rows
from evaluate_qa.joining.column_roles import ColumnNames
from evaluate_qa.reporting import charts
from evaluate_qa.reporting.examples import mark_words
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
    """Collect tags, attributes, texts and table rows of a page, and fail if a tag is left open."""

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
        """Return the table rows that begin with a name."""
        return [[" ".join(cell.split()) for cell in row] for row in self.rows if row[0] == name]


@pytest.fixture
def report(working_folder):
    for name in SCORES:
        write_rows(f"{name}.jsonl", rows(name))
        write_rows(f"{name}.labels.jsonl", [{"id": f"r{at}", "label": LABELS[name][at]} for at in range(60)])

    def report(*arguments, code=0):
        done = run_command("report", "--output", "report.html", *arguments, code=code)
        return done.stderr if code else Path("report.html").read_text("utf-8")

    return report


def shown(found, sign=""):
    return f"{found.value:{sign}.3f} [{found.low:{sign}.3f}, {found.high:{sign}.3f}]".replace("-", "−")


def test_page_shows_computed_figures(report):
    page = Page(report("old.jsonl", "new.jsonl", "--labels", "old.labels.jsonl", "--labels", "new.labels.jsonl"))
    facts = gather(["old.jsonl", "new.jsonl"], ["old.labels.jsonl", "new.labels.jsonl"], ColumnNames())
    for one in facts.systems:
        expected = [
            shown(one.by_labels.accuracy),
            shown(one.by_labels.labels_alone),
            "60",
            f"{one.by_labels.worth:,.0f}",
        ]
        assert [one.name, *expected, shown(one.judged_correct), shown(one.mean_score)] in page.row(one.name)
    (pair,) = facts.pairs
    difference = facts.ppi.differences["new", "old"]
    assert page.row("new")[1] == [
        "new", shown(difference, "+"), shown(pair.verdicts.difference, "+"), str(pair.wins), str(pair.losses),
        f"{pair.verdicts.adjusted:.4f}", f"{pair.verdicts.detectable:.3f}", shown(pair.scores.difference, "+"),
    ]  # fmt: skip
    headings = [text for text in page.texts if re.match("Improved|Worsened|Lowest|Metric and", text)]
    assert {"Improved from old to new", "Worsened from old to new", "Lowest scores: old", "Lowest scores: new"} <= {
        *headings
    }


def test_page_shows_slices_and_lowest_scores(report):
    page = Page(report("old.jsonl", "--by", "kind"))
    facts = gather(["old.jsonl"], [], ColumnNames(), by=["kind"])
    slices, more = facts.slices["kind"]
    assert more == 0
    for one, value in zip(slices, "ab", strict=True):
        verdicts = SCORES["old"]["ab".index(value) :: 2] > 0.5
        assert one.figures[0].value == pytest.approx(verdicts.mean())
        assert page.row(value) == [[value, "50", shown(one.figures[0])]]
    worst = np.argsort(SCORES["old"])[:10]
    assert [text for text in page.texts if re.fullmatch(r"Q\d+\?", text)] == [f"Q{at}?" for at in worst]
    assert "lexical 0.250" in page.texts
    assert page.texts.count("Evaluation report") == 2
    assert page.tags.count("mark") == 2 * 10, "the word Paris and its number in each answer"


def test_rows_that_tie_for_the_lowest_score_are_drawn_at_random(report):
    """The first rows of a file are often of one kind."""
    write_rows("tied.jsonl", [row | {"score": max(at - 41, 0) / 100} for at, row in enumerate(rows("old"))])
    page = report("tied.jsonl")
    assert "10 of 100 rows, 10 at random from 42 with the score 0" in page
    questions = [text for text in Page(page).texts if re.fullmatch(r"Q\d+\?", text)]
    assert questions != [f"Q{at}?" for at in range(10)]
    assert {int(question[1:-1]) for question in questions} <= {*range(42)}
    assert report("tied.jsonl") == page


def test_one_file_needs_no_ids_and_no_value_in_a_column_of_slices(report):
    """Its rows are not joined, so they may be equal."""
    write_rows("odd.jsonl", [row | {"id": None, "question": "Q?", "kind": None} for row in rows("old")])
    assert Page(report("odd.jsonl", "--by", "kind")).row("(none)")[0][1] == "100"
    write_rows("odd.jsonl", [{"score": row["score"]} for row in rows("old")])
    report("odd.jsonl")
    labels = report("odd.jsonl", "--labels", "old.labels.jsonl", code=1)
    assert "rows cannot be identified" in labels
    assert "no column 'nr'" in report("odd.jsonl", "--column", "id=nr", code=1)


@pytest.mark.parametrize("systems", [["old.jsonl"], ["old.jsonl", "new.jsonl"]])
def test_the_mean_of_row_scores_is_not_called_the_score_of_deltableu(report, systems):
    for name in SCORES:
        write_rows(f"{name}.jsonl", [{"id": row["id"], "score": row["score"]} for row in rows(name)])
    assert "mean score" in report(*systems)
    for name in SCORES:
        write_rows(
            f"{name}.jsonl",
            [{"id": row["id"], "score": row["score"], "signature": "deltableu|v:1"} for row in rows(name)],
        )
    page = report(*systems)
    assert "<th>mean of row scores</th>" in page
    assert "mean score" not in page.lower()
    assert "The score of deltableu is computed from all rows together; it is not the mean of row scores." in page


def test_hostile_rows_stay_text(report):
    odd = {"prediction": ATTACK, "references": [ATTACK], "kind": ATTACK, ATTACK: 0.5}
    attacked = [row | odd | {"question": ATTACK + row["id"]} for row in rows("old")]
    write_rows("<b>.jsonl", attacked)
    write_rows("new.jsonl", [row | {"question": ATTACK + row["id"], "references": [ATTACK]} for row in rows("new")])
    text = report("<b>.jsonl", "new.jsonl", "--by", "kind")
    page = Page(text)
    assert not {"script", "img", "b", "link", "iframe", "a"} & {*page.tags}
    names = {name for name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")} | {"src", "href"} & names
    assert any(ATTACK in part for part in page.texts), "the template expression was evaluated"
    assert "http" not in re.sub("http-equiv", "", text)
    assert "default-src 'none'" in text


def test_odd_texts_are_shown(report):
    write_rows("old.jsonl", [row | {"prediction": "\ud800 \x00 \u202e"} for row in rows("old")])
    Page(report("old.jsonl"))
    write_rows("new.jsonl", [{"question": f"Q{at}", "score": at * 10, "prediction": None} for at in range(30)])
    assert "(empty)" in Page(report("new.jsonl")).texts


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["old.jsonl", "--labels", "old.labels.jsonl", "--labels", "new.labels.jsonl"], "--labels was given 2 times"),
        (["old.jsonl", "--by", "kin"], "no column 'kin'. Did you mean 'kind'?"),
        (["old.jsonl", "--output", "report.pdf"], "--output is report.pdf; expected a file that ends in .html"),
        (["old.jsonl", "-"], "report reads its rows twice. Give a file instead of standard input."),
    ],
)
def test_error_messages(report, arguments, message):
    assert message in report(*arguments, code=1)
    assert not Path("report.html").exists()


def test_words_of_references_are_marked():
    assert mark_words("paris, PARIS!", ["Paris"]) == [("paris", True), (", ", False), ("PARIS", True), ("!", False)]
    assert mark_words("", ["Paris"]) == mark_words(" \n", ["Paris"]) == []
    assert mark_words("no", []) == [("no", False)]


def texts(drawn):
    return re.findall(r"<text[^>]*>([^<]*)</text>", drawn)


def test_histogram_shows_counts_and_round_ticks():
    """Two scores in [0, 0.1) and one in [0.9, 1], half as tall."""
    drawn = charts.histogram(np.array([0.0, 0.04, 1.0]), "t")
    assert [float(height) for height in re.findall(r'class="bar".*?height="([\d.]+)"', drawn)] == [140, 70]
    assert texts(drawn) == ["0", "0.2", "0.4", "0.6", "0.8", "1", "2", "1", "score"]
    assert "12k" in texts(charts.histogram(np.full(12_345, 0.5), "t"))
    assert texts(charts.histogram(np.array([-5.0, 90]), "t"))[:7] == ["−20", "0", "20", "40", "60", "80", "100"]


def test_intervals_lie_between_round_ticks():
    """From 0 to 1 on 320 units from 140."""
    drawn = charts.intervals([("<a>", Interval(0.5, 0.0, 1.0)), ("b" * 30, Interval(0.5, 0.4, 0.6))], "t")
    assert re.findall(r'cx="([\d.]+)"', drawn) == ["300.0", "300.0"]
    assert 'x1="140.0" y1="25.0" x2="460.0"' in drawn
    assert "&lt;a&gt;" in drawn
    assert "b" * 17 + "…" in drawn
    narrow = charts.intervals([("a", Interval(0.46, 0.438, 0.487))], "t")
    assert texts(narrow)[:7] == ["0.43", "0.44", "0.45", "0.46", "0.47", "0.48", "0.49"]
    assert texts(charts.intervals([("a", Interval(0.5, 0.5, 0.5))], "t"))[0] == "0.5"


@pytest.mark.parametrize(("labels", "bins"), [(5, 1), (19, 1), (30, 3), (1000, 10)])
def test_calibration_bins_follow_number_of_labels(labels, bins):
    found = charts.calibration_bins(np.linspace(0, 1, labels), np.ones(labels), None)
    assert len(found) == bins
    assert max(one.labels for one in found) - min(one.labels for one in found) <= 1


def test_calibration_bins_by_hand():
    """Of 20 labels, 15 have the score 0.2, 5 of them right, and 5 the score 1, all right; one row has no label.

    Weighted 2 where right: 10 of 20.
    """
    scores = np.array([0.2] * 15 + [1.0] * 5 + [0.5])
    labels = np.array([1.0] * 5 + [0.0] * 10 + [1.0] * 5 + [np.nan])
    low, high = charts.Bin(pytest.approx(0.2), pytest.approx(1 / 3), 15), charts.Bin(1.0, 1.0, 5)
    assert charts.calibration_bins(scores, labels, None) == [low, high]
    weighted = charts.calibration_bins(scores, labels, 1 + np.nan_to_num(labels))
    assert weighted[0].share == 10 / 20


def test_calibration_chart_has_counts_and_legend():
    """Horizontally 60 + 280 · score, vertically 300 − 280 · share."""
    drawn = charts.calibration(np.full(12, 0.225), np.arange(12) % 2, None, "t")
    assert 'cx="123.0" cy="160.0"' in drawn
    assert '<line class="ideal" x1="60.0" y1="300.0" x2="340.0" y2="20.0"/>' in drawn
    assert {"n = 12", "0.2", "perfect calibration"} <= {*texts(drawn)}


@pytest.mark.parametrize("better", "ab")
def test_slices_are_ordered_by_accuracy(report, better):
    write_rows("old.jsonl", [row | {"verdict": row["kind"] == better} for row in rows("old")])
    page = Page(report("old.jsonl", "--by", "kind"))
    assert [row[0] for row in page.rows if row[0] in ("a", "b")][-1] == better


def test_wide_rows_show_a_dozen_components(report):
    write_rows("wide.jsonl", [row | {f"figure {at}": at / 7 for at in range(10_000)} for row in rows("old")[:3]])
    page = Page(report("wide.jsonl"))
    assert sum(text.startswith("figure ") for text in page.texts) == 3 * 11  # "lexical" is the first of twelve
