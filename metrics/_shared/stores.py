"""Store bytes by text in SQLite, as a cache: a failure costs time, but changes no score."""

import hashlib
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

# Below SQLite's limit on the number of parameters in a statement.
_KEYS_PER_QUERY = 500
# How long to wait for other writers, in seconds.
_PATIENCE = 60

_Result = TypeVar("_Result")


class Store:
    """An SQLite file that maps texts to bytes.

    Several processes can write at the same time, a killed process leaves no partial transaction, and an entry is never
    replaced. If the file cannot be used (damaged, locked for a minute, read-only, on a full disk), one warning, which
    names the label, is raised and nothing more is stored.
    """

    def __init__(self, path: Path, label: str) -> None:
        self.path, self._label = path, label
        self._usable = {"read", "write"}
        self._attempt("read", lambda connection: None, None)

    def read(self, texts: Sequence[str]) -> Iterator[dict[int, bytes]]:
        """Yield the stored values of distinct texts, by position in `texts`."""
        for start in range(0, len(texts), _KEYS_PER_QUERY):
            keys = {_key(text): start + i for i, text in enumerate(texts[start : start + _KEYS_PER_QUERY])}
            query = f"SELECT key, value FROM entries WHERE key IN ({','.join('?' * len(keys))})"
            if found := {keys[key]: value for key, value in self._rows(query, list(keys))}:
                yield found

    def write(self, texts: Iterable[str], values: Iterable[bytes]) -> None:
        """Store values by text in one transaction."""
        rows = list(zip(map(_key, texts), values, strict=True))
        insert = "INSERT OR IGNORE INTO entries (key, value) VALUES (?, ?)"
        self._attempt("write", lambda connection: connection.executemany(insert, rows), None)

    def __iter__(self) -> Iterator[bytes]:
        """Yield all values in any order, while others may write."""
        query = f"SELECT key, value FROM entries WHERE key > ? ORDER BY key LIMIT {_KEYS_PER_QUERY}"
        last = b""
        while rows := self._rows(query, [last]):
            last = rows[-1][0]
            yield from (value for _, value in rows)

    def _rows(self, query: str, parameters: list[bytes]) -> list[Any]:
        """Return key and value of each entry that a query finds."""
        return self._attempt("read", lambda connection: connection.execute(query, parameters).fetchall(), [])

    def _attempt(self, use: str, work: Callable[[sqlite3.Connection], _Result], otherwise: _Result) -> _Result:
        """Read or write in a transaction; return `otherwise` if the file cannot be used."""
        if use not in self._usable:
            return otherwise
        try:
            with self._connection() as connection:
                return work(connection)
        except (sqlite3.Error, OSError) as error:
            self._usable -= {use, "write"}
            warnings.warn(
                f"{self._label}: {self.path} cannot be used ({error}). The run goes on without it and computes missing "
                "entries again. Check that the disk has room, that the file is writable and that no program locks it; "
                "delete the file if it is damaged, or choose another cache_dir.",
                stacklevel=2,
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
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'entries'").fetchall():
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"
                )
                connection.commit()
            yield connection


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]
