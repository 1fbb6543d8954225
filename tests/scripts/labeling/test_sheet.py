"""The file that a person labels: what is shown and saved, what is kept as it is, and how far two agree."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from commands import run_command
from sklearn.metrics import cohen_kappa_score

from evaluate_qa.files.rows import RowsError, read_rows
from evaluate_qa.files.writing import write_rows
from evaluate_qa.labeling.kappa import agreement
from evaluate_qa.labeling.sheet import Sheet, Shown, copy_without_labels, require_same_rows

ROWS = [
    {"question": f"Q{at}?", "references": ["a", "b"], "prediction": f"It is {at}.", "score": at / 60, "kind": "x"}
    for at in range(60)
]


@pytest.fixture
def sampled(tmp_path, monkeypatch):
    """Writes rows to label as `sample` does, 30 of 60; returns the file."""
    monkeypatch.chdir(tmp_path)
    write_rows("scored.jsonl", ROWS)

    def sampled(suffix="csv", *options):
        target = Path(f"labels.{suffix}")
        run("sample", "-i", "scored.jsonl", "-o", target, "--rows", 30, "--show", "kind", *options)
        return target

    return sampled


def run(*arguments, code=0):
    done = run_command(*arguments, code=code)
    return done.stderr if code else done.stdout


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_labels_are_saved_at_once_and_estimate_reads_them(sampled, suffix):
    path = sampled(suffix, "--stratified")
    before = [row for _, row in read_rows(path)]
    sheet, row, said = Sheet(path), -1, []
    while (row := sheet.next(row)) is not None:
        said.append(["right", "wrong", "skip"][row % 3 if row < 6 else row % 2])
        sheet.say(row, said[-1])
        assert [found["label"] or "" for _, found in read_rows(path)][: len(said)] == said
    after = [row for _, row in read_rows(path)]
    assert [row | {"label": None} for row in after] == [row | {"label": None} for row in before]
    assert not [file for file in path.parent.iterdir() if ".part" in file.name]
    assert sheet.counts() == {"right": 14, "wrong": 14, "skipped": 2, "left": 0}
    told = run("estimate", "--scored", "scored.jsonl", "--labels", path)
    assert next(line for line in told.splitlines() if line.split()[:1] == ["all"]).split()[2] == "28"


def test_it_goes_on_where_it_ended(sampled):
    path = sampled()
    sheet = Sheet(path)
    for row, saying in ((0, "right"), (2, "skip")):
        sheet.say(row, saying)
    again = Sheet(path)
    assert [again.said(row) for row in range(4)] == ["right", "", "skip", ""]
    assert (again.next(), again.next(1), again.next(29)) == (1, 3, 1)
    again.say(0, "wrong")
    assert Sheet(path).said(0) == "wrong", "what was said can be changed"


def test_what_a_spreadsheet_filled_in_counts(sampled):
    path = sampled()
    labels = ["1", "no", "TRUE", "skip", "0.25", ""] * 5
    write_rows(path, [row | {"label": label} for (_, row), label in zip(read_rows(path), labels, strict=True)])
    assert Sheet(path).counts() == {"right": 10, "wrong": 10, "skipped": 5, "left": 5}


def test_what_is_shown(tmp_path):
    texts = {"question": "Who?", "references": ["a", ""], "prediction": " =1 "}
    write_rows(tmp_path / "odd.jsonl", [{"id": 7, **texts, "kind": "x", "weight": 2.0, "label": None}])
    assert Sheet(tmp_path / "odd.jsonl").shown(0) == Shown("Who?", ["a"], "=1", {"kind": "x"}, "")


def shown(rows, show=()):
    """The names of the other columns that are shown of rows, and of those that are withheld."""
    write_rows("shown.csv", rows)
    write_rows("shown.jsonl", rows)
    sheets = [Sheet(Path(f"shown.{suffix}"), show=show) for suffix in ("csv", "jsonl")]
    found = [([*sheet.shown(0).more], sheet.withheld) for sheet in sheets]
    assert found[0] == found[1], "whatever the format"
    return found[0]


def test_what_sample_was_told_to_show_is_shown(sampled):
    sheet = Sheet(sampled("csv", "--stratified"))
    assert (sheet.shown(0).more, sheet.withheld) == ({"kind": "x"}, [])


@pytest.mark.parametrize(
    "added",
    [
        {"score": 1, "verdict": True, "margin": -4.3, "best_ngram": "It is"},
        {"toy_score": None, "toy_reason": "As it says so."},
        {"judge_verdict": False},
        {"rouge1": 0.75, "rouge_hits": 3},
        {"exact": 1.0},
        {"alice": "wrong"},
        {"alice": "Skip"},
        {"expert": "incorrect"},
    ],
    ids=str,
)
def test_beside_scores_and_other_peoples_labels_no_column_is_shown_unless_by_name(tmp_path, monkeypatch, added):
    """A metric adds columns of any name: where one tells of judgement, the others may, too."""
    monkeypatch.chdir(tmp_path)
    row = {"id": 1, "question": "Who?", "reference": "a", "prediction": "b", "kind": "x"}
    assert shown([row | added]) == ([], ["kind", *added])
    assert shown([row, row | added])[0] == []
    assert shown([row | added], ["kind"]) == (["kind"], [])
    told = [name for name, value in added.items() if value is not None]
    assert shown([row | added], list(added)) == (told, []), "who asks for scores has them"


@pytest.mark.parametrize(
    "more", [{"year": 2004, "turn": -1}, {"side": "left"}, {"answerable": True}, {"note": "0.5?"}, {"age": "nan"}]
)
def test_other_columns_are_shown(tmp_path, monkeypatch, more):
    monkeypatch.chdir(tmp_path)
    assert shown([{"question": "Who?", "prediction": "b", **more}]) == ([*more], [])


def test_labels_beside_scores_show_nothing_more_when_it_goes_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_rows("scored.jsonl", ROWS)
    Sheet(Path("scored.jsonl"), "alice").say(0, "right")
    assert Sheet(Path("scored.jsonl"), "bob").shown(0) == Shown("Q0?", ["a", "b"], "It is 0.", {}, "")


def test_another_person_sees_no_labels(sampled):
    path = sampled()
    sheet = Sheet(path)
    sheet.say(0, "right")
    copy_without_labels(sheet, Path("second.csv"))
    second = Sheet(Path("second.csv"))
    require_same_rows(sheet, second)
    assert second.counts() == {"right": 0, "wrong": 0, "skipped": 0, "left": 30}
    second.say(1, "wrong")
    require_same_rows(sheet, Sheet(Path("second.csv")))
    assert Sheet(path).counts()["left"] == 29


def test_labels_of_another_writer_are_kept(sampled):
    path = sampled()
    sheet, other = Sheet(path), Sheet(path)
    other.say(2, "wrong")
    sheet.say(5, "right")
    assert [sheet.said(row) for row in (2, 5)] == [Sheet(path).said(row) for row in (2, 5)] == ["wrong", "right"]


def test_other_rows_are_not_overwritten(sampled):
    path = sampled()
    sheet = Sheet(path)
    write_rows(path, [row | {"prediction": "another answer"} for _, row in read_rows(path)])
    with pytest.raises(RowsError, match="was changed by another program and now holds other rows"):
        sheet.say(5, "right")
    assert sheet.said(5) == ""
    assert Sheet(path).counts()["left"] == 30


@pytest.mark.parametrize("sheets", [1, 2], ids=["two tabs of one page", "two pages"])
def test_writers_at_the_same_time_lose_no_label(sampled, sheets):
    path = sampled()
    used = [Sheet(path) for _ in range(sheets)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda row: used[row % sheets].say(row, "right"), range(30)))
    assert Sheet(path).counts() == {"right": 30, "wrong": 0, "skipped": 0, "left": 0}
    assert {file.name for file in path.parent.iterdir()} == {"scored.jsonl", "labels.csv"}


def test_what_cannot_be_saved_is_not_said(sampled, monkeypatch):
    path = sampled()
    sheet = Sheet(path)

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr("evaluate_qa.labeling.sheet.write_part", full)
    with pytest.raises(OSError, match="No space left"):
        sheet.say(0, "right")
    assert (sheet.said(0), sheet.next()) == ("", 0)


def test_kappa_by_hand(sampled):
    """Of 6 rows both judged 4 alike: p = 2/3. Right are 4 and 4 of 6: e = (4 · 4 + 2 · 2)/36 = 5/9; κ = (1/9)/(4/9)."""
    path = sampled()
    one = Sheet(path)
    for row, saying in enumerate(["right", "right", "right", "right", "wrong", "wrong", "skip", "right"]):
        one.say(row, saying)
    rows = [row | {"label": ""} for _, row in read_rows(path)]
    for row, label in enumerate(["right", "right", "right", "wrong", "right", "wrong", "right"]):
        rows[row]["label"] = label
    write_rows("other.csv", rows[::-1])
    found = agreement(one, Sheet(Path("other.csv")))
    assert (found.both, found.alike, found.kappa) == (6, 4, pytest.approx(0.25))
    told = run("label", path, "--kappa", "other.csv")
    assert told == "both judged 6 rows, and 4 of them alike (66.7%); Cohen's kappa: 0.250\n"


def test_kappa_is_scikit_learns(sampled):
    path, generator = sampled(), np.random.default_rng(0)
    sayings = generator.choice(["right", "wrong"], (2, 30))
    rows = [row for _, row in read_rows(path)]
    for name, said in zip(("a.csv", "b.csv"), sayings, strict=True):
        write_rows(name, [row | {"label": label} for row, label in zip(rows, said.tolist(), strict=True)])
    found = agreement(Sheet(Path("a.csv")), Sheet(Path("b.csv")))
    assert found.kappa == pytest.approx(cohen_kappa_score(*sayings))
    write_rows("c.csv", [row | {"label": "right"} for row in rows])
    assert agreement(Sheet(Path("c.csv")), Sheet(Path("c.csv"))).kappa is None
    assert run("label", "c.csv", "--kappa", "c.csv").endswith("kappa: not defined, as both say the same of all\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["none.csv"], "there is no such file"),
        (["scored.parquet"], "labels are filled into a .csv or .jsonl file"),
        (["bare.jsonl"], "no column 'prediction'. Give rows to label"),
        (["judged.jsonl"], "the column 'label' holds the verdicts of a judge. Name another column for labels"),
        (["odd.jsonl"], "odd.jsonl, line 1: the column 'label' is 'maybe'; expected 1 or 0"),
        (["labels.csv", "--show", "kin"], "labels.csv: there is no column 'kin'. Did you mean 'kind'?"),
        (["labels.csv", "--kappa", "labels.csv"], "there is no row that is labeled both"),
        (["labels.csv", "--second", "scored.jsonl"], "scored.jsonl holds other rows than labels.csv"),
        (["labels.csv", "--second", "second.jsonl"], "second.jsonl: expected a .csv file"),
    ],
)
def test_what_is_wrong_is_told(sampled, arguments, told):
    sampled()
    write_rows("scored.parquet", ROWS)
    write_rows("bare.jsonl", [{"question": "Q?"}])
    write_rows("judged.jsonl", [{"prediction": "a", "score": 1.0, "label": "correct", "tokens_in": 100}])
    write_rows("odd.jsonl", [{"prediction": "a", "label": "maybe"}])
    assert told in run("label", *arguments, code=1)
