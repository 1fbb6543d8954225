"""The shell that all metrics share: what evaluate copies of a metric, its documentation, its result, its threads."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import evaluate
import evaluate_qa
import pytest
from evaluate.loading import get_imports
from evaluate_qa.metrics._shared.shell import Scored, mean


def test_evaluate_copies_what_the_metrics_file_imports_and_nothing_else(tmp_path):
    """Why a metric's file imports each of its siblings itself."""
    folder = tmp_path / "lonely"
    folder.mkdir()
    (folder / "lonely.py").write_text(
        "import evaluate\nfrom .near import VALUE\n\nclass Lonely(evaluate.Metric): ...\n"
    )
    (folder / "near.py").write_text("from .far import VALUE\n")
    (folder / "far.py").write_text("VALUE = 1\n")
    with pytest.raises(ModuleNotFoundError, match=r"lonely\.[0-9a-f]{64}\.far"):
        evaluate.load(str(folder))


def test_a_metrics_file_imports_every_sibling(name):
    folder = Path(evaluate_qa.path(name))
    imported = {what for kind, what, *_ in get_imports(str(folder / f"{name}.py")) if kind == "internal"}
    assert imported == {file.stem for file in folder.glob("*.py")} - {name}


@dataclass
class Rows:
    """Columns of a result, in which a row could not be scored."""

    score: list
    verdict: list
    width: list
    error: list | None


def test_means_are_those_of_the_rows_that_were_scored(monkeypatch):
    metric = evaluate.load(evaluate_qa.path("deltableu"))
    (shell,) = (base for base in type(metric).__mro__ if base.__name__ == "Shell")
    monkeypatch.setattr(type(metric), "means", ("width",))
    rows = Rows([1.0, None, 0.5], [True, None, False], [2, None, 5], [None, "timeout", None])
    result = shell.result(metric, Scored(rows, {"a": 1, "b": None}), None, True)
    assert result == {
        "deltableu": 0.75,
        "accuracy": 0.5,
        "width": 3.5,
        "unscored": 1,
        "signature": "deltableu|v:1.0.0|a:1",
        "per_example": vars(rows),
    }
    assert "unscored" not in shell.result(metric, Scored(Rows([1.0], [True], [2], None), {}), None, False)
    assert mean([None]) is None


def test_threads_that_share_a_metric_take_turns():
    shared = evaluate.load(evaluate_qa.path("deltableu"))

    def rows(number):
        words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
        return {
            "predictions": [" ".join(words[: 4 + number % 7])] * (1 + number % 3),
            "references": [[" ".join(words)]],
        }

    def score(number):
        columns = rows(number)
        columns["references"] *= len(columns["predictions"])
        return shared.compute(**columns, per_example=False)["deltableu"]

    expected = [score(number) for number in range(60)]
    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(score, range(60))) == expected


def test_rows_that_threads_add_are_all_scored():
    shared = evaluate.load(evaluate_qa.path("deltableu"))
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda n: shared.add_batch(predictions=[f"a b c {n}"], references=["a b c d"]), range(60)))
    assert len(shared) == 60
    assert shared.compute()["sys_len"] == 240
