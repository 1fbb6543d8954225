"""Ask a chat model many conversations: the common interface, and models that transformers runs on this machine.

`endpoint.py` has the other kind, models at an OpenAI-compatible endpoint. Both decode greedily, and deliver each answer
as soon as it arrives, in any order.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any

Conversation = list[dict[str, str]]

# Limits batches of unusually long prompts, with padding; usually `batch_size` is the limit.
_TOKEN_BUDGET = 32_768

# Llama 3's chat template writes today's date into the prompt unless it is given a date. The answers must not depend on
# the day, so this is the date that the template itself falls back to. Other templates ignore it.
_TEMPLATE_DATE = "26 Jul 2024"


class NoAnswer(Exception):  # noqa: N818 - passed on instead of an answer
    """Why a model gave no usable answer, with the HTTP status of an endpoint's reply if it was complete."""

    def __init__(self, why: str, status: int | None = None) -> None:
        super().__init__(why)
        self.status = status


Deliver = Callable[[int, str | NoAnswer], None]
"""Receives the index of a conversation and its answer, which is not blank."""


@dataclass(frozen=True)
class Token:
    """A token of a reply, and the log-probabilities of the candidates at its position, by their texts."""

    text: str
    top: Mapping[str, float]


@dataclass(frozen=True)
class Reply:
    """The unchanged reply of a model."""

    text: str  # the text, which may be empty, without reasoning that the server returns separately
    cut_off: bool = False  # whether the reply ended at `max_tokens`
    tokens_in: int | None = None  # tokens of the conversation; None if the server does not report them
    tokens_out: int | None = None
    tokens: Sequence[Token] = ()  # the tokens of the text, if log-probabilities were requested and are available
    granted: bool = False  # whether the model accepted the optional fields of the request
    refusal: str = ""  # the model's refusal, if the server returns it separately and there is no text
    content: Mapping[str, Any] | None = None  # the JSON object of a reply that is not a chat completion


DeliverReply = Callable[[int, Reply | NoAnswer], None]
"""Receives the index of a conversation and its reply."""


_FAILURES_IN_A_ROW = 20

# Statuses with which servers refuse a request because of its content; other requests may succeed.
_OF_THIS_REQUEST = frozenset({400, 413, 422})


class TooManyFailures(ValueError):  # noqa: N818 - ends the requests early
    """20 requests in a row failed, so that the others are not sent; the message has the last error."""


def stop_after_failures(deliver: DeliverReply) -> DeliverReply:
    """Return a function that calls `deliver` and raises TooManyFailures after 20 failures in a row.

    A wrong key or a stopped server makes every request fail.
    """
    in_a_row = 0

    def counted(number: int, reply: Reply | NoAnswer) -> None:
        nonlocal in_a_row
        deliver(number, reply)
        if not isinstance(reply, NoAnswer):
            in_a_row = 0
        elif reply.status not in _OF_THIS_REQUEST:
            in_a_row += 1
        if in_a_row >= _FAILURES_IN_A_ROW:  # more replies may arrive before the others are canceled
            raise TooManyFailures(f"{_FAILURES_IN_A_ROW} requests in a row failed: {reply}")

    return counted


class ChatModel(ABC):
    """A model that answers conversations."""

    max_tokens: int

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Everything that the answers depend on, except `max_tokens`: a reply that reaches it is not an answer."""

    @abstractmethod
    def reply(self, conversations: Sequence[Conversation], deliver: DeliverReply, wanted: Mapping[str, Any]) -> None:
        """Ask for one reply to each conversation; `deliver` may raise an error to stop.

        `wanted` has optional fields of the request: `logprobs` and `top_logprobs`, or `response_format`.
        """

    def answer(self, conversations: Sequence[Conversation], deliver: Deliver) -> None:
        """Ask for one answer to each conversation; raise TooManyFailures after 20 failed requests in a row."""
        given = stop_after_failures(lambda number, reply: deliver(number, _answer(reply, self.max_tokens)))
        self.reply(conversations, given, {})


def _answer(reply: Reply | NoAnswer, max_tokens: int) -> str | NoAnswer:
    if isinstance(reply, NoAnswer):
        return reply
    if reply.refusal:
        return NoAnswer(f"the model refuses to answer: {reply.refusal}")
    if reply.cut_off:
        return NoAnswer(f"the answer was cut off at {max_tokens} tokens; increase max_tokens")
    return reply.text.strip() or NoAnswer("the model's answer is empty")


def check_positive(**values: float) -> None:
    """Raise ValueError for a value that is not above 0."""
    for name, value in values.items():
        if value <= 0:
            raise ValueError(f"{name} is {value}; expected more than 0")


@dataclass(frozen=True)
class LocalModel(ChatModel):
    """A chat model that transformers runs, from the Hub or a folder. It loads safetensors only, and no code.

    Raises:
        ValueError: A value is out of range.
    """

    model: str  # name on the Hub, or a folder
    revision: str | None = None  # commit, tag or branch on the Hub
    device: str = "auto"  # `auto` (CUDA, else MPS, else CPU) or a torch device
    dtype: str = "auto"  # `auto` (as stored), `float32`, `bfloat16` or `float16`
    batch_size: int = 32  # maximum number of prompts in a batch
    max_tokens: int = 256  # maximum number of tokens in an answer
    token_budget: int = _TOKEN_BUDGET  # maximum number of prompt tokens in a batch, with padding

    def __post_init__(self) -> None:
        check_positive(batch_size=self.batch_size, max_tokens=self.max_tokens, token_budget=self.token_budget)
        if self.dtype not in ("auto", "float32", "bfloat16", "float16"):
            raise ValueError(f"dtype is {self.dtype!r}; expected auto, float32, bfloat16 or float16")

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that the answers depend on."""
        return {"generator": "transformers", "model": self.model, "revision": self.revision, "dtype": self.dtype}

    def reply(self, conversations: Sequence[Conversation], deliver: DeliverReply, wanted: Mapping[str, Any]) -> None:
        """Load the model, once, and reply to all conversations; see `ChatModel.reply`.

        Raise ValueError if the model cannot be loaded or has no chat template for the conversation, and MemoryError if
        a single prompt does not fit.
        """
        import numpy as np

        from .arrays import Indices
        from .batching import run_batches

        tokenizer, model = self._loaded
        # The chat template has added the special tokens, so the tokenizer must not.
        prompts = tokenizer(list(map(self._prompt, conversations)), add_special_tokens=False)["input_ids"]
        start = _CommonStart.of(prompts, model)

        def forward(rows: Indices) -> Any:
            replies = np.empty(len(rows), dtype=object)
            replies[:] = self._generate([prompts[row] for row in rows], start, wanted)
            return replies

        lengths = np.array(list(map(len, prompts)))
        for rows, replies in run_batches(lengths, forward, token_budget=self.token_budget, batch_size=self.batch_size):
            for row, reply in zip(rows, replies, strict=True):
                deliver(int(row), reply)

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        from .checkpoints import load_whole
        from .devices import best_device, check_device

        device = best_device() if self.device == "auto" else self.device
        check_device(self.model, device)
        try:
            tokenizer = AutoTokenizer.from_pretrained(self.model, revision=self.revision, trust_remote_code=False)
            # A checkpoint of a model for pictures and text has weights that are not needed here.
            model = load_whole(
                AutoModelForCausalLM,
                self.model,
                superfluous=True,
                revision=self.revision,
                dtype=self.dtype,
                use_safetensors=True,
            )
        except Exception as error:  # a damaged or malicious file may raise anything
            raise ValueError(
                f"cannot load the chat model {self.model!r}: {error}\nGive a folder, a name on the Hub that you have "
                "access to (gated models: accept the license on the Hub, then `hf auth login`), or an --endpoint"
            ) from error
        if tokenizer.chat_template is None:
            raise ValueError(f"{self.model!r} has no chat template; give an instruction-tuned (chat) model")
        tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
        if tokenizer.pad_token is None:
            raise ValueError(
                f"the tokenizer of {self.model!r} has no end-of-text token; its tokenizer_config.json may be missing"
            )
        return tokenizer, model.to(device).eval()

    def _prompt(self, conversation: Conversation) -> str:
        from jinja2 import TemplateError

        try:
            prompt: str = self._loaded[0].apply_chat_template(
                conversation, tokenize=False, add_generation_prompt=True, date_string=_TEMPLATE_DATE
            )
        except TemplateError as error:
            raise ValueError(f"the chat template of {self.model!r} refuses the conversation: {error}") from error
        return prompt

    def _generate(self, prompts: list[list[int]], start: "_CommonStart", wanted: Mapping[str, Any]) -> list[Reply]:
        """Reply to one batch."""
        import torch

        tokenizer, model = self._loaded
        ids, mask = start.batch(prompts, tokenizer.pad_token_id)
        ends = _end_tokens(tokenizer, model)
        seen = _Candidates(wanted["top_logprobs"]) if wanted.get("logprobs") else None
        with torch.inference_mode():
            output = model.generate(
                input_ids=torch.tensor(ids, device=model.device),
                attention_mask=torch.tensor(mask, device=model.device),
                past_key_values=start.states(len(prompts)),
                max_new_tokens=self.max_tokens,
                eos_token_id=ends,
                pad_token_id=tokenizer.pad_token_id,
                logits_processor=[seen] if seen else None,
                # Decode greedily, without the sampling settings of the model's generation_config.
                do_sample=False,
                temperature=None,
                top_p=None,
                top_k=None,
            )
        made = output[:, len(ids[0]) :].tolist()
        return [
            _local_reply(tokenizer, reply, ends, len(prompt), seen.of(row) if seen else [])
            for row, (prompt, reply) in enumerate(zip(prompts, made, strict=True))
        ]


@dataclass(frozen=True)
class _CommonStart:
    """The tokens with which all prompts start, and the model's states after them, which are computed only once."""

    length: int = 0
    cache: Any = None  # a DynamicCache of one row

    @classmethod
    def of(cls, prompts: Sequence[list[int]], model: Any) -> "_CommonStart":
        """Run the model on the common start, if there is one and the model only has caches of keys and values."""
        import torch
        from transformers.cache_utils import DynamicCache, DynamicLayer

        # Generation needs at least one more token of each prompt.
        columns = zip(*(prompt[:-1] for prompt in prompts), strict=False)
        shared = [column[0] for column in takewhile(lambda column: len({*column}) == 1, columns)]
        if len(prompts) == 1 or not shared:
            return cls()
        with torch.inference_mode():
            output = model.base_model(input_ids=torch.tensor([shared], device=model.device), use_cache=True)
        cache: Any = getattr(output, "past_key_values", None)
        if type(cache) is not DynamicCache or any(type(layer) is not DynamicLayer for layer in cache.layers):
            return cls()
        return cls(len(shared), cache)

    def states(self, rows: int) -> Any:
        """Return a copy of the states for each row of a batch; None without a common start."""
        cache = deepcopy(self.cache)
        if cache is not None:
            cache.batch_repeat_interleave(rows)
        return cache

    def batch(self, prompts: Sequence[list[int]], pad: int) -> tuple[list[list[int]], list[list[int]]]:
        """Return ids and mask, each of shape (prompts, tokens); padding follows the common start.

        >>> _CommonStart(length=1).batch([[5, 6], [5, 7, 8]], pad=0)
        ([[5, 0, 6], [5, 7, 8]], [[1, 0, 1], [1, 1, 1]])
        """
        longest, at = max(map(len, prompts)), self.length
        ids = [prompt[:at] + [pad] * (longest - len(prompt)) + prompt[at:] for prompt in prompts]
        mask = [[1] * at + [0] * (longest - len(prompt)) + [1] * (len(prompt) - at) for prompt in prompts]
        return ids, mask


class _Candidates:
    """Records the likeliest tokens of each generation step, with their log-probabilities."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._steps: list[tuple[list[list[int]], list[list[float]]]] = []

    def __call__(self, _: Any, scores: Any) -> Any:
        top = scores.float().log_softmax(-1).topk(min(self._count, scores.shape[-1]))
        self._steps.append((top.indices.tolist(), top.values.tolist()))
        return scores

    def of(self, row: int) -> list[tuple[list[int], list[float]]]:
        """Return the ids and log-probabilities of a row for each step."""
        return [(ids[row], values[row]) for ids, values in self._steps]


def _local_reply(
    tokenizer: Any, ids: list[int], ends: Sequence[int], length: int, steps: list[tuple[list[int], list[float]]]
) -> Reply:
    count = next((at + 1 for at, token in enumerate(ids) if token in ends), len(ids))
    text = tokenizer.decode(ids, skip_special_tokens=True)
    # The text of a token is what it adds to the decoded text before it, because decoders add white space.
    begun = [tokenizer.decode(ids[:at], skip_special_tokens=True) for at in range(count + 1)] if steps else []
    tokens = [
        Token(
            begun[at + 1][len(begun[at]) :], {tokenizer.decode([one]): value for one, value in zip(*step, strict=True)}
        )
        for at, step in enumerate(steps[:count])
    ]
    return Reply(text, not set(ends) & set(ids), length, count, tokens, granted=bool(steps))


def _end_tokens(tokenizer: Any, model: Any) -> list[int]:
    """Return the ids that end an answer; chat models have one for the end of a turn and one for the end of the text."""
    ends = model.generation_config.eos_token_id
    ends = ends if isinstance(ends, list) else [ends]
    return sorted({end for end in (*ends, tokenizer.eos_token_id) if end is not None})
