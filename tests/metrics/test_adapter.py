"""The adapter for `evaluate`: loading, stored rows, several processes, and errors."""

import copy
import inspect
import json
import pickle
import pydoc
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import evaluate
import pytest

import evaluate_qa

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
ROWS = {
    "predictions": ["one two three four", "one two four five six", "", "seven eight nine"],
    "references": [["one two three four five"], "one two", ["a b c d"], ["seven eight nine ten", "seven"]],
}


def part(*rows):
    return {column: [values[row] for row in rows] for column, values in ROWS.items()}


@pytest.fixture
def load(tmp_path):
    """Load deltableu, whose corpus score is not a mean of row scores.

    In a folder of the test: evaluate waits a second for the lock of each metric that still has rows.
    """
    return lambda **options: evaluate.load(
        evaluate_qa.path("deltableu"), **{"cache_dir": str(tmp_path / "cache")} | options
    )


@pytest.fixture
def metric(load):
    return load()


@pytest.fixture(scope="module")
def expected():
    return evaluate_qa.load("deltableu").compute(**ROWS)


@pytest.fixture(params=evaluate_qa.metric_names())
def adapted(request, cases):
    """Each metric as evaluate loads it, and its case."""
    case = cases[request.param]
    options = {"config_name" if key == "config" else key: value for key, value in case.load.items()}
    return evaluate.load(evaluate_qa.path(request.param), **options), case


def test_every_metric_scores_as_its_scorer(adapted):
    metric, case = adapted
    assert isinstance(metric, evaluate.Metric)
    expected = evaluate_qa.load(metric.name, **case.load).compute(**case.columns)
    assert metric.compute(**case.columns) == expected
    metric.add_batch(**case.rows(0, 1))
    metric.add_batch(**case.rows(*range(2, len(case))))
    assert metric.compute() == expected


def test_help_has_description_arguments_and_examples(adapted):
    metric, _ = adapted
    shown = pydoc.plain(pydoc.render_doc(metric))
    assert len(shown.splitlines()) <= 80
    assert metric.info.description.splitlines()[0] in shown
    for argument in (*metric.columns, "per_example"):
        assert re.search(rf"^ +{argument}( \(optional\))?: ", shown, flags=re.MULTILINE), argument
    assert re.search(rf'>>> \w+ = evaluate\.load\("{metric.name}"', metric.inputs_description)


def test_the_metric_has_the_methods_of_the_scorer(metric):
    assert metric.columns is metric.scorer.columns
    assert inspect.ismethod(metric.reward)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = metric.nothing


def test_rows_of_add_add_batch_and_compute_are_scored_together(metric, expected):
    metric.add(prediction=ROWS["predictions"][0], reference=ROWS["references"][0])
    metric.add_batch(**part(1, 2), questions=["ignored", None])
    assert metric.compute(**part(3)) == expected


def test_invalid_rows_do_not_change_stored_rows(metric, expected):
    metric.add_batch(**part(0, 1))
    with pytest.raises(TypeError, match=r"^deltableu: predictions\[0\] is 5; expected a string \(convert numbers"):
        metric.add_batch(predictions=[5], references=["a"])
    with pytest.raises(TypeError, match=r"^deltableu: unknown keyword 'question'; did you mean 'questions'"):
        metric.add_batch(**part(0), question=["a"])
    with pytest.raises(ValueError, match=r"^deltableu: nothing to score; pass predictions and references$"):
        evaluate.load(evaluate_qa.path("deltableu")).compute()
    with pytest.raises(ValueError, match=r"^deltableu: the columns differ in length"):
        metric.compute(predictions=["a"], references=["a", "b"])
    with pytest.raises(ImportError, match="ko-mecab"):  # its tokenizer is not installed
        metric.compute(tokenize="ko-mecab")
    assert len(metric) == 2
    assert metric.compute(**part(2, 3)) == expected


def test_batches_with_and_without_a_second_system_raise(metric):
    metric.add_batch(**part(0), against=["a"])
    metric.add_batch(**part(1))
    with pytest.raises(ValueError, match=r"^deltableu: against\[1\] is missing"):
        metric.compute()


@pytest.mark.parametrize("in_memory", [False, True])
def test_an_error_while_scoring_drops_rows_and_files(load, expected, monkeypatch, in_memory):
    metric = load(keep_in_memory=in_memory, experiment_id="failing")
    for error in (RuntimeError("device lost"), KeyboardInterrupt()):
        with monkeypatch.context() as patch:
            patch.setattr(metric.scorer, "_compute", lambda error=error, **_: (_ for _ in ()).throw(error))
            metric.add_batch(**part(0))
            with pytest.raises(type(error)):
                metric.compute(**part(1))
        assert len(metric) == 0
        assert list(Path(metric.data_dir).glob("failing*.arrow")) == []
        assert metric.compute(**ROWS) == expected


def test_a_failed_call_releases_evaluates_lock(load, expected, monkeypatch):
    place = {"experiment_id": "one place"}
    failing, next_one = load(**place), load(**place, max_concurrent_cache_files=1)
    monkeypatch.setattr(failing.scorer, "_compute", lambda **_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        failing.compute(**ROWS)
    assert next_one.compute(**ROWS) == expected


def test_a_read_only_cache_folder_is_not_used(load, expected):
    assert load(cache_dir="/proc/none").compute(**ROWS) == expected


def test_instances_are_independent(load, expected):
    first, second = load(), load()
    first.add_batch(**part(0, 1))
    second.add_batch(**ROWS)
    first.add_batch(**part(2, 3))
    assert second.compute() == first.compute() == expected


def test_copies_have_no_rows(metric, expected):
    metric.add_batch(**part(0))
    for another in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert another.compute(**ROWS) == expected


def test_metrics_combine(metric):
    other = evaluate.load(evaluate_qa.path("smile"))
    together = evaluate.combine([metric, other], force_prefix=True)
    columns = {**ROWS, "questions": None, "synthetic_answers": None, "reference_weights": None, "against": None}
    alone = {f"{one.name}_{key}": value for one in (metric, other) for key, value in one.compute(**ROWS).items()}
    assert together.compute(**columns) == alone
    together.add_batch(**columns)  # combine needs every column of every metric by name
    assert together.compute() == alone


def test_threads_can_share_a_metric(metric):
    def score(number):
        count = 1 + number % 3
        rows = {"predictions": [" ".join(WORDS[: 4 + number % 7])] * count, "references": [[" ".join(WORDS)]] * count}
        return metric.compute(**rows, per_example=False)["deltableu"]

    expected = [score(number) for number in range(7)]
    with ThreadPoolExecutor(7) as threads:
        assert list(threads.map(score, range(7))) == expected


FORK = """
import os, sys, threading
import evaluate, evaluate_qa
metric = evaluate.load(evaluate_qa.path("deltableu"), cache_dir=sys.argv[1])
rows = {"predictions": ["a b c d"], "references": ["a b c e"]}
expected = metric.compute(**rows)
stored, forked, finalize = threading.Event(), threading.Event(), metric._finalize
metric._finalize = lambda: stored.set() or forked.wait() and finalize()
results = []
thread = threading.Thread(target=lambda: results.append(metric.compute(**rows)))
thread.start()
stored.wait()
if not os.fork():
    del metric._finalize
    os._exit(0 if metric.compute(**rows) == expected else 1)
status = os.waitstatus_to_exitcode(os.wait()[1])
forked.set()
thread.join()
sys.exit(status or results != [expected])
"""


def test_a_forked_process_drops_the_rows_of_a_thread_that_was_scoring(processes, tmp_path):
    processes.run("-c", processes.HIDE_TORCH + FORK, tmp_path, timeout=120, check=True)


# Each of two ranks adds its rows; only rank 0, the parent, gets the result.
RANK = """
import json, os, sys
import evaluate, evaluate_qa
parts, folder = json.loads(sys.argv[1]), sys.argv[2]
child = os.fork()
rank = 0 if child else 1
metric = evaluate.load(
    evaluate_qa.path("deltableu"), num_process=2, process_id=rank, experiment_id="ranks", cache_dir=folder
)
metric.add_batch(**parts[rank])
result = metric.compute()
if child:
    assert os.waitpid(child, 0)[1] == 0
    print(json.dumps(result))
else:
    assert result is None
"""


def test_rank_0_gets_the_result_of_all_ranks(processes, expected, tmp_path):
    parts = json.dumps([part(0, 1), part(2, 3)])
    done = processes.run("-c", processes.HIDE_TORCH + RANK, parts, tmp_path, timeout=120, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == expected


@pytest.mark.parametrize("loaded", ["evaluate_qa", "evaluate"])
def test_a_warning_names_the_line_of_the_user(load, loaded):
    metric = load() if loaded == "evaluate" else evaluate_qa.load("deltableu")
    with pytest.warns(UserWarning, match="use effective_order=True") as caught:
        metric.compute(predictions=["Paris"], references=[["Paris"]])
    assert [warning.filename for warning in caught] == [__file__]
