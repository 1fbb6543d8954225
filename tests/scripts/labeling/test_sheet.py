"""The file that a person labels, and the agreement of two people."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from commands import run_command

from evaluate_qa.files.rows import RowsError, read_rows
from evaluate_qa.files.writing import write_rows
from evaluate_qa.labeling.sheet import Sheet, VisibleRow, agreement

ROWS = [
    {"question": f"Q{at}?", "references": ["a", "b"], "prediction": f"It is {at}.", "score": at / 60, "kind": "x"}
    for at in range(60)
]


@pytest.fixture
def sampled(working_folder):
    """Return a function that draws 30 of 60 rows with `sample` and returns the file."""
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
def test_sheet_saves_each_label_immediately_for_estimate(sampled, suffix):
    path = sampled(suffix, "--stratified")
    before = [row for _, row in read_rows(path)]
    sheet, row, labels = Sheet(path), -1, []
    while (row := sheet.next(row)) is not None:
        labels.append(["right", "wrong", "skip"][row % 3 if row < 6 else row % 2])
        sheet.save(row, labels[-1])
        assert [found["label"] or "" for _, found in read_rows(path)][: len(labels)] == labels
    after = [row for _, row in read_rows(path)]
    assert [row | {"label": None} for row in after] == [row | {"label": None} for row in before]
    assert sheet.counts() == {"right": 14, "wrong": 14, "skipped": 2, "left": 0}
    output = run("estimate", "--scored", "scored.jsonl", "--labels", path)
    assert next(line for line in output.splitlines() if line.split()[:1] == ["all"]).split()[2] == "28"


def test_sheet_continues_after_a_restart(sampled):
    path = sampled()
    sheet = Sheet(path)
    for row, label in ((0, "right"), (2, "skip")):
        sheet.save(row, label)
    again = Sheet(path)
    assert [again.label_of(row) for row in range(4)] == ["right", "", "skip", ""]
    assert (again.next(), again.next(1), again.next(29)) == (1, 3, 1)
    again.save(0, "wrong")
    assert Sheet(path).label_of(0) == "wrong"


def test_sheet_counts_labels_from_a_spreadsheet(sampled):
    path = sampled()
    labels = ["1", "no", "TRUE", "skip", "0.25", ""] * 5
    write_rows(path, [row | {"label": label} for (_, row), label in zip(read_rows(path), labels, strict=True)])
    assert Sheet(path).counts() == {"right": 10, "wrong": 10, "skipped": 5, "left": 5}


def test_shown_row_has_texts_and_other_columns(tmp_path):
    texts = {"question": "Who?", "references": ["a", ""], "prediction": " =1 "}
    write_rows(tmp_path / "odd.jsonl", [{"id": 7, **texts, "kind": "x", "weight": 2.0, "label": None}])
    assert Sheet(tmp_path / "odd.jsonl").visible_row(0) == VisibleRow("Who?", ["a"], "=1", {"kind": "x"}, "")


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
@pytest.mark.parametrize(
    "added", [{"score": 1, "margin": -4.3}, {"toy_score": None}, {"judge_verdict": False}, {"alice": "Skip"}], ids=str
)
def test_sheet_hides_all_other_columns_next_to_scores_or_labels(tmp_path, suffix, added):
    path = tmp_path / f"rows.{suffix}"
    row = {"id": 1, "question": "Who?", "reference": "a", "prediction": "b", "kind": "x"}
    write_rows(path, [row | added])
    assert (Sheet(path).visible_row(0).more, Sheet(path).hidden) == ({}, ["kind", *added])
    assert Sheet(path, show=["kind"]).visible_row(0).more == {"kind": "x"}
    write_rows(path, [row | {"answerable": True, "side": "left"}])
    assert [*Sheet(path).visible_row(0).more] == ["kind", "answerable", "side"]


def test_sheet_refuses_rows_that_another_program_changed(sampled):
    path = sampled()
    sheet = Sheet(path)
    write_rows(path, [row | {"prediction": "another answer"} for _, row in read_rows(path)])
    with pytest.raises(RowsError, match="was changed by another program and now holds other rows"):
        sheet.save(5, "right")
    assert sheet.label_of(5) == ""
    assert Sheet(path).counts()["left"] == 30


@pytest.mark.parametrize("sheets", [1, 2], ids=["two tabs of one page", "two pages"])
def test_concurrent_writers_lose_no_label(sampled, sheets):
    path = sampled()
    used = [Sheet(path) for _ in range(sheets)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda row: used[row % sheets].save(row, "right"), range(30)))
    assert Sheet(path).counts() == {"right": 30, "wrong": 0, "skipped": 0, "left": 0}
    assert {file.name for file in path.parent.iterdir()} == {"scored.jsonl", "labels.csv"}


def test_label_that_cannot_be_saved_stays_unset(sampled, monkeypatch):
    sheet = Sheet(sampled())

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr("evaluate_qa.labeling.sheet.write_part", full)
    with pytest.raises(OSError, match="No space left"):
        sheet.save(0, "right")
    assert (sheet.label_of(0), sheet.next()) == ("", 0)


def test_kappa_by_hand(sampled):
    """Of 6 rows 4 are alike: p = 2/3. 4 and 4 of 6 are right: e = (4 · 4 + 2 · 2)/36 = 5/9; κ = (1/9)/(4/9)."""
    path = sampled()
    one = Sheet(path)
    for row, label in enumerate(["right", "right", "right", "right", "wrong", "wrong", "skip", "right"]):
        one.save(row, label)
    rows = [row | {"label": ""} for _, row in read_rows(path)]
    for row, label in enumerate(["right", "right", "right", "wrong", "right", "wrong", "right"]):
        rows[row]["label"] = label
    write_rows("other.csv", rows[::-1])
    assert agreement(one, Sheet(Path("other.csv"))) == (6, 4, pytest.approx(0.25))
    output = run("label", path, "--kappa", "other.csv")
    assert output == "The labels agree on 4 of 6 rows that both labeled (66.7%). Cohen's kappa: 0.250\n"


def test_equal_labels_of_one_kind_have_no_kappa(sampled):
    path = sampled()
    write_rows("one.csv", [row | {"label": "right"} for _, row in read_rows(path)])
    assert agreement(Sheet(Path("one.csv")), Sheet(Path("one.csv"))) == (30, 30, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv"], "there is no such file"),
        (["scored.parquet"], "labels are written to a .csv or .jsonl file"),
        (["bare.jsonl"], "no column 'prediction'. Give rows to label"),
        (["odd.jsonl"], "odd.jsonl, line 1: the column 'label' is 'maybe'; expected 1 or 0"),
        (["labels.csv", "--show", "kin"], "labels.csv: there is no column 'kin'. Did you mean 'kind'?"),
        (["labels.csv", "--kappa", "labels.csv"], "no row is labeled in both labels.csv and labels.csv"),
    ],
)
def test_label_reports_bad_input(sampled, arguments, message):
    sampled()
    write_rows("scored.parquet", ROWS)
    write_rows("bare.jsonl", [{"question": "Q?"}])
    write_rows("odd.jsonl", [{"prediction": "a", "label": "maybe"}])
    assert message in run("label", *arguments, code=1)


def test_label_checks_the_file_and_then_reports_that_it_is_loading(sampled, monkeypatch):
    path = sampled()
    assert "Loading" not in run("label", "none.csv", code=1)
    monkeypatch.setitem(sys.modules, "evaluate_qa.labeling.page", None)  # as without gradio
    assert run("label", path, code=1).startswith("Loading the labeling page.")
