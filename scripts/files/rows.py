"""Read rows as dicts from JSONL, CSV and Parquet, one at a time.

The suffix of the file determines the format; `-` is standard input, as JSONL. In CSV, commas separate the columns, or
semicolons or tabs if the header has no comma. A CSV cell is a string, except that in columns that may hold lists
(`references`, …) a cell that starts with `[` is a JSON list: `["Paris", "paris"]`. In JSONL and Parquet, a string in
these columns is read as a JSON list if it looks like a list of strings, because tables are often saved like that.
"""

import csv
import difflib
import itertools
import json
import sys
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluate_qa.metrics._shared.columns import is_list_as_text
from evaluate_qa.metrics._shared.messages import pluralize

from .column_names import names_of

if TYPE_CHECKING:
    import pyarrow.parquet as pq

Row = dict[str, Any]

STANDARD = "-"
"""The name of the standard input or output."""

LISTS = (*names_of("references"), "synthetic_answers", "reference_weights", "keywords", "video_features")
"""Columns that may hold lists."""

_BATCH = 1024

_SUFFIXES = (".jsonl", ".csv", ".parquet")

_SIMILAR = 0.75
"""Similarity, from 0 to 1, from which a file's name without its suffix is suggested for a missing file."""


class RowsError(ValueError):
    """A file that cannot be read or written as rows; the message names the place and the fix."""


@dataclass(frozen=True)
class Broken:
    """The text of a broken row, and an error message that names its place and the fix."""

    message: str
    text: str


Record = tuple[int, Row | Broken]
"""A row, or a broken one, with its number."""


def read_rows(source: str | Path, lists: Collection[str] = LISTS) -> Iterator[tuple[int, Row]]:
    """Iterate over the rows of a file with their numbers: the line in JSONL; from 1 in CSV and Parquet.

    Args:
        source: A `.jsonl`, `.csv` or `.parquet` file, or `-` for JSONL on the standard input.
        lists: Columns in which lists may be written as text.

    Raises:
        RowsError: the file does not exist or has an unknown format, or, during iteration, a row is broken.
    """
    return _raise_broken(read_records(source, lists))


def read_records(source: str | Path, lists: Collection[str] = LISTS) -> Iterator[Record]:
    """Iterate like `read_rows`, but yield a broken row as `Broken` and continue.

    Raise RowsError if the rest of the file cannot be read, as after an open quote in CSV.
    """
    path = Path(source)
    if str(source) not in ("", STANDARD) and path.is_dir():
        raise RowsError(f"{source} is a folder. Name a file in it.")
    suffix = file_format(source)
    if str(source) != STANDARD and not path.is_file():
        raise RowsError(f"{source}: there is no such file. {_suggest_path(path)}")
    return _read_parquet(path, lists) if suffix == ".parquet" else _read_lines(source, lists)


def _read_lines(source: str | Path, lists: Collection[str]) -> Iterator[Record]:
    with nullcontext(sys.stdin.buffer) if str(source) == STANDARD else Path(source).open("rb") as lines:
        yield from parse_records(lines, source, lists)


def parse_records(lines: Iterable[bytes], source: str | Path, lists: Collection[str] = LISTS) -> Iterator[Record]:
    """Iterate like `read_records` over the lines of a JSONL or CSV file; `source` is its name."""
    parse = _parse_csv if file_format(source) == ".csv" else _parse_jsonl
    return parse(lines, source, lists)


def file_format(source: str | Path) -> str:
    """Return the format: `.jsonl` (also for `-`), `.csv` or `.parquet`; raise RowsError for another suffix."""
    suffix = ".jsonl" if str(source) == STANDARD else Path(source).suffix.lower()
    if suffix not in _SUFFIXES:
        raise RowsError(f"{source or repr('')}: unknown file type. Use .jsonl, .csv or .parquet.")
    return suffix


def place(source: str | Path, number: int) -> str:
    """Return file and line of a row, for messages: `answers.jsonl, line 7` or `answers.csv, row 7`."""
    return f"{source_name(source)}, {'line' if file_format(source) == '.jsonl' else 'row'} {number}"


def require_columns(where: str, present: Iterable[str], columns: Iterable[str], fix: str = "") -> None:
    """Raise RowsError, with the most similar column and a fix, unless all `columns` are `present`."""
    present = list(present)
    for column in columns:
        if column not in present:
            hint = did_you_mean(column, present) + fix
            if column == "score":  # "correct" is similar, but holds labels
                hint = (
                    f"Available: {', '.join(present) or 'nothing'}. Run `evaluate-qa score` first, or name the scores "
                )
                hint += "with --column score=NAME."
            raise RowsError(f"{where}: there is no column {column!r}. {hint}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint after an unknown name: the most similar known name, if any, and all known names."""
    known = list(known)
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.61)
    question = f"Did you mean {near[0]!r}? " if near else ""
    return f"{question}Available: {', '.join(known) or 'nothing'}."


def _raise_broken(records: Iterable[Record]) -> Iterator[tuple[int, Row]]:
    for number, row in records:
        if isinstance(row, Broken):
            raise RowsError(row.message)
        yield number, row


def _parse_jsonl(lines: Iterable[bytes], source: str | Path, lists: Collection[str]) -> Iterator[Record]:
    for number, line in enumerate(lines, 1):
        if text := line.strip().removeprefix(BOM_UTF8):
            if number == 1 and (text in (b"{", b"[") or (text.startswith(b"[{") and not text.endswith(b"]"))):
                raise RowsError(
                    f"{source_name(source)} is a JSON document, but JSONL has one object per line. Write each row on a "
                    "line of its own."
                )
            parse = partial(_json_object, place(source, number), line, lists)
            yield number, _row_or_broken(parse, partial(line.decode, errors="replace"))


def _row_or_broken(parse: Callable[[], Row], text: Callable[[], str]) -> Row | Broken:
    try:
        return parse()
    except RowsError as error:
        return Broken(str(error), text().rstrip("\r\n"))


def _json_object(where: str, line: bytes, lists: Collection[str]) -> Row:
    text = _decode(where, line, "utf-8-sig")
    try:
        row = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise RowsError(f"{where}: not JSON ({error}). Expected one JSON object per line.") from None
    except ValueError:  # int() refuses very long numbers
        raise RowsError(f"{where}: a number has thousands of digits. Write it as a string, in quotes.") from None
    if not isinstance(row, dict):
        raise RowsError(
            f'{where}: a JSON {type(row).__name__}; expected one object per line, such as {{"predictions": …}}'
        )
    return _with_lists(where, row, lists)


def _with_lists(where: str, row: Row, lists: Collection[str]) -> Row:
    """Return a row in which lists of strings that are written as text are lists."""
    found = [name for name in lists if is_list_as_text(row.get(name))]
    return row | {name: parse_list(where, name, row[name]) for name in found} if found else row


def _parse_csv(lines: Iterable[bytes], source: str | Path, lists: Collection[str]) -> Iterator[Record]:
    csv.field_size_limit(2**31 - 1)  # the default is 128 KiB
    texts = _decode_lines(lines, source)
    first = next(texts, "")
    # Spreadsheets write semicolons where numbers have decimal commas. A header with a comma is separated by commas.
    delimiter = next((one for one in (",", ";", "\t") if one in first), ",")
    reader = csv.reader(itertools.chain([first], texts), delimiter=delimiter, strict=True)
    try:
        header = next(reader, [])
        if not header:
            raise RowsError(f"{source}, line 1: there is no header. The first line must have the names of the columns.")
        _require_different(f"{source}, line 1", header)
        for number, cells in enumerate((cells for cells in reader if cells), 1):
            parse = partial(_csv_row, place(source, number), header, cells, lists)
            yield number, _row_or_broken(parse, partial(json.dumps, cells, ensure_ascii=False))
    except csv.Error as error:
        raise RowsError(
            f"{source}, line {reader.line_num}: not CSV ({error}). "
            'Put cells with commas, quotes or line breaks in quotes, and double the quotes inside them ("").'
        ) from None


def _require_different(where: str, names: list[str]) -> None:
    """Raise RowsError if two columns have the same name."""
    if len(set(names)) < len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise RowsError(f"{where}: two columns are named {twice!r}. Rename one of them.")


def _csv_row(where: str, header: list[str], cells: list[str], lists: Collection[str]) -> Row:
    if len(cells) != len(header):
        raise RowsError(
            f"{where}: {pluralize(len(cells), 'cell')} under a header of {len(header)}. Put cells with commas in "
            "quotes."
        )
    return {
        name: parse_list(where, name, cell) if name in lists and cell.startswith("[") else cell
        for name, cell in zip(header, cells, strict=True)
    }


def parse_list(where: str, column: str, cell: str) -> object:
    """Return the list that a text holds as JSON; raise RowsError, which names place and column, if it holds none."""
    try:
        return json.loads(cell)
    except (ValueError, RecursionError) as error:
        raise RowsError(
            f'{where}, column {column!r}: not a JSON list ({error}). Write lists as ["a", "b"], with double quotes, '
            'and a string that starts with a bracket as ["[so] …"].'
        ) from None


def _read_parquet(path: Path, lists: Collection[str]) -> Iterator[Record]:
    with open_parquet(path) as file:
        batches = file.iter_batches(batch_size=_BATCH)
        for number, row in enumerate((row for batch in batches for row in batch.to_pylist()), 1):
            yield number, _row_or_broken(partial(_with_lists, place(path, number), row, lists), partial(repr, row))


@contextmanager
def open_parquet(path: Path) -> Iterator["pq.ParquetFile"]:
    """Open a Parquet file, and raise its errors as RowsError, also for two columns with the same name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            _require_different(str(path), file.schema_arrow.names)
            yield file
    except RowsError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise RowsError(f"{path}: not a complete Parquet file ({error}). Write it again.") from None
    except (ValueError, OverflowError) as error:  # such as a date after the year 9999
        raise RowsError(f"{path}: a value cannot be read ({error}). Store it as a string.") from None


def _decode_lines(lines: Iterable[bytes], source: str | Path) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        yield _decode(f"{source_name(source)}, line {number}", line, "utf-8-sig" if number == 1 else "utf-8")


def _decode(where: str, line: bytes, encoding: str) -> str:
    try:
        return line.decode(encoding)
    except UnicodeDecodeError as error:
        raise RowsError(f"{where}: not UTF-8 ({error.reason}, byte {error.start}). Save the file as UTF-8.") from None


def source_name(source: str | Path) -> str:
    """Return the name of a file, or `standard input` for `-`, for messages."""
    return "standard input" if str(source) == STANDARD else str(source)


def _suggest_path(path: Path) -> str:
    """Return a hint after the path of a missing file."""
    with suppress(OSError):
        stems = {other.stem: other for other in sorted(path.parent.iterdir()) if other.suffix.lower() in _SUFFIXES}
        near = difflib.get_close_matches(path.stem, stems, n=1, cutoff=_SIMILAR)
        return f"Did you mean {stems[near[0]]}?" if near else "Check the path."
    return f"The folder {path.parent} does not exist."
