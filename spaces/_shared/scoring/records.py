"""The scored rows as records and as files: JSONL as they are, and CSV for spreadsheets, which run a formula."""

import csv
import json
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gradio.utils import get_upload_folder

from .batch import ScoredFile
from .files import OTHERS

Record = dict[str, Any]

# What spreadsheets take for the start of a formula: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")


def records_of(scored: ScoredFile) -> list[Record]:
    """Return a record for each row that was scored: its place in the file, score and verdict, its texts, the rest.

    Of two answers the other's values have names that end in `_b`; `change` says whether it is a win or a loss.
    """
    return [_record(scored, place, i) for place, i in enumerate(scored.kept)]


def changed_first(rows: Sequence[Record]) -> list[Record]:
    """Return records of two systems' answers as `evaluate-qa compare --changed` orders them, and then the others."""
    by_size = sorted(filter(_changed, rows), key=lambda row: -abs(row["score_b"] - row["score"]))
    return [*by_size, *(row for row in rows if not _changed(row))]


def _changed(row: Record) -> bool:
    return bool(row.get("change"))


def _record(scored: ScoredFile, place: int, i: int) -> Record:
    table, values = scored.table, {name: column[place] for name, column in scored.columns.items()}
    if scored.other is not None:
        values = _beside(values, {name: column[place] for name, column in scored.other.columns.items()})
    first = {name: value for name, value in values.items() if name.removesuffix("_b") in ("score", "verdict", "change")}
    # The answers first, which the others are about.
    names = sorted(table.columns.items(), key=lambda pair: pair[0] not in ("predictions", OTHERS))
    row = table.rows[i] | ({OTHERS: table.others[i]} if table.others else {})
    texts = {name: row[column] for column, name in names if column in row}
    return {"row": table.places[i], **first, **texts, **values}


def _beside(values: Record, other: Record) -> Record:
    """Return what the metric said of both answers, side by side, and what that makes of the change."""
    judged = "verdict" if values.get("verdict") is not None else "score"
    before, after = values[judged], other[judged]
    change = "" if None in (before, after) or before == after else "win" if after > before else "loss"
    pairs = [((name, values.get(name)), (f"{name}_b", other.get(name))) for name in {**values, **other}]
    return {"change": change, **dict(one for pair in pairs for one in pair)}


def write(rows: Sequence[Record]) -> tuple[Path, Path]:
    """Write both files where gradio keeps files for a while, below a name that nobody can guess; return CSV and JSONL.

    Both can be uploaded again, and read by `evaluate-qa score`. JSONL comes back as it was; of CSV a text that a
    spreadsheet would run comes back with the apostrophe that keeps it from that.
    """
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
    """Return a value as the text of a cell, as `evaluate-qa score` does: a list as JSON, nothing as nothing."""
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
