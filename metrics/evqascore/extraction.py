"""Where keywords come from that the caller does not give: YAKE or a chat model, by configuration and options."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from .chat_models import NoAnswer
from .keyword_model import KeywordModel
from .keywords import yake_extractor, yake_keywords, yake_label
from .options import YAKE, LoadOptions
from .progress import progress

Extract = Callable[[Sequence[str]], Mapping[str, list[str] | NoAnswer]]
"""Takes texts, returns the keywords of each, or why there are none."""


class Extractors:
    """The extractor of a loaded metric; a chat model stays loaded from call to call.

    Args:
        config: Configuration of the metric.
        options: What was given to `evaluate.load`.
    """

    def __init__(self, config: str, options: LoadOptions) -> None:
        source, revision = options.keyword_source(config)
        self._model = None
        if source != YAKE:
            self._model = KeywordModel(source, revision, options.keyword_endpoint, options.device, options.cache)

    def label(self, lang: str) -> str:
        """Return the extractor's name, for the signature."""
        if self._model:
            return self._model.label
        return yake_label() if lang == "en" else f"{yake_label()}.{lang}"

    def for_language(self, lang: str) -> Extract:
        """Return the extractor for texts of a language, of which a chat model need not be told.

        Raises:
            ImportError: YAKE is missing.
            ValueError: YAKE does not know the language.
        """
        if self._model:
            return self._model.keywords
        yake_extractor(lang)
        return partial(_by_yake, lang)


def _by_yake(lang: str, texts: Sequence[str]) -> dict[str, list[str] | NoAnswer]:
    found: dict[str, list[str] | NoAnswer] = {}
    with progress("evqascore: keywords", len(texts), "text") as bar:
        for text in texts:
            if text not in found:
                found[text] = yake_keywords(text, lang)
            bar.update()
    return found
