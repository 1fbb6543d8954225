"""The scored rows as records, and the files to download."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluate_qa.files.values import is_formula
from evaluate_qa.files.writing import write_rows

from .batch import ScoredFile
from .files import OTHERS

Record = dict[str, Any]


def records_of(scored: ScoredFile) -> list[Record]:
    """Return a record for each scored row: its number in the file, score and verdict, its texts, other columns.

    With two systems' answers, names that end in `_b` belong to the second one, and `change` is "win", "loss" or empty.
    """
    return [_record(scored, place, i) for place, i in enumerate(scored.kept)]


def changed_first(rows: Sequence[Record]) -> list[Record]:
    """Return the records in the order of `evaluate-qa compare --changed`, followed by the unchanged ones."""
    by_size = sorted((row for row in rows if row.get("change")), key=lambda row: -abs(row["score_b"] - row["score"]))
    return [*by_size, *(row for row in rows if not row.get("change"))]


def _record(scored: ScoredFile, place: int, i: int) -> Record:
    table, values = scored.table, {name: column[place] for name, column in scored.columns.items()}
    if scored.other is not None:
        values = _paired(values, {name: column[place] for name, column in scored.other.columns.items()})
    first = {name: value for name, value in values.items() if name.removesuffix("_b") in ("score", "verdict", "change")}
    # The answers come first.
    names = sorted(table.columns.items(), key=lambda pair: pair[0] not in ("predictions", OTHERS))
    row = table.rows[i] | ({OTHERS: table.others[i]} if table.others else {})
    texts = {name: row[column] for column, name in names if column in row}
    return {"row": table.places[i], **first, **texts, **values}


def _paired(values: Record, other: Record) -> Record:
    """Return the metric's columns for both answers side by side, and the change."""
    judged = "verdict" if values.get("verdict") is not None else "score"
    before, after = values[judged], other[judged]
    change = "" if None in (before, after) or before == after else "win" if after > before else "loss"
    pairs = [((name, values.get(name)), (f"{name}_b", other.get(name))) for name in {**values, **other}]
    return {"change": change, **dict(one for pair in pairs for one in pair)}


def write(rows: Sequence[Record]) -> tuple[Path, Path]:
    """Write a CSV and a JSONL file to Gradio's folder, under a name that nobody can guess, and return their paths.

    Both can be uploaded again and read by `evaluate-qa score`. In CSV, an apostrophe precedes texts that a spreadsheet
    would run as a formula.
    """
    from gradio.utils import get_upload_folder

    folder = Path(get_upload_folder()) / secrets.token_hex(20)
    folder.mkdir(parents=True)
    table, lines = folder / "scores.csv", folder / "scores.jsonl"
    harmless = ({name: f"'{value}" if is_formula(value) else value for name, value in row.items()} for row in rows)
    write_rows(table, harmless)
    write_rows(lines, rows)
    return table, lines
