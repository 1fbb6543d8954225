"""The streamed maximum over n-grams equals the plain one, in whatever batches the vectors come."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evaluate_qa.metrics.smile.candidates import Shortlist
from evaluate_qa.metrics.smile.ngrams import NGrams


def unit_vectors(count, dim=4, seed=0):
    vectors = np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


a_list = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=5, unique=True)


@given(st.lists(a_list, min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_any_batches_give_the_maximum_of_each_pair(lists, seed):
    rng = np.random.default_rng(seed)
    list_of, reference_of = rng.integers(len(lists), size=7), rng.integers(3, size=7)
    grams = NGrams(lists, list_of, reference_of)
    vectors, references = unit_vectors(len(grams.texts), seed=1), unit_vectors(3, seed=2)
    for batch in np.array_split(rng.permutation(len(grams.texts)), 3):
        grams.compare(batch, vectors[batch], references)
    cosines, texts = grams.best()
    number = {text: i for i, text in enumerate(grams.texts)}
    for pair, (ngrams, reference) in enumerate(zip(list_of, reference_of, strict=True)):
        dots = [float(vectors[number[text]] @ references[reference]) for text in lists[ngrams]]
        assert abs(cosines[pair] - max(dots)) < 1e-6
        assert abs(dots[lists[ngrams].index(texts[pair])] - max(dots)) < 1e-6


def test_equal_ngrams_give_the_first():
    grams = NGrams([["b", "a"]], np.array([0]), np.array([0]))
    same = np.ones((2, 1), dtype=np.float32)
    grams.compare(np.array([0, 1]), same, np.ones((1, 1), dtype=np.float32))
    assert grams.best()[1] == ["b"]


def test_each_text_is_listed_once():
    grams = NGrams([["a", "b"], ["b", "c"]], np.array([0, 1, 1]), np.array([0, 0, 1]))
    assert grams.texts == ["a", "b", "c"]


def letters(words):
    """A word's vector counts its letters: an independent stand-in for word-piece embeddings."""
    return np.array(
        [[word.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for word in words], dtype=np.float32
    )


def test_shortlist_keeps_the_ngrams_that_share_the_references_letters():
    prediction = ["zz", "yy", "marie", "curie", "xx", "ww", "vv"]
    kept = Shortlist(2, letters).lists([prediction], [["marie", "curie"]], np.array([0]))
    # Cosine of letter counts: "marie curie" is 1; of the others only "yy marie" and "curie xx" share letters.
    # reference: a1 c1 e2 i2 m1 r2 u1, norm 4. "yy marie": (a1 e1 i1 m1 r1 -> 1+2+2+1+2 = 8) / (4 · 3) = .67;
    # "curie xx": (c1 u1 r1 i1 e1 -> 1+1+2+2+2 = 8) / (4 · 3) = .67: equal, so the first stays.
    assert kept == [["yy marie", "marie curie"]]
    # Direction counts, not length: (5, 1) · (1, 1) = 6 is more than 2, but its cosine 6 / √(26 · 2) = .83 less than 1.
    assert Shortlist(1, letters).lists([["aaaaab", "ab"]], [["ba"]], np.array([0])) == [["ab"]]


def test_shortlist_of_enough_keeps_all_in_order():
    prediction = ["a", "b", "c"]
    assert Shortlist(3, letters).lists([prediction], [["c"]], np.array([0])) == [["a", "b", "c"]]


def test_shortlist_counts_a_repeated_ngram_once():
    prediction = ["a", "b", "a", "b", "a", "c"]
    assert Shortlist(2, letters).lists([prediction], [["a"]], np.array([0])) == [["a", "b"]]
