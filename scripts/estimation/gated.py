"""The decision of `evaluate-qa gate`: the figure it rests on, the rows that changed, and its message."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..files.rows import Row
from ..uncertainty.intervals import Interval
from .arguments import Rule
from .compared import detects, moved
from .drop import Drop, gate, of_difference, two_sided
from .joining import Joined
from .powered import Estimate
from .systems import Systems, changed_rows, powered_differences


@dataclass(frozen=True)
class Gated:
    """A decision.

    Attributes:
        figure: What was compared.
        baseline: The baseline's name.
        system: The other's.
        before: The figure of the baseline.
        after: That of the system.
        drop: The drop, and whether it passed.
        changed: The rows that changed, as `compare --changed` writes them.
        notes: Notes, one line each.
        of_verdicts: Whether the figure is a share of answers rather than a mean score.
    """

    figure: str
    baseline: str
    system: str
    before: float
    after: float
    drop: Drop
    changed: list[Row]
    notes: list[str]
    of_verdicts: bool

    def of(self, change: str) -> list[Row]:
        """Return the rows that were a `win` or a `loss`."""
        return [row for row in self.changed if row["change"] == change]


def decide(systems: Systems, labelled: Sequence[Joined], rule: Rule) -> Gated:
    """Decide whether the second system is worse than the first, the baseline, by more than is allowed and than noise.

    Args:
        systems: The rows of both.
        labelled: People's labels of both, or none: then by the accuracy that these would see in all rows.
        rule: When it fails.

    Raises:
        ValueError: as `gate` and, with labels, `estimate` do; or too many rows lack a score or verdict.
    """
    baseline, system = systems.files
    _check_scored(systems, rule.max_unscored)
    notes = _notes(systems)
    if labelled:
        powered = powered_differences(systems, labelled, two_sided(rule.confidence))
        groups = [one for one in powered.groups.values() if isinstance(one, Estimate)]
        figure, (before, after) = "accuracy by labels", (one.accuracy.value for one in groups)
        drop = of_difference(powered.differences[system, baseline], rule.max_drop, rule.confidence)
        for name, one in zip(systems.files, groups, strict=True):
            notes += [f"{name}: {one.labels:,} labels.", *(f"{name}: {note}" for note in one.notes)]
        notes.append("Assumes that the labeled rows of both are a random sample, and that the labels are correct.")
        of_verdicts = True
    else:
        of_verdicts = systems.verdicts is not None and not rule.by_score
        figure = "judged correct" if of_verdicts else "mean score"
        values = (systems.verdicts if of_verdicts else None) or systems.scores
        before, after = (float(values[name].mean()) for name in (baseline, system))
        drop = gate(
            values[baseline],
            values[system],
            max_drop=rule.max_drop,
            clusters=systems.clusters,
            confidence=rule.confidence,
        )
        notes += drop.doubts
        notes.append("These figures trust the metric's verdicts. Add --labels to correct for its errors.")
    notes.insert(0, f"The gate fails if the lower {drop.confidence:.0%} bound of the drop is above {drop.allowed:g}.")
    return Gated(figure, baseline, system, before, after, drop, list(changed_rows(systems)), notes, of_verdicts)


def _notes(systems: Systems) -> list[str]:
    rows = len(systems.rows[next(iter(systems.rows))])
    found = [f"{rows:,} rows of each system."]
    if systems.clusters is not None and (count := len(set(systems.clusters))) < rows:
        found.append(f"Rows with the same {systems.cluster_column} are treated as one group ({count:,} groups).")
    if systems.unscored:
        found.append(f"{_unscored(systems)} were left out.")
    return found


def _check_scored(systems: Systems, most: float) -> None:
    """Raise ValueError if so many rows lack a score that the others may be no sample of all."""
    rows = len(systems.rows[next(iter(systems.rows))]) + systems.unscored
    if not 0 <= most <= 1:
        raise ValueError(f"--max-unscored is {most:g}. Expected a share from 0 to 1.")
    if systems.unscored > most * rows:
        raise ValueError(
            f"{_unscored(systems)} of {rows:,} are more than {most:.1%}. Failed rows may be the hard ones: score them "
            "again, or allow more with --max-unscored."
        )


def _unscored(systems: Systems) -> str:
    each = ", ".join(f"{name} {count:,}" for name, count in systems.lacking.items())
    return f"{systems.unscored:,} rows without a score or verdict ({each})"


def told(gated: Gated) -> str:
    """Return the decision in two sentences: the change and whether it passed, and which drops the rows can detect.

    `PASSED: judged correct 50.0% → 51.7% (+1.7 points, 90% interval −1.6 to +5.1), no significant drop. These 300 …`
    """
    drop = gated.drop
    change = Interval(-drop.drop.value, -drop.drop.high, -drop.drop.low)
    which = f"{two_sided(drop.confidence):.0%} interval"
    changed = moved(gated.figure, gated.before, gated.after, change, which)
    size = f"{100 * drop.allowed:g} points" if gated.of_verdicts else f"{drop.allowed:g}"
    more = f" of more than {size}" if drop.allowed else ""
    outcome = f"PASSED: {changed}, no" if drop.passed else f"FAILED: {changed}, a"
    return f"{outcome} significant drop{more}. {detects('drops', drop.detectable, drop.rows, gated.of_verdicts)}"


def as_json(gated: Gated) -> dict[str, Any]:
    """Return everything but the rows, unrounded, for a file of JSON."""
    drop = gated.drop
    return {
        "passed": drop.passed,
        "figure": gated.figure,
        "baseline": gated.baseline,
        "system": gated.system,
        "before": gated.before,
        "after": gated.after,
        **vars(drop),
        "drop": vars(drop.drop),
        "wins": len(gated.of("win")),
        "losses": len(gated.of("loss")),
        "notes": gated.notes,
    }
