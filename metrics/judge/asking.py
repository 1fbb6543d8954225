"""Asks a chat model for verdicts, each distinct row once, and keeps them."""

import json
import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from .chat_models import ChatModel, NoAnswer, Reply
from .progress import progress
from .protocols import Protocol
from .reading import Unreadable, Verdict, read
from .scoring import Ruling
from .stores import Store

# A wrong key or a stopped server fails every row: no use in waiting for them all.
_FAILURES_IN_A_ROW = 20

# Candidates for each token of a reply; some servers give no more.
_CANDIDATES = 8

FILE = "verdicts.sqlite"


@dataclass(frozen=True)
class Row:
    """What a verdict is about."""

    question: str
    references: tuple[str, ...]
    prediction: str


class _Stop(Exception):  # noqa: N818 - ends the asking early
    """Too many failures one after the other, or one where none is allowed."""


class Judging:
    """Asks for verdicts by one protocol.

    Args:
        model: The judge.
        protocol: What is asked.
        folder: Where verdicts are kept for later calls; None keeps none.
    """

    def __init__(self, model: ChatModel, protocol: Protocol, folder: Path | None) -> None:
        self.model, self.protocol = model, protocol
        self._settings = json.dumps([model.settings, protocol.text], sort_keys=True, default=str)
        self._store = Store(folder / FILE, "judge: the store of verdicts", ("verdicts", "verdict")) if folder else None

    def rulings(self, rows: Sequence[Row], raises: bool) -> list[Ruling]:
        """Return what became of each row, in their order.

        Raises:
            ValueError: the model cannot be used; or a row got no verdict and `raises` is set.
        """
        found = self._stored(list(dict.fromkeys(rows)))
        found |= self._ask([row for row in dict.fromkeys(rows) if row not in found], raises)
        rulings, seen = [], set()
        for row in rows:
            again = row in seen and found[row].verdict is not None
            rulings.append(replace(found[row], cached=True) if again else found[row])
            seen.add(row)
        return rulings

    def _ask(self, rows: list[Row], raises: bool) -> dict[Row, Ruling]:
        found: dict[Row, Ruling] = {}
        in_a_row, last = 0, ""

        def deliver(number: int, reply: Reply | NoAnswer) -> None:
            nonlocal in_a_row, last
            row = rows[number]
            found[row] = ruling = self._ruling(reply)
            bar.update()
            if ruling.verdict:
                keep(row, ruling)
            in_a_row = in_a_row + 1 if isinstance(reply, NoAnswer) else 0
            last = ruling.error or ""
            if in_a_row == _FAILURES_IN_A_ROW or (raises and ruling.error):
                raise _Stop

        if not rows:
            return found
        conversations = [self.protocol.conversation(row.question, [*row.references], row.prediction) for row in rows]
        with progress("judge: verdicts", len(rows), "verdict") as bar, self._keeping() as keep:
            try:
                self.model.reply(conversations, deliver, self._wanted)
            except _Stop:
                if raises:
                    raise ValueError(f"judge: a row has no verdict: {last}") from None
            except ModuleNotFoundError as error:
                raise ImportError(f"judge: {error}; the judge needs what its requirements.txt names") from error
            except ValueError as error:
                raise ValueError(f"judge: {error}") from error
        untold = f"not asked, as {_FAILURES_IN_A_ROW} requests before it failed one after the other: {last}"
        return {row: found.get(row) or Ruling(None, asked=False, error=untold) for row in rows}

    @property
    def _wanted(self) -> dict[str, Any]:
        """What would make a reply more than its words, if the server can do it."""
        if self.protocol.told_apart:
            return {"logprobs": True, "top_logprobs": _CANDIDATES}
        if self.protocol.fields:
            schema = {"name": "verdict", "strict": True, "schema": self.protocol.schema}
            return {"response_format": {"type": "json_schema", "json_schema": schema}}
        return {}

    def _ruling(self, reply: Reply | NoAnswer) -> Ruling:
        if isinstance(reply, NoAnswer):
            return Ruling(None, tokens_in=None, tokens_out=None, error=str(reply))
        counted = Ruling(None, tokens_in=reply.tokens_in, tokens_out=reply.tokens_out)
        try:
            return replace(counted, verdict=read(reply, self.protocol))
        except Unreadable as why:
            return replace(counted, error=str(why))

    def _stored(self, rows: list[Row]) -> dict[Row, Ruling]:
        if self._store is None:
            return {}
        found = {}
        for values in self._store.read([self._key(row) for row in rows]):
            for number, value in values.items():
                kept = json.loads(value)
                verdict = Verdict(**kept["verdict"])
                found[rows[number]] = Ruling(verdict, True, True, kept["tokens_in"], kept["tokens_out"])
        return found

    @contextmanager
    def _keeping(self) -> Iterator[Any]:
        """Yield what keeps a verdict, at once and without keeping the requests waiting."""
        with nullcontext() if self._store is None else _Writer(self._store) as writer:
            yield lambda row, ruling: writer.put(self._key(row), self._value(row, ruling)) if writer else None

    def _key(self, row: Row) -> str:
        return json.dumps([self._settings, row.question, row.references, row.prediction])

    def _value(self, row: Row, ruling: Ruling) -> bytes:
        about = {"model": self.model.settings["model"], "protocol": self.protocol.signature, **asdict(row)}
        counts = {"tokens_in": ruling.tokens_in, "tokens_out": ruling.tokens_out}
        return json.dumps({**about, "verdict": vars(ruling.verdict), **counts}).encode()


class _Writer:
    """Writes to a store in a thread: in one transaction what came while the last one was written."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: queue.SimpleQueue[tuple[str, bytes] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, daemon=True)

    def put(self, key: str, value: bytes) -> None:
        """Have an entry written."""
        self._waiting.put((key, value))

    def __enter__(self) -> "_Writer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._waiting.put(None)
        self._thread.join()

    def _write(self) -> None:
        ended = False
        while not ended:
            entries = [self._waiting.get()]
            while not self._waiting.empty():
                entries.append(self._waiting.get())
            ended = None in entries
            if some := [entry for entry in entries if entry is not None]:
                self._store.write(*zip(*some, strict=True))
