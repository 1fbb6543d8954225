"""A band for answers of unknown origin: chosen on labelled sets, each of which counts alike.

A band that is found with confidence on one set says nothing of another (see `testing`), and on sets that a matcher was
not trained for there may be none. So a default is chosen by estimate: on each side it is the threshold nearest to the
verdict's beyond which people agree with the matcher as often as is wanted, by A(t) = Σₛ aₛ(t) / Σₛ nₛ(t), where nₛ is
the share of a set's rows that lie beyond t, and aₛ the share that lies there and on which they agree.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..terminal import open_console
from .curve import Bools, Floats, Labelled, Point, point
from .testing import Band, find_band, thresholds


@dataclass(frozen=True)
class OfSet:
    """What becomes of a set.

    Attributes:
        rows: Its labelled rows.
        chosen: The cascade with the band that was chosen on all sets.
        own: The band that holds on this set with confidence.
    """

    rows: Labelled
    chosen: Point
    own: Band


@dataclass(frozen=True)
class Several:
    """A band and what it does.

    Attributes:
        ask: The band, low and high.
        target: Agreement that was wanted.
        confidence: That of the sets' own bands.
        sets: What becomes of each set, by its name.
    """

    ask: tuple[float, float]
    target: float
    confidence: float
    sets: dict[str, OfSet]


def choose(sets: Mapping[str, Labelled], target: float, confidence: float) -> Several:
    """Choose a band on several sets, by estimate, and find what it does on each."""
    ask = band(list(sets.values()), target)
    found = {
        name: OfSet(rows, point(rows, *ask), find_band(rows.scores, rows.labels, rows.threshold, target, confidence))
        for name, rows in sets.items()
    }
    return Several(ask, target, confidence, found)


def band(sets: list[Labelled], target: float) -> tuple[float, float]:
    """Return the narrowest band beyond whose ends A(t) is the target or more; 0 or 1 for a side without such an end."""
    lows, highs = thresholds(sets[0].threshold)
    below = [cut for cut in lows if _agreement(sets, [one.scores < cut for one in sets]) >= target]
    above = [cut for cut in highs if _agreement(sets, [one.scores >= cut for one in sets]) >= target]
    return float(max(below, default=0.0)), float(min(above, default=1.0))


def _agreement(sets: list[Labelled], beyond: list[Bools]) -> float:
    """Return A(t), each set counting alike; 0 where nothing lies beyond t."""
    agreeing = sum(float((one.matched & there).mean()) for one, there in zip(sets, beyond, strict=True))
    every = sum(float(there.mean()) for there in beyond)
    return agreeing / every if every else 0.0


def labelled(scores: Floats, labels: Bools, threshold: float) -> Labelled:
    """Return the rows of a set, of which no verdict of a model is known."""
    return Labelled(scores, labels, np.full(len(scores), np.nan), threshold)


def show(found: Several) -> None:
    """Print the band, and a row for each set."""
    from rich import box
    from rich.table import Table

    low, high = found.ask
    table = Table(title=f"asked where {low:g} ≤ p < {high:g}", title_justify="left", box=box.SIMPLE_HEAD)
    for name in (
        "",
        "rows",
        "matcher alone",
        "asked",
        "matcher outside",
        f"own band, {found.confidence:.0%} confidence",
    ):
        table.add_column(name, justify="right" if name else "left", no_wrap=True)
    for name, one in found.sets.items():
        outside = round(len(one.rows.scores) * (1 - one.chosen.asked))
        decided = "–" if one.chosen.decided is None else f"{one.chosen.decided:.3f} of {outside:,}"
        own = f"{one.own.low:g} ≤ p < {one.own.high:g}" if one.own.below or one.own.above else "everywhere"
        alone = f"{one.rows.matched.mean():.3f}"
        table.add_row(name, f"{len(one.rows.scores):,}", alone, f"{one.chosen.asked:.1%}", decided, own)
    console = open_console()
    console.print(table)
    console.print(
        f"the narrowest band beyond whose ends {found.target:g} of what the matcher decides agrees with people, by "
        "estimate, each set counting alike; on a set of its own it may be less",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


def as_json(found: Several) -> dict[str, Any]:
    """Return everything, unrounded, for a file of JSON."""
    return {
        "ask": list(found.ask),
        "target": found.target,
        "confidence": found.confidence,
        "sets": {
            name: {
                "rows": len(one.rows.scores),
                "matcher_alone": float(one.rows.matched.mean()),
                "asked": one.chosen.asked,
                "decided": one.chosen.decided,
                "own": [one.own.low, one.own.high],
            }
            for name, one in found.sets.items()
        },
    }
