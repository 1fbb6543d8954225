"""The sample that the demo scores: its form, its balance, and what each kind of row promises."""

import json
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from evaluate_qa.metrics._shared import inputs

KEYS = ["id", "question", "references", "prediction", "correct", "kind"]
KINDS = {
    "short",
    "verbose",
    "wrong_but_similar",
    "negated",
    "numeric",
    "multi_reference",
    "non_english",
    "empty",
    "paraphrase",
    "yes_no",
    "medical",
    "partial",
}
ALWAYS_WRONG = {"empty", "wrong_but_similar"}

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def lines(root: Path) -> list[str]:
    # split at "\n" alone: splitlines() would also split at separators such as U+2028 inside a string
    *lines, rest = (root / "scripts" / "sample.jsonl").read_text(encoding="utf-8").split("\n")
    assert rest == "", "the file must end with a newline"
    return lines


@pytest.fixture(scope="module")
def rows(lines: list[str]) -> Rows:
    return [json.loads(line) for line in lines]


def of_kind(rows: Rows, kind: str) -> Rows:
    return [row for row in rows if row["kind"] == kind]


def test_one_readable_row_a_line(lines: list[str], rows: Rows):
    assert lines == [json.dumps(row, ensure_ascii=False) for row in rows]


def test_keys_and_types(rows: Rows):
    for row in rows:
        assert list(row) == KEYS
        assert all(isinstance(row[key], str) for key in ("id", "question", "prediction", "kind"))
        assert isinstance(row["references"], list)
        assert isinstance(row["correct"], bool)
        assert row["question"].strip()


def test_metrics_take_every_row(rows: Rows):
    for column, key, check in (
        ("references", "references", inputs.texts),
        ("predictions", "prediction", inputs.prediction),
        ("questions", "question", inputs.question),
    ):
        values = [row[key] for row in rows]
        assert inputs.check_column("any", column, values, check) == values


def test_nothing_twice(rows: Rows):
    assert len({row["id"] for row in rows}) == len(rows)
    assert len({(row["question"], row["prediction"]) for row in rows}) == len(rows)
    assert all(len(set(row["references"])) == len(row["references"]) for row in rows)


def test_same_question_has_the_same_references(rows: Rows):
    references: dict[str, list[str]] = {}
    for row in rows:
        assert references.setdefault(row["question"], row["references"]) == row["references"]


def test_balance(rows: Rows):
    counts = Counter(row["kind"] for row in rows)
    assert set(counts) == KINDS
    assert min(counts.values()) >= 5
    assert len(rows) >= 80
    assert 0.4 <= sum(row["correct"] for row in rows) / len(rows) <= 0.6


def test_verdicts_of_each_kind(rows: Rows):
    for kind in KINDS:
        verdicts = {row["correct"] for row in of_kind(rows, kind)}
        assert verdicts == ({False} if kind in ALWAYS_WRONG else {True, False}), kind


def test_only_empty_rows_are_blank(rows: Rows):
    for row in rows:
        assert (row["prediction"].strip() == "") == (row["kind"] == "empty"), row["id"]


def test_multi_reference_rows_have_several(rows: Rows):
    assert all(len(row["references"]) > 1 for row in of_kind(rows, "multi_reference"))


def test_verbose_answers_are_long_and_short_ones_short(rows: Rows):
    assert all(40 <= len(row["prediction"].split()) <= 120 for row in of_kind(rows, "verbose"))
    assert all(len(row["prediction"].split()) <= 5 for row in of_kind(rows, "short"))


def test_verbose_rows_mislead_lexical_match(rows: Rows):
    """Some wrong long answers mention the reference: finding it in the text must not be enough."""
    wrong = [row for row in of_kind(rows, "verbose") if not row["correct"]]
    assert sum(row["references"][0].lower() in row["prediction"].lower() for row in wrong) >= 3


@pytest.mark.parametrize("script", ["CJK", "DEVANAGARI", "ARABIC", "LATIN"])
def test_non_english_rows_cover_the_script(rows: Rows, script: str):
    written = [
        row
        for row in of_kind(rows, "non_english")
        if any(unicodedata.name(char, "").startswith(script) for char in row["question"])
    ]
    assert {row["correct"] for row in written} == {True, False}


def test_numeric_rows_hold_digits(rows: Rows):
    for row in of_kind(rows, "numeric"):
        assert any(char.isdigit() for char in row["prediction"] + row["references"][0]), row["id"]
