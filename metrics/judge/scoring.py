"""From verdicts to scores. Pure: no I/O.

A row of which a judge said nothing readable has no score: it is not wrong, and the means are over the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .reading import Verdict

MATCHED = ("incorrect", "correct")
"""The labels of a matcher's verdicts."""

NOT_ATTEMPTED = "not attempted"
"""The label of a blank answer, about which no judge is asked; it is wrong."""


@dataclass(frozen=True)
class Ruling:
    """What became of one row.

    Args:
        verdict: None if there is none.
        asked: Whether the model's verdict was asked for, now or earlier.
        cached: Whether it was there already: in the cache, or asked for an equal row before.
        tokens_in: Of the request; None where the server does not say.
        tokens_out: Of the reply.
        error: Why there is no verdict.
    """

    verdict: Verdict | None
    asked: bool = True
    cached: bool = False
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    error: str | None = None


BLANK = Ruling(Verdict(NOT_ATTEMPTED, 0.0, False, "rule"), asked=False)


def matched(score: float, correct: bool) -> Ruling:
    """Return what becomes of a row that a matcher has decided."""
    return Ruling(Verdict(MATCHED[correct], score, correct, "matcher"), asked=False)


def unsure(scores: Sequence[float], band: tuple[float, float]) -> list[bool]:
    """Return of each row whether the matcher's score s is within the band, low ≤ s < high: then the judge is asked."""
    low, high = band
    return [low <= score < high for score in scores]


@dataclass(frozen=True)
class Scores:
    """The columns of the result's rows; None in place of what an unscored row lacks."""

    score: list[float | None]
    verdict: list[bool | None]
    label: list[str | None]
    asked: list[bool]
    cached: list[bool]
    tokens_in: list[int | None]
    tokens_out: list[int | None]
    error: list[str | None] | None


def score(rulings: Sequence[Ruling]) -> Scores:
    """Return the columns; without `error` where every row has a verdict."""
    verdicts = [ruling.verdict for ruling in rulings]
    errors = [ruling.error for ruling in rulings]
    return Scores(
        score=[verdict.score if verdict else None for verdict in verdicts],
        verdict=[verdict.correct if verdict else None for verdict in verdicts],
        label=[verdict.label if verdict else None for verdict in verdicts],
        asked=[ruling.asked for ruling in rulings],
        cached=[ruling.cached for ruling in rulings],
        tokens_in=[ruling.tokens_in for ruling in rulings],
        tokens_out=[ruling.tokens_out for ruling in rulings],
        error=errors if any(error is not None for error in errors) else None,
    )


def cost(scores: Scores, prices: tuple[float, float]) -> float | None:
    """Return Σ tokens · price / 10⁶ over the rows asked in this call; None if the server did not count the tokens."""
    total = 0.0
    for asked, cached, sent, received in zip(
        scores.asked, scores.cached, scores.tokens_in, scores.tokens_out, strict=True
    ):
        if asked and not cached:
            if sent is None or received is None:
                return None
            total += (sent * prices[0] + received * prices[1]) / 1e6
    return total
