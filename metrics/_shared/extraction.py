"""What of a completion is its answer: the text of messages, and in it what stands in a tag or matches an expression."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .arguments import RowTypeError

Extract = str | re.Pattern[str] | Callable[[str], str | None] | None
"""Where the answer stands; None for the whole text."""

Extraction = Callable[[str], str | None]
"""Takes a completion's text, returns its answer, None if there is none."""

# By whom the texts are: the question is the user's last, the answer the assistant's.
_ROLES = {"prompts": "user", "completions": "assistant"}


@dataclass(frozen=True)
class InTag:
    """What stands in the last pair of a tag, without spaces around it.

    >>> InTag("answer")("<answer>4</answer>, or rather <answer> 5 </answer>.")
    '5'
    """

    tag: str

    def __call__(self, text: str) -> str | None:
        """Return it, None without such a pair."""
        before, closed, _ = text.rpartition(f"</{self.tag}>")
        _, opened, answer = before.rpartition(f"<{self.tag}>")
        return answer.strip() if closed and opened else None


@dataclass(frozen=True)
class Matching:
    r"""The last match of an expression, of it the first group if there is one, without spaces around it.

    >>> Matching(re.compile(r"#### (.+)"))("3 + 4 makes 7.\n#### 7")
    '7'
    """

    pattern: re.Pattern[str]

    def __call__(self, text: str) -> str | None:
        """Return it, None without a match."""
        last = None
        for last in self.pattern.finditer(text):  # noqa: B007 - the last one is wanted
            pass
        found = last and last[1 if self.pattern.groups else 0]
        return None if found is None else found.strip()


@dataclass(frozen=True)
class Calling:
    """What a function makes of the text; checks that this is a text or None."""

    metric: str
    function: Callable[[str], Any]

    def __call__(self, text: str) -> str | None:
        """Return it."""
        found = self.function(text)
        if found is not None and not isinstance(found, str):
            raise TypeError(f"{self.metric}: extract returned {found!r}; expected a string, or None for no answer")
        return found


def extractor(metric: str, extract: Extract) -> Extraction | None:
    """Return what finds the answer in a text; None where the whole text is the answer.

    Args:
        metric: Name of the metric, for messages.
        extract: A tag's name (letters, digits, `-`, `_`), a regular expression, or a callable.

    Raises:
        ValueError: the regular expression is none.
        TypeError: it is something else.
    """
    if extract is None:
        return None
    if isinstance(extract, str) and re.fullmatch(r"[\w-]+", extract):
        return InTag(extract)
    if isinstance(extract, str):
        try:
            return Matching(re.compile(extract))
        except re.error as error:
            raise ValueError(f"{metric}: extract is {extract!r}, no regular expression ({error})") from error
    if isinstance(extract, re.Pattern) and isinstance(extract.pattern, str):
        return Matching(extract)
    if callable(extract):
        return Calling(metric, extract)
    raise TypeError(f"{metric}: extract is {extract!r}; expected a tag, a regular expression or a callable")


def message_text(metric: str, column: str, row: int, value: Any) -> str:
    """Return a text, or of a conversation the last words of the user (`prompts`) or the assistant (`completions`).

    Args:
        metric: Name of the metric, for the message.
        column: `"prompts"` or `"completions"`.
        row: Its number, for the message.
        value: A text, or a list of messages, whose content is a text, or a list of blocks of which some have a text.

    Raises:
        RowTypeError: it is something else.
    """
    if isinstance(value, str):
        return value
    try:
        return _last_words(value, _ROLES[column])
    except (TypeError, KeyError, AttributeError):
        expected = "a text or a list of messages, {'role': …, 'content': …}"
        raise RowTypeError(f"{metric}: {column}[{row}] is {value!r:.80}; expected {expected}", column, row) from None


def _last_words(messages: Sequence[Mapping[str, Any]], role: str) -> str:
    """Return the content of the last message of this role; "" if there is none, or it has no text."""
    contents = [message.get("content") for message in messages if message["role"] == role]
    content = contents[-1] if contents else None
    if content is None or isinstance(content, str):
        return content or ""
    return " ".join(block["text"] for block in content if block.get("type", "text") == "text")
