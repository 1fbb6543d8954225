"""Metrics in processes of their own: what a bad call imports, and how two ranks score together."""

import json

import pytest

LOAD = """
import json, sys
import evaluate, evaluate_qa
name, folder, given = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
def load(**options): return evaluate.load(evaluate_qa.path(name), **given["load"], **options)
"""

# Bad rows and an unknown keyword, each beside good columns; what they imported; what one good call imports.
BAD_CALLS = """
metric = load()
first, last = metric.required[0], metric.required[-1]
for bad in ({first: [None] * 6}, {last: [5] * 6}, {first: []}, {first: "abcdef"}, {"per_exmple": False}):
    try:
        metric.compute(**given["columns"] | bad)
    except (TypeError, ValueError) as error:
        assert str(error).startswith(f"{name}: "), error
    else:
        raise AssertionError(bad)
early = [module for module in given["loads"] if module in sys.modules]
metric.compute(**given["columns"])
late = [module for module in given["loads"] if module in sys.modules]
print(json.dumps([early, late]))
"""

# Rank r of 2 scores its own rows; only rank 0 is given the result.
RANK = """
rank = given["rank"]
metric = load(num_process=2, process_id=rank, experiment_id="two ranks", cache_dir=folder)
metric.add_batch(**given["first"])
result = metric.compute(**given["second"])
print(json.dumps(result))
"""


@pytest.fixture
def start(processes, name, tmp_path):
    """Starts a process that runs code with the metric's name, a folder and the values given."""
    started = []

    def started_with(code, **given):
        process = processes.start("-W", "error", "-c", LOAD + code, name, tmp_path, json.dumps(given))
        started.append(process)
        return process

    yield started_with
    for process in started:
        process.kill()
        process.wait()


def output(process):
    """What the process printed, as JSON."""
    printed, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return json.loads(printed.splitlines()[-1])


def test_bad_input_loads_no_model(start, case):
    if not case.loads:
        pytest.skip("the metric has no model")
    early, late = output(start(BAD_CALLS, load=case.load, columns=case.columns, loads=case.loads))
    assert early == []
    assert late == list(case.loads), "the names are not those of what the model needs, so the test shows nothing"


def test_two_ranks_give_rank_0_the_merged_result(start, metric, case):
    def given(rank, *rows):
        return {"load": case.load, "rank": rank, "first": case.rows(*rows[:1]), "second": case.rows(*rows[1:])}

    ranks = [start(RANK, **given(0, 0, 1, 2)), start(RANK, **given(1, *range(3, len(case))))]
    merged, nothing = map(output, ranks)
    assert nothing is None
    expected = metric.compute(**case.columns)
    assert merged["per_example"]["score"] == pytest.approx(expected["per_example"]["score"], abs=1e-5)
    assert merged[metric.name] == pytest.approx(expected[metric.name], abs=1e-5)
    assert merged["signature"] == expected["signature"]
