"""Store verdicts in a file that several processes may use."""

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._shared.lexical import token_f1
from .._shared.stores import Store
from .._shared.words import exact_words
from .reading import Verdict

FILE = "verdicts.sqlite"
ENDPOINT = "endpoint"
"""The generator of verdicts from any endpoint and of imported verdicts."""


@dataclass(frozen=True)
class JudgedRow:
    """What a verdict is about: a question, which may be "", at least one reference, and the answer.

    `sample` is the index of the sample, if the judge is asked several times.
    """

    question: str
    references: tuple[str, ...]
    prediction: str
    sample: int = 0

    def swap(self) -> "JudgedRow":
        """Return the row with the answer as reference, and the reference nearest to it in words (F1) as answer."""
        words = exact_words(self.prediction)
        nearest = max(self.references, key=lambda reference: token_f1(words, exact_words(reference)))
        return JudgedRow(self.question, (self.prediction,), nearest)


@dataclass(frozen=True)
class JudgeId:
    """Identifies the judge that gave a verdict: its model, and the signature of its protocol.

    The generator is `endpoint`, or `transformers` for a local model. `request` is a hash of everything else that
    verdicts depend on; "" if there is nothing else.
    """

    model: str
    protocol: str
    generator: str = ENDPOINT
    request: str = ""

    @classmethod
    def of(cls, settings: Mapping[str, Any], protocol: str) -> "JudgeId":
        """Return the id for the settings of a chat model. They are hashed, because they may contain a secret."""
        rest = {name: value for name, value in settings.items() if name not in ("generator", "model")}
        text = json.dumps(rest, sort_keys=True, default=str)
        request = hashlib.sha256(text.encode()).hexdigest()[:16] if any(rest.values()) else ""
        return cls(settings["model"], protocol, settings["generator"], request)


@dataclass(frozen=True)
class StoredVerdict:
    """A verdict with everything that it depends on, and the number of its tokens if known."""

    judge: JudgeId
    row: JudgedRow
    verdict: Verdict
    tokens_in: int | None = None
    tokens_out: int | None = None


class VerdictStore:
    """Verdicts in the file `verdicts.sqlite` of a folder. Stored verdicts are never replaced."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._store = Store(folder / FILE, "judge: the store of verdicts")
        self._waiting: dict[str, bytes] = {}
        self._since = 0.0

    def read(self, judge: JudgeId, rows: Sequence[JudgedRow]) -> dict[JudgedRow, StoredVerdict]:
        """Return the stored verdicts about distinct rows."""
        stored = self._store.read([_key(judge, row) for row in rows])
        return {rows[number]: _decode(value) for values in stored for number, value in values.items()}

    def write(self, verdicts: Sequence[StoredVerdict], age: float = 0.0) -> None:
        """Store verdicts, with those of earlier calls that still wait.

        They are encoded now, and stored in one transaction if the first of them has waited `age` seconds. A kill cannot
        leave some of them.
        """
        if not self._waiting:
            self._since = time.monotonic()
        for verdict in verdicts:
            self._waiting[_key(verdict.judge, verdict.row)] = json.dumps(verdict, default=vars).encode()
            if verdict.judge.generator == ENDPOINT:  # with this entry, the verdicts can replace the endpoint
                self._waiting[_endpoint_key(verdict.judge.model)] = b""
        if self._waiting and time.monotonic() - self._since >= age:
            self._store.write(self._waiting.keys(), self._waiting.values())
            self._waiting = {}

    def write_api(self, model: str, api: str) -> None:
        """Store the API at which a model answers. Not the URL, because a server may move."""
        self._store.write([_api_key(model, api)], [b""])

    def read_api(self, model: str, apis: Sequence[str]) -> str | None:
        """Return the first of some APIs that is stored for a model."""
        known = [number for values in self._store.read([_api_key(model, api) for api in apis]) for number in values]
        return apis[min(known)] if known else None

    def has_endpoint_verdicts(self, model: str) -> bool:
        """Return whether there are verdicts of this model at an endpoint."""
        return any(True for _ in self._store.read([_endpoint_key(model)]))

    def __iter__(self) -> Iterator[StoredVerdict]:
        yield from (_decode(value) for value in self._store if value)


def verdict_id(judge: JudgeId, row: JudgedRow) -> str:
    """Return a short name for the key of a verdict."""
    return hashlib.sha256(_key(judge, row).encode()).hexdigest()[:32]


def parse_row(fields: Mapping[str, Any]) -> JudgedRow:
    """Return the row with these fields, which were written as JSON."""
    return JudgedRow(**{**fields, "references": tuple(fields["references"])})


def _key(judge: JudgeId, row: JudgedRow) -> str:
    return json.dumps([*vars(judge).values(), *vars(row).values()])


def _api_key(model: str, api: str) -> str:
    return json.dumps(["api", api, model])


def _endpoint_key(model: str) -> str:
    return json.dumps([ENDPOINT, model])


def _decode(value: bytes) -> StoredVerdict:
    kept = json.loads(value)
    tokens = kept["tokens_in"], kept["tokens_out"]
    return StoredVerdict(JudgeId(**kept["judge"]), parse_row(kept["row"]), Verdict(**kept["verdict"]), *tokens)
