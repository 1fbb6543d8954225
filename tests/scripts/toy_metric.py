"""Writes small metrics, with and without the interface of this package, for tests of programs that run metrics."""

from collections.abc import Iterator
from pathlib import Path

_PROGRAM = '''\
"""Exact match over words, for tests."""

import time
from dataclasses import dataclass

import evaluate

from evaluate_qa.metrics._shared.adapter import Adapter
from evaluate_qa.metrics._shared.columns import PREDICTIONS, QUESTIONS, REFERENCES, Column, optional_texts
from evaluate_qa.metrics._shared.options import Number, Options, option
from evaluate_qa.metrics._shared.scorer import Scored, Scorer


@dataclass(frozen=True)
class ToyOptions(Options):
    """How scores are made."""

    seconds: float = option(0.0, Number(), "How long a call takes.")
    bonus: float = option(0.0, Number(), "Added to each score.")


class ToyScorer(Scorer):
    """Share of a reference's words that the answer has."""

    name = "toy"
    version = "1"
    citation = ""
    columns = {
        "predictions": PREDICTIONS,
        "references": REFERENCES,
        "questions": QUESTIONS,
        "synthetic_answers": Column(optional_texts, ["string"], ""),
    }
    options = ToyOptions
    means = ("length",)

    def prepare(self, options):
        print("MODEL LOADED")

    def _compute(self, predictions, references, questions, synthetic_answers, options):
        time.sleep(options.seconds)
        shares = [
            [len({*answer.split()} & {*text.split()}) / len({*text.split()}) for text in texts]
            for answer, texts in zip(predictions, references)
        ]
        score = [max(row) + options.bonus for row in shares]
        scores = dict(
            score=score,
            verdict=[value >= 0.5 for value in score],
            best_reference=[row.index(max(row)) for row in shares],
            length=[len(answer.split()) for answer in predictions],
            asked=questions,
            synthetic=[len(texts) for texts in synthetic_answers],
        )
        return Scored(scores, {})


class Toy(Adapter, evaluate.Metric, scorer=ToyScorer):
    pass
'''


_PLAIN = '''\
"""Compares lengths; accepts one reference per row and returns bare lists, like many metrics on the Hub."""

import datasets
import evaluate


class Plain(evaluate.Metric):
    def _info(self):
        features = {"predictions": datasets.Value("string"), "references": datasets.Value("string")}
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="", features=datasets.Features(features)
        )

    def _compute(self, predictions, references, aggregate=False):
        nearness = [-abs(len(answer) - len(text)) for answer, text in zip(predictions, references)]
        if aggregate:
            return {"nearness": sum(nearness), "precisions": nearness}
        return {"nearness": nearness, "mean": sum(nearness) / len(nearness)}
'''


def write_metric(folder: Path, name: str, program: str) -> Path:
    """Write a metric to `folder/name` and return that folder."""
    (folder / name).mkdir()
    (folder / name / f"{name}.py").write_text(program)
    return folder / name


def write_toy_metric(folder: Path) -> Path:
    """Write the metric with this package's interface."""
    return write_metric(folder, "toy", _PROGRAM)


def write_plain_metric(folder: Path) -> Path:
    """Write the metric with the interface of evaluate alone."""
    return write_metric(folder, "plain", _PLAIN)


def toy_rows(count: int) -> Iterator[dict[str, object]]:
    """Yield rows for the metric; every 17th has no reference."""
    words = ["alpha", "beta", "gamma", "delta", "epsilon"]
    for number in range(count):
        references = [] if number % 17 == 5 else [f"{words[number % 3]} {words[number % 4]}", "beta"]
        yield {"id": number, "prediction": " ".join(words[: number % 5 + 1]), "references": references}
