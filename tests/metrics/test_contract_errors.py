"""Errors of every metric, after which the same object scores the next call correctly."""

import itertools
import math
import re
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from evaluate_qa.metrics._shared.columns import KNOWN_COLUMNS
from evaluate_qa.metrics._shared.options import declarations


@pytest.fixture(scope="module")
def unloaded(load):
    """A metric that fails the test if it loads its model."""
    metric = load()
    metric.prepare = lambda _: pytest.fail("the model is loaded before the input is checked")
    return metric


BAD_ROWS = [None, 5, 2.5, math.nan, True, b"Paris", {"a": "b"}, {"a"}, ["a", None], ["a", b"b"], [["a"]], object()]
BAD_COLUMNS = ["Paris", b"Paris", 5, math.nan, {"a": "b"}, {"a"}, object(), np.array("Paris")]
BAD_COLUMNS += [pd.DataFrame({"a": ["b"]})]


def test_a_row_of_the_wrong_type_raises_an_error(unloaded, case):
    for column, bad in itertools.product(unloaded.required, BAD_ROWS):
        columns = case.rows(0, 1, 2)
        columns[column][1] = bad
        message = rf"^{unloaded.name}: {column}\[1\] is {re.escape(repr(bad))}; expected "
        with pytest.raises((TypeError, ValueError), match=message) as caught:
            unloaded.compute(**columns)
        assert (caught.value.column, caught.value.row) == (column, 1)


def test_a_column_that_is_not_a_list_raises_an_error(unloaded, case):
    for column, bad in itertools.product(unloaded.columns, BAD_COLUMNS):
        with pytest.raises(TypeError, match=rf"^{unloaded.name}: {column} is [\s\S]*; expected a list with one entry"):
            unloaded.compute(**case.rows(0) | {column: bad})


def test_a_row_without_a_reference_raises_an_error(unloaded, case):
    if "references" not in unloaded.columns:
        pytest.skip("the metric has no references")
    for bad in ("", " ", [], (), [""], [" ", "\n"], np.array([])):
        with pytest.raises(ValueError, match=rf"^{unloaded.name}: references\[1\] is .*list of non-empty strings$"):
            unloaded.compute(**case.filled(unloaded, predictions=["a", "b"], references=["Paris", bad]))


def test_columns_of_different_lengths_raise_an_error(unloaded, case):
    for column in unloaded.columns:
        columns = case.rows(0, 1, 2)
        columns[column] = columns[column][:2]
        with pytest.raises(ValueError, match=f"^{unloaded.name}: the columns differ in length: .*{column} has 2"):
            unloaded.compute(**columns)


def test_no_rows_raise_an_error(unloaded):
    nothing = f"^{unloaded.name}: nothing to score; pass {' and '.join(unloaded.required)}$"
    unused = next(column for column in KNOWN_COLUMNS if column not in unloaded.columns)
    for columns in ({}, dict.fromkeys(unloaded.columns), {unused: ["a"]}):
        with pytest.raises(ValueError, match=nothing):
            unloaded.compute(**columns)
    with pytest.raises(ValueError, match=rf"^{unloaded.name}: {unloaded.required[0]} is empty; expected at least"):
        unloaded.compute(**{column: [] for column in unloaded.required})


def test_a_missing_column_raises_an_error(unloaded, case):
    for column in unloaded.required:
        columns = {key: values for key, values in case.rows(0).items() if key != column}
        with pytest.raises(ValueError, match=f"^{unloaded.name}: {column} is missing; expected a list"):
            unloaded.compute(**columns)


def test_an_unknown_keyword_raises_an_error_with_the_nearest(unloaded, case, load, name):
    others = {"answers": "predictions", "gold": "references", "gold_answers": "references", "prompts": "questions"}
    for given, column in {**others, "refrences": "references"}.items():
        hint = f"did you mean {column!r}" if column in unloaded.columns else "expected one of "
        with pytest.raises(TypeError, match=f"^{name}: unknown keyword {given!r}; {hint}"):
            unloaded.compute(**case.columns, **{given: ["a"]})
    with pytest.raises(TypeError) as error:
        unloaded.compute(ids=["a"])
    listed = {*str(error.value).partition("expected one of ")[2].split(", ")}
    assert listed == {*unloaded.columns, *declarations(unloaded.options), "per_example"}
    with pytest.raises(TypeError, match=f"^{name}: unknown keyword 'per_example'"):
        load(per_example=False)
    with pytest.raises(ValueError, match=f"^{name}: there is no configuration 'papr'; expected one of 'default'"):
        load(**{**case.load, "config": "papr"})


def test_an_option_of_the_other_function_raises_an_error_that_names_it(unloaded, case, load, name):
    of_compute, of_load = (sorted(declarations(options)) for options in (unloaded.options, unloaded.loading))
    with pytest.raises(TypeError, match=f"^{name}: {of_compute[0]} is an option of compute; pass it to compute "):
        load(**{of_compute[0]: None})
    for option in of_load[:1]:
        with pytest.raises(TypeError, match=f"^{name}: {option} is an option of load; pass it to load "):
            unloaded.compute(**case.columns, **{option: None})


@pytest.mark.parametrize("per_example", ["no", None, 0, np.ones(2)])
def test_per_example_is_true_or_false(unloaded, case, per_example):
    with pytest.raises(ValueError, match=f"^{unloaded.name}: per_example is .*; expected True or False$"):
        unloaded.compute(**case.columns, per_example=per_example)


def test_positional_arguments_raise_an_error_with_the_call(unloaded):
    call = re.escape(f"compute({unloaded.required[0]}=[…]")
    with pytest.raises(TypeError, match=f"^{unloaded.name}: compute accepts only keyword arguments; write {call}"):
        unloaded.compute(["Paris"], ["Paris"])


def test_the_call_after_an_error_while_scoring_is_correct(load_with_model, case, result, monkeypatch):
    metric = load_with_model()
    for error in (RuntimeError("device lost"), KeyboardInterrupt()):
        with monkeypatch.context() as patch:
            patch.setattr(metric, "_compute", Mock(side_effect=error))
            with pytest.raises(type(error)):
                metric.compute(**case.rows(1))
        assert metric.compute(**case.columns) == result


def test_the_call_after_a_missing_file_or_package_is_correct(metric, case, result):
    if case.unprepared:
        with pytest.raises((ValueError, ImportError, LookupError, OSError), match=f"^{metric.name}: "):
            metric.compute(**case.columns, **case.unprepared)
    assert metric.compute(**case.columns) == result
