"""From verdicts to scores. Pure: no I/O.

A row of which a judge said nothing readable has no score: it is not wrong, and the means are over the others.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, mode, stdev

from .reading import Verdict

MATCHED = ("incorrect", "correct")
"""The labels of a matcher's verdicts."""

NOT_ATTEMPTED = "not attempted"
"""The label of a blank answer, about which no judge is asked, and of what a matcher takes for none; it is wrong."""


@dataclass(frozen=True)
class Ruling:
    """What became of one row.

    Args:
        verdict: None if there is none.
        asked: Whether the model's verdict was asked for, now or earlier.
        cached: Whether it was there already: in the cache, or asked for an equal row before, whatever came of that.
        tokens_in: Of the request; None where the server does not say, 0 where no reply came.
        tokens_out: Of the reply.
        error: Why there is no verdict.
        samples: How many verdicts the score is the mean of, where the judge was asked several times.
        spread: Standard deviation of their scores; None for fewer than two.
        flipped: Whether the verdict is another with answer and reference exchanged; None if that is not known.
        best_reference: Index of the reference by which the matcher decided.
    """

    verdict: Verdict | None
    asked: bool = True
    cached: bool = False
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    error: str | None = None
    samples: int = 0
    spread: float | None = None
    flipped: bool | None = None
    best_reference: int | None = None


BLANK = Ruling(Verdict(NOT_ATTEMPTED, 0.0, False, "rule"), asked=False)


def matched(score: float, correct: bool, best_reference: int | None = None, refused: bool | None = None) -> Ruling:
    """Return what becomes of a row that a matcher has decided; `refused` if it says that the answer is no attempt."""
    label = NOT_ATTEMPTED if refused else MATCHED[correct]
    return Ruling(Verdict(label, score, correct, "matcher"), asked=False, best_reference=best_reference)


def unsure(scores: Sequence[float | None], band: tuple[float, float]) -> list[bool]:
    """Return of each row whether the matcher's score s is within the band, or there is none: then the judge is asked.

    Within is low ≤ s < high; a band up to 1 holds s = 1, too, so that (0, 1) holds all rows.
    """
    low, high = band
    return [score is None or (low <= score and (score < high or high == 1)) for score in scores]


def settled(samples: Sequence[Ruling], exchanged: Ruling | None = None) -> Ruling:
    """Return what becomes of a row about which the judge was asked several times.

    The score is the mean of those of its verdicts, s = √(Σ(xᵢ − x̄)² / (n − 1)) their spread. The row is correct if more
    than half of them say so; its label is the most frequent one among those that say what it says.

    Args:
        samples: What became of the row each time; those without a verdict are left out.
        exchanged: What became of it with answer and reference exchanged, if that was asked.
    """
    verdicts = [sample.verdict for sample in samples if sample.verdict]
    scores = [verdict.score for verdict in verdicts]
    every = [*samples, *([exchanged] if exchanged else [])]
    settled = Ruling(
        _pooled(verdicts) if verdicts else None,
        asked=any(one.asked for one in every),
        cached=all(one.cached for one in every),
        tokens_in=_total(one.tokens_in for one in every),
        tokens_out=_total(one.tokens_out for one in every),
        error=None if verdicts else samples[0].error,
        samples=len(verdicts),
        spread=stdev(scores) if len(scores) > 1 else None,
    )
    if settled.verdict and exchanged and exchanged.verdict:
        return replace(settled, flipped=settled.verdict.correct != exchanged.verdict.correct)
    return settled


def _pooled(verdicts: Sequence[Verdict]) -> Verdict:
    correct = 2 * sum(verdict.correct for verdict in verdicts) > len(verdicts)
    label = mode(verdict.label for verdict in verdicts if verdict.correct == correct)
    reason = next(verdict.reason for verdict in verdicts if verdict.label == label)
    return Verdict(label, fmean(verdict.score for verdict in verdicts), correct, verdicts[0].how, reason)


def _total(counts: Iterable[int | None]) -> int | None:
    """Return the sum; None if one of them is not known."""
    known = list(counts)
    return None if None in known else sum(count for count in known if count is not None)


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
    samples: list[int] | None = None
    spread: list[float | None] | None = None
    flipped: list[bool | None] | None = None
    not_attempted: list[bool | None] | None = None
    reason: list[str | None] | None = None
    best_reference: list[int | None] | None = None


def score(
    rulings: Sequence[Ruling],
    counts: Sequence[int],
    sampled: bool = False,
    swapped: bool = False,
    explained: bool = False,
) -> Scores:
    """Return the columns; without `error` where every row has a verdict.

    Args:
        rulings: What became of each row.
        counts: How many references each row has. The judge sees all at once, so that the best is known of one alone.
        sampled: Whether to have the columns `samples` and `spread`.
        swapped: Whether to have the column `flipped`.
        explained: Whether to have the column `reason`.
    """
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
        samples=[ruling.samples for ruling in rulings] if sampled else None,
        spread=[ruling.spread for ruling in rulings] if sampled else None,
        flipped=[ruling.flipped for ruling in rulings] if swapped else None,
        not_attempted=[verdict.label == NOT_ATTEMPTED if verdict else None for verdict in verdicts],
        reason=[verdict.reason if verdict else None for verdict in verdicts] if explained else None,
        best_reference=[
            0 if count == 1 else ruling.best_reference for ruling, count in zip(rulings, counts, strict=True)
        ],
    )


def spent(tokens_in: int, tokens_out: int, prices: tuple[float, float] | None) -> str:
    """Return what was spent so far, for a progress bar: its cost, or without prices the tokens."""
    if prices is None:
        return f"{tokens_in:,} + {tokens_out:,} tokens"
    return f"cost {_priced(tokens_in, tokens_out, prices):.4g}"


def _priced(tokens_in: int, tokens_out: int, prices: tuple[float, float]) -> float:
    return (tokens_in * prices[0] + tokens_out * prices[1]) / 1e6


def cost(rulings: Iterable[Ruling], prices: tuple[float, float]) -> float | None:
    """Return Σ tokens · price / 10⁶ over what was replied to in this call; None if the server did not count the tokens.

    A request without a reply has no tokens that anybody knows of, and counts as none.
    """
    asked = [ruling for ruling in rulings if ruling.asked and not ruling.cached]
    sent, received = _total(one.tokens_in for one in asked), _total(one.tokens_out for one in asked)
    return None if sent is None or received is None else _priced(sent, received, prices)
