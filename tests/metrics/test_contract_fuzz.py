"""For any input, a metric returns a score in its range, or raises a ValueError or TypeError that names the problem.

About three hundred calls and five hundred cases for each metric.
"""

import dataclasses
from typing import get_args

import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st

from evaluate_qa.metrics._shared.columns import is_visible

any_text = st.text(st.characters(), max_size=12)
words = st.sampled_from(["a", "Paris", "42", "i", "is", "not", "the", "été", "巴黎", "🙂", "\0", "\ud800", "?", "_"])
wordy_text = st.lists(st.one_of(any_text, words), max_size=5).map(" ".join)
texts = st.one_of(any_text, wordy_text)
not_blank = texts.filter(is_visible)
references = st.one_of(not_blank, st.lists(not_blank, min_size=1, max_size=2))
scalars = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(), any_text, st.binary(max_size=3))
values = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(any_text, inner, max_size=2))
)


def fuzz(examples):
    """Return settings with this number of examples, scaled if Hypothesis' default is not a hundred."""
    share = settings.default.max_examples / 100
    return settings(max_examples=round(examples * share), suppress_health_check=[HealthCheck.too_slow])


def compute(metric, case, columns, refusals=(ValueError, TypeError)):
    """Return the scores of the rows after a check of their range, or None for refused input."""
    try:
        result = metric.compute(**columns)
    except refusals as refused:
        event("refused")
        if not str(refused).startswith(f"{metric.name}: "):
            raise
        return None
    event("scored")
    scores = result["per_example"]["score"]
    assert all(map(case.allows, [result[metric.name], *scores]))
    return scores


@pytest.fixture(scope="module", autouse=True)
def still_correct(metric, case, result):
    """Thousands of calls, most of them refused, leave the metric as it was."""
    yield
    assert metric.compute(**case.columns) == result


@fuzz(50)
@given(data=st.data())
def test_any_value_in_a_row_is_scored_or_refused(metric, case, data):
    """Valid rows with a few random cells."""
    rows = data.draw(st.lists(st.integers(0, len(case) - 1), min_size=1, max_size=2), "rows")
    columns = case.rows(*rows)
    cells = st.tuples(st.sampled_from(sorted(columns)), st.integers(0, len(rows) - 1))
    for (column, row), value in data.draw(st.dictionaries(cells, values | references, max_size=3), "cells").items():
        columns[column][row] = value
    compute(metric, case, columns)


@fuzz(30)
@given(data=st.data())
def test_anything_as_a_column_is_scored_or_refused(metric, case, data):
    columns = case.rows(0, 1)
    names = st.sampled_from([*columns, "keywords", "per_exmple"])
    columns |= data.draw(st.dictionaries(names, values | st.lists(values | references, max_size=2), max_size=3))
    compute(metric, case, columns)


@fuzz(50)
@given(data=st.data())
def test_any_value_of_an_option_is_used_or_refused(metric, case, data):
    """An option may need a package that is not installed."""
    field = data.draw(st.sampled_from(dataclasses.fields(metric.options)))
    choices = [choice for choice in get_args(field.type) if isinstance(choice, str)]
    likely = st.floats(0, 1) | st.integers(1, 9) | (st.sampled_from(choices) if choices else st.booleans())
    options = {field.name: data.draw(likely | values, field.name)}
    compute(metric, case, case.rows(0, 3) | options, (ValueError, TypeError, LookupError, ImportError))


STRANGE = [
    *("\ud83d\ude42", "\u202eeiruC eiraM\u202c", "👩‍🔬🏽 👨‍👩‍👧‍👦 🇫🇷", "居里夫人发现了镭。", "\0", "?!… ---"),
    *("M" + "\u0301" * 500, "Marie\r\nCurie\u2028\x0b\x85", "\ue000\U0010ffff\ufeff", "1" * 400),
    "<|endoftext|> [MASK] [SEP] {0} %s \\",
]


@fuzz(20)
@example([(text, ["Marie Curie", text if is_visible(text) else "a"]) for text in STRANGE])
@given(rows=st.lists(st.tuples(texts, references), min_size=10, max_size=10))
def test_any_text_is_scored(metric, case, rows):
    """Two hundred valid rows must all be scored."""
    predictions, right = zip(*rows, strict=True)
    columns = case.filled(metric, predictions=predictions, references=right)
    assert len(compute(metric, case, columns)) == len(rows)
