"""Scores from verdicts.

A row without a readable verdict has no score. It does not count as wrong; the means are over the other rows.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

from .._shared.scorer import mean
from .decision_api import ASPECTS
from .reading import Verdict

MATCHER_LABELS = ("incorrect", "correct")
"""The labels of a matcher's verdicts."""

NOT_ATTEMPTED = "not attempted"
"""The label of abstentions, which are wrong: blank answers, and what the judge or the matcher finds."""


@dataclass(frozen=True)
class RequestOutcome:
    """The outcome of a request to one judge."""

    verdict: Verdict | None
    asked: bool = True  # whether the model replied, now or earlier
    cached: bool = False  # whether the reply came from the cache, or from an equal row of this call
    tokens_in: int | None = 0  # tokens of the request; None if the server does not count them, 0 without a reply
    tokens_out: int | None = 0  # tokens of the reply; None and 0 as for `tokens_in`
    error: str | None = None  # why there is no verdict


@dataclass(frozen=True)
class RowOutcome:
    """The outcome of a row, or of one of its samples: the verdict that all its requests make together."""

    verdict: Verdict | None
    requests: tuple[RequestOutcome, ...] = ()  # of all judges; none for a row that a rule or a matcher decides
    judges: int = 0  # number of judges with a verdict; with several samples, on the first one
    # The mean of |xᵢ − xⱼ| over all pairs of the judges' scores; None for fewer than two scores.
    disagreement: float | None = None
    samples: int = 0  # number of verdicts that the score is the mean of, if the judge was asked several times
    spread: float | None = None  # standard deviation of their scores; None for fewer than two verdicts
    flipped: bool | None = None  # whether swapping answer and reference changes the verdict; None if unknown
    best_reference: int | None = None  # index of the reference that the matcher's decision rests on

    @property
    def asked(self) -> bool:
        """Whether a model replied, now or earlier."""
        return any(request.asked for request in self.requests)

    @property
    def error(self) -> str | None:
        """Why there is no verdict: the first request's error."""
        return None if self.verdict else self.requests[0].error

    @property
    def score_source(self) -> str | None:
        """Where the score comes from (see `Verdict.how`), such as `parse`; of several requests, `logprobs+parse`."""
        verdicts = [request.verdict for request in self.requests] or [self.verdict]
        return "+".join(sorted({one.how for one in verdicts if one})) if self.verdict else None


BLANK = RowOutcome(Verdict(NOT_ATTEMPTED, 0.0, False, "rule"))


def matcher_outcome(score: float, correct: bool, best: int | None = None, abstained: bool | None = None) -> RowOutcome:
    """Return the outcome of a row that a matcher decided; `abstained` if it found an abstention."""
    label = NOT_ATTEMPTED if abstained else MATCHER_LABELS[correct]
    return RowOutcome(Verdict(label, score, correct, "matcher"), best_reference=best)


def needs_judge(scores: Sequence[float | None], band: tuple[float, float]) -> list[bool]:
    """Return for each row whether the judge is asked: the matcher's score s lies in the band, or there is no score.

    The band is low ≤ s < high. If high is 1, it also contains s = 1, so that (0, 1) contains all rows.
    """
    low, high = band
    return [score is None or (low <= score and (score < high or high == 1)) for score in scores]


def aggregate_votes(votes: Sequence[RequestOutcome], weights: Sequence[float]) -> RowOutcome:
    """Return the outcome of a row from the outcome of each judge; those without a verdict are left out.

    The score is Σ wᵢ xᵢ / Σ wᵢ. The row is correct if judges with more than half of the weight say so: with equal
    weights, the majority.
    """
    weighted = [(vote.verdict, weight) for vote, weight in zip(votes, weights, strict=True) if vote.verdict]
    scores = [verdict.score for verdict, _ in weighted]
    disagreement = mean([abs(first - second) for first, second in combinations(scores, 2)])
    return RowOutcome(_aggregate(weighted), tuple(votes), len(scores), disagreement)


def aggregate_samples(samples: Sequence[RowOutcome], swapped: bool = False) -> RowOutcome:
    """Return the outcome of a row from the outcomes of its samples; those without a verdict are left out.

    The score is the mean of the verdicts' scores, and s = √(Σ(xᵢ − x̄)² / (n − 1)) is their spread. The row is correct
    if more than half of the verdicts are. The label is the most frequent label among the verdicts of the majority. With
    `swapped`, the last sample swaps answer and reference; its verdict only decides `flipped`.
    """
    own, other = (samples[:-1], samples[-1].verdict) if swapped else (samples, None)
    verdicts = [sample.verdict for sample in own if sample.verdict]
    scores = [verdict.score for verdict in verdicts]
    verdict = _aggregate([(verdict, 1.0) for verdict in verdicts])
    return RowOutcome(
        verdict,
        tuple(request for sample in samples for request in sample.requests),
        own[0].judges,
        mean([sample.disagreement for sample in own]),
        samples=len(verdicts),
        spread=stdev(scores) if len(scores) > 1 else None,
        flipped=verdict.correct != other.correct if verdict and other else None,
    )


def _aggregate(weighted: Sequence[tuple[Verdict, float]]) -> Verdict | None:
    """Return the verdict that weighted verdicts make together; None without verdicts."""
    if not weighted:
        return None
    verdicts, weights = zip(*weighted, strict=True)
    correct = 2 * sum(weight for verdict, weight in weighted if verdict.correct) > sum(weights)
    labels: dict[str, float] = {}
    for verdict, weight in weighted:
        if verdict.correct == correct:
            labels[verdict.label] = labels.get(verdict.label, 0.0) + weight
    label = max(labels, key=lambda name: labels[name])
    aspects = [verdict.aspects for verdict in verdicts if verdict.aspects]
    return Verdict(
        label,
        fmean([verdict.score for verdict in verdicts], weights),
        correct,
        verdicts[0].how,
        next(verdict.reason for verdict in verdicts if verdict.label == label),
        mean([verdict.confidence for verdict in verdicts]),
        {name: mean([one.get(name) for one in aspects]) for names in aspects for name in names} or None,
    )


def alpha(samples: Iterable[RowOutcome]) -> float | None:
    """Return Krippendorff's α (nominal) of a jury's verdicts; None if all are equal, because α is 0 / 0 then.

    α = 1 − Dₒ / Dₑ, 1 for perfect and 0 for chance agreement (Krippendorff 2011, "Computing Krippendorff's
    Alpha-Reliability"). A judge without a verdict on a sample counts as a missing value.
    """
    import krippendorff
    import numpy as np

    votes = [[float(one.verdict.correct) if one.verdict else np.nan for one in sample.requests] for sample in samples]
    table = np.array(votes)
    paired = table[(~np.isnan(table)).sum(1) > 1] if votes else table
    if len(np.unique(paired[~np.isnan(paired)])) < 2:  # noqa: PLR2004
        return None
    return float(krippendorff.alpha(paired.T, level_of_measurement="nominal"))


def _total(counts: Iterable[int | None]) -> int | None:
    """Return the sum; None if one of the counts is unknown."""
    known = list(counts)
    return None if None in known else sum(count for count in known if count is not None)


def score(outcomes: Sequence[RowOutcome], counts: Sequence[int], optional: Collection[str]) -> dict[str, list[Any]]:
    """Return the columns of `per_example`, with those of the optional columns that `optional` names.

    An unscored row has None, except in `error`. `counts` has the number of references of each row. The judge sees all
    references in one request, so the best one is known only if there is just one.
    """
    verdicts = [outcome.verdict for outcome in outcomes]

    def of_verdict(name: str) -> list[Any]:
        return [getattr(verdict, name) if verdict else None for verdict in verdicts]

    def of_outcome(name: str) -> list[Any]:
        return [getattr(outcome, name) for outcome in outcomes]

    columns = {
        "score": of_verdict("score"),
        "verdict": of_verdict("correct"),
        "judge_label": of_verdict("label"),
        "score_source": of_outcome("score_source"),
        "asked": of_outcome("asked"),
        "cached": [one.asked and all(request.cached for request in one.requests) for one in outcomes],
        "tokens_in": [_total(request.tokens_in for request in one.requests) for one in outcomes],
        "tokens_out": [_total(request.tokens_out for request in one.requests) for one in outcomes],
        "error": of_outcome("error"),
        "not_attempted": [verdict.label == NOT_ATTEMPTED if verdict else None for verdict in verdicts],
        "best_reference": [
            0 if count == 1 else one.best_reference for one, count in zip(outcomes, counts, strict=True)
        ],
    }
    more = {
        **{name: of_outcome(name) for name in ("samples", "spread", "flipped")},
        **{name: of_verdict(name) for name in ("reason", "confidence")},
        **{name: [(aspects or {}).get(name) for aspects in of_verdict("aspects")] for name in ASPECTS},
        **{name: of_outcome(name) for name in ("judges", "disagreement")},
    }
    return columns | {name: values for name, values in more.items() if name in optional}


def cost(requests: Iterable[RequestOutcome], prices: tuple[float, float]) -> float | None:
    """Return Σ tokens · price / 10⁶ over the replies of this call; None if the server did not count the tokens.

    A request without a reply counts as 0 tokens, because its tokens are unknown.
    """
    sent = [request for request in requests if request.asked and not request.cached]
    tokens_in, tokens_out = _total(one.tokens_in for one in sent), _total(one.tokens_out for one in sent)
    return None if tokens_in is None or tokens_out is None else (tokens_in * prices[0] + tokens_out * prices[1]) / 1e6
