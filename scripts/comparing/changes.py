"""Rows whose verdict or score changed from one system to another."""

from collections.abc import Iterator

import numpy as np

from ..files.columns import Columns
from ..files.rows import Row
from ..files.writing import write_rows
from ..joining.keys import both_names
from ..joining.labels import Places
from ..joining.systems import JoinedSystems
from ..uncertainty.arrays import Floats

_CHANGE = ("baseline", "system", "change", "prediction_before", "prediction", "score_before", "score")
"""The columns that `changed_rows` adds."""


def write_changes(target: str, systems: JoinedSystems) -> None:
    """Write `changed_rows`; without any, a CSV or Parquet file has the columns alone."""
    write_rows(target, changed_rows(systems), [*dict.fromkeys([*_identifying_columns(systems), *_CHANGE])])


def changed_rows(systems: JoinedSystems) -> Iterator[Row]:
    """Yield the rows of each system whose verdict (or else score) changed, the greatest change of the score first."""
    baseline, *others = systems.files
    before = systems.files[baseline]
    shared = [(name, before.values[name]) for name in _identifying_columns(systems)]
    for system in others:
        after = systems.files[system]
        differences, rows = find_changes(systems, baseline, system)
        for row in rows.tolist():
            at = systems.rows[baseline][row]
            changed = (
                baseline,
                system,
                "win" if differences[row] > 0 else "loss",
                _prediction(before, at),
                _prediction(after, systems.rows[system][row]),
                float(systems.scores[baseline][row]),
                float(systems.scores[system][row]),
            )
            yield {name: column[at] for name, column in shared} | dict(zip(_CHANGE, changed, strict=True))


def find_changes(systems: JoinedSystems, baseline: str, system: str) -> tuple[Floats, Places]:
    """Return each row's difference of verdicts (or else scores), and the changed rows as `changed_rows` sorts them."""
    change = systems.scores[system] - systems.scores[baseline]
    differences = change if systems.verdicts is None else systems.verdicts[system] - systems.verdicts[baseline]
    rows = np.flatnonzero(differences)
    return differences, rows[np.argsort(-np.abs(change[rows]), kind="stable")]


def _identifying_columns(systems: JoinedSystems) -> list[str]:
    """Return the baseline's columns that identify a row, with the references."""
    present = next(iter(systems.files.values())).values
    names = dict.fromkeys([*systems.keys, *both_names("question"), *both_names("reference")])
    return [name for name in names if name in present]


def _prediction(file: Columns, row: int) -> object:
    column = file.first_of(both_names("prediction"))
    return None if column is None else file.values[column][row]
