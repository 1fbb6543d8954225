"""The result of every metric: types, ranges, independence of batches and order, unused columns, and long texts."""

import json
import pydoc
import re
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

from evaluate_qa.loading import scorer_class
from evaluate_qa.metrics._shared.columns import KNOWN_COLUMNS
from evaluate_qa.metrics._shared.options import FLAG, Choice, Number, Whole, declarations


def not_plain(value, where="result"):
    """Yield the places of values that are not JSON types, such as numpy's numbers."""
    if type(value) is dict:
        for key, inner in value.items():
            yield from not_plain(key, f"key of {where}")
            yield from not_plain(inner, f"{where}[{key!r}]")
    elif type(value) is list:
        for number, inner in enumerate(value):
            if inner is not None:  # a missing value
                yield from not_plain(inner, f"{where}[{number}]")
    elif type(value) not in {float, int, str, bool}:
        yield where, type(value)


def assert_same(left, right):
    """Check equality up to 1e-5."""
    assert left.keys() == right.keys()
    for key, value in left.items():
        if isinstance(value, dict):
            assert_same(value, right[key])
        elif isinstance(value, list) and value and isinstance(value[0], (str, list)):
            # Texts and lists of a row are exactly equal.
            assert value == right[key]
        else:
            assert value == pytest.approx(right[key], abs=1e-5), key


def test_the_scorer_has_the_metrics_name(metric, name):
    assert type(metric) is scorer_class(name)
    assert metric.name == name
    assert metric.citation.startswith("@"), "the scorer's citation is a BibTeX entry"


def test_help_fits_on_two_screens(metric):
    lines = pydoc.plain(pydoc.render_doc(metric)).splitlines()
    assert len(lines) <= 80
    assert any(line.strip().startswith("reward: Return a function") for line in lines) == hasattr(metric, "reward")


def test_the_result_is_plain_python_and_json(result):
    assert list(not_plain(result)) == []
    assert json.loads(json.dumps(result)) == result


def test_the_mean_score_has_the_metrics_name(result, name, case):
    assert type(result[name]) is float
    assert case.allows(result[name])


def test_the_signature_has_name_version_and_settings(result, name):
    assert re.fullmatch(rf"{name}\|v:\d+\.\d+\.\d+(\|[a-z_0-9]+:[^|\s]+)*", result["signature"])


def test_the_signature_records_whether_optional_questions_are_given(metric, case, result):
    """Scores depend on them, and calls with and without questions are not scored together."""
    optional = "questions" in metric.columns and "questions" not in metric.required
    assert ("|questions:given" in result["signature"]) == optional
    if optional:
        columns = {name: rows for name, rows in case.columns.items() if name != "questions"}
        calls = [metric.check_columns(one) for one in (columns, case.columns)]
        results = metric.compute_each(calls, metric.check_call({})[0])
        assert ["|questions:given" in one["signature"] for one in results] == [False, True]


def other_values(declared):
    """Return some values of an option: all of a choice, or the least and the greatest number."""
    match kind := declared.kind:
        case Choice():
            values = kind.values
        case Number():
            values = 0.0 if kind.low is None else kind.low, kind.high
        case Whole():
            values = kind.low, kind.low + 1
        case _:
            values = (True, False) if kind is FLAG else ()
    return [value for value in values if value not in (declared.default, None)]


@pytest.mark.slow
def test_an_option_that_changes_scores_changes_the_signature(metric, case, result, name):
    figures = [key for key in ("score", "verdict") if key in result["per_example"]]
    changed = set()
    for option, declared in declarations(metric.options).items():
        for value in other_values(declared):
            with suppress(ValueError, ImportError, LookupError):  # it needs other options, a package or its data
                found = metric.compute(**case.columns, **{option: value})
                if any(found["per_example"][key] != result["per_example"][key] for key in figures):
                    changed.add(option)
                    assert found["signature"] != result["signature"], (option, value)
    assert changed or name == "judge"  # the chat server answers all questions alike


def test_rows_are_lists_of_equal_length_that_make_a_table(result, case):
    rows = result["per_example"]
    assert {len(values) for values in rows.values()} == {len(case)}
    table = pd.DataFrame(rows)
    assert table.shape == (len(case), len(rows))
    assert all(map(case.allows, table["score"]))
    assert table["score"].nunique() > 2, "rows of different quality"


def test_accuracy_is_the_share_of_true_verdicts(result, metric):
    verdicts = result["per_example"].get("verdict")
    assert metric.verdicts == (verdicts is not None)
    if verdicts is None:
        assert "accuracy" not in result
    else:
        assert {type(verdict) for verdict in verdicts} == {bool}
        assert result["accuracy"] == sum(verdicts) / len(verdicts)


def test_per_example_false_leaves_out_rows(metric, case, result):
    without = metric.compute(**case.columns, per_example=False)
    assert without == {key: value for key, value in result.items() if key != "per_example"}


def test_calls_that_are_scored_together_have_the_results_of_each_alone(metric, case):
    parts = [case.rows(0, 1), case.rows(2, 3, 4), {name: case.rows(5)[name] for name in case.needed(metric)}]
    options, _ = metric.check_call({})
    calls = [metric.check_columns(part, options) for part in parts]
    for part, result in zip(parts, metric.compute_each(calls, options), strict=True):
        alone = metric.compute(**part)
        assert result["signature"] == alone["signature"]
        assert_same(result["per_example"], alone["per_example"])
        assert_same(result, alone)


def test_the_best_answers_score_highest(metric, case, name):
    result = metric.compute(**case.best_rows())
    best = case.scores[1] if case.best is None else case.best
    assert min(result[name], *result["per_example"]["score"]) >= best - 1e-5


def test_an_empty_answer_scores_lowest(metric, case):
    """So does an answer of only invisible characters."""
    columns = {column: [*values[:2], *values[:2]] for column, values in case.best_rows().items()}
    result = metric.compute(**columns | {"predictions": ["", " \n\t", "\u200b", "\x00"]})
    assert result["per_example"]["score"] == [case.scores[0] if case.empty is None else case.empty] * 4


def test_the_order_of_rows_does_not_matter(metric, case, result):
    order = np.random.default_rng(0).permutation(len(case))
    shuffled = metric.compute(**case.rows(*order))
    expected = {key: [values[row] for row in order] for key, values in result["per_example"].items()}
    assert_same(shuffled["per_example"], expected)
    by_row = {"per_example", "comparison"}  # a comparison draws rows by their index
    assert_same(*({key: out[key] for key in out.keys() - by_row} for out in (shuffled, result)))


def test_other_rows_do_not_matter(metric, case, result):
    alone = [metric.compute(**case.rows(row))["per_example"] for row in range(len(case))]
    assert_same({key: [rows[key][0] for rows in alone] for key in result["per_example"]}, result["per_example"])


def test_the_batch_size_does_not_matter(load, case, result, metric):
    if not hasattr(metric.load_options, "batch_size"):
        pytest.skip("the metric runs no model in batches")
    assert_same(load(batch_size=1).compute(**case.columns), result)


def test_equal_calls_give_equal_results_from_one_model(metric, case, result):
    model = metric._model
    assert (model is not None) == bool(case.loads)
    assert metric.compute(**case.columns) == result
    assert metric._model is model


def test_nothing_is_printed_if_progress_bars_are_disabled(load, case, capfd):
    import datasets

    datasets.disable_progress_bars()
    try:
        load().compute(**case.columns)
    finally:
        datasets.enable_progress_bars()
    assert capfd.readouterr() == ("", "")


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


@pytest.mark.parametrize("marks", [("\ud800", "\ufffd"), ("e\u0301", "\xe9")], ids=["lone surrogate", "decomposed"])
def test_other_encodings_of_a_text_have_its_score(metric, case, marks):
    """A lone surrogate counts as the replacement character, and a letter with an accent as one character (NFC)."""
    first, second = (
        metric.compute(**case.filled(metric, predictions=[f"Marie {mark} Curie"], references=["Marie Curie"]))
        for mark in marks
    )
    assert first == second


@pytest.mark.slow
@pytest.mark.parametrize("text", ["x" * 500_000, "Marie Curie did it. " * 5_000], ids=["one word", "prose"])
def test_very_long_text_is_scored(metric, case, text):
    columns = case.filled(metric, predictions=[text, "Marie Curie"], references=["Marie Curie", [text, "Marie Curie"]])
    assert all(map(case.allows, metric.compute(**columns)["per_example"]["score"]))
