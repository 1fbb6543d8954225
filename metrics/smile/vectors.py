"""A store of vectors on disk, by text: what one call embedded, a later one reads.

One SQLite file for each model fingerprint. SQLite's journal makes it safe when a process is killed while it writes
and when several processes write at once; the worst that a race can do is to write the same vector twice.
"""

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

# Below SQLite's limit on the number of parameters of one statement.
_KEYS_A_QUERY = 500


class VectorStore:
    """Vectors of one model by text.

    Args:
        folder: Where the store lives; made when missing.
        fingerprint: Names the model, its weights and its precision: vectors of another fingerprint are never seen.
    """

    def __init__(self, folder: str | Path, fingerprint: str) -> None:
        name = hashlib.sha256(fingerprint.encode()).hexdigest()[:32]
        self.path = Path(folder) / f"{name}.sqlite"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._connect()) as connection, connection:
            connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    def read(self, texts: Sequence[str]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float32]]]:
        """Yield (positions in `texts`, their vectors) for the texts that are stored; `texts` are distinct."""
        with closing(self._connect()) as connection:
            for start in range(0, len(texts), _KEYS_A_QUERY):
                keys = {_key(text): start + i for i, text in enumerate(texts[start : start + _KEYS_A_QUERY])}
                marks = ",".join("?" * len(keys))
                query = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"
                if found := connection.execute(query, list(keys)).fetchall():
                    positions = np.array([keys[key] for key, _ in found], dtype=np.intp)
                    yield positions, np.stack([np.frombuffer(vector, dtype=np.float32) for _, vector in found])

    def write(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Store the vectors, shape (texts, dim), in one transaction: all of them or, after a kill, none."""
        rows = [(_key(text), vector.tobytes()) for text, vector in zip(texts, vectors, strict=True)]
        with closing(self._connect()) as connection, connection:
            connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)

    def __len__(self) -> int:
        with closing(self._connect()) as connection:
            count: int = connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
        return count

    def _connect(self) -> sqlite3.Connection:
        # A connection for each operation, so that the store may cross a fork or a thread; a minute's patience with
        # other writers. IMMEDIATE, because a transaction that begins as a reader cannot wait for a writer. Not SQLite's
        # write-ahead log: processes that turn it on at once are refused without waiting, and it wants shared memory,
        # which network file systems lack.
        return sqlite3.connect(self.path, timeout=60, isolation_level="IMMEDIATE")


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]
