"""Invalid calls do not import what a model needs; no call imports evaluate."""

import json

import pytest

LOAD = """
import json, sys
import evaluate_qa
name, given = sys.argv[1], json.loads(sys.argv[2])
"""

# Print the modules that invalid calls import, and those that a valid call imports.
BAD_CALLS = """
metric = evaluate_qa.load(name, **given["load"])
first, last = metric.required[0], metric.required[-1]
for bad in ({first: [None] * 6}, {last: [5] * 6}, {first: []}, {first: "abcdef"}, {"per_exmple": False}):
    try:
        metric.compute(**given["columns"] | bad)
    except (TypeError, ValueError) as error:
        assert str(error).startswith(f"{name}: "), error
    else:
        raise AssertionError(bad)
assert "evaluate" not in sys.modules and "datasets" not in sys.modules
early = [module for module in given["loads"] if module in sys.modules]
metric.compute(**given["columns"])
assert "evaluate" not in sys.modules and "datasets" not in sys.modules
late = [module for module in given["loads"] if module in sys.modules]
print(json.dumps([early, late]))
"""


@pytest.fixture
def start(processes, name):
    """Start a process that runs code with the metric's name and these values."""
    started = []

    def started_with(code, **given):
        process = processes.start("-W", "error", "-c", LOAD + code, name, json.dumps(given))
        started.append(process)
        return process

    yield started_with
    for process in started:
        process.kill()
        process.wait()


def output(process):
    """Return the last line of the process's output, as JSON."""
    printed, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return json.loads(printed.splitlines()[-1])


def test_invalid_input_loads_no_model(start, case):
    if not case.loads:
        pytest.skip("the metric has no model")
    early, late = output(start(BAD_CALLS, load=case.load, columns=case.columns, loads=case.loads))
    assert early == []
    assert late == list(case.loads), "the model does not import these modules, so the test proves nothing"
