"""Equations 1 to 3, by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluate_qa.metrics.smile.options import SmileOptions
from evaluate_qa.metrics.smile.scoring import Components, bins, contenders, score, smile_score

unit = st.floats(0, 1)
cosine = st.floats(-1, 1)


def components(**given):
    """One answered pair with zeros as default values."""
    pairs = len(next(iter(given.values())))
    values = {name: np.zeros(pairs) for name in ("semantic_cosine", "ngram_cosine", "exact_match", "word_fraction")}
    values |= {name: np.array(value, dtype=float) for name, value in given.items() if name in values}
    return Components(
        starts=np.array(given.get("starts", range(pairs))),
        answered=np.ones(pairs, dtype=bool),
        best_ngram=given.get("best_ngram", [f"ngram {pair}" for pair in range(pairs)]),
        **values,
    )


def test_harmonic_mean_by_hand():
    # Equal weights: 2 · 0.6 · 0.9 / (0.6 + 0.9) = 0.72; a component of 0 gives 0 unless its weight is 0.
    harmonic = smile_score(np.array([0.6, 0.0]), np.array([0.9, 0.9]), 0.5, "harmonic")
    assert harmonic.tolist() == pytest.approx([0.72, 0.0])
    assert smile_score(np.array([0.0]), np.array([0.9]), 0.0, "harmonic")[0] == pytest.approx(0.9)
    assert smile_score(np.array([0.6]), np.array([-0.2]), 1.0, "harmonic")[0] == pytest.approx(0.6)
    assert smile_score(np.array([0.6]), np.array([-0.2]), 0.5, "harmonic")[0] == 0.0


@pytest.mark.parametrize(
    ("value", "bin_"),
    [(-0.3, 0), (0.0, 0), (0.1666, 0), (0.1667, 1), (0.5, 3), (0.6666, 3), (2 / 3, 4), (0.8333, 4), (1.0, 5)],
)
def test_six_uniform_bins(value, bin_):
    assert bins(np.array([value]))[0] == bin_


def test_a_row_from_components_to_verdict():
    # s_s = (1 + 0.6) / 2 = 0.8; s_l = (1 + (1 + 0.4) / 2) / 2 = 0.85; s = (0.8 + 0.85) / 2 = 0.825: bin 4, correct.
    scores = score(components(semantic_cosine=[0.6], ngram_cosine=[0.4], exact_match=[1]), SmileOptions())
    assert scores.semantic[0] == pytest.approx(0.8)
    assert scores.ngram_similarity[0] == pytest.approx(0.7)
    assert scores.lexical[0] == pytest.approx(0.85)
    assert scores.score[0] == pytest.approx(0.825)
    assert (scores.bin[0], scores.verdict[0]) == (4, True)
    # s_s = 1, s_l = (0 + 1/2) / 2 = 1/4; s = 5/8 is a binary fraction: a score equal to the threshold is correct.
    pair = components(semantic_cosine=[1], ngram_cosine=[0], exact_match=[0])
    assert [score(pair, SmileOptions(threshold=t)).verdict[0] for t in (0.625, 0.626)] == [True, False]


def test_best_reference_is_the_first_of_equally_good_ones():
    rows = components(exact_match=[0, 1, 1, 0], starts=[0, 3], best_ngram=["a", "b", "c", "d"])
    scores = score(rows, SmileOptions())
    assert scores.best_reference.tolist() == [1, 0]
    assert scores.best_ngram == ["b", "d"]


@given(st.lists(st.tuples(cosine, cosine, st.sampled_from([0.0, 1.0])), min_size=1, max_size=20), unit)
@example([(0.0, -1.0, 0.0)], 2e-313)  # 1 / w is larger than the largest number
def test_scores_stay_in_the_unit_interval_and_agree_with_their_bins(pairs, w):
    semantic, ngram, exact = zip(*pairs, strict=True)
    rows = components(semantic_cosine=semantic, ngram_cosine=ngram, exact_match=exact)
    for combine in ("arithmetic", "harmonic"):
        scores = score(rows, SmileOptions(w=w, combine=combine))
        assert np.all((scores.score >= 0) & (scores.score <= 1 + 1e-12))
        assert np.all((scores.bin >= 4) == scores.verdict)


tenth = st.integers(0, 10).map(lambda n: n / 10)
tenths = st.integers(-10, 10).map(lambda n: n / 10)
a_pair = st.tuples(tenths, tenths, st.sampled_from([0.0, 1.0]), tenth)


@given(
    st.lists(st.lists(a_pair, min_size=1, max_size=4), min_size=1, max_size=5),
    tenth,
    st.sampled_from(["scaled", "cosine"]),
    st.sampled_from(["words", "fraction"]),
    st.sampled_from(["arithmetic", "harmonic"]),
)
def test_pairs_that_are_no_contenders_never_win(rows, w, similarity, exact_match, combine):
    semantic, ngram, exact, fraction = map(np.array, zip(*(pair for row in rows for pair in row), strict=True))
    known = components(
        semantic_cosine=semantic,
        ngram_cosine=np.where(exact == 1, 1.0, ngram),
        exact_match=exact,
        word_fraction=fraction,
        starts=np.cumsum([0, *map(len, rows[:-1])]),
    )
    options = SmileOptions(w=w, similarity=similarity, exact_match=exact_match, combine=combine)
    read = contenders(known, options) | (exact == 1)
    left_out = replace(known, ngram_cosine=np.where(read, known.ngram_cosine, -1.0))
    for name, values in vars(score(left_out, options)).items():
        assert np.array_equal(values, vars(score(known, options))[name]), name
