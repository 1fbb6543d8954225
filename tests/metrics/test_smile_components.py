"""Components of the score by hand, with a model that counts letters, and the shortlist of n-grams."""

import numpy as np
import pytest

from evaluate_qa.metrics.smile.components import NGrams, components, shortlists


class Letters:
    """Embeds a text as its numbers of a and b, at unit length."""

    def vectors(self, texts, _):
        """Return a vector for each text."""
        counts = np.array([[text.count("a"), text.count("b")] for text in texts], dtype=np.float32).reshape(-1, 2)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)

    def stream(self, texts, describe):
        """Yield indices of texts and their vectors."""
        yield np.arange(len(texts)), self.vectors(texts, describe)


@pytest.mark.parametrize(
    ("synthetic", "semantic"),
    [
        ([], [3 / np.sqrt(10), 4 / 5]),  # (1, 2) with the references' (1, 1) and (2, 1)
        (["a", "b"], [1 / np.sqrt(5), 2 / np.sqrt(5)]),  # with (1, 0) for the first reference, (0, 1) for the second
        (["b"], [2 / np.sqrt(5)] * 2),
    ],
    ids=["none", "one for each reference", "one for all"],
)
def test_components_by_hand(synthetic, semantic):
    """The n-grams a and b have the cosine 1/√2 with "ab"; "a b" has 3/√10 and "b b" 1/√5 with "a ab" (2, 1)."""
    found = components(["a b b", "b"], [["ab", "a ab"], ["b"]], [synthetic, []], Letters(), str)
    assert found.semantic_cosine == pytest.approx([*semantic, 1])
    assert found.ngram_cosine == pytest.approx([1 / np.sqrt(2), 3 / np.sqrt(10), 1])
    assert list(found.best_ngram) == ["a", "a b", "b"]
    assert found.exact_match.tolist() == [0, 0, 1]
    assert found.word_fraction.tolist() == [0, 1 / 2, 1]
    assert found.starts.tolist() == [0, 2]


def test_the_first_of_equally_near_ngrams_wins():
    grams = NGrams([["b", "a"]], np.array([0]))
    same = np.ones((2, 1), dtype=np.float32)
    grams.compare(np.array([0, 1]), same, np.ones((1, 1), dtype=np.float32))
    assert grams.best()[1] == ["b"]


def letters(words):
    """Vectors that count the letters of words."""
    return np.array(
        [[word.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for word in words], dtype=np.float32
    )


def test_shortlist_keeps_the_ngrams_that_share_the_references_letters():
    prediction = ["zz", "yy", "marie", "curie", "xx", "ww", "vv"]
    kept = shortlists([prediction], [["marie", "curie"]], 2, letters)
    # Cosine of letter counts: "marie curie" has 1; among the others, only "yy marie" and "curie xx" share letters.
    # reference: a1 c1 e2 i2 m1 r2 u1, norm 4. "yy marie": (a1 e1 i1 m1 r1 -> 1+2+2+1+2 = 8) / (4 · 3) = .67;
    # "curie xx": (c1 u1 r1 i1 e1 -> 1+1+2+2+2 = 8) / (4 · 3) = .67: equal, so the first stays.
    assert kept == [["yy marie", "marie curie"]]
    # Cosines, not products: (5, 1) · (1, 1) = 6 is more than 2, but its cosine 6 / √(26 · 2) = .83 is less than 1.
    assert shortlists([["aaaaab", "ab"]], [["ba"]], 1, letters) == [["ab"]]


def test_shortlist_counts_a_repeated_ngram_once():
    prediction = ["a", "b", "a", "b", "a", "c"]
    assert shortlists([prediction], [["a"]], 2, letters) == [["a", "b"]]
    assert shortlists([prediction], [["a"]], 3, letters) == [["a", "b", "c"]]
