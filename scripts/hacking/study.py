"""Best-of-n over templates: what each family of undeserving texts gets from a metric, without and with its guard."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..metrics._shared.guard import guarded
from .templates import FAMILIES, Question


@dataclass(frozen=True)
class Found:
    """What a family gets from a metric; shares and means are over the questions.

    Args:
        family: Its name.
        templates: How many it has.
        reward: Mean of the best template's score, chosen anew for each question.
        accepted: Share of the questions for which a template is judged correct.
        mean: Share of all its texts that are judged correct: what an optimiser begins with.
        guarded: `accepted`, with the metric's guard; None where it has none.
        guarded_mean: `mean`, likewise.
    """

    family: str
    templates: int
    reward: float
    accepted: float
    mean: float
    guarded: float | None
    guarded_mean: float | None


@dataclass(frozen=True)
class Judged:
    """Scores and verdicts of all templates for all questions, in the order of `texts`."""

    scores: Sequence[float]
    verdicts: Sequence[bool]


def study(metric: Any, asked: Sequence[Question]) -> tuple[list[Found], str]:
    """Score every template of every family for every question; return what each family gets, and the signature."""
    rows = [(one, text) for family in FAMILIES for one in asked for text in one.answers(family)]
    plain, signature = _judged(metric, rows)
    with_guard = _with_guard(metric, rows, plain) if hasattr(metric.options, "guard") else None
    found, start = [], 0
    for family, templates in FAMILIES.items():
        count = len(templates)
        places = [range(start + count * number, start + count * (number + 1)) for number in range(len(asked))]
        found.append(_summed(family, count, places, plain, with_guard))
        start += count * len(asked)
    return found, signature


def _summed(family: str, count: int, places: Sequence[range], plain: Judged, with_guard: Judged | None) -> Found:
    return Found(
        family,
        count,
        sum(max(plain.scores[place] for place in of_one) for of_one in places) / len(places),
        *_shares(places, plain),
        *((None, None) if with_guard is None else _shares(places, with_guard)),
    )


def _shares(places: Sequence[range], judged: Judged) -> tuple[float, float]:
    """Return the share of the questions with an accepted text, and of the texts that are accepted."""
    accepted = [sum(judged.verdicts[place] for place in of_one) for of_one in places]
    return sum(map(bool, accepted)) / len(places), sum(accepted) / sum(map(len, places))


def _judged(metric: Any, rows: Sequence[tuple[Question, str]], **options: Any) -> tuple[Judged, str]:
    result = metric.compute(
        predictions=[text for _, text in rows],
        references=[list(one.references) for one, _ in rows],
        questions=[one.question for one, _ in rows],
        **options,
    )
    table = result["per_example"]
    if "verdict" not in table:
        raise ValueError(f"{metric.name} has no verdicts; expected a metric that judges answers")
    return Judged(table["score"], table["verdict"]), result["signature"]


def _with_guard(metric: Any, rows: Sequence[tuple[Question, str]], plain: Judged) -> Judged:
    """Score again what the guard changes."""
    credited = guarded([text for _, text in rows], [one.references for one, _ in rows])
    changed = [place for place, (_, text) in enumerate(rows) if credited[place] != text]
    scores, verdicts = list(plain.scores), list(plain.verdicts)
    if changed:
        again, _ = _judged(metric, [rows[place] for place in changed], guard=True)
        for place, score, verdict in zip(changed, again.scores, again.verdicts, strict=True):
            scores[place], verdicts[place] = score, verdict
    return Judged(scores, verdicts)
