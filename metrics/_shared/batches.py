"""Ask a model at an endpoint in batches, which cost less and take up to a day: OpenAI's API of files and batches."""

import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from .chat_models import NoAnswer, Reply
from .endpoint import Endpoint, as_reply, at, run, shortened
from .posting import PostError, failure

# Batches name this path, even if the base URL of the server has another one.
_ENDPOINT = "/v1/chat/completions"

ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
"""The states in which the server has finished with a batch."""

# The field of a batch's metadata with our name of the batch.
_NAME = "evaluate-qa"

# In seconds, for a file; a longer timeout of the endpoint counts instead.
_FILE_TIMEOUT = 600.0


Batch = Mapping[str, Any]
"""The fields of a batch."""


@dataclass(frozen=True)
class BatchServer:
    """The batches of an endpoint. All methods raise NoAnswer if a request and its retries fail."""

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

    def get(self, batch: str) -> Batch:
        """Return a batch by its id."""
        return self._json("GET", f"batches/{quote(batch, safe='')}")

    def describe(self, batch: Batch) -> str:
        """Return status, number of finished requests and error of a batch, without secrets."""
        done, total = (at(batch, "request_counts", name) for name in ("completed", "total"))
        errors = batch.get("errors")
        why = at(errors, "data", 0, "message") or errors
        return self._masked(f"{batch.get('status')}, {done} of {total} requests{f': {why}' if why else ''}")

    def replies(self, batch: Batch, granted: bool) -> Iterator[tuple[str, Reply | NoAnswer]]:
        """Yield the replies of a batch that has ended by `custom_id`.

        `granted` is True if the model accepted the optional fields of the requests.
        """
        secrets = self.endpoint.client("files").secrets
        for file in (batch.get("output_file_id"), batch.get("error_file_id")):
            path = f"files/{quote(str(file), safe='')}/content"
            for line in self._call("GET", path, is_file=True, seconds=_FILE_TIMEOUT).splitlines() if file else ():
                if named := _read(line, granted, secrets):
                    yield named

    def _masked(self, text: str) -> str:
        return shortened(text, self.endpoint.client("batches").secrets)

    def _json(self, *request: Any, key: str = "id", **options: Any) -> dict[str, Any]:
        content = self._call(*request, **options)
        try:
            decoded: dict[str, Any] = json.loads(content)
            _ = decoded[key]
        except (ValueError, RecursionError, KeyError, TypeError):
            raise NoAnswer(self._masked(f"not a reply of a batch API: {content.decode(errors='replace')}")) from None
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
            raise NoAnswer(shortened(str(error), client.secrets), error.status) from error


def _read(line: bytes, granted: bool, secrets: list[str]) -> tuple[str, Reply | NoAnswer] | None:
    """Return `custom_id` and reply in a line of an output or error file; None for a line that is neither."""
    try:
        entry = json.loads(line)
        custom_id, response, error = str(entry["custom_id"]), entry.get("response") or {}, entry.get("error")
        status, body = response.get("status_code"), json.dumps(response.get("body"), ensure_ascii=False).encode()
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None
    if error and not response:
        return custom_id, NoAnswer(shortened(f"error in the batch: {json.dumps(error, ensure_ascii=False)}", secrets))
    if failed := failure(status if isinstance(status, int) else 200, body, None):
        return custom_id, NoAnswer(shortened(failed[1], secrets), failed[0])
    return custom_id, as_reply(body, granted, secrets)
