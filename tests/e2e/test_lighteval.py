"""Metrics in lighteval's command line give the scores of one `compute`."""

import json
import os
import shlex

import frameworks
import pyarrow.parquet as pq
import pytest
from tiny_causal import write_tiny_causal

from evaluate_qa.loading import load_metric

pytestmark = pytest.mark.slow

METRICS = ("smile", "nli_lex", "bem")

# The command line, which would otherwise first import the modules of all built-in tasks.
PROGRAM = """
import runpy
from lighteval.tasks.registry import Registry
Registry._load_from_files = Registry._load_from_subdirs = staticmethod(lambda *_: {})
runpy.run_module("lighteval", run_name="__main__", alter_sys=True)
"""


@pytest.fixture(scope="module")
def results(processes, one_line, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lighteval")
    model = f"{write_tiny_causal(folder / 'model')},batch_size=2,max_length=128"
    _, *command = shlex.split(one_line("lighteval").replace("$MODEL", model))
    environment = os.environ | {"COLUMNS": "200", "PYTHONPATH": frameworks.installed()}
    processes.run(
        "-c", PROGRAM, *command, "--output-dir", folder / "out", "--save-details", env=environment, check=True
    )
    (figures,) = (folder / "out").rglob("results_*.json")
    (details,) = (folder / "out").rglob("details_*.parquet")
    return json.loads(figures.read_text())["results"]["sample_qa|0"], pq.read_table(details).to_pylist()


@pytest.mark.parametrize("name", METRICS)
def test_means_and_rows_equal_one_compute(results, name):
    figures, rows = results
    assert len(rows) == 8
    assert any(len(row["doc"]["choices"]) > 1 for row in rows)
    answers = [row["model_response"]["text_post_processed"][0].strip() for row in rows]
    assert len(set(answers)) > 1
    expected = load_metric(name).compute(
        predictions=answers,
        references=[row["doc"]["choices"] for row in rows],
        questions=[row["doc"]["specific"]["question"] for row in rows],
    )
    assert figures[name] == pytest.approx(expected[name], abs=1e-6)
    assert [row["metric"][name] for row in rows] == pytest.approx(expected["per_example"]["score"], abs=1e-6)
