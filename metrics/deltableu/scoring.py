"""The ΔBLEU score from n-gram statistics: Galley et al. 2015, section 4, and sacrebleu's smoothing. Pure numpy.

Statistics are an array with one line per row, or per sum of rows, from `ngrams.row_statistics`. If N is the largest
n-gram order, its columns are

    length of the prediction, closest length of a reference, matches of order 1 … N, totals of order 1 … N

and the score of a line is

    100 · BP · exp( 1/N Σ_n log p_n ),    p_n = matches_n / totals_n,    BP = min(1, exp(1 − reference / prediction))

All functions score many lines in one call, so that row scores and resampling are fast.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._shared.arrays import Floats
from .options import DeltaBleuOptions

# Matches are sums of positive and negative weights. The rounding error of a sum that should be 0 must not count as a
# match: the logarithm of 1e-17 would dominate the score.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Scores:
    """The scores of statistics; `lines` is their number and N the largest order."""

    score: Floats  # from 0 to 100, shape (lines,)
    precisions: Floats  # smoothed, in percent, shape (lines, N)
    brevity_penalty: Floats  # from 0 to 1, shape (lines,)
    matches: Floats  # numerators of the precisions, before smoothing, never negative, shape (lines, N)
    totals: Floats  # denominators of the precisions, before smoothing, shape (lines, N)
    sys_len: Floats  # tokens of the predictions, shape (lines,)
    ref_len: Floats  # tokens of the closest references, shape (lines,)


def score(statistics: Floats, options: DeltaBleuOptions) -> Scores:
    """Score each line of statistics, shape (lines, 2 + 2N), independently."""
    sys_len, ref_len = statistics[:, 0], statistics[:, 1]
    signed, totals = np.split(statistics[:, 2:], 2, axis=1)
    # Sums of weights may exceed their totals by a rounding error, as 0.7 + 0.7 + 0.7 may 3 · 0.7.
    matches = np.where(signed > ROUNDING * totals, np.minimum(signed, totals), 0.0)
    penalty = brevity_penalty(sys_len, ref_len)
    percents, reached = smoothed_precisions(matches, totals, options)
    if options.variant == "paper":
        # As in sacrebleu, a line without any match is not smoothed; the released program smooths it.
        percents = np.where(matches.any(axis=1, keepdims=True), percents, 0.0)
    if not options.effective_order:
        reached = np.ones_like(reached)
    return Scores(
        score=penalty * geometric_mean(percents, reached),
        precisions=percents,
        brevity_penalty=penalty,
        matches=matches,
        totals=totals,
        sys_len=sys_len,
        ref_len=ref_len,
    )


def brevity_penalty(sys_len: Floats, ref_len: Floats) -> Floats:
    """BP = exp(1 − r/c) if the prediction (c) is shorter than the reference (r), else 1; 0 for an empty prediction."""
    with np.errstate(divide="ignore"):
        ratio = np.divide(ref_len, sys_len, out=np.ones_like(sys_len), where=ref_len > sys_len)
    penalty: Floats = np.exp(1 - ratio)
    return penalty


def smoothed_precisions(matches: Floats, totals: Floats, options: DeltaBleuOptions) -> tuple[Floats, NDArray[np.bool_]]:
    """Return 100 · p_n, smoothed, and whether the prediction reaches each order, both of shape (lines, N)."""
    value = options.smoothing_value or 0.0
    if options.smooth_method == "add-k":
        added = np.where(np.arange(matches.shape[1]) > 0, value, 0.0)
        matches, totals = matches + added, totals + added
    reached = np.logical_and.accumulate(totals > 0, axis=1)
    missed = reached & (matches == 0)
    if options.smooth_method == "exp":
        matches = np.where(missed, 0.5 ** missed.cumsum(axis=1), matches)
    elif options.smooth_method == "floor":
        matches = np.where(missed, value, matches)
    return np.divide(100 * matches, totals, out=np.zeros_like(matches), where=reached), reached


def geometric_mean(values: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """Return the geometric mean of the chosen values of each line; 0 if a chosen value is 0 or no value is chosen."""
    positive = np.where(chosen, values > 0, True).all(axis=1) & chosen.any(axis=1)
    logs = np.log(values, out=np.zeros_like(values), where=chosen & (values > 0))
    means = np.exp(logs.sum(axis=1) / np.maximum(chosen.sum(axis=1), 1))
    # exp(log(100)) is 100.00000000000004, but no mean exceeds the largest value.
    return np.where(positive, np.minimum(means, values.max(axis=1)), 0.0)
