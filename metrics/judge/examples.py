"""Examples in a judge's prompt, chosen from answers with people's labels.

Several draws of examples are compared on one half of the questions; the best must lower the log-loss on the other half.
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import yaml

from .._shared.arguments import counted
from .prompts import quoted
from .protocols import Protocol, parse
from .verdicts import JudgedRow

Ask = Callable[[Protocol, Sequence[JudgedRow]], Sequence[float | None]]
"""Asks the judge about rows, with a protocol, and returns the score of each row; None without a verdict."""

_DRAWS = 3
_CLIP = 0.01
# Minimum number of questions; half of them are held out to measure the gain.
_QUESTIONS = 50


@dataclass(frozen=True)
class LabeledAnswer:
    """An answer with a person's label."""

    row: JudgedRow
    correct: bool

    @property
    def question(self) -> str:
        """The question, or the first reference without one."""
        return self.row.question or self.row.references[0]


def fit_examples(labeled: Sequence[LabeledAnswer], protocol: Protocol, count: int, ask: Ask) -> str:
    """Return the protocol's text with the examples of the best draw; the protocol's reply is a label, without examples.

    A draw has as many right as wrong answers, each to another question, and prefers answers that the judge gets wrong.
    With an odd count, it has one more wrong answer. Rows are distinct.

    Raises:
        ValueError: The protocol cannot have examples, there are too few labels, or nothing is gained.
    """
    if count < 1:
        raise ValueError(f"judge: count is {count}; expected the number of examples, at least 1")
    questions = sorted({answer.question for answer in labeled})
    right = sum(answer.correct for answer in labeled)
    if len(questions) < _QUESTIONS or min(right, len(labeled) - right) < count:
        raise ValueError(
            f"judge: fit_examples got {counted(len(labeled), 'judged answer')} to "
            f"{counted(len(questions), 'question')}, {right} of them correct; expected answers to at least "
            f"{_QUESTIONS} questions, at least {count} of them correct and {count} incorrect"
        )
    source = random.Random(0)
    source.shuffle(questions)
    choosing = {*questions[: len(questions) // 2]}
    choose, prove = (
        [answer for answer in labeled if (answer.question in choosing) == chosen] for chosen in (True, False)
    )
    losses = _losses(choose, protocol, ask)
    draws = [_draw(choose, losses, count, source) for _ in range(_DRAWS)]
    drawn = {answer.question for draw in draws for answer in draw}
    rest = [answer for answer in choose if answer.question not in drawn]
    prompts = [with_examples(protocol, draw) for draw in draws]
    best = min(prompts, key=lambda prompt: _mean(_losses(rest, prompt, ask)))
    before, after = (_mean(_losses(prove, prompt, ask)) for prompt in (protocol, best))
    if not after < before:
        raise ValueError(
            f"judge: examples do not help: the log-loss on held-out questions is {after:.3f}, without examples "
            f"{before:.3f}; use the protocol without examples, or label more answers"
        )
    return best.prompt.text


def with_examples(protocol: Protocol, examples: Sequence[LabeledAnswer]) -> Protocol:
    """Return the protocol with these examples."""
    own = protocol.labels.__getitem__
    labels = {True: max(protocol.labels, key=own), False: min(protocol.labels, key=own)}
    settings = yaml.safe_dump({**protocol.prompt.settings}, allow_unicode=True, sort_keys=False)
    lines = "".join(f"- {_line(answer.row, labels[answer.correct])}\n" for answer in examples)
    return parse(protocol.name, f"---\n{settings}examples:\n{lines}---\n{protocol.prompt.request}")


def _line(row: JudgedRow, label: str) -> str:
    """Return an example on one line of YAML."""
    references = ", ".join(map(quoted, row.references))
    texts = f"question: {quoted(row.question)}, references: [{references}], prediction: {quoted(row.prediction)}"
    return f"{{{texts}, label: {quoted(label)}}}"


def _losses(labeled: Sequence[LabeledAnswer], protocol: Protocol, ask: Ask) -> list[float | None]:
    """Return the log-loss of each row; None without a verdict."""
    scores = ask(protocol, [answer.row for answer in labeled])
    return [
        None if score is None else -math.log(max(score if answer.correct else 1 - score, _CLIP))
        for answer, score in zip(labeled, scores, strict=True)
    ]


def _mean(losses: Sequence[float | None]) -> float:
    """Return the mean loss; a row without a verdict has the highest loss."""
    return fmean(-math.log(_CLIP) if loss is None else loss for loss in losses)


def _draw(
    labeled: Sequence[LabeledAnswer], losses: Sequence[float | None], count: int, source: random.Random
) -> list[LabeledAnswer]:
    """Return examples in random order; of three random candidates, the one with the highest loss is taken."""
    drawn: list[LabeledAnswer] = []
    for correct in [number % 2 == 1 for number in range(count)]:
        taken = {answer.question for answer in drawn}
        left = [
            number
            for number, answer in enumerate(labeled)
            if answer.correct == correct and answer.question not in taken and losses[number] is not None
        ]
        if not left:
            raise ValueError(
                f"judge: fit_examples needs more {'correct' if correct else 'incorrect'} answers with a verdict of the "
                "judge, to different questions; label more of them, or choose fewer examples"
            )
        candidates = source.sample(left, min(3, len(left)))
        key: Any = losses.__getitem__
        drawn.append(labeled[max(candidates, key=key)])
    source.shuffle(drawn)
    return drawn
