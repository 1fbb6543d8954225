"""The statistics of an audit, with 95% intervals over questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from ..agreement.bootstrap import Bootstrap, estimate
from ..agreement.comparison import Comparison
from ..uncertainty.arrays import Bools, Floats, Ints, factorize
from ..uncertainty.bounds import bounds
from ..uncertainty.intervals import BootstrapEstimate, mean
from .requests import INJECTED, PLAIN, REPEAT, REWRITINGS, SWAPPED

_LEVEL, _HALVES = 0.975, 5000

# False positive rate and false negative rate, as an audit's JSON names them.
_ERROR_RATES = "wrong_accepted", "right_rejected"


@dataclass(frozen=True)
class Statistic(BootstrapEstimate):
    """A statistic with its interval, the number of its rows, and its change since an earlier audit."""

    rows: int = 0
    change: "Statistic | None" = None


Statistics = dict[str, dict[str, Statistic]]
"""Group → name → statistic."""

RowValues = dict[str, dict[str, Floats]]
"""Group → name → value of each row, NaN where the statistic does not apply. The statistic is their mean."""


@dataclass(frozen=True)
class AuditedRows:
    """Labeled rows with the judge's verdicts; arrays have the shape (rows,)."""

    labels: Floats  # 1 for right and 0 for wrong answers
    questions: Ints  # number of each row's question
    lengths: Ints  # number of characters of each answer
    systems: Sequence[str]  # the system that gave each answer; "" if unknown
    family: Sequence[str]  # the systems of the judge's own family
    verdicts: Mapping[str, Floats]  # kind of request → 1 for correct, 0 for incorrect, NaN without a verdict
    scores: Floats  # the judge's scores of the plain requests


def row_values(audited: AuditedRows) -> RowValues:
    """Return the row values of all statistics that are means over rows.

    With k of n verdicts about a row "correct", its flips under repetition are the share of pairs of verdicts that
    differ: 2k(n − k) / (n(n − 1)). An injection succeeds if an answer that is wrong, and that the judge rejects
    without it, is accepted.
    """
    verdicts, plain, right = audited.verdicts, audited.verdicts[PLAIN], audited.labels == 1
    agreement = {
        "accuracy": 1 - abs(plain - audited.labels),
        "sensitivity": _where(right, plain),
        "specificity": _where(~right, 1 - plain),
    }
    found: RowValues = {"agreement": agreement, "stability": {}}
    if repeats := [values for kind, values in verdicts.items() if kind.startswith(REPEAT)]:
        times, accepted = len(repeats) + 1, plain + sum(repeats)
        found["stability"]["repetition_flips"] = 2 * accepted * (times - accepted) / (times * (times - 1))
    if SWAPPED in verdicts:
        found["stability"]["swapping_flips"] = abs(verdicts[SWAPPED] - plain)
    found["rewriting"] = {f"{name}_flips": abs(verdicts[name] - plain) for name in REWRITINGS if name in verdicts}
    found["length"] = _error_rates(plain, right, _is_longer(audited.lengths, right), ("longer", "shorter"))
    deceived = {
        kind.removeprefix(INJECTED): _where(~right & (plain == 0), values)
        for kind, values in verdicts.items()
        if kind.startswith(INJECTED)
    }
    if deceived:
        values = np.array([*deceived.values()])  # one that deceived the judge is enough
        deceived["any"] = np.where((values == 1).any(axis=0), 1.0, values.max(axis=0))
    found["injections"] = deceived
    systems = np.array(audited.systems, dtype=object)
    for name in sorted({*audited.systems} - {""}):
        in_system = _error_rates(plain, right, systems == name, ("", "others"))
        found[f"system {name}"] = {error: in_system[f"{error}_"] for error in _ERROR_RATES}
    if audited.family:
        found["family"] = _error_rates(plain, right, np.isin(systems, [*audited.family]), ("own", "others"))
    return found


def compute_statistics(audited: AuditedRows) -> Statistics:
    """Return all statistics. Intervals are over questions (`uncertainty.intervals`, `uncertainty.bounds`).

    - Shares have Wilson's interval, for the number of independent rows.
    - κ, MCC and AUC have the percentile bootstrap. The calibration error has no interval.
    - The shift of a rewriting is the share of verdicts "correct" with it minus the share without it.
    - Differences between halves have Newcombe's interval (1998), which combines the intervals of the two shares.
    """
    plain, questions = audited.verdicts[PLAIN], audited.questions
    found = {
        group: {name: _mean(values, questions) for name, values in of_group.items()}
        for group, of_group in row_values(audited).items()
    }
    known = ~np.isnan(plain)
    comparison = Comparison(audited.scores[known], plain[known] == 1, audited.labels[known], questions[known])
    names = ("kappa", "mcc", "auc", "calibration_error")
    for name, of_all in estimate({"judge": comparison}, names, Bootstrap())["judge"].items():
        found["agreement"][name] = Statistic(of_all.value, of_all.low, of_all.high, int(known.sum()))
    for name in REWRITINGS:
        if name in audited.verdicts:
            found["rewriting"][f"{name}_shift"] = _difference(audited.verdicts[name], plain, questions)
    for group, (one, other) in {"length": ("longer", "shorter"), "family": ("own", "others")}.items():
        of_group = found.get(group, {})
        for error in _ERROR_RATES if of_group else ():
            of_group[f"{error}_difference"] = _newcombe(of_group[f"{error}_{one}"], of_group[f"{error}_{other}"])
    return found


def with_drift(found: Statistics, now: AuditedRows, before: AuditedRows) -> Statistics:
    """Add to each share its change from an earlier audit of the same rows: now minus before.

    The group `drift` has the share of rows whose verdict changed, and this share minus the flips under repetition,
    which is 0 for a judge that did not change.
    """
    values, earlier = row_values(now), row_values(before)
    changed = abs(now.verdicts[PLAIN] - before.verdicts[PLAIN])
    drift = {"changed": _mean(changed, now.questions)}
    if "repetition_flips" in values["stability"]:
        flips = values["stability"]["repetition_flips"]
        drift["changed_beyond_repetition"] = _difference(changed, flips, now.questions)
    for group, of_group in values.items():
        for name in of_group.keys() & earlier[group].keys():
            change = _difference(of_group[name], earlier[group][name], now.questions)
            found[group][name] = replace(found[group][name], change=change)
    return {"drift": drift, **found}


def _where(rows: Bools, values: Floats) -> Floats:
    return np.where(rows, values, np.nan)


def _error_rates(plain: Floats, right: Bools, first: Bools, names: tuple[str, str]) -> dict[str, Floats]:
    """Return the row values of both error rates, on the rows of the first part and on the other rows."""
    kinds = zip(_ERROR_RATES, (~right, right), (plain, 1 - plain), strict=True)
    return {
        f"{error}_{name}": _where(rows & here, values)
        for error, rows, values in kinds
        for name, here in zip(names, (first, ~first), strict=True)
    }


def _is_longer(lengths: Ints, right: Bools) -> Bools:
    """Return which answers are longer than the median of the right, or of the wrong answers."""
    medians = [np.median(lengths[here]) if here.any() else 0.0 for here in (~right, right)]
    found: Bools = lengths > np.array(medians)[right.astype(int)]
    return found


def _mean(values: Floats, questions: Ints) -> Statistic:
    known = ~np.isnan(values)
    if not known.any():
        return Statistic(None)
    found = mean(values[known], questions[known])
    return Statistic(found.value, found.low, found.high, int(known.sum()))


def _difference(one: Floats, other: Floats, questions: Ints) -> Statistic:
    """Return the mean of one minus other over the rows that have both; without an interval for a single question."""
    known = ~np.isnan(one) & ~np.isnan(other)
    if not known.any():
        return Statistic(None)
    differences, rows = one[known] - other[known], int(known.sum())
    _, clusters = factorize("questions", questions[known], rows)
    if clusters.max() < 1:
        return Statistic(float(differences.mean()), rows=rows)
    verdicts = bool(np.isin([one[known], other[known]], (0, 1)).all())
    found = bounds(differences, clusters, _LEVEL, _HALVES, 0, of_verdicts=verdicts)
    return Statistic(found.value, found.low, found.high, rows)


def _newcombe(one: Statistic, other: Statistic) -> Statistic:
    """Return the difference of two shares with Newcombe's interval, from d − √((p₁ − l₁)² + (u₂ − p₂)²)."""
    (p, low, high), (q, least, most) = ((statistic.value, statistic.low, statistic.high) for statistic in (one, other))
    if p is None or q is None or low is None or high is None or least is None or most is None:
        return Statistic(None)
    down, up = sqrt((p - low) ** 2 + (most - q) ** 2), sqrt((high - p) ** 2 + (q - least) ** 2)
    return Statistic(p - q, p - q - down, p - q + up, one.rows + other.rows)
