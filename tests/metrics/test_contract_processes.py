"""Invalid calls do not import what a model needs; no call imports evaluate."""

import json

# Prints the modules of models that invalid calls import, and then valid calls, and whether any call imports evaluate.
CALLS = """
import json, sys
import evaluate_qa
given = json.loads(sys.argv[1])
metrics = {name: evaluate_qa.load(name, **one["load"]) for name, one in given.items()}
loads = [module for one in given.values() for module in one["loads"]]
for name, metric in metrics.items():
    first, last = metric.required[0], metric.required[-1]
    for bad in ({first: [None] * 6}, {last: [5] * 6}, {first: []}, {first: "abcdef"}, {"per_exmple": False}):
        try:
            metric.compute(**given[name]["columns"] | bad)
        except (TypeError, ValueError) as error:
            assert str(error).startswith(f"{name}: "), error
        else:
            raise AssertionError(bad)
early = [module for module in loads if module in sys.modules]
for name, metric in metrics.items():
    metric.compute(**given[name]["columns"])
late = [module for module in loads if module in sys.modules]
print(json.dumps([early, late, "evaluate" in sys.modules or "datasets" in sys.modules]))
"""


def test_invalid_input_loads_no_model(processes, cases):
    given = {
        name: {"load": case.load, "columns": case.columns, "loads": case.loads}
        for name, case in cases.items()
        if case.loads
    }
    done = processes.run("-W", "error", "-c", CALLS, json.dumps(given), timeout=240, check=True)
    early, late, is_evaluate_imported = json.loads(done.stdout.splitlines()[-1])
    assert early == []
    assert late == [module for case in cases.values() for module in case.loads], "the test would prove nothing"
    assert not is_evaluate_imported
