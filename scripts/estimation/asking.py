"""The file of rows that a person labels, and a warning if it has too few groups of related rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..files.columns import read_columns
from ..files.rows import Row, RowsError, file_format, read_rows
from ..files.writing import check_target, write_rows
from .joining import LABELS, WEIGHT, Names, Places, cluster_column, clusters_of, probabilities
from .keys import ID, either, key_names, keys, places
from .powered import FEWEST
from .samples import DrawnSample, draw

_TEXTS = [name for text in ("question", "reference", "prediction") for name in either(text)]
_FORMULAS = ("=", "+", "-", "@")  # a spreadsheet would compute a cell that starts with one of these
_DRAWS = 100  # random orders in which rows are counted until there are enough clusters


@dataclass(frozen=True)
class Asked:
    """The rows that were drawn for a person to label.

    Attributes:
        rows: Their number.
        of: The number of rows with a score.
        target: The file that they were written to.
        column: The column whose equal values make a cluster; None if each row stands alone.
        clusters: The number of clusters that the drawn rows cover.
        enough: A number of rows that covers enough clusters for an interval; None if all rows have too few.
    """

    rows: int
    of: int
    target: str
    column: str | None
    clusters: int
    enough: int | None


def ask(source: str, target: str, names: Names, more: Sequence[str], count: int, stratified: bool, seed: int) -> Asked:
    """Draw rows and write them with an empty label, and with their weights if they are drawn by strata.

    Their scores are not written, as they would lead the person; nor are rows drawn that have none.

    Args:
        source: The rows, with scores.
        target: The file to write, which is new: one that is there may hold labels.
        names: Columns.
        more: Other columns for the person to see.
        count: How many rows to draw.
        stratified: Whether to draw by strata of the scores.
        seed: The same seed draws the same rows.

    Raises:
        RowsError: a file cannot be read or written, nothing says which row is which, or a score is none.
        ValueError: there are fewer than 20 rows.
    """
    _check_new(target)
    file = read_columns(source, [ID, *names.identity, *_TEXTS, *more, names.score, names.cluster or ID])
    (identity,) = key_names([file], names.identity, ("question", "prediction"))
    places(file, keys(file, identity), identity)
    for name in more:
        file.named(name)
    scores = probabilities(file, names.score)
    there = np.flatnonzero(~np.isnan(scores))
    sample = draw(len(there), count, scores[there] if stratified else None, seed)
    seen = dict.fromkeys([ID, *_TEXTS, *identity, *more])
    shown = {name: file.values[name] for name in seen if name in file.values}
    write_rows(target, _rows(shown, there, sample, file_format(target) == ".csv"))
    clusters = clusters_of(file, names, there) or [str(row) for row in there.tolist()]
    return Asked(
        rows=len(sample.rows),
        of=len(there),
        target=target,
        column=cluster_column(file, names),
        clusters=len({clusters[row] for row in sample.rows.tolist()}),
        enough=enough_rows(clusters),
    )


def enough_rows(clusters: Sequence[str]) -> int | None:
    """Return how many rows, drawn at random, nearly always cover 20 clusters; None if there are fewer in all."""
    if len(set(clusters)) < FEWEST:
        return None
    generator, counts = np.random.default_rng(0), []
    for _ in range(_DRAWS):
        seen: set[str] = set()
        for count, row in enumerate(generator.permutation(len(clusters)).tolist(), 1):
            seen.add(clusters[row])
            if len(seen) == FEWEST:
                counts.append(count)
                break
    return min(len(clusters), -(-max(counts) // 5) * 5)


def warning(asked: Asked) -> str | None:
    """Return a warning if the drawn rows cover too few clusters for an interval, with the number of rows to draw."""
    if asked.clusters >= FEWEST:
        return None
    if asked.enough is None:
        return (
            f"the scored rows have fewer than {FEWEST} different values of {asked.column!r}, too few for an interval. "
            "Score more rows, or name another column with --column cluster=NAME."
        )
    return (
        f"these rows cover {asked.clusters} different values of {asked.column!r}, and an interval needs at least "
        f"{FEWEST}. Remove {asked.target} and draw more: --rows {asked.enough}."
    )


def _rows(shown: dict[str, list[object]], there: Places, sample: DrawnSample, is_csv: bool) -> Iterator[Row]:
    for number, place in enumerate(there[sample.rows].tolist()):
        row = {name: column[place] for name, column in shown.items()}
        if is_csv:
            row = {name: _no_formula(value) for name, value in row.items()}
        weight = {} if sample.weights is None else {WEIGHT: float(sample.weights[number])}
        yield {**row, LABELS[0]: None, **weight}


def _no_formula(value: object) -> object:
    """Return a cell that a spreadsheet does not compute: a blank before it does no harm, as `keys.plain` drops it."""
    return f" {value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value


def _check_new(target: str) -> None:
    check_target(target)
    if file_format(target) == ".parquet":
        raise RowsError(f"{target}: Parquet files cannot be labeled by hand. Use .csv or .jsonl.")
    if Path(target).is_file():
        held = sum(any(row.get(name) not in (None, "") for name in LABELS) for _, row in read_rows(target))
        told = f"already exists and holds {held:,} labels" if held else "already exists"
        raise RowsError(f"{target} {told}. Name another file, or remove it.")
