"""The scored rows as files: JSONL as they are, and CSV for spreadsheets, which run what looks like a formula."""

import csv
import json
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gradio.utils import get_upload_folder

Record = dict[str, Any]

# What spreadsheets take for the start of a formula: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")


def write(records: Sequence[Record]) -> tuple[Path, Path]:
    """Write both files where gradio keeps files for a while, below a name that nobody can guess; return CSV and JSONL.

    Both can be uploaded again, and read by `evaluate-qa score`. JSONL comes back as it was; of CSV a text that a
    spreadsheet would run comes back with the apostrophe that keeps it from that.
    """
    folder = Path(get_upload_folder()) / secrets.token_hex(20)
    folder.mkdir(parents=True)
    table, lines = folder / "scores.csv", folder / "scores.jsonl"
    with table.open("w", encoding="utf-8", newline="") as file:
        columns = list(dict.fromkeys(name for record in records for name in record))
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([_cell(record.get(name)) for name in columns] for record in records)
    lines.write_text("".join(f"{_json(record)}\n" for record in records), encoding="utf-8")
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
