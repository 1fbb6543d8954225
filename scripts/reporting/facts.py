"""The contents of a report: figures of each system, differences, slices, and the data behind them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..estimation.ppi import Estimates
from ..estimation.systems import SystemFacts, estimate_systems, system_facts
from ..files.column_names import names_of
from ..joining.column_roles import ColumnNames
from ..joining.labels import JoinedRows, groups_of
from ..joining.signatures import column_beside
from ..joining.systems import JoinedSystems, join_labels, join_systems, read_systems
from ..uncertainty.arrays import Ints, cluster_codes
from ..uncertainty.intervals import Interval, mean
from ..uncertainty.paired import Paired, compare

CONFIDENCE = 0.95

_MOST_SLICES = 30
_OF_ALL_ROWS = "deltableu"  # the metric whose score of all rows together is not the mean of their scores


@dataclass(frozen=True)
class Slice:
    """Rows with one value in a column. Figures are the share judged correct, or the mean score, of each system."""

    value: str
    rows: int
    figures: list[Interval]


@dataclass(frozen=True)
class Facts:
    """The contents of a report."""

    systems: list[SystemFacts]
    joined: JoinedSystems
    labeled: list[JoinedRows]  # labels of each system's rows, in the same order; empty without labels
    pairs: list[Paired]  # each other system compared with the first
    ppi: Estimates | None  # accuracies from labels and scores; None without labels
    # Column → slices by its 30 most frequent values, lowest figure first, and the number of other values.
    slices: dict[str, tuple[list[Slice], int]]
    rows: int
    clusters: int  # number of clusters
    pooling_metric: str | None  # the metric of the scores if its score of all rows is not their mean

    @property
    def mean_name(self) -> str:
        """The name of the mean of the scores."""
        return "mean of row scores" if self.pooling_metric else "mean score"


def gather(
    sources: Sequence[str], labels: Sequence[str], names: ColumnNames, by: Sequence[str] = (), mixed: bool = False
) -> Facts:
    """Read the rows of each system, the first being the baseline, and their labels, and compute the figures."""
    joined = join_systems(read_systems(sources, names, [*by, *names_of("predictions")]), names, mixed)
    labeled = join_labels(joined, labels, names) if labels else []
    ppi = estimate_systems(joined, labeled, CONFIDENCE) if labels else None
    rows = len(next(iter(joined.scores.values())))
    column = column_beside(names.score, "signature")
    signatures = {str(one) for file in joined.files.values() for one in file.values.get(column, ())}
    clusters = cluster_codes(joined.clusters, rows)
    pairs = []
    if len(joined.files) > 1:
        pairs = compare(joined.scores, verdicts=joined.verdicts, clusters=clusters, confidence=CONFIDENCE)
    return Facts(
        systems=system_facts(joined, ppi),
        joined=joined,
        labeled=labeled,
        pairs=pairs,
        ppi=ppi,
        slices={column: _slices(joined, column, clusters) for column in by},
        rows=rows,
        clusters=int(clusters.max()) + 1,
        pooling_metric=_OF_ALL_ROWS if any(one.startswith(f"{_OF_ALL_ROWS}|") for one in signatures) else None,
    )


def _slices(joined: JoinedSystems, column: str, clusters: Ints) -> tuple[list[Slice], int]:
    baseline = next(iter(joined.files))
    values = np.array(groups_of(joined.files[baseline], column, joined.rows[baseline]), dtype=object)
    figures = joined.verdicts or joined.scores
    frequent = Counter(values.tolist()).most_common()
    found = []
    for value, count in frequent[:_MOST_SLICES]:
        here = values == value
        means = [
            mean(one[here], clusters[here], CONFIDENCE, (float(one.min()), float(one.max())))
            for one in figures.values()
        ]
        found.append(Slice(value, count, means))
    return sorted(found, key=lambda one: one.figures[0].value), len(frequent) - len(found)
