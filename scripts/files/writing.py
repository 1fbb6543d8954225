"""Write rows as JSONL, CSV and Parquet; a file appears once it is complete.

Rows may have different columns. CSV and Parquet need all columns before the first row, so rows are written to parts,
which are then joined.
"""

import csv
import itertools
import json
import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from .rows import LISTS, STANDARD, Row, RowsError, file_format, read_rows
from .values import text, to_json

_PART = 10_000
"""Number of rows in memory at a time."""


def write_rows(target: str | Path, rows: Iterable[Row], columns: Collection[str] = ()) -> int:
    """Write rows to a `.jsonl`, `.csv` or `.parquet` file, or as JSONL to the standard output; return their number.

    The file is replaced once everything is written. In CSV, lists and objects become JSON and `None` an empty cell.
    CSV and Parquet start with `columns`, which the rows may lack.

    Raises:
        RowsError: the format is unknown, the folder does not exist, or the format cannot hold a value.
    """
    check_target(target)
    rows, count = iter(rows), 0
    if str(target) == STANDARD:
        return sum(print_rows([row], sys.stdout.buffer) for row in rows)
    file = real_file(Path(target))
    with tempfile.TemporaryDirectory(prefix=f".{file.name}.", dir=file.parent) as folder:
        parts: list[Path] = []
        while batch := list(itertools.islice(rows, _PART)):
            parts.append(Path(folder, f"{len(parts)}{file_format(target)}"))
            write_part(parts[-1], batch)
            count += len(batch)
        join_parts(parts, Path(target), columns)
    return count


def check_target(target: str | Path, is_free: bool = True) -> None:
    """Raise RowsError unless rows can be written there; `-` must be free of other output (`is_free`)."""
    file_format(target)
    if str(target) != STANDARD:
        check_writable(Path(target))
    elif not is_free:
        raise RowsError("The standard output is used for the results. Name a file instead of -.")


def check_writable(target: Path) -> None:
    """Raise RowsError unless a file can be written or replaced there."""
    file = real_file(target)
    if file.exists() and not file.is_file():
        raise RowsError(
            f"{target} is {'a folder' if file.is_dir() else 'not a regular file'}. Name a file to write to."
        )
    if not file.parent.is_dir():
        raise RowsError(f"{target}: there is no folder {file.parent}. Create it first, or name another file.")
    if not os.access(file.parent, os.W_OK):
        raise RowsError(f"{target} cannot be written: no permission in its folder. Name another file.")
    if file.exists() and not os.access(file, os.W_OK):
        raise RowsError(f"{target} is write-protected. Name another file, or allow writing to this one.")


def check_absent(target: str | Path, option: str) -> None:
    """Raise RowsError if there is a file, which a command with `--overwrite` does not replace without that option."""
    if Path(target).is_file():
        raise RowsError(f"{target} already exists. Use --overwrite to replace it, or name another {option}.")


_STREAMS = ("/dev/stdin", "/dev/stdout")


def check_different(files: Mapping[str, str | Path | None]) -> None:
    """Raise RowsError if two options name the same file, also by a link.

    `-` is the standard output for `--output`, and the standard input for others.
    """
    given = {option: str(file) for option, file in files.items() if file is not None}
    there = [(option, _STREAMS[option == "--output"] if file == STANDARD else file) for option, file in given.items()]
    for (one, file), (other, another) in itertools.combinations(there, 2):
        if not {file, another} <= {*_STREAMS} and _same(file, another):
            raise RowsError(f"{one} and {other} must be different files, but both are {another}.")


_ENDINGS = {"--markdown": ".md", "--junit": ".xml", "--json": ".json", "--record": ".json"}


def check_outputs(outputs: Mapping[str, str | Path | None], inputs: Mapping[str, str | Path | None]) -> None:
    """Raise RowsError if an output cannot be written, or is the same file as an input or another output.

    Both map options to files or None. Inputs may be the same file. Files that are replaced without `--overwrite` need
    the right ending, or none, so that a wrong name replaces no scores or labels.
    """
    for output in outputs.values():
        if output is not None:
            check_writable(Path(output))
    for name, source in inputs.items():
        check_different({name: source, **outputs})
    for option, output in outputs.items():
        ending = _ENDINGS.get(option, "")
        if ending and output is not None and Path(output).suffix.lower() not in (ending, ""):
            raise RowsError(f"{option} is {output}; expected a file that ends in {ending}")


def real_file(path: Path) -> Path:
    """Return the target of a symbolic link, or the path itself."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def work_folder_path(target: Path) -> Path:
    """Return the folder for the unfinished work on an output."""
    file = real_file(target)
    return file.with_name(f"{file.name}.work")


def print_rows(rows: Sequence[Row], stream: BinaryIO) -> int:
    """Write rows as JSONL to a stream and flush it; return their number."""
    stream.write(b"".join(map(json_line, rows)))
    stream.flush()
    return len(rows)


def write_part(part: Path, rows: Sequence[Row]) -> None:
    """Write rows to a file of any format, which appears once it is complete."""
    with replacing(part) as path:
        if file_format(part) == ".jsonl":
            path.write_bytes(b"".join(map(json_line, rows)))
        elif file_format(part) == ".csv":
            _write_csv(path, dict.fromkeys(name for row in rows for name in row), rows)
        else:
            import pyarrow.parquet as pq

            from .tables import table

            pq.write_table(table(rows), path)


def join_parts(parts: Sequence[Path], target: Path, columns: Collection[str] = ()) -> None:
    """Join files of the same format into one, which appears once it is complete; `columns` are as in `write_rows`."""
    with replacing(target) as path:
        if target.suffix.lower() == ".jsonl":
            with path.open("wb") as joined:
                for part in parts:
                    with part.open("rb") as file:
                        shutil.copyfileobj(file, joined)
        elif target.suffix.lower() == ".csv":
            names = dict.fromkeys([*columns, *(name for part in parts for name in _csv_columns(part))])
            _write_csv(path, names, (row for part in parts for _, row in read_rows(part)))
        else:
            from .tables import join_parquet

            join_parquet(parts, path, columns)


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yield a temporary file that replaces the target at the end, or is removed after an error.

    It is in the work folder of the target, if there is one, so that a killed process leaves nothing next to the target.
    If the target is a symbolic link, the file that it points to is replaced. Permissions are kept.
    """
    target, work = real_file(target), work_folder_path(target)
    # Files of tempfile are readable only by their owner. Threads and machines may share a process id.
    path = (work if work.is_dir() else target.parent) / f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}.part"
    path.touch()
    mode = stat.S_IMODE(path.stat().st_mode)
    path.unlink()
    try:
        yield path
        with path.open("rb+") as file:
            os.fsync(file.fileno())  # otherwise, the file may be empty after a power failure
        path.chmod(stat.S_IMODE(target.stat().st_mode) if target.exists() else mode)  # some libraries write 0600
        path.replace(target)
    finally:
        path.unlink(missing_ok=True)


def json_line(row: Row, default: Callable[[Any], Any] | None = None) -> bytes:
    """Return a row as a line of JSON in UTF-8; `default` converts values that JSON has no type for."""
    try:
        line = json.dumps(row, ensure_ascii=False, default=default or to_json)
        return f"{line}\n".encode()
    except UnicodeEncodeError:  # UTF-8 cannot encode lone surrogates; JSON can escape them
        return f"{json.dumps(row, default=default or to_json)}\n".encode()
    except TypeError:
        for name, value in row.items():
            _text(name, [value])
        raise


def _text(column: str, value: Any) -> str:
    """Return a value as the text of a CSV cell; raise RowsError, which names the column, if it cannot be text."""
    try:
        return text(value)
    except TypeError as error:
        raise RowsError(f"the column {column!r} holds {error}, or leave the column out") from None


def _same(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:  # one does not exist yet
        return os.path.realpath(one) == os.path.realpath(other)


def _write_csv(path: Path, columns: Iterable[str], rows: Iterable[Row]) -> None:
    from evaluate_qa.metrics._shared.columns import clean

    def cell(name: str, value: Any) -> str:
        may_be_list = name in LISTS and isinstance(value, str) and value.startswith("[")
        # Otherwise, a text would be read as a list, and bytes would become a Python literal.
        return clean(_text(name, [value] if may_be_list or isinstance(value, bytes) else value))

    columns = list(columns)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([cell(name, row.get(name)) for name in columns] for row in rows)


def _csv_columns(part: Path) -> list[str]:
    with part.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def write_file(target: Path, content: bytes) -> None:
    """Write a file, which is replaced once everything is written."""
    with replacing(target) as path:
        path.write_bytes(content)


def write_json(target: Path | None, value: object) -> None:
    """Write JSON to a file, which is replaced once everything is written; None writes nothing."""
    if target is not None:
        write_file(target, f"{json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)}\n".encode())
