"""Labelled answers: one form for all data sets."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

CORRECT, CONTRADICTORY, INCORRECT = "correct", "contradictory", "incorrect"
"""The verdicts. Contradictory answers are wrong too; only SemEval-2013 tells them from others that are wrong."""


@dataclass(frozen=True)
class LabelledAnswer:
    """One answer with people's verdict.

    Attributes:
        part: The part of the data set that has figures of its own, such as `Beetle` or `German`.
        test: Which of several test sets of that part it belongs to, such as `unseen questions`; None for the only one.
        question_id: The same for all answers to a question, also in other splits.
        verdict: `correct`, `contradictory` or `incorrect`.
        language: Language of the texts, as an ISO 639-1 code.
    """

    part: str
    test: str | None
    question_id: str
    question: str
    references: tuple[str, ...]
    answer: str
    verdict: str
    language: str = "en"

    @property
    def correct(self) -> bool:
        """The verdict in two ways."""
        return self.verdict == CORRECT


@dataclass(frozen=True)
class LabelledAnswers:
    """What is read of a data set.

    Attributes:
        answers: The answers that are used.
        dropped: For each part, how many are left out for which reason.
    """

    answers: list[LabelledAnswer]
    dropped: Mapping[str, Counter[str]] = field(default_factory=dict)


def first_questions(answers: Iterable[LabelledAnswer], limit: int | None) -> Iterator[LabelledAnswer]:
    """Yield the answers to the first so many questions of each test of each part; None for all."""
    seen: dict[tuple[str, str | None], dict[str, int]] = {}
    for answer in answers:
        questions = seen.setdefault((answer.part, answer.test), {})
        number = questions.setdefault(answer.question_id, len(questions))
        if limit is None or number < limit:
            yield answer


def usable(answers: Iterable[LabelledAnswer]) -> LabelledAnswers:
    """Leave out, and count, what has a verdict between right and wrong, a blank text or no reference that is not."""
    chosen, dropped = [], dict[str, Counter[str]]()
    for found in answers:
        answer = replace(found, references=tuple(text for text in found.references if text.strip()))
        reasons = dropped.setdefault(answer.part, Counter())
        reason = _why_unusable(answer)
        if reason:
            reasons[reason] += 1
        else:
            chosen.append(answer)
    return LabelledAnswers(chosen, dropped)


def _why_unusable(answer: LabelledAnswer) -> str | None:
    reasons = {
        answer.verdict: answer.verdict not in (CORRECT, CONTRADICTORY, INCORRECT),
        "without a question": not answer.question.strip(),
        "without a reference": not answer.references,
        "blank": not answer.answer.strip(),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)
