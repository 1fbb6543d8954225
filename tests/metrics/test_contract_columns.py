"""Columns of every metric: unused and optional columns, lone surrogates, and very long texts."""

import numpy as np
import pytest

from evaluate_qa.metrics._shared.arguments import KNOWN_COLUMNS


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
