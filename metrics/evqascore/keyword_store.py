"""A store of keywords on disk, by text: what a chat model was asked once, it is not asked again.

One SQLite file for each model and prompt. Each answer is stored as it comes, in a transaction of its own, so that a
process that is killed loses none, and several may write at once.
"""

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path


class KeywordStore:
    """Keywords by text, as one model gave them.

    Args:
        folder: Where the store lives; made when missing.
        fingerprint: Names all that the keywords depend on: model, revision, prompt.
    """

    def __init__(self, folder: str | Path, fingerprint: str) -> None:
        name = hashlib.sha256(fingerprint.encode()).hexdigest()[:32]
        self.path = Path(folder) / f"keywords-{name}.sqlite"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._connect()) as connection, connection:
            connection.execute("CREATE TABLE IF NOT EXISTS keywords (key BLOB PRIMARY KEY, list TEXT) WITHOUT ROWID")

    def read(self, text: str) -> list[str] | None:
        """Return the keywords of a text, or None if it is not stored."""
        with closing(self._connect()) as connection:
            found = connection.execute("SELECT list FROM keywords WHERE key = ?", [_key(text)]).fetchone()
        return json.loads(found[0]) if found else None

    def write(self, text: str, keywords: list[str]) -> None:
        """Store the keywords of a text."""
        with closing(self._connect()) as connection, connection:
            row = (_key(text), json.dumps(keywords))
            connection.execute("INSERT OR IGNORE INTO keywords VALUES (?, ?)", row)

    def _connect(self) -> sqlite3.Connection:
        # A connection for each operation, so that the store may cross a fork or a thread; IMMEDIATE and a minute's
        # patience, so that writers wait for each other.
        return sqlite3.connect(self.path, timeout=60, isolation_level="IMMEDIATE")


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]
