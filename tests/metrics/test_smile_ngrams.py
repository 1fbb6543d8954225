"""The nearest n-gram from vectors in batches, and the shortlist of n-grams."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evaluate_qa.metrics.smile.components import NGrams, shortlists


def unit_vectors(count, dim=4, seed=0):
    vectors = np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


a_list = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=5, unique=True)


@given(st.lists(a_list, min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_batches_in_any_order_give_the_maximum_of_each_pair(lists, seed):
    rng = np.random.default_rng(seed)
    reference_of = rng.integers(3, size=len(lists))
    grams = NGrams(lists, reference_of)
    vectors, references = unit_vectors(len(grams.texts), seed=1), unit_vectors(3, seed=2)
    for batch in np.array_split(rng.permutation(len(grams.texts)), 3):
        grams.compare(batch, vectors[batch], references)
    cosines, texts = grams.best()
    number = {text: i for i, text in enumerate(grams.texts)}
    for pair, (ngrams, reference) in enumerate(zip(lists, reference_of, strict=True)):
        dots = [float(vectors[number[text]] @ references[reference]) for text in ngrams]
        assert abs(cosines[pair] - max(dots)) < 1e-6
        assert abs(dots[ngrams.index(texts[pair])] - max(dots)) < 1e-6


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
