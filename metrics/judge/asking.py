"""Asks a model for verdicts, once per distinct row, and stores them."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .._shared.chat_models import ChatModel, DeliverReply, NoAnswer, Reply
from .._shared.endpoint import Endpoint
from .._shared.progress import progress
from .batches import Batches, Replies
from .decisions import Decisions
from .protocols import Protocol
from .reading import Unreadable, read
from .scoring import Ruling, voted
from .verdicts import ENDPOINT, JudgedRow, JudgeName, Record, Verdicts

# A wrong key or a stopped server makes every request fail.
_FAILURES_IN_A_ROW = 20

# Candidates per token of a reply; some servers return no more.
_CANDIDATES = 8

# Statuses with which servers refuse an API that they do not serve, or not with this model or key.
_UNSERVED = frozenset({400, 403, 404, 405, 422, 501})

# Seconds between writes of new verdicts: each write waits for the disk, and so would all requests.
_WRITE_EVERY = 1.0


@dataclass(frozen=True)
class Recorded:
    """A model without an endpoint whose verdicts are in the cache."""

    model: str
    extra_body: dict[str, Any]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that the verdicts depend on, as of an endpoint."""
        return {"generator": ENDPOINT, "model": self.model, "extra_body": self.extra_body}


class _Stop(Exception):  # noqa: N818 - ends the requests early
    """Too many failures in a row, or a failure if none is allowed; the message is the last error."""


class _Unserved(Exception):  # noqa: N818 - starts the search for another API
    """The server refused the first request."""


class Judging:
    """Gets verdicts from a model, with one protocol.

    With several protocols, each for another API, the first one is used unless the server refuses the first request of
    all. Then a harmless request to each API finds the first API that answers. A folder keeps verdicts and this API for
    later calls, and remembers batches.
    """

    def __init__(
        self,
        model: ChatModel | Recorded,
        protocols: Sequence[Protocol | Decisions],
        folder: Path | None,
        batch: bool = False,
    ) -> None:
        self.model = model
        self._kept = Verdicts(folder) if folder else None
        self._others = [*protocols] if len(protocols) > 1 and isinstance(model, Endpoint) else []
        apis = [protocol.api for protocol in protocols]
        known = self._kept.api_of(self.name, apis) if self._kept and len(apis) > 1 else None
        self.protocol = protocols[apis.index(known) if known else 0]
        self._batches: Batches | None = None
        if batch and folder and isinstance(model, Endpoint):
            self._batches = Batches(model, self._judge, folder)

    @property
    def name(self) -> str:
        """Name of the model."""
        return str(self.model.settings["model"])

    @property
    def _judge(self) -> JudgeName:
        return JudgeName.of(self.model.settings, self.protocol.signature)

    @property
    def request(self) -> str | None:
        """Hash of the fields that `extra_body` adds to requests; None if it adds no fields."""
        return self._judge.request if self._judge.generator == ENDPOINT and self._judge.request else None

    def unanswered(self, rows: Sequence[JudgedRow]) -> int:
        """Return the number of distinct rows without a stored verdict."""
        return len({*rows} - self._stored(rows).keys())

    def _stored(self, rows: Sequence[JudgedRow]) -> dict[JudgedRow, Record]:
        return self._kept.read(self._judge, list(dict.fromkeys(rows))) if self._kept else {}

    def rulings(self, rows: Sequence[JudgedRow], raises: bool) -> list[Ruling]:
        """Return the outcome of each row.

        If `raises`, a row without a verdict raises ValueError, as does a model that cannot be used. The progress bar
        shows the tokens.
        """
        with self._batches.lock() if self._batches and self.unanswered(rows) else nullcontext():
            try:
                return self._outcomes(rows, raises)
            except _Unserved:
                self._find_api()
                return self._outcomes(rows, raises)

    def _find_api(self) -> None:
        """Use the first API that answers a harmless row, else the first one that is served but fails; else keep it."""
        others, self._others = self._others, []
        replies: list[Reply | NoAnswer] = []
        failing: list[Protocol | Decisions] = []
        for protocol in others:
            self._send([JudgedRow("What is 1 + 1?", ("2",), "2")], lambda _, reply: replies.append(reply), protocol)
            reply = replies[-1]
            if isinstance(reply, Reply) and (reply.content is None or "answers" in reply.content):
                self.protocol = protocol
                if self._kept:
                    self._kept.remember_api(self.name, protocol.api)
                return
            if isinstance(reply, NoAnswer) and reply.status not in {None, *_UNSERVED}:
                failing.append(protocol)  # such as a wrong key, which the user must see instead of a path not found
        self.protocol = [*failing, self.protocol][0]

    def _outcomes(self, rows: Sequence[JudgedRow], raises: bool) -> list[Ruling]:
        ruled = {
            row: Ruling(record.verdict, True, True, record.tokens_in, record.tokens_out)
            for row, record in self._stored(rows).items()
        }
        left = [row for row in dict.fromkeys(rows) if row not in ruled]
        ruled |= self._missing(left, raises) if isinstance(self.model, Recorded) else self._ask(left, raises)
        rulings, seen = [], set()
        for row in rows:
            again = row in seen and ruled[row].asked
            rulings.append(replace(ruled[row], cached=True) if again else ruled[row])
            seen.add(row)
        return rulings

    def _missing(self, rows: list[JudgedRow], raises: bool) -> dict[JudgedRow, Ruling]:
        """Return the outcome of rows whose verdicts are not recorded."""
        why = (
            f"no verdict of {self._judge.model!r} by {self._judge.protocol} is recorded for this row; import it "
            "(evaluate-qa verdicts import), or load the judge with endpoint="
        )
        if raises and rows:
            raise ValueError(f"judge: a row has no verdict: {why}: {rows[0].prediction!r}")
        return {row: Ruling(None, asked=False, error=why) for row in rows}

    def _ask(self, rows: list[JudgedRow], raises: bool) -> dict[JudgedRow, Ruling]:
        ruled: dict[JudgedRow, Ruling] = {}
        in_a_row, tokens = 0, [0, 0]

        def deliver(number: int, reply: Reply | NoAnswer) -> None:
            nonlocal in_a_row
            if self._others and isinstance(reply, NoAnswer) and reply.status in _UNSERVED:
                raise _Unserved
            self._others = []
            ruled[rows[number]] = ruling = self._ruling(reply)
            tokens[0] += ruling.tokens_in or 0
            tokens[1] += ruling.tokens_out or 0
            bar.set_postfix_str(f"{tokens[0]:,} + {tokens[1]:,} tokens", refresh=False)
            bar.update()
            if self._batches is None:
                self._keep([(rows[number], ruling)], _WRITE_EVERY)
            in_a_row = in_a_row + 1 if isinstance(reply, NoAnswer) else 0
            if (in_a_row >= _FAILURES_IN_A_ROW and self._batches is None) or (raises and ruling.error):
                raise _Stop(ruling.error)

        if not rows:
            return ruled
        with progress("judge: verdicts", len(rows), "verdict") as bar:
            try:
                if self._batches is None:
                    self._send(rows, deliver, self.protocol)
                else:
                    self._send_batches(self._batches, rows, deliver, bar.set_description_str)
            except _Stop as stop:
                if raises:
                    raise ValueError(f"judge: a row has no verdict: {stop}") from None
                why = f"not asked, because {_FAILURES_IN_A_ROW} requests in a row failed before it: {stop}"
                ruled = {row: Ruling(None, asked=False, error=why) for row in rows} | ruled
            except ModuleNotFoundError as error:
                message = (
                    f"judge: {error.name} is not installed, and the judge needs it: pip install 'evaluate-qa[judge]'"
                )
                raise ImportError(message, name=error.name) from error
            except ValueError as error:
                raise ValueError(f"judge: {error}") from error
            finally:
                self._keep()
        return ruled

    def _send(self, rows: Sequence[JudgedRow], deliver: DeliverReply, protocol: Protocol | Decisions) -> None:
        model: Any = self.model
        rows_texts = ((row.question, [*row.references], row.prediction) for row in rows)
        if isinstance(protocol, Decisions):
            model.post(protocol.api, (protocol.body(*texts) for texts in rows_texts), deliver)
            return
        # Prompts for an endpoint are rendered while others wait for replies.
        conversations = (protocol.conversation(*texts) for texts in rows_texts)
        model.reply(conversations if isinstance(model, Endpoint) else [*conversations], deliver, _wanted(protocol))

    def _send_batches(
        self, batches: Batches, rows: Sequence[JudgedRow], deliver: DeliverReply, show: Callable[[str], None]
    ) -> None:
        protocol: Any = self.protocol
        numbers = {row: number for number, row in enumerate(rows)}
        asked = {row: protocol.conversation(row.question, [*row.references], row.prediction) for row in rows}
        for replies in batches.replies(asked, _wanted(protocol), self._store, lambda state: show(f"judge: {state}")):
            for row, reply in replies.items():
                deliver(numbers[row], reply)

    def _store(self, replies: Replies) -> None:
        self._keep([(row, self._ruling(reply)) for row, reply in replies.items()])

    def _keep(self, ruled: Sequence[tuple[JudgedRow, Ruling]] = (), age: float = 0.0) -> None:
        """Store new verdicts; see `Verdicts.write`."""
        if self._kept:
            judge = self._judge
            known = [(row, ruling, ruling.verdict) for row, ruling in ruled if ruling.verdict]
            records = [Record(judge, row, verdict, one.tokens_in, one.tokens_out) for row, one, verdict in known]
            self._kept.write(records, age)

    def _ruling(self, reply: Reply | NoAnswer) -> Ruling:
        if isinstance(reply, NoAnswer):
            return Ruling(None, error=str(reply))
        verdict, error, protocol = None, None, self.protocol
        try:
            verdict = protocol.read(reply.content or {}) if isinstance(protocol, Decisions) else read(reply, protocol)
        except Unreadable as why:
            error = str(why)
        return Ruling(verdict, tokens_in=reply.tokens_in, tokens_out=reply.tokens_out, error=error)


@dataclass(frozen=True)
class Jury:
    """One or more judges that decide by weighted votes, each with its own requests and stored verdicts."""

    members: Sequence[Judging]
    weights: Sequence[float]

    def rulings(self, rows: Sequence[JudgedRow], raises: bool) -> list[Ruling]:
        """Return the outcome of each row; see `Judging.rulings`."""
        each = [judge.rulings(rows, raises) for judge in self.members]
        return [voted(ballots, self.weights) for ballots in zip(*each, strict=True)]


def _wanted(protocol: Protocol) -> dict[str, Any]:
    """Return optional fields of the request that make the reply more informative."""
    if protocol.first_token_decides:
        return {"logprobs": True, "top_logprobs": _CANDIDATES}
    if protocol.fields:
        schema = {"name": "verdict", "strict": True, "schema": protocol.schema}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    return {}
