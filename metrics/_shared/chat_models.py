"""Chat models that answer many conversations: what is asked, what is replied, and one that transformers runs here.

The other kind is behind an OpenAI-compatible endpoint (`endpoint.py`). Both hand on each answer as soon as it is there,
in no promised order, and decode greedily.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

Conversation = list[dict[str, str]]

# In length-sorted batches the rows of one window finish together; a small window loses little when killed.
_WINDOW_BATCHES = 8

# Bounds a batch of unusually long prompts, padding counted; the usual batch is bounded by `batch_size`.
_TOKEN_BUDGET = 32_768

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
        refusal: What a server tells apart as the model's refusal, where there is no text.
    """

    text: str
    cut_off: bool = False
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens: Sequence[Token] = ()
    granted: bool = False
    refusal: str = ""


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


def checked(reply: Reply | NoAnswer, max_tokens: int) -> str | NoAnswer:
    """Return the answer that a reply is, or why it is none."""
    if isinstance(reply, NoAnswer):
        return reply
    if reply.refusal:
        return NoAnswer(f"the model refuses to answer: {reply.refusal}")
    return checked_answer(reply.text, reply.cut_off, max_tokens)


def checked_answer(text: object, cut_off: bool, max_tokens: int) -> str | NoAnswer:
    """Return the answer without white space around it, or NoAnswer if it is blank, no text, or was cut off."""
    if cut_off:
        return NoAnswer(f"the answer was cut off at {max_tokens} tokens; allow more: max_tokens")
    answer = text.strip() if isinstance(text, str) else ""
    return answer or NoAnswer("the model's answer is empty")


def check_positive(**values: float) -> None:
    """Raise ValueError for a value that is not above 0."""
    for name, value in values.items():
        if value <= 0:
            raise ValueError(f"{name} is {value}; expected more than 0")


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
        check_positive(batch_size=self.batch_size, max_tokens=self.max_tokens, token_budget=self.token_budget)
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

        from .devices import best_device

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

        from .batching import Indices, run

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


def _end_tokens(tokenizer: Any, model: Any) -> list[int]:
    """Return the ids that end an answer: chat models have several, one for the turn and one for the text."""
    ends = model.generation_config.eos_token_id
    ends = ends if isinstance(ends, list) else [ends]
    return sorted({end for end in (*ends, tokenizer.eos_token_id) if end is not None})
