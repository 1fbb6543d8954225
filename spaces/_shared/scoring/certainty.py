"""How sure the figures of a file are: means with intervals, and two systems' answers to the same questions compared.

They are those of `evaluate-qa report` and `evaluate-qa compare`, by the same functions: intervals are 95% ones, and
rows of one question (where there are videos, of one video) go together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from evaluate_qa.uncertainty.arrays import Codes, codes
from evaluate_qa.uncertainty.intervals import Interval, mean
from evaluate_qa.uncertainty.paired import Paired, compare

from .batch import ScoredFile
from .files import OTHERS


@dataclass(frozen=True)
class Certainty:
    """What is known of the rows that have a score.

    Attributes:
        rows: How many there are.
        clusters: How many questions (or videos) they have.
        by: What rows that go together have in common: `"question"` or `"video"`; None if each stands alone.
        means: Mean score, and share of right answers for a metric with verdicts: `"score"`, `"verdict"` → interval.
        other: The same of the other system's answers; None if the file has none.
        pair: The other system beside the answers, which are the baseline; None likewise.
    """

    rows: int
    clusters: int
    by: str | None
    means: Mapping[str, Interval]
    other: Mapping[str, Interval] | None = None
    pair: Paired | None = None


def certainty(scored: ScoredFile) -> Certainty | None:
    """Return how sure the figures are; None if the rows are of one question alone, which says nothing of others."""
    columns = {"predictions": scored.columns} | ({OTHERS: scored.other.columns} if scored.other else {})
    names: list[str] = [name for name in ("score", "verdict") if name in scored.columns]
    there = [at for at in range(len(scored.kept)) if all(c[n][at] is not None for c in columns.values() for n in names)]
    by, clusters = _clusters([scored.table.rows[scored.kept[at]] for at in there])
    count = int(clusters.max(initial=-1)) + 1
    if count < 2:  # noqa: PLR2004
        return None
    values = {n: {t: np.array([c[n][at] for at in there], np.float64) for t, c in columns.items()} for n in names}
    means, *others = ({n: mean(values[n][title], clusters) for n in names} for title in columns)
    if not others:
        return Certainty(len(there), count, by, means)
    (pair,) = compare(values["score"], verdicts=values.get("verdict"), clusters=clusters)
    return Certainty(len(there), count, by, means, others[0], pair)


def _clusters(rows: Sequence[Mapping[str, Any]]) -> tuple[str | None, Codes]:
    """Return what rows that go together have in common, if some do, and the number of each row's group."""
    column = "videos" if any("videos" in row for row in rows) else "questions"
    texts = [" ".join(str(row.get(column, "")).split()) for row in rows]
    alone = [(text, 0) if text else ("", place) for place, text in enumerate(texts)]
    names, clusters = codes(column, alone, len(rows))
    return (column.removesuffix("s") if len(names) < len(rows) else None), clusters


def as_figures(found: Certainty) -> dict[str, Any]:
    """Return all figures, unrounded, as the API gives them; a comparison as `evaluate-qa compare --json` does."""
    record: dict[str, Any] = {"rows": found.rows, "clusters": found.clusters, "means": _plain(found.means)}
    if found.other and found.pair:
        record["means_b"] = _plain(found.other)
        record |= {name: asdict(found.pair)[name] for name in ("wins", "losses", "scores", "verdicts")}
    return record


def _plain(means: Mapping[str, Interval]) -> dict[str, dict[str, float]]:
    return {name: asdict(interval) for name, interval in means.items()}
