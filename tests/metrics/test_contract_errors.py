"""What no metric accepts, what the message says, and that the same object then scores the next call correctly."""

import math
import re
from pathlib import Path

import pytest
from evaluate_qa.metrics._shared.arguments import KNOWN_COLUMNS


@pytest.fixture(scope="module")
def result(metric, case):
    return metric.compute(**case.columns)


@pytest.fixture(scope="module")
def unloaded(load):
    """A metric that must not come as far as loading its model."""
    metric = load()
    metric.prepare = lambda _: pytest.fail("the model is loaded before the input is checked")
    return metric


BAD_ROWS = [None, 5, 2.5, math.nan, True, b"Paris", {"a": "b"}, {"a"}, ["a", None], ["a", b"b"], [["a"]], object()]
BAD_COLUMNS = ["Paris", b"Paris", 5, math.nan, {"a": "b"}, {"a"}, object()]


def shown(value):
    """A name for a case that is the same in every process: without the address in an object's representation."""
    return re.sub(r" at 0x\w+", "", repr(value))


@pytest.mark.parametrize("bad", BAD_ROWS, ids=shown)
def test_a_row_of_the_wrong_type_is_named(unloaded, case, bad):
    for column in unloaded.required:
        columns = case.rows(0, 1, 2)
        columns[column][1] = bad
        message = rf"^{unloaded.name}: {column}\[1\] is {re.escape(repr(bad))}; expected "
        with pytest.raises((TypeError, ValueError), match=message) as caught:
            unloaded.compute(**columns)
        assert (caught.value.column, caught.value.row) == (column, 1)
        with pytest.raises((TypeError, ValueError), match=message):
            unloaded.add_batch(**columns)
        assert len(unloaded) == 0


@pytest.mark.parametrize("bad", BAD_COLUMNS, ids=shown)
def test_a_column_that_is_no_list_is_named(unloaded, case, bad):
    for column in unloaded.columns:
        with pytest.raises(TypeError, match=rf"^{unloaded.name}: {column} is .*; expected a list with one entry"):
            unloaded.compute(**case.rows(0) | {column: bad})


@pytest.mark.parametrize("bad", ["", " ", [], [""], [" ", "\n"]])
def test_a_row_without_a_reference_is_an_error(unloaded, case, bad):
    if "references" not in unloaded.columns:
        pytest.skip("the metric has no references")
    with pytest.raises(ValueError, match=rf"^{unloaded.name}: references\[1\] is .*, none of them empty$"):
        unloaded.compute(**case.filled(unloaded, predictions=["a", "b"], references=["Paris", bad]))


def test_columns_of_different_lengths_are_told(unloaded, case):
    for column in unloaded.columns:
        columns = case.rows(0, 1, 2)
        columns[column] = columns[column][:2]
        with pytest.raises(ValueError, match=f"^{unloaded.name}: the columns differ in length: .*{column} has 2"):
            unloaded.compute(**columns)


def test_no_rows_are_an_error(unloaded):
    nothing = f"^{unloaded.name}: nothing to score; pass {' and '.join(unloaded.required)}$"
    of_no_use = next(column for column in KNOWN_COLUMNS if column not in unloaded.columns)
    for columns in ({}, dict.fromkeys(unloaded.columns), {of_no_use: ["a"]}):
        with pytest.raises(ValueError, match=nothing):
            unloaded.compute(**columns)
    for call in (unloaded.compute, unloaded.add_batch):
        with pytest.raises(ValueError, match=rf"^{unloaded.name}: {unloaded.required[0]} is empty; expected at least"):
            call(**{column: [] for column in unloaded.required})


def test_a_missing_column_is_named(unloaded, case):
    for column in unloaded.required:
        columns = {key: values for key, values in case.rows(0).items() if key != column}
        for call in (unloaded.compute, unloaded.add_batch):
            with pytest.raises(ValueError, match=f"^{unloaded.name}: {column} is missing; expected a list"):
                call(**columns)


def test_an_unknown_keyword_names_the_nearest(unloaded, case, load, name):
    with pytest.raises(TypeError, match=f"^{name}: unknown keyword 'refrences'; did you mean 'references'"):
        unloaded.compute(**case.columns, refrences=["a"])
    with pytest.raises(TypeError, match=f"^{name}: unknown keyword 'question'; did you mean 'questions'"):
        unloaded.add_batch(**case.columns, question=["a"])
    with pytest.raises(TypeError, match=rf"^evaluate.load\('{name}'\): unknown keyword 'per_example'"):
        load(per_example=False)
    with pytest.raises(ValueError, match=f"^{name}: there is no configuration 'papr'; expected one of 'default'"):
        load(config_name="papr")


def test_options_are_not_columns_of_add_batch(unloaded, case):
    with pytest.raises(TypeError, match="unknown keyword 'per_example'"):
        unloaded.add_batch(**case.columns, per_example=False)


def test_positional_arguments_are_refused(unloaded):
    with pytest.raises(TypeError, match="positional"):
        unloaded.compute(["Paris"], ["Paris"])


def test_after_bad_input_the_next_call_is_correct(metric, case, result):
    column = metric.required[-1]
    for bad in (None, 5, b"x"):
        with pytest.raises((TypeError, ValueError)):
            metric.compute(**case.columns | {column: [*case.columns[column][:-1], bad]})
        assert metric.compute(**case.columns) == result


def test_bad_input_does_not_touch_rows_added_before(metric, case, result):
    metric.add_batch(**case.rows(0, 1))
    for call in (metric.compute, metric.add_batch):
        with pytest.raises(TypeError):
            call(**case.rows(2) | {metric.required[0]: [5]})
    assert metric.compute(**case.rows(*range(2, len(case)))) == result


@pytest.fixture(scope="module", params=[False, True])
def failing(load_with_model, result, request):
    return load_with_model(keep_in_memory=request.param, experiment_id="failing")


@pytest.mark.parametrize("error", [RuntimeError("device lost"), KeyboardInterrupt()], ids=repr)
def test_after_an_error_while_scoring_the_next_call_is_correct(failing, case, result, monkeypatch, error):
    """Rows of the failed call are not scored with those of the next, and evaluate's files are not left behind."""
    metric = failing

    def fail(**_):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(metric, "_compute", fail)
        metric.add_batch(**case.rows(0))
        with pytest.raises(type(error)) as caught:
            metric.compute(**case.rows(1))
        assert caught.value is error
    assert len(metric) == 0
    assert list(Path(metric.data_dir).glob(f"{metric.experiment_id}*.arrow")) == []
    assert metric.compute(**case.columns) == result
    metric.add_batch(**case.columns)
    assert metric.compute() == result


def test_after_a_full_disk_the_next_call_is_correct(load_with_model, case, result, monkeypatch):
    """Evaluate could not store the rows: those it had stored before are gone as well, not scored with the next."""
    metric = load_with_model()
    metric.add_batch(**case.rows(0))

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(metric.writer, "write_batch", full)
    with pytest.raises(OSError, match="No space left"):
        metric.compute(**case.rows(1))
    assert len(metric) == 0
    assert metric.compute(**case.columns) == result


def test_a_failed_call_frees_its_place_for_another_instance(load_with_model, case, result, monkeypatch):
    """Evaluate's lock on its file would keep it from any other instance."""
    place = {"experiment_id": "one place"}
    failing, next_one = load_with_model(**place), load_with_model(**place, max_concurrent_cache_files=1)
    monkeypatch.setattr(failing, "_compute", lambda **_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        failing.compute(**case.columns)
    assert next_one.compute(**case.columns) == result


@pytest.fixture
def missing(metric, case, monkeypatch):
    """Calls a function while something is missing, and expects an error that names the metric."""

    def fail(_):
        raise FileNotFoundError(f"{metric.name}: a file is gone")

    def call(function, **columns):
        with monkeypatch.context() as patch:
            if not case.unprepared:
                patch.setattr(metric, "prepare", fail)
            with pytest.raises((ValueError, ImportError, LookupError, OSError), match=f"^{metric.name}: "):
                function(**columns, **case.unprepared)

    return call


def test_rows_are_kept_while_something_is_missing_to_score_them(metric, case, result, missing):
    metric.add_batch(**case.rows(0, 1))
    metric.add_batch(**case.rows(*range(2, len(case))))
    missing(metric.compute)
    assert len(metric) == len(case)
    assert metric.compute() == result


def test_rows_of_a_call_that_could_not_be_prepared_are_not_kept(metric, case, result, missing):
    missing(metric.compute, **case.columns)
    assert len(metric) == 0
    assert metric.compute(**case.columns) == result
