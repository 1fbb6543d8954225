"""Confidence intervals for the figures of a file, and the comparison of two systems' answers.

`evaluate-qa report` and `evaluate-qa compare` use the same functions. Intervals are 95% intervals, and rows with
the same question form a cluster.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from evaluate_qa.uncertainty.arrays import Ints, factorize
from evaluate_qa.uncertainty.intervals import Interval, mean
from evaluate_qa.uncertainty.paired import Paired, compare

from .batch import ScoredFile
from .files import OTHERS


@dataclass(frozen=True)
class Certainty:
    """Intervals over the rows that have a score; each different question is a cluster.

    `means` has the intervals of the mean `"score"` and of the share judged correct, `"verdict"`; `other` has those of
    the other system's answers, and `pair` the comparison of the other system with the first one.
    """

    rows: int
    clusters: int
    grouped: bool
    means: Mapping[str, Interval]
    other: Mapping[str, Interval] | None = None
    pair: Paired | None = None


def certainty(scored: ScoredFile) -> Certainty | None:
    """Return the intervals; None if all rows have the same question."""
    columns = {"predictions": scored.columns} | ({OTHERS: scored.other.columns} if scored.other else {})
    names: list[str] = [name for name in ("score", "verdict") if name in scored.columns]
    there = [at for at in range(len(scored.kept)) if all(c[n][at] is not None for c in columns.values() for n in names)]
    clusters = _clusters([scored.table.rows[scored.kept[at]] for at in there])
    count = int(clusters.max(initial=-1)) + 1
    if count < 2:  # noqa: PLR2004
        return None
    values = {n: {t: np.array([c[n][at] for at in there], np.float64) for t, c in columns.items()} for n in names}
    means, *others = ({n: mean(values[n][title], clusters) for n in names} for title in columns)
    grouped = count < len(there)
    if not others:
        return Certainty(len(there), count, grouped, means)
    (pair,) = compare(values["score"], verdicts=values.get("verdict"), clusters=clusters)
    return Certainty(len(there), count, grouped, means, others[0], pair)


def _clusters(rows: Sequence[Mapping[str, Any]]) -> Ints:
    """Return the number of each row's question; a row without a question has a number of its own."""
    texts = [" ".join(row.get("questions", "").split()) for row in rows]
    keys = [(text, 0) if text else ("", place) for place, text in enumerate(texts)]
    return factorize("questions", keys, len(rows))[1]


def as_figures(found: Certainty) -> dict[str, Any]:
    """Return all figures, unrounded, as the API returns them; a comparison as `evaluate-qa compare --json` does."""
    every = asdict(found)
    record = {name: every[name] for name in ("rows", "clusters", "means")}
    if pair := every["pair"]:
        record["means_b"] = every["other"]
        record |= {name: pair[name] for name in ("wins", "losses", "scores", "verdicts")}
    return record
