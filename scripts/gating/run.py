"""Decide whether a system passes the gate, by its verdicts, scores or labels."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evaluate_qa.metrics._shared.messages import pluralize

from ..comparing.changes import changed_rows
from ..comparing.report import UNCORRECTED, describe_change, describe_power
from ..estimation.ppi import Estimate
from ..estimation.systems import estimate_systems
from ..files.rows import Row
from ..joining.labels import JoinedRows, cluster_notes
from ..joining.systems import JoinedSystems
from ..uncertainty.intervals import Interval
from .drop import Drop, drop_of_difference, gate, two_sided_confidence


@dataclass(frozen=True)
class GateResult:
    """The result of the gate: the statistic that decides, `before` for the baseline and `after` for the system.

    `changed` has the changed rows, as `compare --changed` writes them.
    """

    statistic: str
    baseline: str
    system: str
    before: float
    after: float
    drop: Drop
    changed: list[Row]
    notes: list[str]

    def rows_of(self, change: str) -> list[Row]:
        """Return the rows that are a `win` or a `loss`."""
        return [row for row in self.changed if row["change"] == change]

    @property
    def verdict(self) -> str:
        """Whether a drop was detected, and which drops these rows can detect, as a clause."""
        of_verdicts, drop = self.statistic != "mean score", self.drop
        points = 100 * drop.allowed
        size = f"{points:g} {'point' if points == 1 else 'points'}" if of_verdicts else f"{drop.allowed:g}"
        kind = f"drop of more than {size}" if drop.allowed else "drop"
        found = f"no {kind} was detected" if drop.passed else f"a {kind} was detected"
        return f"{found}; {describe_power('drops', drop.detectable, drop.rows, of_verdicts)}"

    @property
    def figures(self) -> str:
        """The figures of both systems and their difference."""
        drop = self.drop.drop
        change = Interval(-drop.value, -drop.high, -drop.low)
        which = f"{two_sided_confidence(self.drop.confidence):.0%} interval"
        return describe_change(self.statistic, self.before, self.after, change, which)

    @property
    def message(self) -> str:
        """The decision in two sentences."""
        return f"{'PASSED' if self.drop.passed else 'FAILED'}: {self.verdict}. {self.figures}."


def run_gate(
    systems: JoinedSystems,
    labeled: Sequence[JoinedRows],
    *,
    max_drop: float = 0.0,
    by_score: bool = False,
    max_unscored: float = 0.05,
    confidence: float = 0.95,
) -> GateResult:
    """Decide whether the second system is worse than the first one, the baseline, by more than the allowed drop.

    With labels of both systems, the accuracy estimated from the labels decides. `max_unscored` is the share of rows
    that may lack a score. Raise ValueError as `gate` and, with labels, `estimate`; or if too many rows lack a score or
    verdict.
    """
    baseline, system = systems.files
    rows = len(systems.rows[baseline])
    notes = [
        f"The gate fails if the lower {confidence:.0%} bound of the drop is above {max_drop:g}; the "
        f"{two_sided_confidence(confidence):.0%} interval above consists of two one-sided {confidence:.0%} bounds.",
        f"{pluralize(rows, 'row')} of each system.",
        *cluster_notes(systems.cluster_column, len(set(systems.clusters)) if systems.clusters else None, rows),
        *_unscored_notes(systems, rows, max_unscored),
    ]
    if labeled:
        ppi = estimate_systems(systems, labeled, two_sided_confidence(confidence))
        groups = [one for one in ppi.groups.values() if isinstance(one, Estimate)]
        statistic, (before, after) = "accuracy by labels", (one.accuracy.value for one in groups)
        drop = drop_of_difference(ppi.differences[system, baseline], max_drop, confidence)
        for name, one in zip(systems.files, groups, strict=True):
            notes += [f"{name}: {pluralize(one.labels, 'label')}.", *(f"{name}: {note}" for note in one.notes)]
        notes.append("Assumes that the labeled rows of both are a random sample, and that the labels are correct.")
    else:
        verdicts = None if by_score else systems.verdicts
        statistic = "mean score" if verdicts is None else "judged correct"
        old, new = ((verdicts or systems.scores)[name] for name in (baseline, system))
        before, after = float(old.mean()), float(new.mean())
        drop = gate(old, new, max_drop=max_drop, clusters=systems.clusters, confidence=confidence)
        notes += [*drop.doubts, UNCORRECTED]
    return GateResult(statistic, baseline, system, before, after, drop, list(changed_rows(systems)), notes)


def _unscored_notes(systems: JoinedSystems, rows: int, max_unscored: float) -> list[str]:
    """Return a note about rows without a score or verdict; raise ValueError if there are too many."""
    if not 0 <= max_unscored <= 1:
        raise ValueError(f"--max-unscored is {max_unscored:g}; expected a share from 0 to 1")
    lacking = ", ".join(f"{name} {count:,}" for name, count in systems.lacking.items())
    unscored = f"{pluralize(systems.unscored, 'row')} without a score or verdict ({lacking})"
    if systems.unscored > max_unscored * (rows + systems.unscored):
        raise ValueError(
            f"the files have {unscored}, more than {max_unscored:.1%} of {rows + systems.unscored:,}. Failed rows may "
            "be the hard ones: score them again, or allow more with --max-unscored."
        )
    return [f"The figures leave out {unscored}."] if systems.unscored else []


def as_json(result: GateResult) -> dict[str, Any]:
    """Return all figures, unrounded, for a JSON file."""
    drop = result.drop
    return {
        "figure": result.statistic,
        "baseline": result.baseline,
        "system": result.system,
        "before": result.before,
        "after": result.after,
        **asdict(drop),
        "wins": len(result.rows_of("win")),
        "losses": len(result.rows_of("loss")),
        "notes": result.notes,
    }
