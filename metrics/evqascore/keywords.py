"""Extract keywords with YAKE, which needs no model, or with a chat model, as in the paper.

YAKE (Campos et al. 2020) ranks phrases by the statistics of the text itself. It lists a phrase together with its parts
and neighbors: "red ball", "ball", "ball rolls". EVQAScore rewards the number of keywords, so every word may count only
once: see `drop_overlaps`. The paper does not print the prompt of its chat model; this one is ours.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from .._shared.chat_models import ChatModel, Conversation, LocalModel, NoAnswer
from .._shared.columns import without_thoughts
from .._shared.endpoint import Endpoint
from .._shared.progress import library_bars, progress
from .._shared.stores import Store
from .options import YAKE

# Phrases of up to two words ("acoustic guitar"). With three, YAKE prefers phrases with a function word in the middle
# ("playing an acoustic"), which split the next phrase.
_WORDS = 2

# Return all candidates. YAKE's own removal of similar phrases compares spelling, not position, and is switched off.
_ALL = 1_000_000
_KEEP_SIMILAR = 1.0

PROMPT = """\
List the key phrases of the text below, which describes a video or answers a question about one.
- A key phrase names something that can be seen or heard: a person, an animal, a thing, a place, a quality, an action.
- Use the words of the text. One to five words each. Do not add what the text does not say.
- Name each thing once. Leave out what the text only asks for or denies.
- Reply with a JSON list of strings and nothing else, for example ["a man in a red coat", "playing guitar", "stage"]. \
If there is no key phrase, reply with [].

Text: {text}"""

_MAX_TOKENS = 512

_ITEM = re.compile(r"\s*(?:[-*•–·]|\(?\d{1,3}[.):]|\[\d{1,3}\])\s+(?P<text>\S.*)")
_HEADING = re.compile(r"^[^,;\n]{0,80}:\s*")
_NOTHING = re.compile(r"\W*(?:none|n/?a|no (?:key ?words|key ?phrases|keywords found))?\W*", re.IGNORECASE)


def yake_label(lang: str) -> str:
    """Return the name of YAKE, its version and the language, for the signature."""
    return f"{YAKE}-{version('yake')}" + ("" if lang == "en" else f".{lang}")


@lru_cache(maxsize=8)
def load_yake(lang: str) -> Any:
    """Return YAKE; raise ImportError if it is missing, and ValueError if it has no stop words for the language."""
    try:
        import yake
    except ImportError as error:
        raise ImportError(
            "evqascore: yake, which extracts keywords, is missing. Install it with: pip install yake"
        ) from error
    lists = [file.name for file in (files("yake") / "core" / "StopwordsList").iterdir()]
    known = sorted(name.removeprefix("stopwords_").removesuffix(".txt") for name in lists)
    if lang not in known:
        raise ValueError(
            f"evqascore: lang is {lang!r}, which YAKE does not support; expected one of {', '.join(known)}"
        )
    return yake.KeywordExtractor(lan=lang, n=_WORDS, dedup_lim=_KEEP_SIMILAR, top=_ALL)


def yake_keywords(text: str, lang: str = "en") -> list[str]:
    """Return the keywords of a text, best first, in lower case; an empty list for texts such as "Yes." or "42".

    >>> yake_keywords("What rolls across the table? A red ball rolls, and the ball hits a blue box.")
    ['table', 'rolls', 'blue box', 'ball', 'red', 'hits']
    """
    found = [phrase for phrase, _ in load_yake(lang).extract_keywords(text)]
    # YAKE mistakes the end of a short sentence for an abbreviation: "cats. dogs", "cats.", "dogs".
    return drop_overlaps(text, [phrase.rstrip(".") for phrase in found if ". " not in phrase])


def drop_overlaps(text: str, phrases: Iterable[str]) -> list[str]:
    """Return the phrases that do not overlap an earlier one in the text, in order.

    A phrase is kept if it occurs in the rest of the text, without the kept phrases, and has a new word. So no word of
    the text counts twice, and there are never more keywords than different words.

    >>> drop_overlaps("A red ball and a blue ball roll.", ["red ball", "ball", "blue ball", "ball roll", "roll"])
    ['red ball', 'blue ball', 'roll']
    """
    left, seen, kept = _space_words(text), set[str](), list[str]()
    for phrase in phrases:
        words = _space_words(phrase)
        if words in left and not seen.issuperset(words.split()):
            kept.append(phrase)
            seen.update(words.split())
            left = left.replace(words, " | ")
    return kept


def _space_words(text: str) -> str:
    """Return the words in lower case, with a space before and after each."""
    return "".join(f" {word} " for word in re.findall(r"[^\W_]+", text.lower()))


class KeywordModel:
    """Ask a chat model, locally or at an endpoint, for the keywords of texts, each text once.

    `revision` is a commit, tag or branch on the Hub, and OPENAI_API_KEY has the endpoint's key. `cache_dir` keeps
    keywords for later calls.
    """

    def __init__(
        self,
        model: str,
        revision: str | None = None,
        endpoint: str | None = None,
        device: str | None = None,
        cache_dir: Path | None = None,
    ) -> None:
        self._model: ChatModel = (
            LocalModel(model, revision, device or "auto", max_tokens=_MAX_TOKENS)
            if endpoint is None
            else Endpoint(endpoint, model, os.environ.get("OPENAI_API_KEY"), max_tokens=_MAX_TOKENS)
        )
        asked = json.dumps([self._model.settings, PROMPT], sort_keys=True, default=str)
        at = f"@{revision[:8]}" if revision else ""
        prompt = hashlib.sha256(PROMPT.encode()).hexdigest()[:8]
        self.label = f"{Path(model).name or model}{at}+prompt@{prompt}"
        file = f"keywords-{hashlib.sha256(asked.encode()).hexdigest()[:32]}.sqlite"
        self._store = Store(cache_dir / file, "evqascore: the store of keywords") if cache_dir else None

    def keywords(self, texts: Iterable[str]) -> dict[str, list[str] | NoAnswer]:
        """Return the keywords of each text, or the reason why the model gave none.

        Raise ValueError if the model cannot be loaded, or fails many times in a row. `cache_dir` keeps earlier replies.
        """
        texts = list(dict.fromkeys(texts))
        stored = self._store.read(texts) if self._store else ()
        known = {texts[number]: json.loads(value) for values in stored for number, value in values.items()}
        return known | self._ask([text for text in texts if text not in known])

    def _ask(self, texts: list[str]) -> dict[str, list[str] | NoAnswer]:
        found: dict[str, list[str] | NoAnswer] = {}

        def deliver(number: int, answer: str | NoAnswer) -> None:
            bar.update()
            if isinstance(answer, NoAnswer):
                found[texts[number]] = answer
                return
            keywords = found[texts[number]] = parse_keywords(answer)
            if self._store:
                self._store.write([texts[number]], [json.dumps(keywords).encode()])

        if not texts:
            return found
        try:
            with progress("evqascore: keywords", len(texts), "text") as bar, library_bars():
                self._model.answer([conversation(text) for text in texts], deliver)
        except ModuleNotFoundError as error:
            needed = "pip install aiohttp certifi jinja2"
            raise ImportError(f"evqascore: {error}; the keyword model needs: {needed}") from error
        except ValueError as error:
            raise ValueError(f"evqascore: {error}") from error
        return found


def conversation(text: str) -> Conversation:
    """Return the messages that ask for the keywords of a text."""
    return [{"role": "user", "content": PROMPT.format(text=text)}]


def parse_keywords(reply: str) -> list[str]:
    r"""Return the distinct keywords in a model's reply, in order.

    Accepts a JSON list (also inside other text or an object), numbered and bulleted lists, one keyword per line, and
    commas or semicolons.

    >>> parse_keywords('Here you are:\n1. **red ball**\n2. "blue box"\n3. Red ball')
    ['red ball', 'blue box']
    """
    reply = without_thoughts(reply)
    if _NOTHING.fullmatch(reply):
        return []
    in_json = _parse_json(reply)
    found: dict[str, str] = {}
    for text in _parse_lines(reply) if in_json is None else in_json:
        # Remove quotes, emphasis and list punctuation.
        phrase = " ".join(text.strip(" \t\r\n*_`\"'“”‘’«»[](){}.,;:!?").split())
        found.setdefault(phrase.casefold(), phrase)
    return [phrase for phrase in found.values() if phrase]


def _parse_json(reply: str) -> list[str] | None:
    """Return the strings of the first JSON list or object in the reply; None without JSON."""
    for start in (match.start() for match in re.finditer(r"[\[{]", reply)):
        try:
            value, _ = json.JSONDecoder().raw_decode(reply, start)
        except (ValueError, RecursionError):
            continue
        found = list(_strings(value))
        if found or not value or isinstance(value, dict):  # "[1]" numbers an item
            return found
    return None


def _strings(value: Any) -> Iterator[str]:
    """Yield all strings inside lists and the values of objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


def _parse_lines(reply: str) -> list[str]:
    lines = [line for line in reply.splitlines() if line.strip(" `")]
    if items := [match["text"] for match in map(_ITEM.fullmatch, lines) if match]:
        return items  # ignore the text before and after a list
    lines = [_HEADING.sub("", line) if number == 0 else line for number, line in enumerate(lines)]
    return [part for line in lines for part in re.split(r"[,;、，；]", line)]
