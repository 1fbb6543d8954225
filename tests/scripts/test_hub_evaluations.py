"""Every Eval Ever's own validator accepts our record."""

import os
import subprocess
import sys

import pytest
from commands import run_command

from evaluate_qa.files.writing import write_rows

pytestmark = pytest.mark.slow

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
