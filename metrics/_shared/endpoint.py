"""A chat model behind an OpenAI-compatible endpoint, whose messages are told without the secrets it was given."""

import asyncio
import html
import json
import re
from collections.abc import Coroutine, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby, islice
from textwrap import shorten
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from .chat_models import Conversation, Deliver, DeliverReply, NoAnswer, Reply, Token, check_positive, checked
from .posting import Client, PostError, Resolve

# How servers say that they do not take a field of the request.
_REFUSALS = frozenset({400, 422})

_LONGEST_TOLD = 20_000

# A character, or how it may be quoted: %41 (also %2541), \u0041, \x41, \/, &#65;, &amp;.
_QUOTED = re.compile(
    r"%(?:25)*[0-9a-f]{2}|\\+(?:u[0-9a-f]{4}|x[0-9a-f]{2}|.)|&(?:#\d+|#x[0-9a-f]+|amp|lt|gt|quot|apos);|.",
    re.IGNORECASE | re.DOTALL,
)

# User and password in the address of a server or a proxy.
_CREDENTIALS = re.compile(r"(?<=//)[^/\s]+(?=@)")

# So many characters of a secret in a row are masked, too. What is shorter than the other number is none.
_TELLING, _SHORTEST_SECRET = 8, 4

# What moves the cursor, colors or renames a terminal, or is otherwise not shown: escape sequences, then single ones.
_SEQUENCES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Endpoint:
    """A model behind an OpenAI-compatible chat completions endpoint.

    Attributes:
        url: The base URL, such as `http://localhost:8000/v1`; without a path, `/v1` is added. A query stays behind the
            path.
        model: The name by which the endpoint knows the model.
        api_key: The key; local servers need none.
        concurrency: Requests under way at the same time.
        timeout: Seconds from the start of a request to the last byte of its reply; then it is given up and repeated.
        max_retries: How often a request is repeated, with backoff, after a timeout, a lost connection or a status
            of 408, 409, 429 or 5xx, or a reply that is an error with such a code.
        max_tokens: Longest answer.
        extra_body: Further fields of the request; they win over ours.
        resolve: Gives the address of the URL's host, or raises; the request goes to this address and is not redirected.
            By default it goes wherever the system and the server lead it.

    Raises:
        ValueError: a value is out of range.
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
    # Fields of a request that the server turned out to refuse; none of them is sent twice.
    _refused: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_positive(concurrency=self.concurrency, timeout=self.timeout, max_tokens=self.max_tokens)
        if self.max_retries < 0:
            raise ValueError(f"max_retries is {self.max_retries}; expected 0 or more")
        if not _usable(self.url):
            raise ValueError(f"endpoint is {self.url!r}; expected a URL such as http://localhost:8000/v1")

    @property
    def settings(self) -> dict[str, Any]:
        """What the answers depend on. Not the URL: a server may come back elsewhere."""
        return {"generator": "endpoint", "model": self.model, "extra_body": self.extra_body}

    def answer(self, conversations: Sequence[Conversation], deliver: Deliver) -> None:
        """Ask for all answers, `concurrency` at a time."""
        self.reply(conversations, lambda number, reply: deliver(number, checked(reply, self.max_tokens)), {})

    def reply(self, conversations: Sequence[Conversation], deliver: DeliverReply, wanted: Mapping[str, Any]) -> None:
        """Ask for all replies, `concurrency` at a time; the first one alone shows what the server refuses."""
        _run(self._reply(conversations, deliver, wanted))

    async def _reply(
        self, conversations: Sequence[Conversation], deliver: DeliverReply, wanted: Mapping[str, Any]
    ) -> None:
        numbered = iter(enumerate(conversations))
        ended = False

        async def work(client: Client, most: int | None = None) -> None:
            for number, conversation in islice(numbered, most):
                reply = await self._ask(client, conversation, wanted)
                if ended:  # a reply that comes at the same moment may swallow the cancellation
                    return
                deliver(number, reply)

        async with self._client() as client:
            if wanted and not self._refused:
                await work(client, 1)
            workers = [asyncio.create_task(work(client)) for _ in range(min(self.concurrency, len(conversations)))]
            try:
                await asyncio.gather(*workers)
            finally:
                ended = True
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)

    def _client(self) -> Client:
        key = (self.api_key or "").strip() or None
        return Client(_resource(self.url), key, self.timeout, self.max_retries, self.resolve)

    async def _ask(self, client: Client, conversation: Conversation, wanted: Mapping[str, Any]) -> Reply | NoAnswer:
        """Ask once; where the server refuses a field that is not essential, again without it."""
        refused = set(self._refused)
        while True:
            fields = self._fields(wanted, refused)
            try:
                body = {"model": self.model, "messages": conversation, **fields, **self.extra_body}
                content = await client.post(body)
            except PostError as error:
                if more := _refused(error, fields, wanted):
                    refused |= more
                    continue
                return NoAnswer(_told(str(error), client.secrets))
            self._refused.update(refused)
            return _as_reply(content, bool(wanted) and not wanted.keys() & refused, client.secrets)

    def _fields(self, wanted: Mapping[str, Any], refused: Set[str]) -> dict[str, Any]:
        fields = {"max_tokens": self.max_tokens, "temperature": 0, **wanted}
        sent = {name: value for name, value in fields.items() if name not in refused}
        # Newer models know the limit by another name.
        return sent if "max_tokens" in sent else {**sent, "max_completion_tokens": self.max_tokens}


def _refused(error: PostError, fields: Mapping[str, Any], wanted: Mapping[str, Any]) -> set[str]:
    """Return which fields, not essential ones, are to be left out after an error; none if it is about others."""
    if error.status not in _REFUSALS:
        return set()
    left_out = {*wanted} & fields.keys()
    named = {name for name in ("max_tokens", "temperature") if name in fields and name in str(error)}
    return named if named and not any(name in str(error) for name in left_out) else left_out


def _told(text: str, secrets: Sequence[str]) -> str:
    """Return a server's text, perhaps a whole page, short and without the secrets that it was told."""
    text = _CREDENTIALS.sub("***", without_controls(text[:_LONGEST_TOLD]))
    for secret in secrets:
        text = masked(text, secret)
    return shorten(text, 500, placeholder="…")


def without_controls(text: str) -> str:
    """Return a server's text without what a terminal would obey: escape sequences and control characters."""
    return _CONTROLS.sub("", _SEQUENCES.sub("", text.replace("\r\n", "\n")))


def _as_reply(content: bytes, granted: bool, secrets: Sequence[str]) -> Reply | NoAnswer:
    completion = None
    with suppress(ValueError, RecursionError):  # a server may send anything, such as JSON too deep to be read
        completion = json.loads(content)
    message = _at(completion, "choices", 0, "message")
    if not isinstance(message, dict):
        return NoAnswer("the reply is not a chat completion; is the endpoint the base URL, often ending in /v1?")
    text, refusal = without_controls(_text(message.get("content"))), message.get("refusal")
    for secret in secrets:
        if len(secret) >= _TELLING:  # a shorter one, such as EMPTY, may well be a word of the answer
            text = masked(text, secret)
    return Reply(
        text=text,
        cut_off=_at(completion, "choices", 0, "finish_reason") == "length",
        tokens_in=_count(_at(completion, "usage", "prompt_tokens")),
        tokens_out=_count(_at(completion, "usage", "completion_tokens")),
        tokens=_tokens(_at(completion, "choices", 0, "logprobs", "content")),
        granted=granted,
        refusal=_told(refusal, secrets) if isinstance(refusal, str) and not text.strip() else "",
    )


def _text(content: Any) -> str:
    """Return the text of a message, which may come in parts."""
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [_at(part, "text") for part in parts if _at(part, "type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def _at(value: Any, *path: str | int) -> Any:
    """Return what lies there within JSON; None if there is nothing."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _tokens(content: Any) -> Sequence[Token]:
    """Return the tokens with their candidates; none where the server gives none, or nothing of the kind."""
    try:
        return [
            Token(str(one["token"]), {str(other["token"]): float(other["logprob"]) for other in one["top_logprobs"]})
            for one in content
        ]
    except (KeyError, TypeError, ValueError, OverflowError):  # the last: a whole number that no float holds
        return ()


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Run to the end, also where a loop runs already, as in a notebook; an interrupt ends what is under way."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(1) as thread:  # whose end is waited for
        loop = thread.submit(asyncio.new_event_loop).result()
        task = loop.create_task(work)
        try:
            thread.submit(_finish, loop, task).result()
        except BaseException:
            with suppress(RuntimeError):  # the loop is closed: the error is that of the work itself
                loop.call_soon_threadsafe(task.cancel)
            raise


def _finish(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    """Run a task to its end, and close its loop."""
    try:
        loop.run_until_complete(task)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _usable(url: str) -> bool:
    """Whether a URL says by HTTP, on which host and, if at all, at which port."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:  # such as port 99999
        return False


def _resource(url: str) -> str:
    """Return where requests go; the full address of the resource and the bare one of a server are understood, too."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
    return urlunsplit((parts.scheme, parts.netloc, f"{path}/chat/completions", parts.query, ""))


def masked(text: str, secret: str) -> str:
    """Return a text with `***` for the secret and for long parts of it, also where they are quoted."""
    if len(secret) < _SHORTEST_SECRET:
        return text
    key = "".join(map(_unquoted, _QUOTED.findall(secret)))
    size = min(len(key), _TELLING)
    parts = {key[start : start + size] for start in range(len(key) - size + 1)}
    lowered = text.lower()
    if not any(mark in text for mark in "%\\&") and not any(part in lowered for part in parts):
        return text  # as nearly every answer, whose characters need not be looked at one by one
    quoted: list[str] = _QUOTED.findall(text)
    plain = "".join(map(_unquoted, quoted))
    hidden = {at + offset for at in range(len(plain)) if plain[at : at + size] in parts for offset in range(size)}
    runs = groupby(enumerate(quoted), lambda numbered: numbered[0] in hidden)
    return "".join("***" if is_hidden else "".join(one for _, one in run) for is_hidden, run in runs)


def _unquoted(quoted: str) -> str:
    """Return the character that stands there quoted, in lower case."""
    code = re.sub(r"^(%(25)*|\\+[ux])(?=[0-9a-fA-F]{2})", "", quoted)
    if code != quoted:
        return chr(int(code, 16)).lower()[0]
    return (html.unescape(quoted).lstrip("\\").lower() or "\\")[0]
