"""Ask a model for verdicts, once per distinct row, and store them."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .._shared.chat_models import ChatModel, DeliverReply, NoAnswer, Reply, TooManyFailures, stop_after_failures
from .._shared.endpoint import Endpoint
from .._shared.progress import progress
from .batches import Batches, Replies
from .decision_api import DecisionQuestions
from .protocols import Protocol
from .reading import UnreadableReply, read_verdict
from .scoring import RequestOutcome, RowOutcome, aggregate_votes
from .verdict_store import ENDPOINT, JudgedRow, JudgeId, StoredVerdict, VerdictStore

# Statuses with which servers refuse an API that they do not serve, or not with this model or key.
_REFUSALS = frozenset({400, 403, 404, 405, 422, 501})

# Seconds between writes of new verdicts: each write waits for the disk, and so would all requests.
_WRITE_EVERY = 1.0


@dataclass(frozen=True)
class RecordedModel:
    """A model without an endpoint whose verdicts are in the cache."""

    model: str
    extra_body: dict[str, Any]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that the verdicts depend on, as of an endpoint."""
        return {"generator": ENDPOINT, "model": self.model, "extra_body": self.extra_body}


class _ApiRefused(Exception):  # noqa: N818 - starts the search for another API
    """The server refused the first request."""


class JudgeClient:
    """Gets verdicts from a model, with one protocol.

    With several protocols, each for another API, the first one is used unless the server refuses the first request of
    all. Then a harmless request to each API finds the first API that answers. A folder keeps verdicts and this API for
    later calls, and remembers batches. `gave_up` is the reason why the last call left out rows; None if it did not.
    """

    def __init__(
        self,
        model: ChatModel | RecordedModel,
        protocols: Sequence[Protocol | DecisionQuestions],
        folder: Path | None,
        batch: bool = False,
    ) -> None:
        self.model = model
        self.gave_up: str | None = None
        self._store = VerdictStore(folder) if folder else None
        self._fallbacks = [*protocols] if len(protocols) > 1 and isinstance(model, Endpoint) else []
        apis = [protocol.api for protocol in protocols]
        known = self._store.read_api(self.name, apis) if self._store and len(apis) > 1 else None
        self.protocol = protocols[apis.index(known) if known else 0]
        self._batches = Batches(model, self._id, folder) if batch and folder and isinstance(model, Endpoint) else None

    @property
    def name(self) -> str:
        """Name of the model."""
        return str(self.model.settings["model"])

    @property
    def _id(self) -> JudgeId:
        return JudgeId.of(self.model.settings, self.protocol.signature)

    @property
    def request(self) -> str | None:
        """Hash of the fields that `extra_body` adds to requests; None if it adds no fields."""
        return self._id.request if self._id.generator == ENDPOINT and self._id.request else None

    def count_missing(self, rows: Sequence[JudgedRow]) -> int:
        """Return the number of distinct rows without a stored verdict."""
        return len({*rows} - self._read_stored(rows).keys())

    def _read_stored(self, rows: Sequence[JudgedRow]) -> dict[JudgedRow, StoredVerdict]:
        return self._store.read(self._id, list(dict.fromkeys(rows))) if self._store else {}

    def ask(self, rows: Sequence[JudgedRow], raises: bool) -> list[RequestOutcome]:
        """Return the outcome of each row; rows with a stored verdict are not sent.

        If `raises`, a row without a verdict raises ValueError, as does a model that cannot be used. The progress bar
        shows the tokens.
        """
        with self._batches.lock() if self._batches and self.count_missing(rows) else nullcontext():
            try:
                return self._read_or_request(rows, raises)
            except _ApiRefused:
                self._find_api()
                return self._read_or_request(rows, raises)

    def _find_api(self) -> None:
        """Use the first API that answers a harmless row, else the first one that is served but fails; else keep it."""
        others, self._fallbacks = self._fallbacks, []
        replies: list[Reply | NoAnswer] = []
        failing: list[Protocol | DecisionQuestions] = []
        for protocol in others:
            self._send([JudgedRow("What is 1 + 1?", ("2",), "2")], lambda _, reply: replies.append(reply), protocol)
            reply = replies[-1]
            if isinstance(reply, Reply) and (reply.content is None or "answers" in reply.content):
                self.protocol = protocol
                if self._store:
                    self._store.write_api(self.name, protocol.api)
                return
            if isinstance(reply, NoAnswer) and reply.status not in {None, *_REFUSALS}:
                failing.append(protocol)  # such as a wrong key, which the user must see instead of a path not found
        self.protocol = [*failing, self.protocol][0]

    def _read_or_request(self, rows: Sequence[JudgedRow], raises: bool) -> list[RequestOutcome]:
        """Return the outcome of each row: its stored verdict, or the one that the model gives now."""
        found = {
            row: RequestOutcome(stored.verdict, True, True, stored.tokens_in, stored.tokens_out)
            for row, stored in self._read_stored(rows).items()
        }
        left = [row for row in dict.fromkeys(rows) if row not in found]
        get = self._missing_outcomes if isinstance(self.model, RecordedModel) else self._request
        found |= get(left, raises)
        outcomes, seen = [], set()
        for row in rows:
            again = row in seen and found[row].asked
            outcomes.append(replace(found[row], cached=True) if again else found[row])
            seen.add(row)
        return outcomes

    def _missing_outcomes(self, rows: list[JudgedRow], raises: bool) -> dict[JudgedRow, RequestOutcome]:
        """Return the outcome of rows whose verdicts are not recorded."""
        why = (
            f"no verdict of {self._id.model!r} by {self._id.protocol} is recorded for this row; import it "
            "(evaluate-qa verdicts import), or load the judge with endpoint="
        )
        if raises and rows:
            raise ValueError(f"judge: a row has no verdict: {why}: {rows[0].prediction!r}")
        return {row: RequestOutcome(None, asked=False, error=why) for row in rows}

    def _request(self, rows: list[JudgedRow], raises: bool) -> dict[JudgedRow, RequestOutcome]:
        """Return the outcome of distinct rows that are sent to the model."""
        outcomes: dict[JudgedRow, RequestOutcome] = {}
        tokens, self.gave_up = [0, 0], None

        def deliver(number: int, reply: Reply | NoAnswer) -> None:
            if self._fallbacks and isinstance(reply, NoAnswer) and reply.status in _REFUSALS:
                raise _ApiRefused
            self._fallbacks = []
            outcomes[rows[number]] = outcome = self._read(reply)
            tokens[0] += outcome.tokens_in or 0
            tokens[1] += outcome.tokens_out or 0
            bar.set_postfix_str(f"{tokens[0]:,} + {tokens[1]:,} tokens", refresh=False)
            bar.update()
            if self._batches is None:
                self._write([(rows[number], outcome)], _WRITE_EVERY)
            if raises and outcome.error:
                raise ValueError(f"a row has no verdict: {outcome.error}")

        if not rows:
            return outcomes
        with progress("judge: verdicts", len(rows), "verdict") as bar:
            try:
                if self._batches is None:
                    self._send(rows, stop_after_failures(deliver), self.protocol)
                else:
                    self._send_batches(self._batches, rows, deliver, bar)
            except TooManyFailures as stop:
                self.gave_up = str(stop)
                left_out = RequestOutcome(None, asked=False, error=f"not asked, because {stop}")
                outcomes = dict.fromkeys(rows, left_out) | outcomes
            except ModuleNotFoundError as error:
                message = f"judge: {error.name} is not installed; install it: pip install 'evaluate-qa[judge]'"
                raise ImportError(message, name=error.name) from error
            except ValueError as error:
                raise ValueError(f"judge: {error}") from error
            finally:
                self._write()
        return outcomes

    def _send(self, rows: Sequence[JudgedRow], deliver: DeliverReply, protocol: Protocol | DecisionQuestions) -> None:
        model: Any = self.model
        rows_texts = ((row.question, [*row.references], row.prediction) for row in rows)
        if isinstance(protocol, DecisionQuestions):
            model.post(protocol.api, (protocol.body(*texts) for texts in rows_texts), deliver)
            return
        # Prompts for an endpoint are rendered while others wait for replies.
        conversations = (protocol.conversation(*texts) for texts in rows_texts)
        model.reply(conversations if isinstance(model, Endpoint) else [*conversations], deliver, protocol.wanted_fields)

    def _send_batches(self, batches: Batches, rows: Sequence[JudgedRow], deliver: DeliverReply, bar: Any) -> None:
        protocol: Any = self.protocol
        numbers = {row: number for number, row in enumerate(rows)}
        asked = {row: protocol.conversation(row.question, [*row.references], row.prediction) for row in rows}
        for replies in batches.replies(asked, protocol.wanted_fields, self._write_replies, bar.set_description_str):
            for row, reply in replies.items():
                deliver(numbers[row], reply)

    def _write_replies(self, replies: Replies) -> None:
        self._write([(row, self._read(reply)) for row, reply in replies.items()])

    def _write(self, outcomes: Sequence[tuple[JudgedRow, RequestOutcome]] = (), age: float = 0.0) -> None:
        """Store new verdicts; see `VerdictStore.write`."""
        if self._store:
            known = [(row, one, one.verdict) for row, one in outcomes if one.verdict]
            judge = self._id
            new = [StoredVerdict(judge, row, verdict, one.tokens_in, one.tokens_out) for row, one, verdict in known]
            self._store.write(new, age)

    def _read(self, reply: Reply | NoAnswer) -> RequestOutcome:
        if isinstance(reply, NoAnswer):
            return RequestOutcome(None, asked=False, error=str(reply))
        verdict, error, protocol = None, None, self.protocol
        try:
            verdict = protocol.read(reply) if isinstance(protocol, DecisionQuestions) else read_verdict(reply, protocol)
        except UnreadableReply as why:
            error = str(why)
        return RequestOutcome(verdict, tokens_in=reply.tokens_in, tokens_out=reply.tokens_out, error=error)


@dataclass(frozen=True)
class Jury:
    """One or more judges that decide by weighted votes, each with its own requests and stored verdicts."""

    members: Sequence[JudgeClient]
    weights: Sequence[float]

    def ask(self, rows: Sequence[JudgedRow], raises: bool) -> list[RowOutcome]:
        """Return the outcome of each row; see `JudgeClient.ask`."""
        of_judges = [judge.ask(rows, raises) for judge in self.members]
        return [aggregate_votes(votes, self.weights) for votes in zip(*of_judges, strict=True)]
