"""Chat models that answer many conversations: what is asked, what is replied.

Behind an OpenAI-compatible endpoint (`endpoint.py`), or run here by transformers (`local_model.py`). Both hand on each
answer as soon as it is there, in no promised order, and decode greedily.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Conversation = list[dict[str, str]]


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


def checked(reply: Reply | NoAnswer, max_tokens: int) -> str | NoAnswer:
    """Return the answer that a reply is, or why it is none."""
    return reply if isinstance(reply, NoAnswer) else checked_answer(reply.text, reply.cut_off, max_tokens)


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
