"""Answers with the verdicts that their authors published, and the ones that metrics can be compared on."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

CORRECT, INCORRECT = "correct", "incorrect"
"""The verdicts that metrics are compared with, apart from SemEval-2013's `contradictory`, which is wrong, too."""


@dataclass(frozen=True)
class PublishedAnswer:
    """One answer with its published verdict."""

    part: str  # the part of the data set that has its own figures, such as `Beetle` or `German`
    test: str | None  # the test set of that part, such as `unseen questions`; None if the part has only one
    question_id: str  # the same for all answers to a question, also across splits
    question: str
    references: tuple[str, ...]
    answer: str
    verdict: str  # `correct`, `contradictory`, `incorrect`, or a verdict in between, such as `partially correct`
    language: str = "en"  # language of the texts, as an ISO 639-1 code

    @property
    def correct(self) -> bool:
        """True if the verdict is `correct`."""
        return self.verdict == CORRECT


@dataclass(frozen=True)
class UsableAnswers:
    """The answers of a data set that metrics can be compared on."""

    answers: list[PublishedAnswer]
    # For each part, the number of dropped answers by reason.
    dropped: Mapping[str, Counter[str]] = field(default_factory=dict)


def usable(answers: Iterable[PublishedAnswer]) -> UsableAnswers:
    """Drop and count answers that have a verdict between right and wrong, a blank text, or no reference."""
    chosen, dropped = [], dict[str, Counter[str]]()
    for found in answers:
        answer = replace(found, references=tuple(text for text in found.references if text.strip()))
        reasons = dropped.setdefault(answer.part, Counter())
        reason = _why_unusable(answer)
        if reason:
            reasons[reason] += 1
        else:
            chosen.append(answer)
    return UsableAnswers(chosen, dropped)


def _why_unusable(answer: PublishedAnswer) -> str | None:
    """Return the first reason to drop an answer; None for a usable one."""
    reasons = {
        answer.verdict: answer.verdict not in (CORRECT, "contradictory", INCORRECT),
        "without a question": not answer.question.strip(),
        "without a reference": not answer.references,
        "blank": not answer.answer.strip(),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)
