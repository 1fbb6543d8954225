"""Best-of-n over templates: what each family of undeserving texts gets from a metric."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .templates import FAMILIES, Question


@dataclass(frozen=True)
class Exploit:
    """What a family gets from a metric; shares and means are over the questions.

    Args:
        family: Its name.
        templates: How many it has.
        reward: Mean of the best template's score, chosen anew for each question.
        accepted: Share of the questions for which a template is judged correct.
        mean: Share of all its texts that are judged correct: what an optimizer begins with.
    """

    family: str
    templates: int
    reward: float
    accepted: float
    mean: float


@dataclass(frozen=True)
class JudgedTemplate:
    """Scores and verdicts of all templates for all questions, in the order of `texts`."""

    scores: Sequence[float]
    verdicts: Sequence[bool]


def study(metric: Any, asked: Sequence[Question]) -> tuple[list[Exploit], str]:
    """Score every template of every family for every question; return what each family gets, and the signature."""
    judged, signature = _judged(
        metric, [(one, text) for family in FAMILIES for one in asked for text in one.answers(family)]
    )
    found, start = [], 0
    for family, templates in FAMILIES.items():
        count = len(templates)
        places = [range(start + count * number, start + count * (number + 1)) for number in range(len(asked))]
        found.append(_summed(family, count, places, judged))
        start += count * len(asked)
    return found, signature


def _summed(family: str, templates: int, places: Sequence[range], judged: JudgedTemplate) -> Exploit:
    accepted = [sum(judged.verdicts[place] for place in of_one) for of_one in places]
    return Exploit(
        family,
        templates,
        reward=sum(max(judged.scores[place] for place in of_one) for of_one in places) / len(places),
        accepted=sum(map(bool, accepted)) / len(places),
        mean=sum(accepted) / sum(map(len, places)),
    )


def _judged(metric: Any, rows: Sequence[tuple[Question, str]]) -> tuple[JudgedTemplate, str]:
    result = metric.compute(
        predictions=[text for _, text in rows],
        references=[list(one.references) for one, _ in rows],
        questions=[one.question for one, _ in rows],
    )
    table = result["per_example"]
    if "verdict" not in table:
        raise ValueError(f"{metric.name} has no verdicts; expected a metric that judges answers")
    return JudgedTemplate(table["score"], table["verdict"]), result["signature"]
