"""Scores from verdicts.

A row without a readable verdict has no score. It does not count as wrong; the means are over the other rows.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean, stdev
from types import SimpleNamespace
from typing import Any

from .._shared.scorer import mean
from .decisions import ASPECTS
from .reading import Verdict

MATCHED = ("incorrect", "correct")
"""The labels of a matcher's verdicts."""

NOT_ATTEMPTED = "not attempted"
"""The label of blank answers and of answers that a matcher treats as unanswered; they are wrong."""


@dataclass(frozen=True)
class Ruling:
    """The outcome of one row."""

    verdict: Verdict | None
    asked: bool = True  # whether the model was asked, now or earlier
    cached: bool = False  # whether the reply came from the cache, or from an equal row of this call
    tokens_in: int | None = 0  # tokens of the request; None if the server does not count them, 0 without a reply
    tokens_out: int | None = 0  # tokens of the reply; None and 0 as for `tokens_in`
    error: str | None = None  # why there is no verdict
    samples: int = 0  # number of verdicts that the score is the mean of, if the judge was asked several times
    spread: float | None = None  # standard deviation of their scores; None for fewer than two verdicts
    flipped: bool | None = None  # whether exchanging answer and reference changes the verdict; None if unknown
    best_reference: int | None = None  # index of the reference that the matcher's decision rests on
    ballots: tuple["Ruling", ...] = ()  # the outcomes of each judge
    # The mean of |xᵢ − xⱼ| over all pairs of the jury's scores; None for fewer than two scores.
    disagreement: float | None = None


BLANK = Ruling(Verdict(NOT_ATTEMPTED, 0.0, False, "rule"), asked=False)


def matched(score: float, correct: bool, best_reference: int | None = None, refused: bool | None = None) -> Ruling:
    """Return the outcome of a row that a matcher decided; `refused` if the matcher treats it as unanswered."""
    label = NOT_ATTEMPTED if refused else MATCHED[correct]
    return Ruling(Verdict(label, score, correct, "matcher"), asked=False, best_reference=best_reference)


def unsure(scores: Sequence[float | None], band: tuple[float, float]) -> list[bool]:
    """Return for each row whether the judge is asked: the matcher's score s lies in the band, or there is no score.

    The band is low ≤ s < high. If high is 1, it also contains s = 1, so that (0, 1) contains all rows.
    """
    low, high = band
    return [score is None or (low <= score and (score < high or high == 1)) for score in scores]


def settled(samples: Sequence[Ruling], swapped: bool = False) -> Ruling:
    """Return the outcome of a row from the outcomes of several requests; those without a verdict are left out.

    The score is the mean of the verdicts' scores, and s = √(Σ(xᵢ − x̄)² / (n − 1)) is their spread. The row is correct
    if more than half of the verdicts are. The label is the most frequent label among the verdicts of the majority. With
    `swapped`, the last request exchanged answer and reference; its verdict only decides `flipped`.
    """
    if len(samples) == 1:
        return replace(samples[0], samples=int(samples[0].verdict is not None))
    own, other = (samples[:-1], samples[-1].verdict) if swapped else (samples, None)
    verdicts = [sample.verdict for sample in own if sample.verdict]
    scores = [verdict.score for verdict in verdicts]
    pooled = _pooled([(verdict, 1.0) for verdict in verdicts])
    return replace(
        _of_requests(samples, pooled),
        samples=len(verdicts),
        spread=stdev(scores) if len(scores) > 1 else None,
        flipped=pooled.correct != other.correct if pooled and other else None,
        ballots=own[0].ballots,
        disagreement=mean([sample.disagreement for sample in own]),
    )


def voted(ballots: Sequence[Ruling], weights: Sequence[float]) -> Ruling:
    """Return the outcome of one or more judges; those without a verdict are left out.

    The score is Σ wᵢ xᵢ / Σ wᵢ. The row is correct if judges with more than half of the weight say so: with equal
    weights, the majority. Tokens and errors are those of all judges.
    """
    cast = [(ballot.verdict, weight) for ballot, weight in zip(ballots, weights, strict=True) if ballot.verdict]
    scores = [verdict.score for verdict, _ in cast]
    return replace(
        _of_requests(ballots, _pooled(cast)),
        ballots=tuple(ballots),
        disagreement=mean([abs(first - second) for first, second in combinations(scores, 2)]),
    )


def alpha(rulings: Iterable[Ruling]) -> float | None:
    """Return Krippendorff's α (nominal) of a jury's verdicts; None if all are equal, because α is 0 / 0 then.

    α = 1 − Dₒ / Dₑ, 1 for perfect and 0 for chance agreement (Krippendorff 2011, "Computing Krippendorff's
    Alpha-Reliability"). A judge without a verdict on a row counts as a missing value.
    """
    import krippendorff
    import numpy as np

    juries = [ruling.ballots for ruling in rulings]
    votes = [[float(ballot.verdict.correct) if ballot.verdict else np.nan for ballot in jury] for jury in juries]
    table = np.array(votes)
    paired = table[(~np.isnan(table)).sum(1) > 1] if juries else table
    if len(np.unique(paired[~np.isnan(paired)])) < 2:  # noqa: PLR2004
        return None
    return float(krippendorff.alpha(paired.T, level_of_measurement="nominal"))


def _of_requests(requests: Sequence[Ruling], verdict: Verdict | None) -> Ruling:
    """Return the outcome with a verdict on all requests, and with their tokens."""
    return Ruling(
        verdict,
        asked=any(request.asked for request in requests),
        cached=all(request.cached for request in requests),
        tokens_in=_total(request.tokens_in for request in requests),
        tokens_out=_total(request.tokens_out for request in requests),
        error=None if verdict else requests[0].error,
    )


def _pooled(cast: Sequence[tuple[Verdict, float]]) -> Verdict | None:
    """Return the verdict that the weighted votes make together; None without votes."""
    if not cast:
        return None
    verdicts, weights = zip(*cast, strict=True)
    correct = 2 * sum(weight for verdict, weight in cast if verdict.correct) > sum(weights)
    votes: dict[str, float] = {}
    for verdict, weight in cast:
        if verdict.correct == correct:
            votes[verdict.label] = votes.get(verdict.label, 0.0) + weight
    label = max(votes, key=lambda name: votes[name])
    named = [verdict.aspects for verdict in verdicts if verdict.aspects]
    return Verdict(
        label,
        fmean([verdict.score for verdict in verdicts], weights),
        correct,
        verdicts[0].how,
        next(verdict.reason for verdict in verdicts if verdict.label == label),
        mean([verdict.confidence for verdict in verdicts]),
        {name: mean([aspects.get(name) for aspects in named]) for aspects in named for name in aspects} or None,
    )


def _total(counts: Iterable[int | None]) -> int | None:
    """Return the sum; None if one of the counts is unknown."""
    known = list(counts)
    return None if None in known else sum(count for count in known if count is not None)


def score(rulings: Sequence[Ruling], counts: Sequence[int], more: Collection[str]) -> SimpleNamespace:
    """Return the columns of `per_example`, with those of the optional columns that `more` names.

    An unscored row has None. There is no column `error` if every row has a verdict. `counts` has the number of
    references of each row. The judge sees all references in one request, so the best one is known only if there is
    just one.
    """
    verdicts = [ruling.verdict for ruling in rulings]

    def of_verdict(name: str) -> list[Any]:
        return [getattr(verdict, name) if verdict else None for verdict in verdicts]

    def of_ruling(name: str) -> list[Any]:
        return [getattr(ruling, name) for ruling in rulings]

    columns = {
        "score": of_verdict("score"),
        "verdict": of_verdict("correct"),
        "label": of_verdict("label"),
        **{name: of_ruling(name) for name in ("asked", "cached", "tokens_in", "tokens_out", "error")},
        "not_attempted": [verdict.label == NOT_ATTEMPTED if verdict else None for verdict in verdicts],
        "best_reference": [0 if count == 1 else one.best_reference for one, count in zip(rulings, counts, strict=True)],
    }
    if all(error is None for error in columns["error"]):
        del columns["error"]
    optional = {
        **{name: of_ruling(name) for name in ("samples", "spread", "flipped")},
        **{name: of_verdict(name) for name in ("reason", "confidence")},
        **{name: [(aspects or {}).get(name) for aspects in of_verdict("aspects")] for name in ASPECTS},
        "judges": [sum(ballot.verdict is not None for ballot in ruling.ballots) for ruling in rulings],
        "disagreement": of_ruling("disagreement"),
    }
    return SimpleNamespace(**columns, **{name: values for name, values in optional.items() if name in more})


def cost(rulings: Iterable[Ruling], prices: tuple[float, float]) -> float | None:
    """Return Σ tokens · price / 10⁶ over the replies of this call; None if the server did not count the tokens.

    A request without a reply counts as 0 tokens, because its tokens are unknown.
    """
    asked = [ballot for ruling in rulings for ballot in ruling.ballots if ballot.asked and not ballot.cached]
    sent, received = _total(ballot.tokens_in for ballot in asked), _total(ballot.tokens_out for ballot in asked)
    return None if sent is None or received is None else (sent * prices[0] + received * prices[1]) / 1e6
