"""Chat models that answer many conversations: behind an OpenAI-compatible endpoint, or run here by transformers.

Both hand on each answer as soon as it is there, in no promised order, and decode greedily.
"""

import asyncio
import html
import json
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import groupby, islice
from textwrap import shorten
from typing import Any, Protocol
from urllib.parse import urlsplit

Conversation = list[dict[str, str]]

# In length-sorted batches the rows of one window finish together; a small window loses little when killed.
_WINDOW_BATCHES = 8

# Bounds a batch of unusually long prompts, padding counted; the usual batch is bounded by `batch_size`.
_TOKEN_BUDGET = 32_768

# How servers say that they do not take a field of the request.
_REFUSALS = frozenset({400, 422})

# Llama 3's chat template writes today's date into the prompt unless it is given one. The answers must not depend on
# the day; this is the date that the template itself falls back to. Other templates ignore it.
_TEMPLATE_DATE = "26 Jul 2024"


class NoAnswer(Exception):  # noqa: N818 - an outcome of one conversation, handed on in the answer's place
    """Why a model gave no answer worth keeping."""


Deliver = Callable[[int, str | NoAnswer], None]
"""Takes the number of a conversation and its answer, never a blank one."""


@dataclass(frozen=True)
class Token:
    """One token of a reply, with the log-probabilities of what might have stood there, by their texts."""

    text: str
    top: Mapping[str, float]


@dataclass(frozen=True)
class Reply:
    """What a model replied, as it is.

    Args:
        text: All of it, perhaps nothing; not what a server tells apart as the model's reasoning.
        cut_off: Whether it ends because it reached `max_tokens`.
        tokens_in: Tokens of the conversation; None where the server does not count.
        tokens_out: Tokens of the reply.
        tokens: Those of the text, if log-probabilities were wanted and could be had.
        granted: Whether the model took the fields that were wanted.
    """

    text: str
    cut_off: bool = False
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens: Sequence[Token] = ()
    granted: bool = False


DeliverReply = Callable[[int, Reply | NoAnswer], None]
"""Takes the number of a conversation and the reply to it."""


class ChatModel(Protocol):
    """Answers conversations."""

    @property
    def settings(self) -> dict[str, Any]:
        """What the answers depend on. Not `max_tokens`, as an answer that reaches it is none."""

    def answer(self, conversations: Sequence[Conversation], deliver: Deliver) -> None:
        """Ask the model for one answer to each conversation and hand each to `deliver`, which may raise to stop."""

    def reply(self, conversations: Sequence[Conversation], deliver: DeliverReply, wanted: Mapping[str, Any]) -> None:
        """Ask for one reply to each conversation and hand each to `deliver`, which may raise to stop.

        Args:
            conversations: What the model is asked.
            deliver: Takes the replies.
            wanted: Fields of the request that the model may do without: `logprobs` and `top_logprobs`, or
                `response_format`.
        """


@dataclass(frozen=True)
class Endpoint:
    """A model behind an OpenAI-compatible chat completions endpoint.

    Attributes:
        url: The base URL, such as `http://localhost:8000/v1`; without a path, `/v1` is added.
        model: The name by which the endpoint knows the model.
        api_key: The key; local servers need none.
        concurrency: Requests under way at the same time.
        timeout: Seconds from the start of a request to the last byte of its reply; then it is given up and repeated.
        max_retries: How often a request is repeated, with backoff, after a timeout, a lost connection or a status
            of 408, 409, 429 or 5xx.
        max_tokens: Longest answer.
        extra_body: Further fields of the request; they win over ours.

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
    # Fields of a request that the server turned out to refuse; none of them is sent twice.
    _refused: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_positive(concurrency=self.concurrency, timeout=self.timeout, max_tokens=self.max_tokens)
        if self.max_retries < 0:
            raise ValueError(f"max_retries is {self.max_retries}; expected 0 or more")
        if urlsplit(self.url).scheme not in ("http", "https"):
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
        from openai import AsyncOpenAI

        # The client insists on a key; a server that needs none ignores it.
        async with AsyncOpenAI(
            base_url=_base_url(self.url),
            api_key=(self.api_key or "").strip() or "none",
            timeout=self.timeout,
            max_retries=self.max_retries,
            http_client=_bounded_client(self.timeout),
        ) as client:
            numbered = iter(enumerate(conversations))
            ended = False

            async def work(most: int | None = None) -> None:
                for number, conversation in islice(numbered, most):
                    reply = await self._ask(client, conversation, wanted)
                    if ended:  # a reply that comes at the same moment may swallow the cancellation
                        return
                    deliver(number, reply)

            if wanted and not self._refused:
                await work(1)
            workers = [asyncio.create_task(work()) for _ in range(self.concurrency)]
            try:
                await asyncio.gather(*workers)
            finally:
                ended = True
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)

    async def _ask(self, client: Any, conversation: Conversation, wanted: Mapping[str, Any]) -> Reply | NoAnswer:
        """Ask once; where the server refuses a field that is not essential, again without it."""
        refused = set(self._refused)
        while True:
            fields = self._fields(wanted, refused)
            try:
                # Not by `chat.completions.create`, which spends a good part of its time on the types of all fields.
                body = {"model": self.model, "messages": conversation, **fields, **self.extra_body}
                completion = await client.post("/chat/completions", cast_to=object, body=body)
            except Exception as error:  # a server may send anything, such as JSON too deep to be read
                if more := _refused(error, fields, wanted):
                    refused |= more
                    continue
                cause = f" ({error.__cause__})" if error.__cause__ else ""
                # Some servers answer with a whole page.
                told = shorten(self._masked(f"{type(error).__name__}: {error}{cause}"), 500, placeholder="…")
                return NoAnswer(told)
            self._refused.update(refused)
            return _as_reply(completion, granted=bool(wanted) and not wanted.keys() & refused)

    def _fields(self, wanted: Mapping[str, Any], refused: Set[str]) -> dict[str, Any]:
        fields = {"max_tokens": self.max_tokens, "temperature": 0, **wanted}
        sent = {name: value for name, value in fields.items() if name not in refused}
        # Newer models know the limit by another name.
        return sent if "max_tokens" in sent else {**sent, "max_completion_tokens": self.max_tokens}

    def _masked(self, text: str) -> str:
        """Return a server's text without the secrets that it was told."""
        text = text[:_LONGEST_TOLD]
        for secret in (self.api_key, urlsplit(self.url).password):
            text = masked(text, (secret or "").strip())
        return text


def _refused(error: Exception, fields: Mapping[str, Any], wanted: Mapping[str, Any]) -> set[str]:
    """Return which fields, not essential ones, are to be left out after an error; none if it is about others."""
    if getattr(error, "status_code", None) not in _REFUSALS:
        return set()
    left_out = {*wanted} & fields.keys()
    named = {name for name in ("max_tokens", "temperature") if name in fields and name in str(error)}
    return named if named and not any(name in str(error) for name in left_out) else left_out


def _as_reply(completion: object, granted: bool) -> Reply | NoAnswer:
    if isinstance(completion, str):  # of a server that does not say that it sends JSON, or does not
        with suppress(ValueError, RecursionError):
            completion = json.loads(completion)
    message = _at(completion, "choices", 0, "message")
    if not isinstance(message, dict):
        return NoAnswer("the reply is not a chat completion; is the endpoint the base URL, often ending in /v1?")
    text = message.get("content")
    return Reply(
        text=text if isinstance(text, str) else "",
        cut_off=_at(completion, "choices", 0, "finish_reason") == "length",
        tokens_in=_count(_at(completion, "usage", "prompt_tokens")),
        tokens_out=_count(_at(completion, "usage", "completion_tokens")),
        tokens=_tokens(_at(completion, "choices", 0, "logprobs", "content")),
        granted=granted,
    )


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
    except (KeyError, TypeError, ValueError):
        return ()


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Run to the end, also where a loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def _bounded_client(seconds: float) -> Any:
    """Return openai's client for HTTP, which gives a request up unless the whole reply is there in so many seconds."""
    import httpx
    from openai import DefaultAsyncHttpxClient

    class Client(DefaultAsyncHttpxClient):
        async def send(self, *args: Any, **options: Any) -> Any:
            try:
                return await asyncio.wait_for(super().send(*args, **options), seconds)
            except asyncio.TimeoutError:
                raise httpx.ReadTimeout(f"no whole reply in {seconds:g} s") from None

    return Client(verify=_certificates())


@cache
def _certificates() -> Any:
    """Return the certificates that are trusted; to read them takes longer than many a reply."""
    import httpx

    return httpx.create_ssl_context()


# A character, or how it may be quoted: %41 (also %2541), \u0041, \x41, \/, &#65;, &amp;.
_QUOTED = re.compile(
    r"%(?:25)*[0-9a-f]{2}|\\+(?:u[0-9a-f]{4}|x[0-9a-f]{2}|.)|&(?:#\d+|#x[0-9a-f]+|amp|lt|gt|quot|apos);|.",
    re.IGNORECASE | re.DOTALL,
)

# So many characters of a secret in a row are masked, too. What is shorter than the other number is none.
_TELLING, _SHORTEST_SECRET = 8, 4

_LONGEST_TOLD = 20_000


def masked(text: str, secret: str) -> str:
    """Return a text with `***` for the secret and for long parts of it, also where they are quoted."""
    if len(secret) < _SHORTEST_SECRET:
        return text
    quoted: list[str] = _QUOTED.findall(text)
    plain, key = ("".join(map(_unquoted, characters)) for characters in (quoted, _QUOTED.findall(secret)))
    size = min(len(key), _TELLING)
    parts = {key[start : start + size] for start in range(len(key) - size + 1)}
    hidden = {at + offset for at in range(len(plain)) if plain[at : at + size] in parts for offset in range(size)}
    runs = groupby(enumerate(quoted), lambda numbered: numbered[0] in hidden)
    return "".join("***" if is_hidden else "".join(one for _, one in run) for is_hidden, run in runs)


def _unquoted(quoted: str) -> str:
    """Return the character that stands there quoted, in lower case."""
    code = re.sub(r"^(%(25)*|\\+[ux])(?=[0-9a-fA-F]{2})", "", quoted)
    if code != quoted:
        return chr(int(code, 16)).lower()[0]
    return (html.unescape(quoted).lstrip("\\").lower() or "\\")[0]


@dataclass(frozen=True)
class LocalModel:
    """A chat model that transformers loads from the Hub or a folder: whole, safetensors only, none of its code.

    Attributes:
        model: Name on the Hub, or a folder.
        revision: Commit, tag or branch on the Hub.
        device: `auto` (CUDA, then MPS, then CPU) or a torch device.
        dtype: `auto` (as stored), `float32`, `bfloat16` or `float16`.
        batch_size: Prompts answered together.
        max_tokens: Longest answer.
        token_budget: Most tokens of the prompts answered together, with padding.

    Raises:
        ValueError: a value is out of range.
    """

    model: str
    revision: str | None = None
    device: str = "auto"
    dtype: str = "auto"
    batch_size: int = 32
    max_tokens: int = 256
    token_budget: int = _TOKEN_BUDGET

    def __post_init__(self) -> None:
        _check_positive(batch_size=self.batch_size, max_tokens=self.max_tokens, token_budget=self.token_budget)
        if self.dtype not in ("auto", "float32", "bfloat16", "float16"):
            raise ValueError(f"dtype is {self.dtype!r}; expected auto, float32, bfloat16 or float16")

    @property
    def settings(self) -> dict[str, Any]:
        """What the answers depend on."""
        return {
            "generator": "transformers",
            "model": self.model,
            "revision": self.revision,
            "dtype": self.dtype,
        }

    def answer(self, conversations: Sequence[Conversation], deliver: Deliver) -> None:
        """Load the model, once, and answer all conversations; raises what `reply` raises."""
        self.reply(conversations, lambda number, reply: deliver(number, checked(reply, self.max_tokens)), {})

    def reply(self, conversations: Sequence[Conversation], deliver: DeliverReply, wanted: Mapping[str, Any]) -> None:
        """Load the model, once, and reply to all conversations, with log-probabilities where they are wanted.

        Raises:
            ValueError: the model cannot be loaded or has no chat template that takes the conversation.
            MemoryError: a single prompt does not fit.
        """
        tokenizer, model = self._loaded
        prompts = [self._prompt(tokenizer, conversation) for conversation in conversations]
        window = _WINDOW_BATCHES * self.batch_size
        for first in range(0, len(prompts), window):
            self._reply_to(tokenizer, model, prompts[first : first + window], first, deliver, wanted)

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        from .checkpoints import check_whole

        device = self._torch_device()
        # Not to be left out: without it transformers asks on the terminal whether to run a checkpoint's code.
        source: Any = {"revision": self.revision, "trust_remote_code": False}
        try:
            tokenizer = AutoTokenizer.from_pretrained(self.model, padding_side="left", **source)
            model, found = AutoModelForCausalLM.from_pretrained(
                self.model,
                dtype=self.dtype,
                use_safetensors=True,
                ignore_mismatched_sizes=True,  # told by `check_whole`, with the weight's name
                output_loading_info=True,
                **source,
            )
            # What is not expected is left out: a model of pictures and text may be asked for the text alone.
            check_whole(found, superfluous=True)
        except Exception as error:  # a file that is damaged, or made to do damage, may raise anything
            raise ValueError(
                f"cannot load the chat model {self.model!r}: {error}\nGive a folder or a Hub name that you may read "
                "(gated models: accept the licence on the Hub, then `hf auth login`), or the --endpoint of a server"
            ) from error
        if tokenizer.chat_template is None:
            raise ValueError(f"{self.model!r} has no chat template; give an instruction-tuned (chat) model")
        tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
        if tokenizer.pad_token is None:
            raise ValueError(
                f"the tokenizer of {self.model!r} names no end of text; get its tokenizer_config.json, too"
            )
        return tokenizer, model.to(device).eval()

    def _torch_device(self) -> str:
        import torch

        from .inference import best_device

        if self.device == "auto":
            return best_device()
        try:
            torch.empty(0, device=self.device)
        except (RuntimeError, AssertionError) as error:
            raise ValueError(f"device {self.device!r} cannot be used ({error}); expected auto, cpu, …") from error
        return self.device

    def _prompt(self, tokenizer: Any, conversation: Conversation) -> str:
        from jinja2 import TemplateError

        try:
            prompt: str = tokenizer.apply_chat_template(
                conversation, tokenize=False, add_generation_prompt=True, date_string=_TEMPLATE_DATE
            )
        except TemplateError as error:
            raise ValueError(f"the chat template of {self.model!r} refuses the conversation: {error}") from error
        return prompt

    def _reply_to(
        self,
        tokenizer: Any,
        model: Any,
        prompts: list[str],
        first: int,
        deliver: DeliverReply,
        wanted: Mapping[str, Any],
    ) -> None:
        import numpy as np

        from .inference import Indices, run

        def forward(rows: Indices) -> Any:
            replies = np.empty(len(rows), dtype=object)
            replies[:] = self._generate(tokenizer, model, [prompts[row] for row in rows], wanted)
            return replies

        lengths = np.array([len(ids) for ids in tokenizer(prompts, add_special_tokens=False)["input_ids"]])
        batches = run(lengths, forward, token_budget=self.token_budget, batch_size=self.batch_size)
        for rows, replies in batches:
            for row, reply in zip(rows, replies, strict=True):
                deliver(first + int(row), reply)

    def _generate(self, tokenizer: Any, model: Any, prompts: list[str], wanted: Mapping[str, Any]) -> list[Reply]:
        """Reply to one batch. The template has written the special tokens already, so the tokenizer adds none."""
        import torch

        batch = tokenizer(prompts, add_special_tokens=False, padding=True, return_tensors="pt").to(model.device)
        ends = _end_tokens(tokenizer, model)
        seen = _Candidates(wanted["top_logprobs"]) if wanted.get("logprobs") else None
        with torch.inference_mode():
            output = model.generate(
                input_ids=batch["input_ids"],
                attention_mask=batch["attention_mask"],
                max_new_tokens=self.max_tokens,
                eos_token_id=ends,
                pad_token_id=tokenizer.pad_token_id,
                logits_processor=[seen] if seen else None,
                # Greedy; the sampling settings of the model's own generation_config are put away.
                do_sample=False,
                temperature=None,
                top_p=None,
                top_k=None,
            )
        made = output[:, batch["input_ids"].shape[1] :].tolist()
        lengths = batch["attention_mask"].sum(1).tolist()
        return [
            _local_reply(tokenizer, ids, ends, length, seen.of(row) if seen else [])
            for row, (ids, length) in enumerate(zip(made, lengths, strict=True))
        ]


class _Candidates:
    """Looks on while a model generates: the likeliest tokens at each step, with their log-probabilities."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._steps: list[tuple[list[list[int]], list[list[float]]]] = []

    def __call__(self, _: Any, scores: Any) -> Any:
        top = scores.float().log_softmax(-1).topk(min(self._count, scores.shape[-1]))
        self._steps.append((top.indices.tolist(), top.values.tolist()))
        return scores

    def of(self, row: int) -> list[tuple[list[int], list[float]]]:
        """Return ids and log-probabilities of a row, step by step."""
        return [(ids[row], values[row]) for ids, values in self._steps]


def _local_reply(
    tokenizer: Any, ids: list[int], ends: Sequence[int], length: int, steps: list[tuple[list[int], list[float]]]
) -> Reply:
    count = next((at + 1 for at, token in enumerate(ids) if token in ends), len(ids))
    text = tokenizer.decode(ids, skip_special_tokens=True)
    # A token's text is what it adds to that of the tokens before it, as decoders put white space between some.
    begun = [tokenizer.decode(ids[:at], skip_special_tokens=True) for at in range(count + 1)] if steps else []
    tokens = [
        Token(
            begun[at + 1][len(begun[at]) :], {tokenizer.decode([one]): value for one, value in zip(*step, strict=True)}
        )
        for at, step in enumerate(steps[:count])
    ]
    return Reply(text, not set(ends) & set(ids), length, count, tokens, granted=bool(steps))


def checked(reply: Reply | NoAnswer, max_tokens: int) -> str | NoAnswer:
    """Return the answer that a reply is, or why it is none."""
    return reply if isinstance(reply, NoAnswer) else checked_answer(reply.text, reply.cut_off, max_tokens)


def checked_answer(text: object, cut_off: bool, max_tokens: int) -> str | NoAnswer:
    """Return the answer without white space around it, or NoAnswer if it is blank, no text, or was cut off."""
    if cut_off:
        return NoAnswer(f"the answer was cut off at {max_tokens} tokens; allow more: max_tokens")
    answer = text.strip() if isinstance(text, str) else ""
    return answer or NoAnswer("the model's answer is empty")


def _end_tokens(tokenizer: Any, model: Any) -> list[int]:
    """Return the ids that end an answer: chat models have several, one for the turn and one for the text."""
    ends = model.generation_config.eos_token_id
    ends = ends if isinstance(ends, list) else [ends]
    return sorted({end for end in (*ends, tokenizer.eos_token_id) if end is not None})


def _base_url(url: str) -> str:
    """Accept the full address of the resource and the bare address of a server too."""
    url = url.rstrip("/").removesuffix("/chat/completions")
    return url if urlsplit(url).path else f"{url}/v1"


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if value <= 0:
            raise ValueError(f"{name} is {value}; expected more than 0")
