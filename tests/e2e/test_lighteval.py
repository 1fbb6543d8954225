"""The example metrics for lighteval, run by its command line: figures and rows are those of one `compute`.

lighteval pins packages that others need newer, so it runs in an environment of its own, `.venv-lighteval` beside
`.venv`. With EVALUATE_QA_LIGHTEVAL=1 the test makes it (some minutes, 2 GB); without, it is used if it is there.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import evaluate
import pyarrow.parquet as pq
import pytest
from evaluate_qa.install import install_metrics
from tiny_causal import write_tiny_causal

pytestmark = pytest.mark.slow

METRICS = ("smile", "nli_lex", "bem")


@pytest.fixture(scope="module")
def program(processes, root):
    """The command `lighteval`."""
    folder = root / ".venv-lighteval"
    if not (folder / "complete").exists():
        if os.environ.get("EVALUATE_QA_LIGHTEVAL") != "1":
            pytest.skip("needs an environment of its own, which EVALUATE_QA_LIGHTEVAL=1 makes")
        make_environment(root, folder)
    return folder / "bin/lighteval"


def make_environment(root, folder):
    """Install lighteval and this package in a folder; skip where lighteval cannot be had."""
    torch = re.search(r"^torch==.*$", (root / "scripts/constraints.txt").read_text(), flags=re.MULTILINE)[0]
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    pip = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # torch first, pinned: a plain `torch` would bring several gigabytes of CUDA packages.
    for wanted in ([torch], ["--editable", f"{root}[smile,nli_lex,bem,lighteval]"]):
        done = subprocess.run([*pip, *wanted], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"lighteval cannot be installed here: {done.stderr.strip()[-300:]}")
    # It reads all its tasks first, and one of them downloads this file at that, if it is not there.
    (tasks,) = folder.glob("lib/python*/site-packages/lighteval/tasks/tasks")
    (tasks / "tinyBenchmarks.pkl").touch()
    (folder / "complete").touch()


@pytest.fixture(scope="module")
def results(processes, root, program, tmp_path_factory):
    """The figures and the rows that lighteval writes."""
    install_metrics(METRICS)
    folder = tmp_path_factory.mktemp("lighteval")
    model = write_tiny_causal(folder / "model")
    task = ["sample_qa", "--custom-tasks", str(root / "scripts/examples/lighteval/evaluate_qa_metrics.py")]
    written = ["--output-dir", str(folder / "out"), "--save-details"]
    done = subprocess.run(
        [str(program), "accelerate", f"model_name={model},batch_size=2,max_length=128", *task, *written],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COLUMNS": "200"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (figures,) = Path(folder, "out").rglob("results_*.json")
    (details,) = Path(folder, "out").rglob("details_*.parquet")
    return json.loads(figures.read_text())["results"]["sample_qa|0"], pq.read_table(details).to_pylist()


@pytest.mark.parametrize("name", METRICS)
def test_figures_and_rows_are_those_of_one_compute(results, name):
    figures, rows = results
    assert len(rows) == 8
    assert any(len(row["doc"]["choices"]) > 1 for row in rows)
    answers = [row["model_response"]["text_post_processed"][0].strip() for row in rows]
    assert len(set(answers)) > 1
    expected = evaluate.load(name).compute(
        predictions=answers,
        references=[row["doc"]["choices"] for row in rows],
        questions=[row["doc"]["specific"]["question"] for row in rows],
    )
    assert figures[name] == pytest.approx(expected[name], abs=1e-6)
    assert [row["metric"][name] for row in rows] == pytest.approx(expected["per_example"]["score"], abs=1e-6)
