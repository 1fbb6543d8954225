"""The file of rows that a person labels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..files.columns import read_columns
from ..files.rows import Row, RowsError, file_format, read_rows
from ..files.writing import check_target, write_rows
from .joining import LABELS, WEIGHT, Names, Places, probabilities
from .keys import ID, either, key_names, keys, places
from .samples import Sample, draw

_TEXTS = [name for text in ("question", "reference", "prediction") for name in either(text)]
_FORMULAS = ("=", "+", "-", "@")  # with which a cell begins that a spreadsheet would compute


@dataclass(frozen=True)
class Asked:
    """What was asked of a person: how many rows, of how many that have a score."""

    rows: int
    of: int


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
    file = read_columns(source, [ID, *names.identity, *_TEXTS, *more, names.score])
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
    return Asked(len(sample.rows), len(there))


def _rows(shown: dict[str, list[object]], there: Places, sample: Sample, is_csv: bool) -> Iterator[Row]:
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
        raise RowsError(f"{target}: a person cannot fill in Parquet; name a .csv or .jsonl file")
    if Path(target).is_file():
        held = sum(any(row.get(name) not in (None, "") for name in LABELS) for _, row in read_rows(target))
        told = f"holds {held:,} labels" if held else "is there already"
        raise RowsError(f"{target} {told}; name another file, or remove it")
