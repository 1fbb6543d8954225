"""Asks a chat model for verdicts, each distinct row once, and keeps them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .._shared.chat_models import ChatModel, NoAnswer, Reply
from .._shared.progress import progress
from .protocols import Protocol
from .reading import Unreadable, read
from .scoring import Ruling, spent
from .verdicts import ENDPOINT, JudgedRow, JudgeName, Record, Verdicts, Writer

# A wrong key or a stopped server fails every row: no use in waiting for them all.
_FAILURES_IN_A_ROW = 20

# Candidates for each token of a reply; some servers give no more.
_CANDIDATES = 8


@dataclass(frozen=True)
class Recorded:
    """A model that cannot be asked any more: its verdicts in the cache stand in for its endpoint."""

    model: str
    extra_body: dict[str, Any]

    @property
    def settings(self) -> dict[str, Any]:
        """What the verdicts depend on, as at the endpoint."""
        return {"generator": ENDPOINT, "model": self.model, "extra_body": self.extra_body}


class _Stop(Exception):  # noqa: N818 - ends the asking early
    """Too many failures one after the other, or one where none is allowed."""


class Judging:
    """Asks for verdicts by one protocol.

    Args:
        model: The judge.
        protocol: What is asked.
        folder: Where verdicts are kept for later calls; None keeps none.
    """

    def __init__(self, model: ChatModel | Recorded, protocol: Protocol, folder: Path | None) -> None:
        self.model, self.protocol = model, protocol
        self._judge = JudgeName.of(model.settings, protocol.signature)
        self._kept = Verdicts(folder) if folder else None

    @property
    def request(self) -> str | None:
        """The hash of what `extra_body` adds to requests, under which verdicts are kept; None if it adds nothing."""
        return self._judge.request if self._judge.generator == ENDPOINT and self._judge.request else None

    def rulings(
        self, rows: Sequence[JudgedRow], raises: bool, prices: tuple[float, float] | None = None
    ) -> list[Ruling]:
        """Return what became of each row, in their order.

        Args:
            rows: What to judge.
            raises: Whether a row without a verdict is an error.
            prices: Of a million tokens in and out; then the progress bar shows the cost, else the tokens.

        Raises:
            ValueError: the model cannot be used; or a row got no verdict and `raises` is set.
        """
        distinct = list(dict.fromkeys(rows))
        kept = self._kept.read(self._judge, distinct) if self._kept else {}
        found = {row: _kept(record) for row, record in kept.items()}
        left = [row for row in distinct if row not in found]
        model = self.model
        found |= self._missing(left, raises) if isinstance(model, Recorded) else self._ask(model, left, raises, prices)
        rulings, seen = [], set()
        for row in rows:
            again = row in seen and found[row].asked
            rulings.append(replace(found[row], cached=True) if again else found[row])
            seen.add(row)
        return rulings

    def _missing(self, rows: list[JudgedRow], raises: bool) -> dict[JudgedRow, Ruling]:
        """Return what becomes of rows whose verdicts are not recorded."""
        why = (
            f"no verdict of {self._judge.model!r} by {self._judge.protocol} is recorded for this row; import it "
            "(evaluate-qa verdicts import), or give evaluate.load the endpoint that can be asked"
        )
        if raises and rows:
            raise ValueError(f"judge: a row has no verdict: {why}: {rows[0].prediction!r}")
        return {row: Ruling(None, asked=False, error=why) for row in rows}

    def _ask(
        self, model: ChatModel, rows: list[JudgedRow], raises: bool, prices: tuple[float, float] | None
    ) -> dict[JudgedRow, Ruling]:
        found: dict[JudgedRow, Ruling] = {}
        in_a_row, last, tokens = 0, "", [0, 0]

        def deliver(number: int, reply: Reply | NoAnswer) -> None:
            nonlocal in_a_row, last
            row = rows[number]
            found[row] = ruling = self._ruling(reply)
            tokens[0] += ruling.tokens_in or 0
            tokens[1] += ruling.tokens_out or 0
            bar.set_postfix_str(spent(tokens[0], tokens[1], prices), refresh=False)
            bar.update()
            if ruling.verdict:
                keep(Record(self._judge, row, ruling.verdict, ruling.tokens_in, ruling.tokens_out))
            in_a_row = in_a_row + 1 if isinstance(reply, NoAnswer) else 0
            last = ruling.error or ""
            if in_a_row == _FAILURES_IN_A_ROW or (raises and ruling.error):
                raise _Stop

        if not rows:
            return found
        conversations = [self.protocol.conversation(row.question, [*row.references], row.prediction) for row in rows]
        with progress("judge: verdicts", len(rows), "verdict") as bar, self._keeping() as keep:
            try:
                model.reply(conversations, deliver, self._wanted)
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
            return Ruling(None, error=str(reply))
        counted = Ruling(None, tokens_in=reply.tokens_in, tokens_out=reply.tokens_out)
        try:
            return replace(counted, verdict=read(reply, self.protocol))
        except Unreadable as why:
            return replace(counted, error=str(why))

    @contextmanager
    def _keeping(self) -> Iterator[Callable[[Record], None]]:
        """Yield what keeps a verdict."""
        if self._kept is None:
            yield lambda record: None
        else:
            with Writer(self._kept) as writer:
                yield writer.put


def _kept(record: Record) -> Ruling:
    return Ruling(record.verdict, True, True, record.tokens_in, record.tokens_out)
