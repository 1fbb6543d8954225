"""Words and n-grams: appendix A.2, by hand."""

import pytest

from evaluate_qa.metrics.smile.options import SmileOptions
from evaluate_qa.metrics.smile.text import lemmatizer, ngrams, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Wolves, of COURSE!", ["the", "wolves", "of", "course"]),
        ("Brooks & Dunn", ["brooks", "dunn"]),
        ("2001–2002 season", ["20012002", "season"]),  # removed, not replaced by a space, as in the released program
        ("90° north", ["90", "north"]),
        ("&", ["&"]),  # no word is left: the original
        ("?! ...", ["?!", "..."]),
        ("", []),
        (" \n\t ", []),
        ("東京です", ["東", "京", "で", "す"]),  # no spaces: a character is a word
        ("हिन्दी में", ["हिन्दी", "में"]),  # vowel signs are not punctuation
    ],
)
def test_words_without_lemmas(text, expected):
    assert words(text, str) == expected


def test_simplemma_gives_lower_case_lemmas():
    lemma = lemmatizer(SmileOptions())
    assert list(map(lemma, ["wolves", "york", "was", "röntgen"])) == ["wolf", "york", "be", "röntgen"]
    assert lemmatizer(SmileOptions(lang="de"))("häuser") == "haus"


def test_an_unknown_language_raises():
    with pytest.raises(ValueError, match="simplemma does not support lang='xx'; use lemmatizer='none'"):
        lemmatizer(SmileOptions(lang="xx"))


def test_wordnet_without_its_data_names_the_command(monkeypatch, tmp_path):
    import nltk
    from nltk.corpus.reader import WordNetCorpusReader
    from nltk.corpus.util import LazyCorpusLoader

    # Another test may have loaded it.
    monkeypatch.setattr("nltk.corpus.wordnet", LazyCorpusLoader("wordnet", WordNetCorpusReader, None))
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    with pytest.raises(LookupError, match=r"python -m nltk\.downloader"):
        lemmatizer(SmileOptions(lemmatizer="wordnet-noun"))


@pytest.mark.parametrize(("text", "expected"), [("a b", ["a b"]), ("", [""]), ("a b c", ["a b c"])])
def test_a_text_of_at_most_n_words_is_one_ngram(text, expected):
    assert ngrams(text.split(), 3) == expected
