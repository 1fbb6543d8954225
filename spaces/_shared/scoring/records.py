"""The scored rows as records, and the files to download."""

import csv
import json
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .batch import ScoredFile
from .files import OTHERS

Record = dict[str, Any]

# Texts that spreadsheets run as formulas: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")


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
    with table.open("w", encoding="utf-8", newline="") as file:
        columns = list(dict.fromkeys(name for row in rows for name in row))
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    lines.write_text("".join(f"{_json(row)}\n" for row in rows), encoding="utf-8")
    return table, lines


def _cell(value: Any) -> str:
    """Return the text of a cell, in the format of `evaluate-qa score`: lists as JSON, and None as an empty cell."""
    if isinstance(value, str):
        return f"'{value}" if _FORMULA.match(value) and not _is_number(value) else value
    return "" if value is None else _json(value) if isinstance(value, (list, dict)) else str(value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
