"""Text processing of SMILE's lexical score (Kendre et al. 2025, appendix A.2): words and n-grams."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

from .options import Lemmatizer, SmileOptions

# Scripts written without spaces: each character stands for a word, else a whole Chinese answer would be one.
_UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])")

# Part of speech for WordNet by the first letter of the Penn Treebank tag; everything else counts as a noun.
_WORDNET_POS = {"J": "a", "V": "v", "R": "r"}


class _NotPunctuation(dict[int, int | None]):
    """A table for `str.translate`, filled on demand: punctuation and symbols (Unicode P* and S*) map to nothing."""

    def __missing__(self, code: int) -> int | None:
        kept = None if unicodedata.category(chr(code))[0] in "PS" else code
        self[code] = kept
        return kept


_WITHOUT_PUNCTUATION = _NotPunctuation()


def words(text: str, lemma: Callable[[str], str]) -> list[str]:
    """Return the processed words: lower case, no punctuation, each lemmatised.

    A text of which nothing is left (a bare "&") is its lower-cased original; a blank text has no words.

    >>> words("The wolves, of course!", str)
    ['the', 'wolves', 'of', 'course']
    """
    lowered = text.lower()
    bare = lowered.translate(_WITHOUT_PUNCTUATION)
    split = _UNSPACED.sub(r" \1 ", bare).split()
    return [lemma(word) for word in split] or lowered.split()


def ngrams(words: Sequence[str], n: int) -> list[str]:
    """Return N_i[y], the distinct n-grams in order of first occurrence; a text shorter than n is one n-gram.

    >>> ngrams(["to", "be", "or", "not", "to", "be"], 2)
    ['to be', 'be or', 'or not', 'not to']
    """
    count = max(1, len(words) - n + 1)
    return list(dict.fromkeys(" ".join(words[i : i + n]) for i in range(count)))


def lemmatizer(options: SmileOptions) -> Callable[[str], str]:
    """Return a function from a lower-case word to its lemma, in lower case; it remembers what it has looked up.

    Raises:
        ImportError: the package is missing.
        LookupError: NLTK's data is missing.
        ValueError: simplemma does not know the language.
    """
    makers: dict[Lemmatizer, Callable[[str], Callable[[str], str]]] = {
        "simplemma": _simplemma,
        "wordnet": _wordnet,
        "wordnet-noun": _wordnet_noun,
        "none": lambda _: str,
    }
    return lru_cache(maxsize=1 << 18)(makers[options.lemmatizer](options.lang))


def lemmatizer_name(options: SmileOptions) -> str:
    """Return the lemmatizer with its version, for the signature."""
    from importlib.metadata import version

    package = {"simplemma": "simplemma", "none": None}.get(options.lemmatizer, "nltk")
    return options.lemmatizer if package is None else f"{options.lemmatizer}-{version(package)}"


def _simplemma(lang: str) -> Callable[[str], str]:
    import simplemma

    try:
        simplemma.lemmatize("a", lang=lang)
    except ValueError as error:
        raise ValueError(f"smile: simplemma has no tables for lang={lang!r}; lemmatizer='none' needs none") from error
    # The tables restore capitals ("york" -> "York"), which the processing has just removed.
    return lambda word: simplemma.lemmatize(word, lang=lang).lower()


def _wordnet_noun(_: str) -> Callable[[str], str]:
    lemmatize = _nltk_lemmatize()
    return lambda word: lemmatize(word, "n")


def _wordnet(_: str) -> Callable[[str], str]:
    from nltk import pos_tag

    lemmatize = _nltk_lemmatize()

    def lemma(word: str) -> str:
        ((_, tag),) = pos_tag([word])
        return lemmatize(word, _WORDNET_POS.get(tag[:1], "n"))

    try:
        lemma("a")
    except LookupError as error:
        raise LookupError(_nltk_cure("averaged_perceptron_tagger_eng")) from error
    return lemma


def _nltk_lemmatize() -> Callable[[str, str], str]:
    try:
        from nltk.stem import WordNetLemmatizer
    except ImportError as error:
        raise ImportError("smile: lemmatizer='wordnet' needs NLTK: pip install nltk") from error
    lemmatize: Callable[[str, str], str] = WordNetLemmatizer().lemmatize
    try:
        lemmatize("a", "n")
    except LookupError as error:
        raise LookupError(_nltk_cure("wordnet")) from error
    return lemmatize


def _nltk_cure(resource: str) -> str:
    return f"smile: NLTK's {resource} is missing: python -m nltk.downloader {resource}"
