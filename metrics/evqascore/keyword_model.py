"""Keywords from a chat model, as in the paper: run here by transformers, or behind an OpenAI-compatible endpoint."""

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from .chat_models import ChatModel, Conversation, Deliver, Endpoint, LocalModel, NoAnswer
from .keyword_prompt import MAX_TOKENS, PROMPT, conversation, parse_keywords
from .keyword_store import KeywordStore
from .progress import library_bars, progress

# A wrong key, a stopped server or a model that says nothing fails every text: no use in waiting for them all.
_FAILURES_IN_A_ROW = 20


class GaveUp(ValueError):  # noqa: N818 - ends a call early; the answers that came are kept
    """Too many failures one after the other."""


class KeywordModel:
    """Asks a chat model for the keywords of texts, each text once.

    Args:
        model: Name on the Hub, folder, or name at the endpoint.
        revision: Commit, tag or branch on the Hub.
        endpoint: URL of an OpenAI-compatible server, whose key comes from OPENAI_API_KEY; None runs the model here.
        device: As for torch; None for the best there is.
        cache_dir: Where keywords are kept for later calls; None keeps them as long as this object lives.
    """

    def __init__(
        self,
        model: str,
        revision: str | None = None,
        endpoint: str | None = None,
        device: str | None = None,
        cache_dir: Path | None = None,
    ) -> None:
        self._model = _chat_model(model, revision, endpoint, device)
        asked = json.dumps([self._model.settings, PROMPT], sort_keys=True, default=str)
        at = f"@{revision[:8]}" if revision else ""
        prompt = hashlib.sha256(PROMPT.encode()).hexdigest()[:8]
        self.label = f"{Path(model).name or model}{at}+prompt@{prompt}"
        self._store = KeywordStore(cache_dir, asked) if cache_dir else None
        self._known: dict[str, list[str]] = {}

    def keywords(self, texts: Iterable[str]) -> dict[str, list[str] | NoAnswer]:
        """Return the keywords of each text, or why the model gave none.

        Raises:
            ImportError: a package is missing.
            ValueError: the model cannot be loaded, or gives no answer time and again.
        """
        texts = list(dict.fromkeys(texts))
        self._recall(texts)
        failed = self._ask([text for text in texts if text not in self._known])
        return {text: failed.get(text) or self._known[text] for text in texts}

    def _recall(self, texts: list[str]) -> None:
        if self._store:
            stored = {text: self._store.read(text) for text in texts if text not in self._known}
            self._known |= {text: keywords for text, keywords in stored.items() if keywords is not None}

    def _ask(self, texts: list[str]) -> dict[str, NoAnswer]:
        failed: dict[str, NoAnswer] = {}
        in_a_row = 0

        def deliver(number: int, answer: str | NoAnswer) -> None:
            nonlocal in_a_row
            bar.update()
            if isinstance(answer, NoAnswer):
                failed[texts[number]] = answer
                in_a_row += 1
                if in_a_row == _FAILURES_IN_A_ROW:
                    raise GaveUp(f"evqascore: the keyword model failed {in_a_row} times in a row: {answer}")
                return
            in_a_row = 0
            keywords = self._known[texts[number]] = parse_keywords(answer)
            if self._store:
                self._store.write(texts[number], keywords)

        if texts:
            with progress("evqascore: keywords", len(texts), "text") as bar:
                self._answer([conversation(text) for text in texts], deliver)
        return failed

    def _answer(self, conversations: list[Conversation], deliver: Deliver) -> None:
        try:
            with library_bars():
                self._model.answer(conversations, deliver)
        except ModuleNotFoundError as error:
            raise ImportError(f"evqascore: {error}; the keyword model needs: pip install openai jinja2") from error
        except GaveUp:
            raise
        except ValueError as error:
            raise ValueError(f"evqascore: {error}") from error


def _chat_model(model: str, revision: str | None, endpoint: str | None, device: str | None) -> ChatModel:
    if endpoint is None:
        return LocalModel(model, revision, device or "auto", max_tokens=MAX_TOKENS)
    try:
        return Endpoint(endpoint, model, os.environ.get("OPENAI_API_KEY"), max_tokens=MAX_TOKENS)
    except ValueError as error:
        raise ValueError(f"evqascore: keyword_{error}") from None
