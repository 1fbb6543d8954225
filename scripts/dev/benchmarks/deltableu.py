"""ΔBLEU against sacrebleu's `corpus_bleu` on the same texts, and against itself with more references."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, zip_longest
from typing import Any

from ...loading import load_metric
from .measure import Prepare


@dataclass(frozen=True)
class Job:
    """Rows to score and how."""

    predictions: Sequence[str]
    references: Sequence[Sequence[str]]
    weights: Sequence[Sequence[float]] | None = None
    tokenize: str = "13a"


def lengthened(given: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Return rows with the question before each reference."""
    pairs = zip(given["questions"], given["references"], strict=True)
    return {**given, "references": [[f"{question} {text}" for text in texts] for question, texts in pairs]}


def shuffled(given: Mapping[str, Sequence[Any]], count: int, references: int, tokenize: str) -> Job:
    """Make a large set of different texts out of few.

    Args:
        given: The columns `predictions` and `references`, of lists.
        count: Rows to make.
        references: References of each.
        tokenize: sacrebleu's name of the tokenizer.

    Returns:
        Rows whose texts are those given with their words, or characters where there are no spaces, in random order;
        a row that has too few references borrows from those that follow. The same arguments make the same rows.
    """
    generator = random.Random(0)
    answers, pools = given["predictions"], list(given["references"])

    def shuffle(text: str) -> str:
        space = " " if " " in text.strip() else ""
        units = text.split() if space else list(text)
        return space.join(generator.sample(units, len(units)))

    predictions, made = [], []
    for number in islice(cycle(range(len(answers))), count):
        near = (text for pool in cycle(pools[number:] + pools[:number]) for text in pool)
        predictions.append(shuffle(answers[number]))
        made.append([shuffle(text) for text in islice(near, references)])
    return Job(predictions, made, tokenize=tokenize)


def cases(job: Job) -> dict[str, tuple[Prepare, Job]]:
    """Return what is measured: the baseline, the metric without and with weights, and half the references."""
    predictions, references, tokenize = job.predictions, job.references, job.tokenize
    weights = [[(1 + j) / len(row) for j in range(len(row))] for row in references]
    halves = [row[: max(1, len(row) // 2)] for row in references]
    return {
        "sacrebleu": (sacrebleu_corpus, job),
        "deltableu": (deltableu, job),
        "deltableu, weighted": (deltableu, Job(predictions, references, weights, tokenize)),
        "deltableu, half the references": (deltableu, Job(predictions, halves, None, tokenize)),
    }


def deltableu(job: Job) -> Callable[[], float]:
    """The metric as a user calls it, with the scores of each row, which sacrebleu does not make."""
    metric = load_metric("deltableu")
    metric.compute(predictions=["warm"], references=["up"])

    def run() -> float:
        score: float = metric.compute(
            predictions=job.predictions,
            references=job.references,
            reference_weights=job.weights,
            tokenize=job.tokenize,
        )["deltableu"]
        return score

    return run


def sacrebleu_corpus(job: Job) -> Callable[[], float]:
    """BLEU by sacrebleu, which wants the first references of all rows, then the second, and so on."""
    import sacrebleu

    streams = [list(stream) for stream in zip_longest(*job.references)]

    def run() -> float:
        return sacrebleu.corpus_bleu(list(job.predictions), streams, tokenize=job.tokenize).score

    return run
