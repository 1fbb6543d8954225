"""Tests of `evaluate-qa select`."""

from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from commands import run_command

from evaluate_qa.files.rows import read_rows
from evaluate_qa.files.writing import write_rows

SCORES = [0.25, 1.0, 0.5, 0.0, 1.0, 0.75, 0.0, 0.5]
ROWS = [{"id": at, "score": score, "source": "odd" if at % 2 else "even"} for at, score in enumerate(SCORES)]


@pytest.fixture
def select(working_folder):
    write_rows("rows.jsonl", ROWS)
    return partial(run_command, "select", "--output", "kept.jsonl", "--input")


def kept(path="kept.jsonl"):
    return [int(row["id"]) for _, row in read_rows(path)]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (["--fraction", 0.25], [1, 4]),
        (["--fraction", 0.125], [1]),
        (["--fraction", 0.5], [1, 2, 4, 5]),
        (["--fraction", 1], list(range(8))),
        (["--top", 3], [1, 4, 5]),
        (["--top", 99], list(range(8))),
        (["--threshold", 0.5], [1, 2, 4, 5, 7]),
        (["--threshold", 2], []),
    ],
    ids=str,
)
def test_best_rows_are_kept_in_their_order(select, rule, expected):
    """Of the equal rows 1 and 4, and 2 and 7, the first are kept."""
    output = select("rows.jsonl", *rule).stderr
    assert kept() == expected
    warning = (
        "evaluate-qa select: warning: no score reaches the threshold 2.0; the output has no rows, and the highest "
    )
    assert (f"{warning}score is 1\n" in output) == (not expected)


@pytest.mark.parametrize("target", ["kept.jsonl", "kept.csv", "kept.parquet"])
def test_kept_rows_are_unchanged(select, target):
    rows = [{"references": ["Paris", "Paris, France"], "gold": ["a"], "note": "[x]", "score": at} for at in range(3)]
    write_rows("scored.csv", rows)
    select("scored.csv", "--top", 2, "--output", target)
    assert [(row["references"], row["note"]) for _, row in read_rows(target)] == [
        (["Paris", "Paris, France"], "[x]")
    ] * 2


@pytest.mark.parametrize("score", ["score", "bem_score"])
def test_numbers_and_booleans_of_a_csv_file_are_restored(select, score):
    added = {"score": 1e-05, "verdict": True, "best_reference": 0, "margin": None, "value_answer": "1969"}
    bem = {"bem_signature": "bem|v:1", **{f"bem_{name}": value for name, value in added.items()}}
    row = {"id": "007", "prediction": "2", **bem, "signature": "smile|v:1", **added}
    rows = [row | {"note": "1e999"}, row | {"note": "an infinite number"}]
    write_rows("scored.csv", rows)
    select("scored.csv", "--top", 1, "--column", f"score={score}")
    assert [row for _, row in read_rows("kept.jsonl")] == rows[:1]


def test_scores_without_a_signature_are_restored(select):
    write_rows("scored.csv", [{"id": 1, "score": 0.5}])
    select("scored.csv", "--top", 1)
    assert [row for _, row in read_rows("kept.jsonl")] == [{"id": "1", "score": 0.5}]


def test_a_number_that_is_too_large_is_reported(select):
    write_rows("scored.csv", [{"signature": "toy|v:1", "score": at, "n": n} for at, n in enumerate(["1", "-1e999"])])
    message = (
        "scored.csv, row 2: the column 'n' is '-1e999'; expected a number below 1.8e308. Correct it, or write CSV.\n"
    )
    assert select("scored.csv", "--top", 1, code=1).stderr.endswith(message)


@pytest.mark.parametrize("target", ["kept.csv", "kept.parquet"])
@pytest.mark.parametrize(("threshold", "ids"), [(1, [1, 4]), (2, [])])
def test_all_columns_are_kept_also_without_rows(select, target, threshold, ids):
    write_rows("few.jsonl", [row | ({"part": "late"} if row["id"] == 6 else {}) for row in ROWS])
    select("few.jsonl", "--threshold", threshold, "--output", target)
    assert kept(target) == ids
    names = pq.read_schema(target).names if target == "kept.parquet" else Path(target).read_text().split()[0].split(",")
    assert names == ["id", "score", "source", "part"]


def test_rows_are_selected_within_groups(select):
    """Even rows score .25 .5 1 0, odd rows 1 0 .75 .5."""
    printed = select("rows.jsonl", "--per-group", "source", "--fraction", 0.5).stderr
    assert kept() == [1, 2, 4, 5]
    # Kept: means (.5 + 1) / 2 and (1 + .75) / 2. Dropped: (.25 + 0) / 2 and (0 + .5) / 2.
    lines = [line.split() for line in printed.splitlines()]
    assert ["even", "4", "2", "0.7500", "0.1250", "0.5000"] in lines
    assert ["odd", "4", "2", "0.8750", "0.2500", "0.7500"] in lines
    assert ["all", "8", "4", "0.8125", "0.1875", "0.5000"] in lines


def test_group_column_may_be_missing_in_some_rows(select):
    write_rows("few.jsonl", [row | ({"part": "late"} if row["id"] in (5, 6) else {}) for row in ROWS])
    printed = select("few.jsonl", "--top", 1, "--per-group", "part").stderr
    assert kept() == [1, 5]
    assert "\n (none) " in printed


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_row_without_score_is_dropped(select, suffix):
    write_rows(f"mine.{suffix}", [{"id": row["id"], "mine": row["score"] or None} for row in ROWS])
    printed = select(f"mine.{suffix}", "--column", "score=mine", "--fraction", 0.5).stderr
    assert kept() == [1, 4, 5], "half of the six scored rows"
    assert "Rows without a score were not kept: 2." in printed


def test_an_existing_file_is_replaced_only_with_overwrite(select):
    Path("kept.jsonl").write_text("mine")
    message = "kept.jsonl already exists. Use --overwrite to replace it, or name another --output.\n"
    assert select("rows.jsonl", "--top", 1, code=1).stderr.endswith(message)
    assert Path("kept.jsonl").read_text() == "mine"
    select("rows.jsonl", "--top", 1, "--overwrite")
    assert kept() == [1]


def test_unscored_file_is_reported_with_the_fix(select):
    write_rows("bare.jsonl", [{"id": 1}])
    message = "no column 'score'. Available: id. Run `evaluate-qa score` first, or name the scores with --column"
    assert message in select("bare.jsonl", "--top", 1, code=1).stderr
    assert message in run_command("report", "bare.jsonl", "-o", "r.html", code=1).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rows.jsonl"], "evaluate-qa select: Give one of --fraction, --top or --threshold.\n"),
        (["rows.jsonl", "--top", "1", "--fraction", "1"], "Give one of --fraction, --top or --threshold."),
        (["rows.jsonl", "--fraction", "12.5"], "--fraction is 12.5; expected more than 0 and at most 1"),
        (["rows.jsonl", "--top", "0"], "--top is 0"),
        (["rows.jsonl", "--top", "1", "--column", "score=source"], "is 'even'; expected a number. Name"),
        (["rows.jsonl", "--threshold", "nan"], "--threshold is nan; expected a number"),
        (["rows.jsonl", "--top", "1", "--output", "k.txt"], "k.txt: unknown file type. Use .jsonl, .csv or .parquet."),
        (["rows.jsonl", "--top", "1", "--output", "rows.jsonl"], "--input and --output must be different files"),
        (["rows.jsonl", "--top", "1", "--column", "score=x"], "no column 'x'. Available: id, score, source.\n"),
        (["-", "--top", "1"], "select reads its input twice. Give a file as --input"),
        (["rows.jsonl", "--top", "1", "--column", "source"], "--column source: there is no column 'source' to rename."),
    ],
)
def test_error_messages(select, arguments, message):
    assert message in select(*arguments, code=1).stderr
    assert sorted(path.name for path in Path().iterdir()) == ["rows.jsonl"]
