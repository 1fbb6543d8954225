"""Store bytes by text in SQLite, as a cache: a failure costs time, but changes no score."""

import hashlib
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from .messages import warn

# Below SQLite's limit on the number of parameters in a statement.
_KEYS_PER_QUERY = 500
# How long to wait for other writers, in seconds.
_PATIENCE = 60

# Damage may have changed the type of a value.
_VALUE = "CAST(coalesce(value, '') AS BLOB)"
# Keep an existing entry unless it has changed on disk.
_INSERT = f"""
    INSERT INTO entries VALUES (?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, checksum = excluded.checksum
    WHERE checksum IS NOT checksum(key, {_VALUE})
"""

_Result = TypeVar("_Result")


class CacheOptions:
    """Options with a folder `cache_dir`, which subclasses declare with their own help."""

    cache_dir: str | os.PathLike[str] | None

    @property
    def cache(self) -> Path | None:
        """`cache_dir` as a path."""
        return Path(self.cache_dir).expanduser() if self.cache_dir else None


class Store:
    """An SQLite file that maps texts to bytes.

    Several processes can write at the same time, and a killed process leaves no partial transaction. Every entry has a
    checksum, because SQLite does not notice a flipped bit; a changed entry counts as missing. If the file cannot be
    used (damaged, locked for a minute, read-only, on a full disk), one warning, which names the label, is raised and
    nothing more is stored.
    """

    def __init__(self, path: Path, label: str) -> None:
        self.path, self._label = path, label
        self._usable = {"read", "write"}
        self._attempt("read", lambda connection: None, None)

    def read(self, texts: Sequence[str]) -> Iterator[dict[int, bytes]]:
        """Yield the stored values of distinct texts, by position in `texts`."""
        for start in range(0, len(texts), _KEYS_PER_QUERY):
            keys = {_key(text): start + i for i, text in enumerate(texts[start : start + _KEYS_PER_QUERY])}
            query = f"SELECT key, {_VALUE}, checksum FROM entries WHERE key IN ({','.join('?' * len(keys))})"
            rows = self._rows(query, list(keys))
            if found := {keys[key]: value for key, value, unchanged in rows if unchanged and key in keys}:
                yield found

    def write(self, texts: Iterable[str], values: Iterable[bytes]) -> None:
        """Store values by text in one transaction."""
        keys = map(_key, texts)
        rows = [(key, value, _checksum(key, value)) for key, value in zip(keys, values, strict=True)]
        self._attempt("write", lambda connection: connection.executemany(_INSERT, rows), None)

    def __iter__(self) -> Iterator[bytes]:
        """Yield all values in any order, while others may write."""
        query = f"SELECT key, {_VALUE}, checksum FROM entries WHERE key > ? ORDER BY key LIMIT {_KEYS_PER_QUERY}"
        last = b""
        while rows := self._rows(query, [last]):
            last = rows[-1][0]
            yield from (value for _, value, unchanged in rows if unchanged)

    def _rows(self, query: str, parameters: list[bytes]) -> list[tuple[bytes, bytes, bool]]:
        """Return key and value of each entry that a query finds, and whether its checksum is right."""
        rows: list[Any] = self._attempt("read", lambda connection: connection.execute(query, parameters).fetchall(), [])
        return [(key, value, checksum == _checksum(key, value)) for key, value, checksum in rows]

    def _attempt(self, use: str, work: Callable[[sqlite3.Connection], _Result], otherwise: _Result) -> _Result:
        """Read or write in a transaction; return `otherwise` if the file cannot be used."""
        if use not in self._usable:
            return otherwise
        try:
            with self._connection() as connection:
                return work(connection)
        except (sqlite3.Error, OSError) as error:
            self._usable -= {use, "write"}
            warn(
                f"{self._label}: {self.path} cannot be used ({error}). The run goes on without it and computes missing "
                "entries again. Check that the disk has room, that the file is writable and that no program locks it; "
                "delete the file if it is damaged, or choose another cache_dir."
            )
            return otherwise

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # One connection per operation, so that the store works after a fork and in threads. IMMEDIATE, because a
        # transaction that begins as a reader cannot wait for a writer. No write-ahead log: it needs shared memory,
        # which network file systems lack.
        opened = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level="IMMEDIATE")
        with closing(opened) as connection, connection:
            connection.create_function("checksum", 2, _checksum)
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'entries'").fetchall():
                columns = "key BLOB PRIMARY KEY, value BLOB, checksum INTEGER"
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(f"CREATE TABLE IF NOT EXISTS entries ({columns}) WITHOUT ROWID")
                connection.commit()
            yield connection


def _checksum(key: bytes, value: bytes) -> int:
    return zlib.crc32(value, zlib.crc32(key))


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]
