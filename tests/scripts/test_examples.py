"""Tests of the example programs."""

import json
import os
import re
import runpy
import sys
from pathlib import Path

import pytest
from commands import run_command

import evaluate_qa
from evaluate_qa.publishing.install import install_metrics

EXAMPLES = Path(evaluate_qa.__file__).parent / "examples"


def test_quickstart(processes, tmp_path):
    """The cells of the notebook run in order; the estimate contains the accuracy that all labels give."""
    cells = json.loads((EXAMPLES / "quickstart.ipynb").read_text())["cells"]
    codes = [cell for cell in cells if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in codes)
    lines = [line for cell in codes for line in [*cell["source"], "\n"] if not line.startswith("%")]
    program = tmp_path / "quickstart.py"
    program.write_text("".join(lines) + "print(plt.get_fignums())\n")
    environment = os.environ | {"MPLBACKEND": "agg"}
    printed = processes.run("-W", "ignore:FigureCanvasAgg", program, env=environment, check=True).stdout
    figures = dict(re.findall(r"(labels alone|labels and scores): (.+)", printed))
    low_alone, high_alone = map(float, re.findall(r"[\d.]+", figures["labels alone"])[1:])
    low, high = map(float, re.findall(r"[\d.]+", figures["labels and scores"])[1:])
    assert low < float(re.search("138 labels: (.+)%", printed)[1]) < high
    assert high - low < high_alone - low_alone
    wins, losses = map(int, re.search(r"became correct: (\d+) +became wrong: (\d+)", printed).groups())
    assert losses > wins
    assert printed.endswith("[1, 2, 3, 4]\n")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:'pin_memory' argument is set as true but no accelerator is found:UserWarning")
def test_trainer(working_folder, capsys):
    install_metrics(["smile"])
    runpy.run_path(str(EXAMPLES / "trainer.py"))
    printed = capsys.readouterr().out
    figures = [float(figure) for figure in re.findall(r"'eval_smile': '([\d.]+)'", printed)]
    assert len(figures) == 3
    best, step = re.search(r"best: ([\d.]+) at step (\d+)", printed).groups()
    assert float(best) == pytest.approx(max(figures), abs=1e-3)
    assert int(step) == 20 * (1 + figures.index(max(figures)))
    assert max(figures) > 0.5, "the model has learned nothing"


def test_answers(capsys):
    """Each of five answers has a verdict of a person and of each metric; different verdicts are marked."""
    runpy.run_path(str(EXAMPLES / "answers.py"))
    printed = capsys.readouterr().out
    assert printed.count("wrong, 0.00: Katharine Hepburn differs from Audrey Hepburn") == 3
    verdicts = re.compile(r"^  (a person|\w+) +(right|wrong)(.*)", re.MULTILINE)
    found = [verdicts.findall(block) for block in printed.split("\n\n")[:-1]]
    assert [[name for name, *_ in block] for block in found] == [["a person", "smile", "bem", "nli_lex"]] * 5
    for (_, truth, _), *metrics in found:
        assert [verdict != truth for _, verdict, _ in metrics] == [
            "disagrees with the person" in why for *_, why in metrics
        ]


def test_clips(working_folder, monkeypatch, tmp_path):
    """Most of the kept rows have right answers, rather than wrong answers or keywords."""
    monkeypatch.setattr(sys, "argv", ["clips.py", str(tmp_path)])
    runpy.run_path(str(EXAMPLES / "clips.py"))
    for command in (
        "score --metric evqascore --load config=demo --compute interval=6 --input clips.jsonl --output scored.jsonl",
        "select --input scored.jsonl --top 8 --output kept.jsonl",
    ):
        run_command(*command.split())
    kept = [json.loads(line)["kind"] for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert len(kept) == 8
    assert kept.count("right") >= 6
