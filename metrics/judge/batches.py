"""Ask a model for verdicts in batches, which a folder remembers until their verdicts are stored.

Batches cost less and take up to a day: OpenAI's API of files and batches.
"""

import hashlib
import io
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from .._shared.chat_models import NoAnswer, Reply
from .._shared.endpoint import Endpoint, at, parse_reply, run, shorten_message
from .._shared.http_client import PostError, failure
from .verdict_store import JudgedRow, JudgeId, parse_row, verdict_id

# A batch may have 50,000 requests and 200 MB. With fewer, a batch that fails costs less.
_MOST_REQUESTS, _MOST_BYTES = 10_000, 100_000_000

# Seconds between two requests for the state of a batch: the first wait, which doubles, and the longest one.
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0

# Batches name this path, even if the base URL of the server has another one.
_ENDPOINT = "/v1/chat/completions"

# The states in which the server has finished with a batch.
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})

# The field of a batch's metadata with our name of the batch.
_NAME = "evaluate-qa"

# In seconds, for a file; a longer timeout of the endpoint counts instead.
_FILE_TIMEOUT = 600.0

Replies = dict[JudgedRow, Reply | NoAnswer]


@dataclass(frozen=True)
class _PendingBatch:
    """A batch whose verdicts are not stored yet; the stem of the file that remembers it is the batch's name.

    `granted` is True if the model accepted the optional fields of the requests. `batch` is the server's id; None if
    it is not known whether the server created the batch.
    """

    path: Path
    rows: tuple[JudgedRow, ...]
    granted: bool
    batch: str | None = None

    def remember(self) -> None:
        """Write the file: a kill leaves either the old or the new one."""
        kept = {"batch": self.batch, "granted": self.granted, "rows": [asdict(row) for row in self.rows]}
        new = self.path.with_suffix(".new")
        with new.open("w", encoding="utf-8") as file:
            json.dump(kept, file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path)

    @classmethod
    def read(cls, path: Path) -> "_PendingBatch":
        """Return what a file remembers."""
        kept = json.loads(path.read_text(encoding="utf-8"))
        return cls(path, tuple(parse_row(row) for row in kept["rows"]), kept["granted"], kept["batch"])


class Batches:
    """The batches of an endpoint, under the judge's id and in the folder of the store of verdicts."""

    def __init__(self, endpoint: Endpoint, judge: JudgeId, folder: Path) -> None:
        self._endpoint, self._judge, self._api = endpoint, judge, _BatchApi(endpoint)
        self._folder = folder / "batches" / hashlib.sha256(json.dumps(asdict(judge)).encode()).hexdigest()[:16]

    def lock(self) -> AbstractContextManager[Any]:
        """Return a lock, because another process may wait for a batch with the same rows."""
        import filelock

        self._folder.mkdir(parents=True, exist_ok=True)
        return filelock.FileLock(self._folder / "lock")

    def replies(
        self,
        rows: Mapping[JudgedRow, Any],
        wanted: Mapping[str, Any],
        store: Callable[[Replies], None],
        show: Callable[[str], None],
    ) -> Iterator[Replies]:
        """Yield replies about distinct rows, those of a batch together, after storing them.

        Rows of a batch that is pending are not sent again. One of the other rows is asked about immediately, which
        shows the fields that the server refuses and errors such as a wrong key; the rest is sent in new batches. `rows`
        has the conversations by row, and `show` receives the state of a batch. If a request fails, ValueError is raised
        and the batches stay remembered.
        """
        batches = [pending for pending in self._pending_batches() if not rows.keys().isdisjoint(pending.rows)]
        sent = {row for pending in batches for row in pending.rows}
        new = [row for row in rows if row not in sent]
        if new:
            probe: Replies = {}
            self._endpoint.reply([rows[new[0]]], lambda _, reply: probe.update({new[0]: reply}), wanted)
            store(probe)
            yield probe
        batches += self._submit({row: rows[row] for row in new[1:]}, wanted)
        for pending in batches:
            replies = self._wait(pending, show)
            store(replies)
            pending.path.unlink(missing_ok=True)
            yield {row: reply for row, reply in replies.items() if row in rows}

    def _pending_batches(self) -> Iterator[_PendingBatch]:
        """Yield the pending batches; forget what was never created."""
        for path in sorted(self._folder.glob("*.json")):
            pending = _PendingBatch.read(path)
            if pending.batch is None:
                batch = self._call(pending, partial(self._api.find, path.stem))
                if batch is None:
                    path.unlink(missing_ok=True)
                    continue
                pending = replace(pending, batch=batch)
                pending.remember()
            yield pending

    def _submit(self, rows: Mapping[JudgedRow, Any], wanted: Mapping[str, Any]) -> list[_PendingBatch]:
        ids = {row: verdict_id(self._judge, row) for row in rows}
        lines = ((row, self._api.line(ids[row], self._endpoint.body(rows[row], wanted))) for row in rows)
        return [self._create(part, content, self._endpoint.grants(wanted)) for part, content in _split(lines)]

    def _create(self, rows: Sequence[JudgedRow], content: bytes, granted: bool) -> _PendingBatch:
        pending = _PendingBatch(self._folder / f"{uuid4().hex}.json", tuple(rows), granted)
        try:
            file = self._api.upload(content)
            pending.remember()  # before the batch exists: a kill must not leave a batch that nobody remembers
            pending = replace(pending, batch=self._api.create(file, pending.path.stem))
        except NoAnswer as why:
            if why.status and why.status < 500:  # noqa: PLR2004 - the server refused to create it
                pending.path.unlink(missing_ok=True)
            raise ValueError(
                f"the server accepted no batch: {why}; expected a server with OpenAI's API of files and batches; load "
                "the judge without batch, or repeat the call; rows of pending batches are not sent again"
            ) from why
        pending.remember()
        return pending

    def _wait(self, pending: _PendingBatch, show: Callable[[str], None]) -> Replies:
        wait = _FIRST_WAIT
        while (batch := self._call(pending, lambda: self._api.get(str(pending.batch)))).get("status") not in _ENDED:
            show(f"judge: {self._api.describe(batch)}")
            time.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT)
        replies = self._call(pending, lambda: dict(self._api.replies(batch, pending.granted)))
        missing = NoAnswer(f"the batch has no reply to this request ({self._api.describe(batch)})")
        return {row: replies.get(verdict_id(self._judge, row), missing) for row in pending.rows}

    def _call(self, pending: _PendingBatch, request: Callable[[], Any]) -> Any:
        try:
            return request()
        except NoAnswer as why:
            raise ValueError(
                f"the server did not return the state of batch {pending.batch or pending.path.stem!r}: {why}; repeat "
                f"the call to resume, or delete {pending.path} to send the rows of this batch again"
            ) from why


@dataclass(frozen=True)
class _BatchApi:
    """The batch API of an endpoint. All methods raise NoAnswer if a request and its retries fail."""

    endpoint: Endpoint

    def line(self, custom_id: str, body: Mapping[str, Any]) -> bytes:
        """Return the line of a request in the file of a batch."""
        request = {"custom_id": custom_id, "method": "POST", "url": _ENDPOINT, "body": body}
        return json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def upload(self, content: bytes) -> str:
        """Upload a file of requests and return its id."""
        import aiohttp

        def form() -> aiohttp.FormData:
            fields = aiohttp.FormData({"purpose": "batch"})
            fields.add_field("file", io.BytesIO(content), filename="requests.jsonl", content_type="application/jsonl")
            return fields

        return str(self._json("POST", "files", form, seconds=_FILE_TIMEOUT)["id"])

    def create(self, file: str, name: str) -> str:
        """Create a batch of an uploaded file and return its id. A second batch is never created by a retry."""
        body = {"input_file_id": file, "endpoint": _ENDPOINT, "completion_window": "24h", "metadata": {_NAME: name}}
        headers = {"Content-Type": "application/json"}
        sent = partial(json.dumps, body)
        return str(self._json("POST", "batches", sent, repeatable=False, headers=headers)["id"])

    def find(self, name: str) -> str | None:
        """Return the id of the batch that was created with a name; None if there is no such batch."""
        after: dict[str, str] = {}
        while True:
            page = self._json("GET", "batches", params={"limit": "100", **after}, key="data")
            for batch in page["data"]:
                if at(batch, "metadata", _NAME) == name:
                    return str(batch["id"])
            if not page.get("has_more") or not page["data"]:
                return None
            after = {"after": str(page["data"][-1]["id"])}

    def get(self, batch: str) -> Mapping[str, Any]:
        """Return a batch by its id."""
        return self._json("GET", f"batches/{quote(batch, safe='')}")

    def describe(self, batch: Mapping[str, Any]) -> str:
        """Return status, number of finished requests and error of a batch, without secrets."""
        done, total = (at(batch, "request_counts", name) for name in ("completed", "total"))
        errors = batch.get("errors")
        why = at(errors, "data", 0, "message") or errors
        return self._mask(f"{batch.get('status')}, {done} of {total} requests{f': {why}' if why else ''}")

    def replies(self, batch: Mapping[str, Any], granted: bool) -> Iterator[tuple[str, Reply | NoAnswer]]:
        """Yield the replies of a batch that has ended by `custom_id`.

        `granted` is True if the model accepted the optional fields of the requests.
        """
        secrets = self.endpoint.client("files").secrets
        for file in filter(None, (batch.get("output_file_id"), batch.get("error_file_id"))):
            path = f"files/{quote(str(file), safe='')}/content"
            lines = self._call("GET", path, is_file=True, seconds=_FILE_TIMEOUT).splitlines()
            yield from filter(None, (_read_line(line, granted, secrets) for line in lines))

    def _mask(self, text: str) -> str:
        return shorten_message(text, self.endpoint.client("batches").secrets)

    def _json(self, *request: Any, key: str = "id", **options: Any) -> dict[str, Any]:
        content = self._call(*request, **options)
        try:
            decoded: dict[str, Any] = json.loads(content)
            _ = decoded[key]
        except (ValueError, RecursionError, KeyError, TypeError):
            raise NoAnswer(self._mask(f"not a reply of a batch API: {content.decode(errors='replace')}")) from None
        return decoded

    def _call(
        self, method: str, path: str, content: Callable[[], Any] | None = None, seconds: float = 0.0, **options: Any
    ) -> bytes:
        client = self.endpoint.client(path)
        client.timeout = max(client.timeout, seconds)

        async def call() -> bytes:
            async with client:
                return await client.request(method, content, **options)

        try:
            return run(call())
        except PostError as error:
            raise NoAnswer(shorten_message(str(error), client.secrets), error.status) from error


def _split(lines: Iterable[tuple[JudgedRow, bytes]]) -> Iterator[tuple[list[JudgedRow], bytes]]:
    """Yield rows and content of files with limited numbers of requests and bytes, at least one request each."""
    rows: list[JudgedRow] = []
    content = bytearray()
    for row, line in lines:
        if rows and (len(rows) == _MOST_REQUESTS or len(content) + len(line) > _MOST_BYTES):
            yield rows, bytes(content)
            rows, content = [], bytearray()
        rows.append(row)
        content += line
    if rows:
        yield rows, bytes(content)


def _read_line(line: bytes, granted: bool, secrets: list[str]) -> tuple[str, Reply | NoAnswer] | None:
    """Return `custom_id` and reply in a line of an output or error file; None for a line that is neither."""
    try:
        entry = json.loads(line)
        custom_id, response = str(entry["custom_id"]), entry.get("response") or {"body": {"error": entry.get("error")}}
        status, body = response.get("status_code"), json.dumps(response.get("body"), ensure_ascii=False).encode()
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None
    if failed := failure(status if isinstance(status, int) else 200, body, None):
        return custom_id, NoAnswer(shorten_message(failed[1], secrets), failed[0])
    return custom_id, parse_reply(body, granted, secrets)
