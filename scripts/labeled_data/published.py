"""Answers with the verdicts that their authors published, and the ones that metrics can be compared on."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from .rows import LabeledRow

CORRECT, INCORRECT = "correct", "incorrect"
"""The verdicts that metrics are compared with, apart from SemEval-2013's `contradictory`, which is wrong, too."""


class PublishedAnswer(NamedTuple):
    """One answer with its published verdict."""

    part: str  # the part of the data set that has its own figures, such as `Beetle` or `German`
    verdict: str  # `correct`, `contradictory`, `incorrect`, or a verdict in between, such as `partially correct`
    row: LabeledRow


class UsableAnswers(NamedTuple):
    """The answers of a data set that metrics can be compared on, and for each part, the number of others by reason."""

    rows: list[LabeledRow]
    dropped: dict[str, Counter[str]]


def usable(answers: Iterable[PublishedAnswer]) -> UsableAnswers:
    """Drop and count answers that have a verdict between right and wrong, a blank text, or no reference."""
    found = UsableAnswers([], {})
    for part, verdict, published in answers:
        row = replace(published, references=[text for text in published.references if text.strip()])
        reasons = found.dropped.setdefault(part, Counter())
        reason = _why_unusable(verdict, row)
        if reason:
            reasons[reason] += 1
        else:
            found.rows.append(row)
    return found


def _why_unusable(verdict: str, row: LabeledRow) -> str | None:
    """Return the first reason to drop an answer; None for a usable one."""
    reasons = {
        verdict: verdict not in (CORRECT, "contradictory", INCORRECT),
        "without a question": not row.question.strip(),
        "without a reference": not row.references,
        "blank": not row.answer.strip(),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)
