"""Runs frameworks on rows of the sample and writes their logs: `in_frameworks.py FOLDER LINES`.

LINES are README's lines of code by framework, as JSON. All frameworks share this process, which imports torch once.
"""

import json
import shlex
import sys
from pathlib import Path

import evaluate_qa
from evaluate_qa.loading import load_metric

NUMBER = 32  # rows 30 and 31 are abstentions


def sample():
    """Rows with different questions and kinds; one has no answer."""
    rows = {row["question"]: row for row in map(json.loads, evaluate_qa.sample_path().read_text().splitlines())}
    return list(rows.values())[::3][:NUMBER]


def in_inspect(line, folder):
    """Evaluate a mock model that returns the sample's answers; return the logs."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.log import read_eval_log
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import generate

    import evaluate_qa.inspect_ai

    rows = {row["question"]: row for row in sample()}
    dataset = [
        Sample(asked, target=row["references"], id=row["id"], metadata={"asked": asked}) for asked, row in rows.items()
    ]
    names = {"Task": Task, "dataset": dataset, "generate": generate, "evaluate_qa": evaluate_qa}
    exec(line, names)
    scorers = [
        evaluate_qa.inspect_ai.metric_scorer(load_metric("nli_lex"), question="asked", threshold=0.9),
        evaluate_qa.inspect_ai.metric_scorer("deltableu", value="score"),
    ]
    more = Task(dataset, solver=generate(), scorer=scorers)

    def answer(messages, *_):
        output = ModelOutput.from_content("mockllm/model", rows[messages[-1].text]["prediction"])
        output.usage = ModelUsage()  # otherwise, Inspect downloads a tokenizer to count tokens
        return output

    model = get_model("mockllm/model", custom_outputs=answer)
    logs = eval([names["task"], more], model=model, log_dir=str(folder), display="none", max_samples=NUMBER)
    return [_read(read_eval_log(log.location)) for log in logs]


def in_inspect_from_the_hub(line, folder):
    """Run the command on the data set of test_in_frameworks.py with its `eval.yaml`, and score again with bem.

    The model grades every answer as incorrect.
    """
    from inspect_ai import eval, score
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    import evaluate_qa.inspect_ai

    def answer(messages, *_):
        text = "GRADE: I" if "[Submission]: The city of Paris." in messages[-1].text else "The city of Paris."
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/model", custom_outputs=answer)
    task = shlex.split(line)[2].replace("my-org", "org")
    (log,) = eval(task, model=model, log_dir=str(folder), display="none")
    again = score(log, evaluate_qa.inspect_ai.metric_scorer("bem"), action="overwrite", display="none")
    figures = [{one.name: one.metrics["accuracy"].value for one in each.results.scores} for each in (log, again)]
    return [log.status, len(log.samples), log.samples[0].target, *figures]


def _read(log):
    assert log.status == "success", log.error
    return {
        "figures": {
            score.name: {name: metric.value for name, metric in score.metrics.items()} for score in log.results.scores
        },
        "scorers": {scorer.name: scorer.options for scorer in log.eval.scorers},
        "samples": {
            sample.id: {name: score.model_dump() for name, score in sample.scores.items()} for sample in log.samples
        },
    }


def in_mlflow(line, folder):
    """Evaluate answers, one of them without a reference; return the logged metrics and assessments."""
    import mlflow

    import evaluate_qa.mlflow

    mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    mlflow.set_experiment(experiment_id=mlflow.create_experiment("answers", artifact_location=str(folder)))
    data = [
        {
            "inputs": {"question": row["question"]},
            "outputs": row["prediction"],
            "expectations": {"expected_response": row["references"]},
        }
        for row in sample()
    ]
    data.append({"inputs": {"question": "Which?"}, "outputs": "That one.", "expectations": {"other": "This one."}})
    names = {"mlflow": mlflow, "data": data, "evaluate_qa": evaluate_qa}
    exec(line, names)
    run = mlflow.get_run(names["result"].run_id)
    traces = mlflow.search_traces(run_id=run.info.run_id, return_type="list", max_results=1000)
    return {
        "figures": run.data.metrics,
        "rows": [[_assessment(one) for one in trace.info.assessments] for trace in traces],
    }


def _assessment(one):
    error = one.error and one.error.error_message
    return {"name": one.name, "value": one.value, "why": one.rationale, "metadata": one.metadata, "error": error}


def in_deepeval(line, _):
    """Assert each answer; return the messages of the failures."""
    from deepeval import assert_test
    from deepeval.test_case import LLMTestCase

    import evaluate_qa.deepeval

    said = {}
    for row in sample()[:8]:
        case = LLMTestCase(input=row["question"], actual_output=row["prediction"], expected_output=row["references"][0])
        names = {"assert_test": assert_test, "case": case, "evaluate_qa": evaluate_qa}
        try:
            exec(line, names)
        except AssertionError as error:
            said[row["id"]] = str(error)
    return said


if __name__ == "__main__":
    folder, lines = Path(sys.argv[1]), json.loads(sys.argv[2])
    runs = {"inspect_ai": in_inspect, "hub": in_inspect_from_the_hub, "mlflow": in_mlflow, "deepeval": in_deepeval}
    for name, run in runs.items():
        (folder / name).mkdir()
        (folder / f"{name}.json").write_text(json.dumps(run(lines[name], folder / name)))
