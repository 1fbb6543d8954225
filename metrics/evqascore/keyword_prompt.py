"""How a chat model is asked for keywords, and how its answer is read. The paper's own prompt is not in its text."""

import json
import re
from collections.abc import Iterator
from typing import Any

from .chat_models import Conversation
from .keywords import distinct

PROMPT = """\
List the key phrases of the text below, which describes a video or answers a question about one.
- A key phrase names something that can be seen or heard: a person, an animal, a thing, a place, a quality, an action.
- Use the words of the text. One to five words each. Do not add what the text does not say.
- Name each thing once. Leave out what the text only asks for or denies.
- Reply with a JSON list of strings and nothing else, for example ["a man in a red coat", "playing guitar", "stage"]. \
If there is no key phrase, reply with [].

Text: {text}"""

# One reply may hold this many; whoever lists more repeats itself.
MAX_TOKENS = 512

_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:[-*•–·]|\(?\d{1,3}[.):])\s+(?P<text>\S.*)")
_HEADING = re.compile(r"^[^,;\n]{0,80}:\s*")
_NOTHING = re.compile(r"\W*(?:none|n/?a|no (?:key ?words|key ?phrases|keywords found))?\W*", re.IGNORECASE)


def conversation(text: str) -> Conversation:
    """Return the messages that ask for the key phrases of a text."""
    return [{"role": "user", "content": PROMPT.format(text=text)}]


def parse_keywords(reply: str) -> list[str]:
    r"""Return the keywords that a model's reply lists, distinct, in its order; none if it says that there are none.

    Understands a JSON list (also within other text or an object), numbered and bulleted lists, a keyword on each line,
    and commas or semicolons.

    >>> parse_keywords('Here you are:\n1. **red ball**\n2. "blue box"\n3. Red ball')
    ['red ball', 'blue box']
    """
    reply = _THOUGHTS.sub("", reply).strip()
    if _NOTHING.fullmatch(reply):
        return []
    found = _from_json(reply)
    return distinct(_bare(text) for text in (_from_lines(reply) if found is None else found))


def _from_json(reply: str) -> list[str] | None:
    """Return the strings of the first JSON list or object in the reply; None if there is no JSON in it."""
    for start in (match.start() for match in re.finditer(r"[\[{]", reply)):
        try:
            value, _ = json.JSONDecoder().raw_decode(reply, start)
        except (ValueError, RecursionError):
            continue
        return list(_strings(value))
    return None


def _strings(value: Any) -> Iterator[str]:
    """Yield all strings within lists and objects, but for an object's keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


def _from_lines(reply: str) -> list[str]:
    lines = [line for line in reply.splitlines() if line.strip(" `")]
    if items := [match["text"] for match in map(_ITEM.fullmatch, lines) if match]:
        return items  # what stands before and after a list is no part of it
    lines = [_HEADING.sub("", line) if number == 0 else line for number, line in enumerate(lines)]
    return [part for line in lines for part in re.split(r"[,;、，；]", line)]


def _bare(text: str) -> str:
    """Return a keyword without quotes, emphasis and the punctuation of a list."""
    return text.strip(" \t\r\n*_`\"'“”‘’«»[](){}.,;:!?")
