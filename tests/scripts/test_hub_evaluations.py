"""inspect_ai runs `eval.yaml` from the Hub, and Every Eval Ever's own validator accepts our record."""

import json
import os
import subprocess
import sys

import frameworks
import pytest
from commands import run_command
from hub_server import Blob, Hub, serve

from evaluate_qa.datasets_scripts.evouna.rows import SYSTEMS
from evaluate_qa.files.writing import write_rows
from evaluate_qa.hub_folder import build

pytestmark = pytest.mark.slow

# A mock model answers "Lutetia, now Paris" and grades every answer as incorrect; bem then scores the answer.
RUN = """
import json, sys
import inspect_ai
from inspect_ai.model import ModelOutput, ModelUsage, get_model
import evaluate_qa.inspect_ai

def answer(messages, *_):
    text = "GRADE: I" if "[Submission]: The city of Paris." in messages[-1].text else "The city of Paris."
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage()  # otherwise, Inspect downloads a tokenizer to count tokens
    return output

model = get_model("mockllm/model", custom_outputs=answer)
(log,) = inspect_ai.eval("hf/org/evouna/nq_questions", model=model, log_dir=sys.argv[1], display="none")
again = inspect_ai.score(log, evaluate_qa.inspect_ai.metric_scorer("bem"), action="overwrite", display="none")
graded, scored = ({score.name: score.metrics["accuracy"].value for score in one.results.scores} for one in (log, again))
print(json.dumps([log.status, len(log.samples), log.samples[0].target, graded, scored]))
"""


def test_inspect_runs_a_data_set_from_the_hub(processes, tmp_path):
    question = {"question": "capital of france", "golden_answer": "Lutetia/Paris", "improper": False}
    question |= {f"answer_{system}": "Paris" for system in SYSTEMS} | {f"judge_{system}": True for system in SYSTEMS}
    for name in ("NQ", "TQ"):
        (tmp_path / f"{name}.json").write_text(json.dumps([question]))
    built = tmp_path / "built"
    build("evouna", built, tmp_path)
    files = {str(path.relative_to(built)): path.read_bytes() for path in built.rglob("*.*")}
    with serve(Hub()) as hub:
        hub.commit("datasets/org/evouna", {name: Blob(content, lfs=False) for name, content in files.items()})
        settings = {"HF_ENDPOINT": hub.address, "HF_HUB_OFFLINE": "0", "HF_HOME": tmp_path / "home"}
        settings |= {"XDG_CACHE_HOME": tmp_path / "cache", "PYTHONPATH": frameworks.installed()}
        run = processes.run("-c", RUN, tmp_path / "logs", cwd=tmp_path, env=os.environ | settings, check=True)
    assert json.loads(run.stdout.splitlines()[-1]) == [
        "success",
        1,
        "Lutetia or Paris",
        {"model_graded_fact": 0.0},
        {"bem": 1.0},
    ]


VALIDATE = """
import pathlib, sys
from every_eval_ever.validator.validation_core import validate_aggregate
path = "data/evouna/org/llama/00000000-0000-4000-8000-000000000000.json"
report = validate_aggregate(pathlib.Path(sys.argv[1]), repo_path=path, run_semantic_checks=True)
print(report.valid, report.errors, report.warnings)
"""


def test_every_eval_ever_accepts_the_record(processes, tmp_path):
    write_rows(tmp_path / "scored.jsonl", [{"id": at, "score": at / 40, "verdict": at > 10} for at in range(40)])
    options = {"--scored": "scored.jsonl", "--record": "record.json", "--output": ""}
    paths = [part for option, name in options.items() for part in (option, tmp_path / name)]
    names = ["--model", "org/llama", "--dataset", "org/evouna", "--task", "nq", "--organization", "other"]
    run_command("results", *paths, *names)
    # The package wants Python 3.12, but its validator runs on 3.11, from the wheel.
    pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--retries=1"]
    pip += ["--python-version=3.12", "--only-binary=:all:"]
    wanted = [*pip, "--dest", str(tmp_path), "every-eval-ever==0.3.0"]
    if subprocess.run([sys.executable, *wanted], capture_output=True, check=False).returncode:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("every-eval-ever cannot be downloaded")
    (wheel,) = tmp_path.glob("*.whl")
    environment = os.environ | {"PYTHONPATH": wheel}
    run = processes.run("-c", VALIDATE, tmp_path / "record.json", cwd=tmp_path, env=environment, check=True)
    assert run.stdout == "True [] []\n"
