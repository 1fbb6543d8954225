"""`evaluate-qa publish` uploads repositories that evaluate and datasets load without this package."""

import json
import os
import sys

import pytest
from commands import run_command
from hub_server import Blob
from toy_sets import evouna_question, write_evouna

import evaluate_qa
from evaluate_qa.datasets_scripts.evouna.rows import read_rows
from evaluate_qa.metrics._shared import matcher
from evaluate_qa.metrics.evqascore.clip_models import DEMO_IN_SPACE

COMMAND = "from evaluate_qa.cli import app; app()"

ANSWERS = {
    "predictions": ["It was painted by Leonardo.", "Michelangelo did."],
    "references": ["Leonardo da Vinci", ["Leonardo da Vinci", "Leonardo"]],
    "questions": ["Who painted the Mona Lisa?", "Who painted the Mona Lisa?"],
}


@pytest.fixture
def start(processes, tmp_path):
    """Starts Python with the server as its Hub."""

    def start(hub, *arguments, **environment):
        variables = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
        variables |= {
            "HF_ENDPOINT": hub.address,
            "HF_HOME": str(tmp_path / "cache"),
            "HF_TOKEN": "hf_write",
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            "NO_PROXY": "127.0.0.1,localhost",
            "COLUMNS": "120",
            "PYTHONPATH": processes.path_without_torch(tmp_path),
            **environment,
        }
        return processes.start(*arguments, cwd=tmp_path, env=variables)

    return start


@pytest.fixture
def publish(start):
    def run(hub, *arguments):
        process = start(hub, "-c", COMMAND, "publish", "--namespace", "org", *arguments)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err

    return run


@pytest.fixture
def data_dir(tmp_path):
    """EVOUNA's files with a question each."""
    return write_evouna(tmp_path / "data" / "evouna", [evouna_question()], [evouna_question()]).parent


LOAD = """
import json, sys
sys.modules["evaluate_qa"] = None
import datasets, evaluate
answers = json.loads(sys.argv[1])
there = evaluate.load("org/bem").compute(**answers)
rows = {config: datasets.load_dataset("org/evouna", config, split="test").to_list() for config in ("nq", "tq")}
rows["streamed"] = list(datasets.load_dataset("org/evouna", "nq", split="test", streaming=True))
print(json.dumps([there, rows]))
"""


@pytest.mark.slow
def test_a_published_metric_and_data_set_load_as_in_this_package(hub, start, publish, data_dir, tmp_path):
    code, out, err = publish(hub, "bem", "evouna", "--data-dir", data_dir)
    assert code == 0, f"{out}\n{err}"
    # bem needs the matcher, and what others need comes first.
    assert [name for _, name in hub.repositories] == ["org/matcher", "org/evouna", "org/bem"]
    assert "[3/3] spaces/org/bem: published, http" in out
    process = start(hub, "-c", LOAD, json.dumps(ANSWERS), HF_HOME=str(tmp_path / "other"), HF_TOKEN="")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    there, rows = json.loads(out.splitlines()[-1])
    here = evaluate_qa.load("bem").compute(**ANSWERS)
    assert there.keys() == here.keys()
    assert there["signature"] == here["signature"]
    assert there["per_example"]["verdict"] == here["per_example"]["verdict"]
    assert there["per_example"]["score"] == pytest.approx(here["per_example"]["score"], abs=1e-6)
    assert rows["nq"] == rows["streamed"] == list(read_rows(data_dir / "evouna", "nq"))
    assert rows["tq"] == list(read_rows(data_dir / "evouna", "tq"))
    # The loading process has no package that holds the matcher, so it was downloaded.
    assert ("HEAD", f"/org/matcher/resolve/main/{matcher.PUBLISHED}") in hub.asked
    assert ("GET", f"/cdn/{matcher.FILE_SHA256}") in hub.asked


DEMO = """
from evaluate_qa.metrics.evqascore.clip_models import _download_demo
print([(path.name, path.read_text()) for path in _download_demo().iterdir()])
"""


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (None, "nor on the Hub in the Space evaluate-qa/evqascore ("),
        (f"{DEMO_IN_SPACE}/config.json", "(FileNotFoundError). Either: pip install evaluate-qa"),
        (f"{DEMO_IN_SPACE}/model.safetensors", None),
    ],
)
def test_demo_clip_model_is_downloaded_from_the_published_space(hub, start, file, message):
    if file:
        text = Blob(b"text", lfs=False)
        hub.commit("spaces/evaluate-qa/evqascore", {"app.py": text, file: text})
    out, err = start(hub, "-c", DEMO).communicate(timeout=300)
    if message:
        assert message in err.splitlines()[-1]
    else:
        assert out == "[('model.safetensors', 'text')]\n"


def test_repositories_that_cannot_be_built_are_not_uploaded(tmp_path):
    """The data set has no source files; the model can be built."""
    (tmp_path / "data").mkdir()
    options = ["--namespace", "org", "--data-dir", tmp_path / "data", "--output", tmp_path / "out"]
    result = run_command("publish", "evouna", "models", *options, code=1)
    assert "[1/2] models/org/matcher: 3 files" in result.stdout
    assert "[2/2] datasets/org/evouna: failed" in result.stdout
    assert f"It cannot be built: there is no folder {tmp_path / 'data' / 'evouna'}" in result.stderr
    assert "nothing was uploaded. Fix the problems listed above." in result.stderr


def test_a_data_set_without_some_of_its_files_is_refused(data_dir, tmp_path):
    (data_dir / "evouna" / "TQ.json").unlink()
    options = ["--namespace", "org", "--data-dir", data_dir, "-o", tmp_path / "out"]
    message = "Parts of evouna are missing. tq: there is no"
    assert message in run_command("publish", "evouna", *options, code=1).stderr


def test_metrics_are_published_only_with_evaluate(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "evaluate", None)
    message = run_command("publish", "smile", "--namespace", "org", "-o", tmp_path / "built", code=1).stderr
    assert "which needs evaluate. Install it with: pip install 'evaluate-qa[evaluate]'" in message


def test_output_folder_must_be_empty(tmp_path):
    (tmp_path / "mine.txt").touch()
    message = f"{tmp_path} already exists and is not empty. Name a new or empty folder."
    assert message in run_command("publish", "models", "--namespace", "org", "-o", tmp_path, code=1).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
