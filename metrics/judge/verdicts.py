"""Verdicts that are kept: under what, in which form, and in a file that several processes may use."""

import hashlib
import json
import queue
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from .._shared.lexical import token_f1
from .._shared.stores import Store
from .._shared.words import exact_words
from .reading import Verdict

FILE = "verdicts.sqlite"
ENDPOINT = "endpoint"
"""The generator of verdicts that came from an endpoint, whichever it was, or from elsewhere."""


@dataclass(frozen=True)
class JudgedRow:
    """What a verdict is about.

    Args:
        question: May be "".
        references: At least one.
        prediction: The answer.
        sample: How often the judge was asked about the same before.
    """

    question: str
    references: tuple[str, ...]
    prediction: str
    sample: int = 0

    def sampled(self, count: int) -> "list[JudgedRow]":
        """Return the row as often as the judge is asked about it."""
        return [replace(self, sample=number) for number in range(count)]

    def exchanged(self) -> "JudgedRow":
        """Return the row with the answer as reference, and as answer the reference nearest to it in words (F1)."""
        words = exact_words(self.prediction)
        nearest = max(self.references, key=lambda reference: token_f1(words, exact_words(reference)))
        return JudgedRow(self.question, (self.prediction,), nearest)


@dataclass(frozen=True)
class JudgeName:
    """Whose verdicts they are.

    Args:
        model: Its name.
        protocol: Signature of what it was asked.
        generator: `endpoint`, or `transformers` for a model run here.
        request: A hash of what else the verdicts depend on; "" if there is nothing.
    """

    model: str
    protocol: str
    generator: str = ENDPOINT
    request: str = ""

    @classmethod
    def of(cls, settings: Mapping[str, Any], protocol: str) -> "JudgeName":
        """Return a chat model by its settings. The rest of these is hashed, as it might hold a secret."""
        rest = {name: value for name, value in settings.items() if name not in ("generator", "model")}
        text = json.dumps(rest, sort_keys=True, default=str)
        request = hashlib.sha256(text.encode()).hexdigest()[:16] if any(rest.values()) else ""
        return cls(settings["model"], protocol, settings["generator"], request)


@dataclass(frozen=True)
class Record:
    """A verdict with all that it depends on, and its tokens, where they are known."""

    judge: JudgeName
    row: JudgedRow
    verdict: Verdict
    tokens_in: int | None = None
    tokens_out: int | None = None


class Verdicts:
    """Verdicts in the file `verdicts.sqlite` of a folder. What is there stays as it is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._store = Store(folder / FILE, "judge: the store of verdicts", ("verdicts", "verdict"))

    def read(self, judge: JudgeName, rows: Sequence[JudgedRow]) -> dict[JudgedRow, Record]:
        """Return the records of those rows, which are distinct, that are there."""
        found: dict[JudgedRow, Record] = {}
        for values in self._store.read([_key(judge, row) for row in rows]):
            found |= {rows[number]: _decoded(value) for number, value in values.items()}
        return found

    def write(self, records: Sequence[Record]) -> None:
        """Keep records: all of them or, after a kill, none."""
        entries = {_key(record.judge, record.row): _encoded(record) for record in records}
        # So that the verdicts stand in for the endpoint.
        entries |= {_told(record.judge.model): b"" for record in records if record.judge.generator == ENDPOINT}
        self._store.write(entries.keys(), entries.values())

    def stands_in_for(self, model: str) -> bool:
        """Whether there are verdicts of an endpoint's model of that name."""
        return any(True for _ in self._store.read([_told(model)]))

    def __iter__(self) -> Iterator[Record]:
        yield from (_decoded(value) for value in self._store if value)


def _key(judge: JudgeName, row: JudgedRow) -> str:
    return json.dumps([*asdict(judge).values(), *asdict(row).values()])


def _told(model: str) -> str:
    return json.dumps([ENDPOINT, model])


def _encoded(record: Record) -> bytes:
    return json.dumps(asdict(record)).encode()


def _decoded(value: bytes) -> Record:
    kept = json.loads(value)
    row = {**kept["row"], "references": tuple(kept["row"]["references"])}
    tokens = kept["tokens_in"], kept["tokens_out"]
    return Record(JudgeName(**kept["judge"]), JudgedRow(**row), Verdict(**kept["verdict"]), *tokens)


class Writer:
    """Keeps verdicts in a thread, at once and without keeping others waiting.

    In one transaction it writes what came while the last one was written.
    """

    def __init__(self, verdicts: Verdicts) -> None:
        self._verdicts = verdicts
        self._waiting: queue.SimpleQueue[Record | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, daemon=True)

    def put(self, record: Record) -> None:
        """Have a record written."""
        self._waiting.put(record)

    def __enter__(self) -> "Writer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._waiting.put(None)
        self._thread.join()

    def _write(self) -> None:
        ended = False
        while not ended:
            waiting = [self._waiting.get()]
            while not self._waiting.empty():
                waiting.append(self._waiting.get())
            ended = None in waiting
            if records := [record for record in waiting if record is not None]:
                self._verdicts.write(records)
