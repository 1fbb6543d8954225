"""The decision of `evaluate-qa gate`: by which figure, the rows that changed, and how it is told."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..files.rows import Row
from .arguments import Rule
from .drop import Drop, gate, of_difference, two_sided
from .joining import Joined
from .powered import Estimate
from .report import interval
from .systems import Systems, changed_rows, powered_differences

_FEW = 30


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
        notes: What to know, a line each.
    """

    figure: str
    baseline: str
    system: str
    before: float
    after: float
    drop: Drop
    changed: list[Row]
    notes: list[str]

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
        figure, (before, after) = "accuracy, by people's labels", (one.accuracy.value for one in groups)
        drop = of_difference(powered.differences[system, baseline], rule.max_drop, rule.confidence)
        for name, one in zip(systems.files, groups, strict=True):
            notes += [f"{name}: {one.labels:,} labels", *(f"{name}: {note}" for note in one.notes)]
        notes.append("assumed of both: the labelled rows are a random sample of all; the labels are true")
    else:
        by_verdict = systems.verdicts is not None and not rule.by_score
        figure = "share of right answers" if by_verdict else "mean score"
        values = (systems.verdicts if by_verdict else None) or systems.scores
        before, after = (float(values[name].mean()) for name in (baseline, system))
        drop = gate(
            values[baseline],
            values[system],
            max_drop=rule.max_drop,
            clusters=systems.clusters,
            confidence=rule.confidence,
            resamples=rule.resamples,
            seed=rule.seed,
        )
        if drop.clusters is not None and drop.clusters < _FEW:
            notes.append(f"fewer than {_FEW} clusters: little can be shown of them")
        notes.append("this is by the metric, and knows nothing of its errors: for people's verdicts, give labels")
    notes.insert(0, _rule(drop))
    return Gated(figure, baseline, system, before, after, drop, list(changed_rows(systems)), notes)


def _notes(systems: Systems) -> list[str]:
    rows = len(systems.rows[next(iter(systems.rows))])
    found = [f"{rows:,} rows of each"]
    if systems.clusters is not None and (count := len(set(systems.clusters))) < rows:
        found = [f"{rows:,} rows of each; those with the same {systems.cluster_column} go together: {count:,} clusters"]
    if systems.unscored:
        found.append(f"{_unscored(systems)} are left out")
    return found


def _check_scored(systems: Systems, most: float) -> None:
    """Raise ValueError if so many rows lack a score that the others may be no sample of all."""
    rows = len(systems.rows[next(iter(systems.rows))]) + systems.unscored
    if not 0 <= most <= 1:
        raise ValueError(f"--max-unscored is {most:g}; expected a share from 0 to 1")
    if systems.unscored > most * rows:
        raise ValueError(
            f"{_unscored(systems)}, of {rows:,}, are more than {most:.1%}, and what failed may be what is hard; score "
            "them again, or allow more by --max-unscored"
        )


def _unscored(systems: Systems) -> str:
    each = ", ".join(f"{name} {count:,}" for name, count in systems.lacking.items())
    return f"{systems.unscored:,} rows without a score or verdict ({each})"


def _rule(drop: Drop) -> str:
    fails = f"fails where the lower {drop.confidence:.0%} bound of the drop is above {drop.allowed:g}"
    if drop.detectable is None:
        return f"{fails}: too few rows, or too few that changed, to say which true drop would"
    return f"{fails}: here a true drop of {drop.detectable:.3f} would fail four of five runs"


def told(gated: Gated) -> str:
    """Return the decision as a line: `dropped: mean score 0.812 → 0.770, a drop of 0.042 [0.021, 0.063], …`."""
    drop = gated.drop
    passed = (
        f"not beyond noise more than {drop.allowed:g}" if drop.drop.value > drop.allowed else "no more than allowed"
    )
    ending = passed if drop.passed else f"beyond noise more than {drop.allowed:g}"
    return (
        f"{'passed' if drop.passed else 'dropped'}: {gated.figure} {gated.before:.3f} → {gated.after:.3f}, a drop of "
        f"{interval(drop.drop)}, {ending}"
    )


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
