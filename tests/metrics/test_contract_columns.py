"""Columns of every metric: any container, unused columns, and any text."""

import numpy as np
import pytest

from evaluate_qa.metrics._shared.arguments import KNOWN_COLUMNS, is_visible


def unused_columns(metric, count):
    """Return every column that only other metrics use."""
    return {column: [None] * (count - 1) + ["x"] for column in KNOWN_COLUMNS if column not in metric.columns}


def test_columns_of_other_metrics_are_ignored(metric, case):
    checked = metric.check_call(case.columns)
    np.testing.assert_equal(metric.check_call({**case.columns, **unused_columns(metric, len(case))}), checked)


def test_an_optional_column_may_be_missing_none_or_all_none(metric, case):
    required = {column: case.columns[column] for column in case.needed(metric)}
    optional = metric.columns.keys() - required.keys()
    result = metric.compute(**required)
    assert metric.compute(**required, **dict.fromkeys(optional)) == result
    assert metric.compute(**required, **{column: [None] * len(case) for column in optional}) == result


STRANGE = {
    "empty": "",
    "NUL": "Marie\0Curie\0",
    "only NUL": "\0",
    "lone surrogate": "Marie \ud800 Curie",
    "surrogate pair": "\ud83d\ude42",
    "right to left": "מארי קירי גילתה את הרדיום",
    "direction marks": "\u202eeiruC eiraM\u202c",
    "emoji": "👩‍🔬🏽 👨‍👩‍👧‍👦 🇫🇷",
    "Chinese": "居里夫人发现了镭。",
    "combining marks": "M" + "\u0301" * 500,
    "punctuation": "?!… ---",
    "line ends": "Marie\r\nCurie\u2028\x0b\x85",
    "private use": "\ue000\U0010ffff\ufeff",
    "digits": "1" * 400,
    "markup": "<|endoftext|> [MASK] [SEP] {0} %s \\",
}


def test_strange_text_is_scored(metric, case):
    """As an answer, as one of two references, and as both."""
    for kind, text in STRANGE.items():
        reference = text if is_visible(text) else "a"
        columns = case.filled(
            metric,
            predictions=[text, "Marie Curie", text],
            references=["Marie Curie", ["Marie Curie", reference], reference],
            questions=["Who?", reference, reference],
        )
        assert all(map(case.allows, metric.compute(**columns)["per_example"]["score"])), kind


def test_lone_surrogates_count_as_the_replacement_character(metric, case):
    lone, replaced = (
        metric.compute(**case.filled(metric, predictions=[f"Marie {mark} Curie"], references=["Marie Curie"]))
        for mark in ("\ud800", "\ufffd")
    )
    assert lone == replaced


@pytest.mark.slow
@pytest.mark.parametrize("text", ["x" * 500_000, "Marie Curie did it. " * 5_000], ids=["one word", "prose"])
def test_very_long_text_is_scored(metric, case, text):
    columns = case.filled(metric, predictions=[text, "Marie Curie"], references=["Marie Curie", [text, "Marie Curie"]])
    assert all(map(case.allows, metric.compute(**columns)["per_example"]["score"]))
