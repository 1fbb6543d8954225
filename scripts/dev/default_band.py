"""`python -m evaluate_qa.dev.default_band`: the judge's default band, chosen on labeled sets that count alike.

`evaluate-qa cascade` finds a band that holds with confidence on one set, which need not hold on another. For answers of
unknown origin the default is chosen by estimate. On each side it is the threshold nearest to the verdict's beyond which
people agree with the matcher often enough, by A(t) = Σₛ aₛ(t) / Σₛ nₛ(t): nₛ is the share of a set's rows that lie
beyond t, and aₛ the share that lies there and on which people agree with the matcher.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ..cascading.curve import Bools, Floats, LabeledScores, Point, point
from ..cascading.testing import CheckedBand, check_shares, find_band, thresholds
from ..parameters import METRIC, DataDir, Json, Load
from ..terminal import open_console, reported_errors

_PROGRAM = "python -m evaluate_qa.dev.default_band"
_THRESHOLD, _CONFIDENCE = 0.5, 0.95

app = typer.Typer()


@dataclass(frozen=True)
class OfSet:
    """What becomes of a set.

    Attributes:
        rows: Its labelled rows.
        chosen: The cascade with the band that was chosen on all sets.
        own: The band that holds on this set with confidence.
    """

    rows: LabeledScores
    chosen: Point
    own: CheckedBand


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


def choose(sets: Mapping[str, LabeledScores], target: float, confidence: float) -> Several:
    """Choose a band on several sets, by estimate, and find what it does on each."""
    ask = band(list(sets.values()), target)
    found = {
        name: OfSet(rows, point(rows, *ask), find_band(rows.scores, rows.labels, rows.threshold, target, confidence))
        for name, rows in sets.items()
    }
    return Several(ask, target, confidence, found)


def band(sets: list[LabeledScores], target: float) -> tuple[float, float]:
    """Return the narrowest band beyond whose ends A(t) is the target or more; 0 or 1 for a side without such an end."""
    lows, highs = thresholds(sets[0].threshold)
    below = [cut for cut in lows if _agreement(sets, [one.scores < cut for one in sets]) >= target]
    above = [cut for cut in highs if _agreement(sets, [one.scores >= cut for one in sets]) >= target]
    return float(max(below, default=0.0)), float(min(above, default=1.0))


def _agreement(sets: list[LabeledScores], beyond: list[Bools]) -> float:
    """Return A(t), each set counting alike; 0 where nothing lies beyond t."""
    agreeing = sum(float((one.matched & there).mean()) for one, there in zip(sets, beyond, strict=True))
    every = sum(float(there.mean()) for there in beyond)
    return agreeing / every if every else 0.0


def labelled(scores: Floats, labels: Bools, threshold: float) -> LabeledScores:
    """Return the rows of a set, of which no verdict of a model is known."""
    return LabeledScores(scores, labels, np.full(len(scores), np.nan), threshold)


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


@app.command()
def default_band(
    metric: Annotated[str, METRIC],
    data: Annotated[
        list[str], typer.Option(help="Use this set: evouna, efficientqa, semeval2013, saf, or a file. Repeatable.")
    ],
    target: Annotated[float, typer.Option(help="Keep the agreement outside of the band at this share or more.")] = 0.95,
    rows: Annotated[int, typer.Option(min=1, help="Use at most this many answers of each set.")] = 600,
    data_dir: DataDir = None,
    load: Load = None,
    json_file: Json = None,
) -> None:
    """Choose the band in which the judge is asked on answers that the matcher was not trained on."""
    with reported_errors("", program=_PROGRAM):
        from ..files.outputs import check_outputs, write_json

        check_outputs(json_file, None)
        check_shares(target=target, confidence=_CONFIDENCE, threshold=_THRESHOLD)
        found = choose(_scored_sets(metric, load or [], data, data_dir, rows), target, _CONFIDENCE)
        if json_file is not None:
            write_json(json_file, as_json(found))
        show(found)


def _scored_sets(
    metric: str, load: list[str], data: list[str], data_dir: Path | None, limit: int
) -> dict[str, LabeledScores]:
    """Score answers of each set that the shipped matcher was not trained on."""
    from ..loading import load_metric
    from ..options import parse_options
    from ..training.sources import read_sets, sample

    sets = read_sets(data, data_dir)
    matcher, found = load_metric(metric, **parse_options(load, metric)), {}
    for one in sets:
        chosen = sample(one.left_out, limit)
        result = matcher.compute(
            predictions=[row.answer for row in chosen],
            references=[row.references for row in chosen],
            questions=[row.question for row in chosen],
        )
        scores = np.array(result["per_example"]["score"], dtype=float)
        found[one.name] = labelled(scores, np.array([bool(row.label) for row in chosen]), _THRESHOLD)
    return found


if __name__ == "__main__":
    app(prog_name=_PROGRAM)
