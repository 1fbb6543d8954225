"""Columns of every metric: in any container, batch by batch, with ones it has no use for, and of any text."""

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from evaluate_qa.metrics._shared.arguments import KNOWN_COLUMNS


@pytest.fixture(scope="module")
def result(metric, case):
    return metric.compute(**case.columns)


def of_no_use(metric, count):
    """A column of every kind that only other metrics use."""
    return {column: [None] * (count - 1) + ["x"] for column in KNOWN_COLUMNS if column not in metric.columns}


@pytest.mark.parametrize(
    "container",
    [
        tuple,
        lambda rows: np.array([*rows, None], dtype=object)[:-1],
        pd.Series,
        pa.array,
        lambda rows: datasets.Dataset.from_dict({"a": rows})["a"],
        lambda rows: (row for row in rows),
    ],
    ids=["tuple", "numpy", "pandas", "Arrow", "datasets", "generator"],
)
def test_any_container_gives_the_same_result(metric, case, result, container):
    def listed(value):
        return list(value) if isinstance(value, tuple) else value

    # One type for all rows of a column, which Arrow and datasets want.
    columns = {}
    for column, values in case.columns.items():
        nested = any(isinstance(value, (list, tuple)) for value in values)
        rows = [[value] if nested and isinstance(value, str) else listed(value) for value in values]
        columns[column] = container(rows)
    assert metric.compute(**columns) == result


def test_columns_of_other_metrics_are_ignored(metric, case, result):
    assert metric.compute(**case.columns, **of_no_use(metric, len(case))) == result
    metric.add_batch(**case.columns, **of_no_use(metric, len(case)))
    assert metric.compute() == result


def test_an_optional_column_may_be_missing_none_or_all_none(metric, case):
    required = {column: case.columns[column] for column in case.needed(metric)}
    optional = metric.columns.keys() - required.keys()
    result = metric.compute(**required)
    assert metric.compute(**required, **dict.fromkeys(optional)) == result
    assert metric.compute(**required, **{column: [None] * len(case) for column in optional}) == result


def test_add_batch_equals_compute(metric, case, result):
    for rows in ((0, 1, 2), (3,), tuple(range(4, len(case)))):
        metric.add_batch(**case.rows(*rows))
    assert metric.compute() == result


def test_add_equals_compute(metric, case, result):
    singular = {"predictions": "prediction", "references": "reference"}
    for row in range(len(case)):
        metric.add(**{singular.get(column, column): values[row] for column, values in case.columns.items()})
    assert metric.compute() == result


def test_compute_merges_its_rows_with_those_added_before(metric, case, result):
    metric.add_batch(**case.rows(0, 1))
    assert metric.compute(**case.rows(*range(2, len(case)))) == result


def test_batches_with_and_without_an_optional_column_mix(metric, case):
    """The rows of a batch without the column count as None."""
    optional = metric.columns.keys() - {*case.needed(metric), "against"}
    bare = {column: case.rows(0)[column] for column in case.needed(metric)}
    full = {column: values for column, values in case.rows(1).items() if column != "against"}
    expected = metric.compute(**{column: [*bare.get(column, [None]), *full[column]] for column in full})
    assert optional <= full.keys()
    metric.add_batch(**full)
    metric.add_batch(**bare)
    mixed = metric.compute()
    assert mixed["per_example"]["score"] == expected["per_example"]["score"][::-1]


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


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
def test_strange_text_is_scored(metric, case, text):
    """As an answer, as one reference of two, and as both."""
    columns = case.filled(
        metric,
        predictions=[text, "Marie Curie", text],
        references=["Marie Curie", ["Marie Curie", text or "a"], text or "a"],
        questions=["Who?", text or "a", text or "a"],
    )
    assert all(map(case.allows, metric.compute(**columns)["per_example"]["score"]))


def test_lone_surrogates_count_as_the_replacement_character(metric, case):
    lone, replaced = (
        metric.compute(**case.filled(metric, predictions=[f"Marie {mark} Curie"], references=["Marie Curie"]))
        for mark in ("\ud800", "\ufffd")
    )
    assert lone == replaced


@pytest.mark.slow
@pytest.mark.parametrize("text", ["x" * 1_000_000, "Marie Curie did it. " * 50_000], ids=["one word", "prose"])
def test_a_megabyte_of_text_is_scored(metric, case, text):
    columns = case.filled(metric, predictions=[text, "Marie Curie"], references=["Marie Curie", [text, "Marie Curie"]])
    assert all(map(case.allows, metric.compute(**columns)["per_example"]["score"]))
