"""Tests of the example programs."""

import json
import re
from pathlib import Path

import pytest

import evaluate_qa
from evaluate_qa.installation import install_metrics

EXAMPLES = Path(evaluate_qa.__file__).parent / "examples"


@pytest.mark.slow
def test_trainer(processes, tmp_path):
    install_metrics(["smile"])
    done = processes.run(EXAMPLES / "trainer.py", cwd=tmp_path, check=True)
    figures = [float(figure) for figure in re.findall(r"'eval_smile': '([\d.]+)'", done.stdout)]
    assert len(figures) == 3
    best, step = re.search(r"best: ([\d.]+) at step (\d+)", done.stdout).groups()
    assert float(best) == pytest.approx(max(figures), abs=1e-3)
    assert int(step) == 20 * (1 + figures.index(max(figures)))
    assert max(figures) > 0.5, "the model has learned nothing"


def test_answers(processes):
    """Each of five answers has a verdict of a person and of each metric; different verdicts are marked."""
    printed = processes.run(EXAMPLES / "answers.py", check=True).stdout
    verdicts = re.compile(r"^  (a person|\w+) +(right|wrong)(.*)", re.MULTILINE)
    found = [verdicts.findall(block) for block in printed.split("\n\n")[:-1]]
    assert [[name for name, *_ in block] for block in found] == [["a person", "smile", "bem", "nli_lex"]] * 5
    for (_, truth, _), *metrics in found:
        assert [verdict != truth for _, verdict, _ in metrics] == [
            "disagrees with the person" in why for *_, why in metrics
        ]


def test_clips(processes, tmp_path):
    """Most of the kept rows have right answers, rather than wrong answers or keywords."""
    install_metrics(["evqascore"])
    processes.run(EXAMPLES / "clips.py", tmp_path, check=True)
    for command in (
        "score --metric evqascore --load config=demo --compute interval=6 --input clips.jsonl --output scored.jsonl",
        "select --input scored.jsonl --top 8 --output kept.jsonl",
    ):
        processes.run("-c", "from evaluate_qa.cli import app; app()", *command.split(), cwd=tmp_path, check=True)
    kept = [json.loads(line)["kind"] for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert len(kept) == 8
    assert kept.count("right") >= 6
