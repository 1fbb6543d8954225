"""Ask a model at an OpenAI-compatible endpoint, and mask secrets in everything that it returns."""

import asyncio
import html
import json
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby, islice
from textwrap import shorten
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit, urlunsplit

from .chat_models import ChatModel, Conversation, DeliverReply, NoAnswer, Reply, Token, check_positive
from .http_client import Client, PostError, Resolve
from .probes import is_url

# Statuses with which servers refuse a field of the request.
_REFUSALS = frozenset({400, 422})

_CHAT = "chat/completions"

_Result = TypeVar("_Result")

_LONGEST_MESSAGE = 20_000

# User and password in the address of a server or a proxy.
_CREDENTIALS = re.compile(r"(?<=//)[^/\s]+(?=@)")

# Eight characters of a secret in a row are masked. A secret of fewer than four characters is not masked.
_PART, _SHORTEST_SECRET = 8, 4

# Escape sequences and control characters would move the cursor, and UTF-8 cannot encode half a surrogate pair.
_SEQUENCES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True)
class Endpoint(ChatModel):
    """A model at an OpenAI-compatible chat completions endpoint.

    Attributes:
        url: The base URL, such as `http://localhost:8000/v1`. `/v1` is added to a URL without a path.
        model: The endpoint's name of the model.
        api_key: The key; local servers need none.
        concurrency: Number of concurrent requests.
        timeout: Seconds from the start of a request to the last byte of its reply; after that it is retried.
        max_retries: Number of retries, with backoff, after a timeout, a lost connection, a status of 408, 409, 429 or
            5xx, or a reply that is an error with one of these codes.
        max_tokens: Maximum number of tokens in an answer.
        extra_body: Further fields of the request, which override ours.
        resolve: Returns the address of the URL's host, or raises. Requests then go to this address without a proxy, and
            are not redirected. By default, the system and the server decide.

    Raises:
        ValueError: A value is out of range.
    """

    url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    concurrency: int = 16
    timeout: float = 60.0
    max_retries: int = 5
    max_tokens: int = 256
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    resolve: Resolve | None = field(default=None, repr=False)
    # Fields that the server refused; they are not sent again.
    _refused: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_positive(concurrency=self.concurrency, timeout=self.timeout, max_tokens=self.max_tokens)
        if self.max_retries < 0:
            raise ValueError(f"max_retries is {self.max_retries}; expected 0 or more")
        if not is_url(self.url):
            raise ValueError(f"endpoint is {self.url!r}; expected a URL such as http://localhost:8000/v1")

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that the answers depend on. Not the URL, because a server may move."""
        return {"generator": "endpoint", "model": self.model, "extra_body": self.extra_body}

    def reply(self, conversations: Iterable[Conversation], deliver: DeliverReply, wanted: Mapping[str, Any]) -> None:
        """Ask for all replies, `concurrency` at a time; the first one alone shows which fields the server refuses."""
        ask = partial(self._ask, wanted)
        run(self._each(_CHAT, conversations, ask, deliver, first_alone=bool(wanted) and not self._refused))

    def post(self, path: str, bodies: Iterable[Mapping[str, Any]], deliver: DeliverReply) -> None:
        """Send requests to another path than chat completions, such as `systemone`, `concurrency` at a time.

        Bodies are without the model. The `content` of a reply is a JSON object. `deliver` may raise an error to stop.
        """
        run(self._each(path, bodies, self._post, deliver))

    async def _each(
        self,
        path: str,
        items: Iterable[Any],
        ask: Callable[[Client, Any], Awaitable[Reply | NoAnswer]],
        deliver: DeliverReply,
        first_alone: bool = False,
    ) -> None:
        numbered = iter(enumerate(items))
        ended = False

        async def work(client: Client, most: int | None = None) -> None:
            for number, item in islice(numbered, most):
                reply = await ask(client, item)
                if ended:  # a reply that arrives at the same moment may suppress the cancellation
                    return
                deliver(number, reply)

        async with self.client(path) as client:
            if first_alone:
                await work(client, 1)
            workers = [asyncio.create_task(work(client)) for _ in range(self.concurrency)]
            try:
                await asyncio.gather(*workers)
            finally:
                ended = True
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)

    def client(self, path: str) -> Client:
        """Return a client for a path after the base URL."""
        key = (self.api_key or "").strip() or None
        return Client(_request_url(self.url, path), key, self.timeout, self.max_retries, self.resolve)

    async def _post(self, client: Client, body: Mapping[str, Any]) -> Reply | NoAnswer:
        try:
            content = await client.post({"model": self.model, **body, **self.extra_body})
        except PostError as error:
            return NoAnswer(shorten_message(str(error), client.secrets), error.status)
        return _as_content(content, client.secrets)

    async def _ask(self, wanted: Mapping[str, Any], client: Client, conversation: Conversation) -> Reply | NoAnswer:
        """Ask once, and again without optional fields that the server refuses."""
        refused = set(self._refused)
        while True:
            try:
                content = await client.post(self.body(conversation, wanted, refused))
            except PostError as error:
                if more := _refused_fields(error, wanted, refused):
                    refused |= more
                    continue
                return NoAnswer(shorten_message(str(error), client.secrets), error.status)
            self._refused.update(refused)
            return parse_reply(content, bool(wanted) and not wanted.keys() & refused, client.secrets)

    def body(
        self, conversation: Conversation, wanted: Mapping[str, Any], refused: Set[str] | None = None
    ) -> dict[str, Any]:
        """Return the fields of a request, without the refused ones (default: those that the server refused before)."""
        refused = self._refused if refused is None else refused
        fields = {"max_tokens": self.max_tokens, "temperature": 0, **wanted}
        sent = {name: value for name, value in fields.items() if name not in refused}
        # Newer models have another name for the limit.
        limit = {"max_completion_tokens": self.max_tokens} if "max_tokens" in refused else {}
        return {"model": self.model, "messages": conversation, **sent, **limit, **self.extra_body}

    def grants(self, wanted: Mapping[str, Any]) -> bool:
        """Return whether the requests have optional fields, and the server has accepted all of them so far."""
        return bool(wanted) and not wanted.keys() & self._refused


def _refused_fields(error: PostError, wanted: Mapping[str, Any], before: Set[str]) -> set[str]:
    """Return the fields that an error refuses, besides those refused before; empty if it has another reason."""
    if error.status not in _REFUSALS:
        return set()
    optional = {*wanted} - before
    named = {name for name in {"max_tokens", "temperature"} - before if name in str(error)}
    return named if named and not any(name in str(error) for name in optional) else optional


def shorten_message(text: str, secrets: Sequence[str]) -> str:
    """Return a server's text, perhaps a whole page, short and without secrets."""
    text = _CREDENTIALS.sub("***", strip_controls(text[:_LONGEST_MESSAGE]))
    for secret in secrets:
        text = mask_secret(text, secret)
    return shorten(text, 500, placeholder="…")


def strip_controls(text: str) -> str:
    """Return a server's text without escape sequences and control characters, which would control a terminal."""
    return _CONTROLS.sub("", _SEQUENCES.sub("", text.replace("\r\n", "\n")))


def parse_reply(content: bytes, granted: bool, secrets: Sequence[str]) -> Reply | NoAnswer:
    """Return the reply in a chat completion, without secrets."""
    completion = None
    with suppress(ValueError, RecursionError):  # such as JSON that is nested too deeply
        completion = json.loads(content)
    message = at(completion, "choices", 0, "message")
    if not isinstance(message, dict):
        return _no_answer("a chat completion", content, secrets)
    refusal = message.get("refusal")
    text = _strip_secrets(strip_controls(_text(message.get("content"))), secrets)
    return Reply(
        text=text,
        cut_off=at(completion, "choices", 0, "finish_reason") == "length",
        tokens_in=_count(at(completion, "usage", "prompt_tokens")),
        tokens_out=_count(at(completion, "usage", "completion_tokens")),
        tokens=_tokens(at(completion, "choices", 0, "logprobs", "content")),
        granted=granted,
        refusal=shorten_message(refusal, secrets) if isinstance(refusal, str) and not text.strip() else "",
    )


def _no_answer(expected: str, content: bytes, secrets: Sequence[str]) -> NoAnswer:
    shown = shorten_message(content.decode(errors="replace"), secrets)[:80]
    hint = "if all replies are like this, correct the endpoint: it is the base URL, which often ends in /v1"
    return NoAnswer(f"the reply is not {expected}: {shown!r}; {hint}")


def _as_content(content: bytes, secrets: Sequence[str]) -> Reply | NoAnswer:
    decoded = None
    with suppress(ValueError, RecursionError):
        decoded = json.loads(_strip_secrets(content.decode(), secrets))
    if not isinstance(decoded, dict):
        return _no_answer("a JSON object", content, secrets)
    counts = [_count(at(decoded, "usage", name)) for name in ("input_tokens", "output_tokens")]
    return Reply("", tokens_in=counts[0], tokens_out=counts[1], content=decoded)


def _strip_secrets(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        if len(secret) >= _PART:  # a shorter one, such as EMPTY, may be a word of the answer
            text = mask_secret(text, secret)
    return text


def _text(content: Any) -> str:
    """Return the text of a message, which may have parts."""
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [at(part, "text") for part in parts if at(part, "type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def at(value: Any, *path: str | int) -> Any:
    """Return the value at a path in JSON; None if there is no value."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _tokens(content: Any) -> Sequence[Token]:
    """Return the tokens with their candidates; empty if the server does not return them, or in another form."""
    try:
        return [
            Token(str(token["token"]), {str(top["token"]): float(top["logprob"]) for top in token["top_logprobs"]})
            for token in content
        ]
    except (KeyError, TypeError, ValueError, OverflowError):  # OverflowError: an integer too large for a float
        return ()


def run(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Return a coroutine's result, also if a loop is running, as in a notebook; an interrupt cancels it."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    loop = asyncio.new_event_loop()
    task = loop.create_task(work)
    with closing(loop), ThreadPoolExecutor(1) as thread:
        try:
            return thread.submit(loop.run_until_complete, task).result()
        except BaseException:
            loop.call_soon_threadsafe(task.cancel)
            raise


def _request_url(url: str, path: str) -> str:
    """Return the URL of the requests; accepts a base URL, a bare server, and the full URL."""
    parts = urlsplit(url)
    base = parts.path.rstrip("/").removesuffix(f"/{_CHAT}").removesuffix(f"/{path}") or "/v1"
    return urlunsplit((parts.scheme, parts.netloc, f"{base}/{path}", parts.query, ""))


def mask_secret(text: str, secret: str) -> str:
    """Return a text with `***` for a secret and for parts of it, also if they are quoted for a URL, JSON or HTML."""
    if len(secret) < _SHORTEST_SECRET:
        return text
    forms = {secret, quote(secret, safe=""), json.dumps(secret)[1:-1], html.escape(secret)}
    size = min(len(secret), _PART)
    lowered = text.lower()
    parts = {form[start : start + size].lower() for form in forms for start in range(len(form) - size + 1)}
    pattern = "|".join(re.escape(part) for part in parts if part in lowered)
    if not pattern:
        return text
    starts = [match.start() for match in re.finditer(f"(?=(?:{pattern}))", text, re.IGNORECASE)]
    hidden = {at for start in starts for at in range(start, start + size)}
    runs = groupby(enumerate(text), lambda numbered: numbered[0] in hidden)
    return "".join("***" if is_hidden else "".join(one for _, one in run) for is_hidden, run in runs)
