"""Figures of a corpus and of its rows, as Python numbers and lists."""

from dataclasses import dataclass, replace
from typing import Any

from .options import DeltaBleuOptions
from .scoring import Floats, Scores, score
from .significance import bootstrap_scores, interval, randomization_p_value


@dataclass(frozen=True)
class Statistics:
    """What `scoring.score` takes: a line for each answer of a system, and of a second one if given."""

    first: Floats
    second: Floats | None = None


def corpus_figures(statistics: Floats, options: DeltaBleuOptions) -> dict[str, Any]:
    """Return the score of all rows together and what it is made of, under the names sacrebleu and evaluate use."""
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
    """Return the scores of the rows, each by itself.

    Orders for which a row is too short are left out, whatever `effective_order` says of the corpus: with them every
    answer of less than four tokens would score 0. sacrebleu's sentence scores do the same.
    """
    return score(statistics, replace(options, effective_order=True))


def row_figures(statistics: Floats, options: DeltaBleuOptions) -> dict[str, list[Any]]:
    """Return the scores of the rows as the result has them."""
    scores = row_scores(statistics, options)
    return {
        "score": scores.score.tolist(),
        "brevity_penalty": scores.brevity_penalty.tolist(),
        "sys_len": scores.sys_len.astype(int).tolist(),
        "ref_len": scores.ref_len.astype(int).tolist(),
    }


def confidence(statistics: Floats, options: DeltaBleuOptions, against: Floats | None = None) -> dict[str, Any]:
    """Return the 95% bootstrap interval of the score, or of its lead over a second system, and the resamples' mean."""
    resamples, seed = options.n_bootstrap or 0, options.seed
    values = bootstrap_scores(statistics, options, resamples, seed)
    if against is not None:
        values = values - bootstrap_scores(against, options, resamples, seed)
    low, high = interval(values)
    mean = float(values.mean())
    return {"level": 0.95, "low": low, "high": high, "mean": mean, "n_bootstrap": resamples, "seed": seed}


def comparison(statistics: Floats, against: Floats, options: DeltaBleuOptions) -> dict[str, Any]:
    """Return the second system's score, by how much the first is above it, and the p-value of that difference."""
    first, second = (corpus_figures(system, options)["deltableu"] for system in (statistics, against))
    result = {
        "deltableu": second,
        "difference": first - second,
        "p_value": randomization_p_value(statistics, against, options, options.n_trials, options.seed),
        "test": "approximate randomization",
        "n_trials": options.n_trials,
        "seed": options.seed,
    }
    if options.n_bootstrap:
        result["confidence"] = confidence(statistics, options, against)
    return result
