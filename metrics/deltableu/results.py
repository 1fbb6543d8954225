"""The scores of all rows together and of each row, and their uncertainty, as Python numbers and lists."""

from dataclasses import replace
from typing import Any

import numpy as np

from .._shared.arrays import Floats
from .._shared.progress import progress, track_progress
from .options import DeltaBleuOptions
from .scoring import Scores, score

# The largest number of trials times rows in memory: 64 MB.
_HELD = 2**23


def corpus_figures(statistics: Floats, options: DeltaBleuOptions) -> dict[str, Any]:
    """Return the score of all rows together and its components, with the names that sacrebleu and evaluate use."""
    scores = score(statistics.sum(axis=0, keepdims=True), options)
    sys_len, ref_len = int(scores.sys_len[0]), int(scores.ref_len[0])
    return {
        "deltableu": float(scores.score[0]),
        "counts": scores.matches[0].tolist(),
        "totals": scores.totals[0].tolist(),
        "precisions": scores.precisions[0].tolist(),
        "brevity_penalty": float(scores.brevity_penalty[0]),
        "length_ratio": sys_len / ref_len if ref_len else 0.0,
        "sys_len": sys_len,
        "ref_len": ref_len,
    }


def row_scores(statistics: Floats, options: DeltaBleuOptions) -> Scores:
    """Return the score of each row.

    As in sacrebleu's sentence scores, orders for which a row is too short are always left out. Otherwise every answer
    with fewer than four tokens would score 0.
    """
    return score(statistics, replace(options, effective_order=True))


def row_figures(statistics: Floats, options: DeltaBleuOptions) -> dict[str, list[Any]]:
    """Return the columns of `per_example`."""
    scores = row_scores(statistics, options)
    return {
        "score": scores.score.tolist(),
        "brevity_penalty": scores.brevity_penalty.tolist(),
        "sys_len": scores.sys_len.astype(int).tolist(),
        "ref_len": scores.ref_len.astype(int).tolist(),
    }


def bootstrap_scores(statistics: Floats, options: DeltaBleuOptions, resamples: int) -> Floats:
    """Return the scores of resamples of the rows, drawn with replacement as sacrebleu draws them (Koehn 2004)."""
    generator, rows = np.random.default_rng(options.seed), len(statistics)
    sums = np.empty((resamples, statistics.shape[1]))
    for resample in track_progress(range(resamples), "deltableu", "resample"):
        sums[resample] = statistics[generator.choice(rows, size=rows, replace=True)].sum(axis=0)
    return score(sums, options).score


def confidence(scores: Floats, seed: int) -> dict[str, Any]:
    """Return the mean of the resamples' scores and the interval that holds 95% of them, as sacrebleu does."""
    ordered, cut = np.sort(scores), len(scores) // 40
    low, high = float(ordered[cut]), float(ordered[len(ordered) - cut - 1])
    mean = float(scores.mean())
    return {"level": 0.95, "low": low, "high": high, "mean": mean, "n_bootstrap": len(scores), "seed": seed}


def comparison(first: Floats, second: Floats, options: DeltaBleuOptions) -> dict[str, Any]:
    """Return the second system's score, and how much higher the first system's score is, with a test."""
    scores = [corpus_figures(statistics, options)["deltableu"] for statistics in (first, second)]
    result = {
        "deltableu": scores[1],
        "difference": scores[0] - scores[1],
        "p_value": randomization_p_value(first, second, options),
        "test": "approximate randomization",
        "n_trials": options.n_trials,
        "seed": options.seed,
    }
    if options.n_bootstrap:
        # The same seed draws the same rows of both systems.
        drawn = [bootstrap_scores(statistics, options, options.n_bootstrap) for statistics in (first, second)]
        result["confidence"] = confidence(drawn[0] - drawn[1], options.seed)
    return result


def randomization_p_value(first: Floats, second: Floats, options: DeltaBleuOptions) -> float:
    """Return the two-sided p-value of the difference of two scores (Riezler and Maxwell 2005).

    Each trial t exchanges the answers of the two systems in about half of the rows. As in sacrebleu,

        p = (|{t : |d_t| ≥ |d|}| + 1) / (trials + 1)
    """

    def difference(one: Floats) -> Floats:
        return np.abs(score(one, options).score - score(both - one, options).score)

    generator, rows, trials = np.random.default_rng(options.seed), len(first), options.n_trials
    total, both = first.sum(axis=0), (first + second).sum(axis=0)
    # Equal differences count despite rounding errors: a system compared with itself has p = 1.
    least, reached = difference(total[np.newaxis]).item() - 1e-9, 0
    chunk = max(1, min(64, _HELD // rows))
    with progress("deltableu", trials, "trial") as bar:
        for start in range(0, trials, chunk):
            exchanged = generator.integers(2, size=(min(chunk, trials - start), rows), dtype=bool)
            reached += int((difference(total + exchanged.astype(float) @ (second - first)) >= least).sum())
            bar.update(len(exchanged))
    return (reached + 1) / (trials + 1)
