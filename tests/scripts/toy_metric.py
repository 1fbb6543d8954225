"""A small metric with the contract of this family, for tests of what runs metrics. It is no test itself."""

import shutil
from pathlib import Path

import evaluate_qa

_PROGRAM = '''\
"""Exact match over words, for tests."""

import time
from dataclasses import dataclass

import datasets
import evaluate

from .inputs import CheckedInputs, optional_texts, prediction, question, texts


@dataclass(frozen=True)
class Options:
    """`seconds` is how long a call takes; `bonus` is added to each score."""

    seconds: float = 0.0
    bonus: float = 0.0


class Toy(CheckedInputs, evaluate.Metric):
    columns = {
        "predictions": prediction,
        "references": texts,
        "questions": question,
        "synthetic_answers": optional_texts,
    }
    options = Options

    def _info(self):
        strings = datasets.List(datasets.Value("string"))
        features = {"predictions": datasets.Value("string"), "references": strings}
        features |= {"questions": datasets.Value("string"), "synthetic_answers": strings}
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="", features=datasets.Features(features)
        )

    def prepare(self, options):
        print("MODEL LOADED")

    def _compute(self, predictions, references, questions, synthetic_answers, options, per_example):
        time.sleep(options.seconds)
        shares = [
            [len({*answer.split()} & {*text.split()}) / len({*text.split()}) for text in texts]
            for answer, texts in zip(predictions, references)
        ]
        score = [max(row) + options.bonus for row in shares]
        rows = {
            "score": score,
            "verdict": [value >= 0.5 for value in score],
            "best_reference": [row.index(max(row)) for row in shares],
            "length": [len(answer.split()) for answer in predictions],
            "asked": questions,
            "synthetic": [len(texts) for texts in synthetic_answers],
        }
        return {
            "toy": sum(score) / len(score),
            "accuracy": sum(rows["verdict"]) / len(score),
            "length": sum(rows["length"]) / len(score),
            "signature": "toy|v:1",
            "per_example": rows,
        }
'''


def write_toy_metric(folder: Path) -> Path:
    """Write the metric to `folder/toy` and return that."""
    toy = folder / "toy"
    toy.mkdir()
    (toy / "toy.py").write_text(_PROGRAM)
    shutil.copyfile(Path(evaluate_qa.__file__).parent / "metrics" / "_shared" / "inputs.py", toy / "inputs.py")
    return toy
