"""Words and n-grams of SMILE's lexical score (Kendre et al. 2025, appendix A.2)."""

import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

from .._shared.words import UNSPACED
from .options import SmileOptions

# Part of speech for WordNet by the first letter of the Penn Treebank tag; everything else counts as a noun.
_WORDNET_POS = {"J": "a", "V": "v", "R": "r"}


def words(text: str, lemma: Callable[[str], str]) -> list[str]:
    """Return the words of a text in lower case, without punctuation and symbols, lemmatized.

    If no word is left ("&"), return the words of the lower-cased text; a blank text has no words.

    >>> words("The wolves, of course!", str)
    ['the', 'wolves', 'of', 'course']
    """
    lowered = text.lower()
    bare = "".join(character for character in lowered if unicodedata.category(character)[0] not in "PS")
    split = UNSPACED.sub(r" \1 ", bare).split()
    return [lemma(word) for word in split] or lowered.split()


def ngrams(words: Sequence[str], n: int) -> list[str]:
    """Return N_i[y], the distinct n-grams in order of first occurrence; a text shorter than n words is one n-gram.

    >>> ngrams(["to", "be", "or", "not", "to", "be"], 2)
    ['to be', 'be or', 'or not', 'not to']
    """
    count = max(1, len(words) - n + 1)
    return list(dict.fromkeys(" ".join(words[i : i + n]) for i in range(count)))


def lemmatizer(options: SmileOptions) -> Callable[[str], str]:
    """Return a cached function from a lower-case word to its lemma in lower case.

    Raise ImportError or LookupError if NLTK or its data are missing, and ValueError for an unsupported language.
    """
    if options.lemmatizer == "none":
        return str
    make = _simplemma if options.lemmatizer == "simplemma" else _wordnet
    return lru_cache(maxsize=1 << 18)(make(options))


def lemmatizer_name(options: SmileOptions) -> str:
    """Return the lemmatizer with its version, for the signature."""
    from importlib.metadata import version

    package = {"simplemma": "simplemma", "none": None}.get(options.lemmatizer, "nltk")
    return options.lemmatizer if package is None else f"{options.lemmatizer}-{version(package)}"


def _simplemma(options: SmileOptions) -> Callable[[str], str]:
    import simplemma

    lang = options.lang
    try:
        simplemma.lemmatize("a", lang=lang)
    except ValueError as error:
        raise ValueError(f"smile: simplemma does not support lang={lang!r}; use lemmatizer='none'") from error
    # The tables restore capitals ("york" -> "York").
    return lambda word: simplemma.lemmatize(word, lang=lang).lower()


def _wordnet(options: SmileOptions) -> Callable[[str], str]:
    try:
        from nltk import pos_tag
        from nltk.stem import WordNetLemmatizer
    except ImportError as error:
        raise ImportError("smile: lemmatizer='wordnet' needs NLTK: pip install nltk") from error
    lemmatize: Callable[[str, str], str] = WordNetLemmatizer().lemmatize

    def lemma(word: str) -> str:
        if options.lemmatizer == "wordnet-noun":
            return lemmatize(word, "n")
        ((_, tag),) = pos_tag([word])
        return lemmatize(word, _WORDNET_POS.get(tag[:1], "n"))

    try:
        lemma("a")
    except LookupError as error:
        needed = "wordnet" if options.lemmatizer == "wordnet-noun" else "wordnet averaged_perceptron_tagger_eng"
        raise LookupError(f"smile: data of NLTK is missing: python -m nltk.downloader {needed}") from error
    return lemma
