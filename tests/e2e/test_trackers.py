"""`log="trackio"` and `log="mlflow"`: what the trackers have stored of a trainer's evaluations and of a reward."""

import json
import os

import frameworks
import in_trackers
import pytest

import evaluate_qa

TRACKERS = ("trackio", "mlflow")


@pytest.fixture(scope="module")
def found(processes, one_line, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trackers")
    environment = os.environ | {"PYTHONPATH": frameworks.installed(), "MLFLOW_DISABLE_TELEMETRY": "true"}
    line = one_line("trackio, mlflow")
    processes.run(in_trackers.__file__, folder, line, cwd=folder, env=environment, check=True)
    return json.loads((folder / "found.json").read_text())


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("tracker", TRACKERS)
def test_evaluations_are_logged_to_the_trainers_run(found, tracker):
    evaluations, run, _ = found[tracker]
    assert len(evaluations) == in_trackers.STEPS
    for place, evaluation in enumerate(evaluations):
        figures, table = logged(tracker, run, "bem", evaluation["step"], place)
        assert figures["bem/bem"] == pytest.approx(evaluation["eval_bem"])
        assert figures["bem/margin"] == pytest.approx(evaluation["eval_margin"])
        assert table[0]["questions"] == "who discovered radium"
        assert len(table) == 7


@pytest.mark.slow
@pytest.mark.parametrize("tracker", TRACKERS)
def test_rewards_are_logged_with_the_worst_answers_first(found, tracker):
    _, _, run = found[tracker]
    figures, table = logged(tracker, run, "rewards/bem", 5, 0)
    references = [" · ".join([one] if isinstance(one, str) else one) for one in in_trackers.ANSWERS]
    result = evaluate_qa.load("bem").compute(
        predictions=in_trackers.COMPLETIONS, references=in_trackers.ANSWERS, questions=in_trackers.PROMPTS
    )
    assert figures["rewards/bem/score"] == pytest.approx(result["bem"], abs=1e-6)
    assert figures["rewards/bem/accuracy"] == pytest.approx(result["accuracy"]) == pytest.approx(2 / 3)
    assert figures["rewards/bem/margin"] == pytest.approx(result["margin"], abs=1e-5)
    scores = result["per_example"]["score"]
    order = sorted(range(3), key=scores.__getitem__)
    assert [row["predictions"] for row in table] == [in_trackers.COMPLETIONS[row] for row in order]
    assert [row["references"] for row in table] == [references[row] for row in order]
    assert [row["score"] for row in table] == pytest.approx([scores[row] for row in order], abs=1e-6)


@pytest.mark.slow
def test_a_run_that_is_not_active_is_reported_once(found):
    assert [line[:60] for line in found["before"]] == [
        f"rewards/bem: no run of {tracker} is active, so its scores are not logged."[:60] for tracker in TRACKERS
    ]


def logged(tracker, run, name, step, place):
    """Return the figures and the table of worst answers that were logged at a step."""
    if tracker == "mlflow":
        figures = {key: dict(values).get(step) for key, values in run["figures"].items()}
        table = run["tables"][f"worst-{step}.json"]
        return figures, [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    log = [log for log in run if f"{name}/worst" in log][place]
    assert log["train/global_step"] == step
    return log, log[f"{name}/worst"]["_value"]
