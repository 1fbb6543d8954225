"""Unpacks a Parquet file in a process of its own: `python unpacking.py FILE COLUMN …` writes a row a line, as JSON.

A small file may hold gigabytes, and what it says of its size may be wrong. So this process may have little more memory
than it starts with (on Linux, where the Hub runs Spaces) and little time, and who starts it reads only so much of what
it writes. It is run as a file, hence takes nothing from the package.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pyarrow import ArrowException
from pyarrow.parquet import ParquetFile

MORE_BYTES = 512 * 2**20
SECONDS = 20
# How it ends where it cannot go on; by a signal where the system ends it.
DAMAGED, TWICE, TOO_LARGE = 10, 11, 12


def main() -> None:
    """Write the rows; of one that cannot be read a text that says why."""
    file, *columns = sys.argv[1:]
    _bound()
    try:
        for row in _rows(file, columns):
            # What JSON cannot hold, such as a date, is no text either: it is refused as an object.
            line = json.dumps(row, ensure_ascii=False, default=lambda _: {})
            sys.stdout.buffer.write(line.encode() + b"\n")
    except MemoryError:
        sys.exit(TOO_LARGE)
    except (ArrowException, OSError):
        sys.exit(DAMAGED)


def _bound() -> None:
    """Have the system end this process where it takes too much; Windows does not, and macOS looks at time alone."""
    with suppress(ImportError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        most = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + MORE_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _rows(path: str, columns: Sequence[str]) -> Iterator[dict[str, Any] | str]:
    """Yield the rows, a few at a time: a file may hold one huge text a thousand times."""
    file = ParquetFile(path)
    names = [name for name in file.schema_arrow.names if name in columns]
    if len({*names}) < len(names):
        sys.exit(TWICE)
    for batch in file.iter_batches(batch_size=8, columns=names, use_threads=False):
        for number in range(batch.num_rows):
            yield _row({name: batch.column(name)[number] for name in names})


def _row(cells: dict[str, Any]) -> dict[str, Any] | str:
    row = {}
    for name, cell in cells.items():
        try:
            row[name] = cell.as_py()
        except MemoryError:
            raise
        except (ArrowException, ValueError, OverflowError, LookupError):  # no UTF-8, or a time that Python has not
            return f"{name}: this cannot be read. Save it as text in UTF-8."
    return row


if __name__ == "__main__":
    main()
