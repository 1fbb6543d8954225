"""Each line in README's table of integrations runs and gives the scores of `compute`."""

import ast
import re
from pathlib import Path

import datasets
import numpy as np
import pytest
from transformers import ByT5Tokenizer, EvalPrediction

import evaluate_qa
from evaluate_qa.loading import load_metric
from evaluate_qa.pytest import AssertAnswers

ROWS = {
    "predictions": ["It was Marie Curie.", "Lyon", "It is Paris, of course."],
    "references": [["Marie Curie", "Curie"], ["Paris"], ["Paris"]],
    "questions": ["Who found radium?", "What is the capital?", "What is the capital?"],
}


@pytest.fixture(scope="module")
def bem():
    return load_metric("bem")


@pytest.fixture(scope="module")
def expected(bem):
    return bem.compute(**ROWS)


def test_every_line_has_a_test(root):
    table = (root / "README.md").read_text().partition("| Where |")[2].partition("\n\n")[0]
    places = re.findall(r"^\| `?(.+?)`? \| `.+` \|$", table, flags=re.MULTILINE)
    assert len(places) == len(table.splitlines()) - 2 >= 6
    modules = [ast.parse(path.read_bytes()) for path in Path(__file__).parent.rglob("test_*.py")]
    calls = [node for module in modules for node in ast.walk(module) if isinstance(node, ast.Call) and node.args]
    run = {ast.unparse(call.args[0]) for call in calls if ast.unparse(call.func) == "one_line"}
    assert [place for place in places if repr(place) not in run] == []


def test_python(one_line, expected):
    names = dict(zip(("answers", "references", "questions"), ROWS.values(), strict=True)) | {"evaluate_qa": evaluate_qa}
    exec(one_line("Python"), names)
    assert names["scores"] == expected


def test_datasets_map(one_line, expected, bem):
    rows = {"id": [1, 2, 3]} | {name.replace("ions", "ion"): ROWS[name] for name in ROWS}  # the workflow's columns
    names = {"rows": datasets.Dataset.from_dict(rows), "bem": bem}
    exec(one_line("datasets.map"), names)
    assert names["scored"]["prediction"][:] == ROWS["predictions"]
    assert names["scored"]["score"][:] == pytest.approx(expected["per_example"]["score"], abs=1e-6)


def test_trl(one_line, expected, bem):
    """tests/e2e/test_grpo.py uses it in a trainer."""
    names = {"bem": bem}
    exec(one_line("TRL"), names)
    (reward,) = names["reward_funcs"]
    given = {"prompts": ROWS["questions"], "completions": ROWS["predictions"], "answer": ROWS["references"]}
    assert reward(**given) == pytest.approx(expected["per_example"]["score"], abs=1e-6)


def test_pytest(one_line):
    """tests/scripts/integrations/test_assert_answers.py uses it as a plugin."""
    names = dict(zip(("answers", "references", "questions"), ROWS.values(), strict=True))
    exec(one_line("pytest"), names)
    with pytest.raises(AssertionError, match=r"2 of 3 answers are right(.|\n)*'Lyon'"):
        names["test_answers"](AssertAnswers())


def test_trainer(one_line):
    """tests/e2e/test_trainer.py uses it in trainers."""
    names = {"smile": load_metric("smile"), "tokenizer": ByT5Tokenizer(), "references": ROWS["references"]}
    exec(one_line("Trainer"), names)
    ids = names["tokenizer"](ROWS["predictions"], padding=True, return_tensors="np").input_ids
    figures = names["compute_metrics"](EvalPrediction(ids, np.zeros((3, 1), int)))
    expected = names["smile"].compute(predictions=ROWS["predictions"], references=ROWS["references"])
    assert figures["smile"] == pytest.approx(expected["smile"], abs=1e-6)
