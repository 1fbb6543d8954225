"""Stores on disk that a metric can do without: trouble with one costs time, never a score or a file.

Every entry has a checksum, because neither SQLite nor safetensors notices a flipped bit.
"""

import hashlib
import sqlite3
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

# Below SQLite's limit on the number of parameters of one statement.
_KEYS_A_QUERY = 500
# How long to wait for other writers, in seconds.
_PATIENCE = 60
# What SQLite says of a file that is whole, but cannot be used now. Python 3.10 does not give the error's number.
_NOT_DAMAGED = ("locked", "readonly", "full", "I/O", "unable to open", "out of memory")

# As bytes, whatever damage has made of it.
_VALUE = "CAST(coalesce(value, '') AS BLOB)"
# What is there already stays, unless it has changed on disk.
_INSERT = f"""
    INSERT INTO entries VALUES (?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, checksum = excluded.checksum
    WHERE checksum IS NOT checksum(key, {_VALUE})
"""

_Result = TypeVar("_Result")


class Store:
    """Bytes by text in an SQLite file.

    SQLite's journal makes it safe when a process is killed while it writes and when several processes write at once;
    the worst that a race can do is to write the same entry twice. An entry that has changed on disk counts as absent.

    A damaged file is renamed, and a new one takes its place. One that cannot be used (locked for a minute, read-only,
    on a full disk) is left alone, and what cannot be written is not stored. Either is told by one warning.

    Args:
        path: The file; made when missing, with its folder.
        label: Metric and contents, for the warning.
        unchecked: Table and column in which earlier versions kept entries without checksums; taken over as they are.
    """

    def __init__(self, path: Path, label: str, unchecked: tuple[str, str] = ("", "")) -> None:
        self.path = path
        self._label, self._unchecked = label, unchecked
        self._usable = {"read", "write"}
        self._began_anew = False
        self._inode = 0
        self._attempt("read", lambda connection: None, None)

    def read(self, texts: Sequence[str]) -> Iterator[dict[int, bytes]]:
        """Yield values by position in `texts`, which are distinct, of those that are stored."""
        for start in range(0, len(texts), _KEYS_A_QUERY):
            keys = {_key(text): start + i for i, text in enumerate(texts[start : start + _KEYS_A_QUERY])}
            if found := {keys[key]: value for key, value in self._stored(list(keys)) if key in keys}:
                yield found

    def write(self, texts: Iterable[str], values: Iterable[bytes]) -> None:
        """Store values by text, in one transaction: all of them or, after a kill, none."""
        keys = map(_key, texts)
        rows = [(key, value, checksum(key, value)) for key, value in zip(keys, values, strict=True)]
        self._attempt("write", lambda connection: connection.executemany(_INSERT, rows), None)

    def __iter__(self) -> Iterator[bytes]:
        """Yield all values, in no promised order; others may write meanwhile."""
        query = f"SELECT key, {_VALUE}, checksum FROM entries WHERE key > ? ORDER BY key LIMIT {_KEYS_A_QUERY}"
        found: list[Any] = [(b"",)]
        while found:
            last = found[-1][0]
            read = lambda connection, last=last: connection.execute(query, [last]).fetchall()  # noqa: E731
            found = self._attempt("read", read, [])
            yield from (value for key, value, known in found if known == checksum(key, value))

    def __len__(self) -> int:
        query = "SELECT count(*) FROM entries"
        return int(self._attempt("read", lambda connection: connection.execute(query).fetchone()[0], 0))

    def _stored(self, keys: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
        marks = ",".join("?" * len(keys))
        query = f"SELECT key, {_VALUE}, checksum FROM entries WHERE key IN ({marks})"
        found: list[Any] = self._attempt("read", lambda connection: connection.execute(query, keys).fetchall(), [])
        for key, value, known in found:
            if known == checksum(key, value):
                yield key, value

    def _attempt(self, use: str, work: Callable[[sqlite3.Connection], _Result], otherwise: _Result) -> _Result:
        """Do some reading or writing in a transaction; return `otherwise` where the file cannot be used."""
        if use not in self._usable:
            return otherwise
        try:
            with self._connection() as connection:
                return work(connection)
        except (sqlite3.Error, OSError) as error:
            self._do_without(use, error)
            return otherwise

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # A connection for each operation, so that the store may cross a fork or a thread. IMMEDIATE, because a
        # transaction that begins as a reader cannot wait for a writer. Not SQLite's write-ahead log: processes that
        # turn it on at once are refused without waiting, and it wants shared memory, which network file systems lack.
        opened = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level="IMMEDIATE")
        with closing(opened) as connection, connection:
            self._inode = self.path.stat().st_ino
            connection.create_function("checksum", 2, checksum)
            if not _has_table(connection, "entries"):
                self._make_table(connection)
            yield connection

    def _make_table(self, connection: sqlite3.Connection) -> None:
        table, column = self._unchecked
        connection.execute("BEGIN IMMEDIATE")
        columns = "key BLOB PRIMARY KEY, value BLOB, checksum INTEGER"
        connection.execute(f"CREATE TABLE IF NOT EXISTS entries ({columns}) WITHOUT ROWID")
        if _has_table(connection, table):
            old = f"SELECT key, CAST({column} AS BLOB) AS value FROM {table}"
            connection.execute(f"INSERT OR IGNORE INTO entries SELECT key, value, checksum(key, value) FROM ({old})")
            connection.execute(f"DROP TABLE {table}")
        connection.commit()

    def _do_without(self, use: str, error: Exception) -> None:
        damaged = isinstance(error, sqlite3.Error) and not any(words in str(error) for words in _NOT_DAMAGED)
        if damaged and not self._began_anew and (aside := self._set_aside()):
            self._began_anew = True
            warnings.warn(
                f"{self._label}: {self.path} is damaged ({error}). It is {aside.name} now, and a new one takes its "
                f"place; scores do not depend on it. Delete {aside.name} if you have no use for it.",
                stacklevel=2,
            )
        else:
            self._usable -= {use, "write"}
            warn_unusable(self._label, self.path, error)

    def _set_aside(self) -> Path | None:
        """Rename the file; return its new name, None where that is not possible."""
        aside = self.path.with_name(f"{self.path.name}.damaged-{time.time_ns()}")
        with suppress(OSError):
            if self.path.stat().st_ino == self._inode:  # or another process was quicker, and made a new one
                return self.path.rename(aside)
        return None


def checksum(*parts: bytes) -> int:
    """Return the CRC-32 of the parts, one after the other."""
    value = 0
    for part in parts:
        value = zlib.crc32(part, value)
    return value


def warn_unusable(label: str, path: Path, error: Exception) -> None:
    """Warn that a run goes on without a store, and say what helps."""
    warnings.warn(
        f"{label}: {path} cannot be used ({error}). The run goes on without it; what it lacks is computed again. See "
        "that its disk has room, that it can be written and that no program holds it, or give another cache_dir.",
        stacklevel=2,
    )


def _has_table(connection: sqlite3.Connection, name: str) -> bool:
    return bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [name]).fetchall())


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]
