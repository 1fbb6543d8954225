"""EVQAScore's arithmetic: numbers by hand, properties, and what has no direction."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from evaluate_qa.metrics.evqascore.options import EvqascoreOptions
from evaluate_qa.metrics.evqascore.scoring import VideoParts, compare, harmonic_mean, score

# Three frames, of which two keywords each fit one; every length is 1.
FRAMES = [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]
TEXT = [0.8, 0.6]
KEYWORDS = [[1.0, 0.0], [0.6, 0.8]]


def scored(frames, text, keywords, mode):
    """The numbers of one row."""
    parts = compare(frames, text, keywords, mode)
    numbers = {
        name: values[0] for name, values in vars(score([parts], EvqascoreOptions())).items() if values is not None
    }
    return SimpleNamespace(**numbers, best_frames=parts.best_frames)


def test_by_hand():
    """Cosines: keyword 1 with the frames 1, .6, 0; keyword 2 with them .6, 1, .8.

    P = (1 + 1) / 2 = 1. R = (1 + 1 + .8) / 3 = 14/15. F = 2 · 14/15 / (29/15) = 28/29.
    The frames' sum is (1.6, 1.8), so c = (1.6 · .8 + 1.8 · .6) / √(1.6² + 1.8²) = 2.36 / √5.8.
    """
    found = scored(FRAMES, TEXT, KEYWORDS, "caption")
    coarse = 2.36 / math.sqrt(5.8)
    assert (found.precision, found.recall) == pytest.approx((1, 14 / 15))
    assert (found.f_score, found.coarse) == pytest.approx((28 / 29, coarse))
    assert found.score == pytest.approx((coarse + 28 / 29) / 2)
    assert found.best_frames == (0, 1)
    of_qa = scored(FRAMES, TEXT, KEYWORDS, "qa")
    assert of_qa.score == pytest.approx((coarse + 28 / 29) / 2 * math.log(3))
    assert (of_qa.precision, of_qa.recall, of_qa.f_score, of_qa.coarse) == (
        found.precision,
        found.recall,
        found.f_score,
        found.coarse,
    )


@pytest.mark.parametrize("none", [[], np.empty((0, 2)), np.empty((0,))], ids=["list", "matrix", "vector"])
def test_without_keywords_only_the_whole_text_counts(none):
    """F = 0; ln(0 + 1) = 0."""
    caption, qa = (scored(FRAMES, TEXT, none, mode) for mode in ("caption", "qa"))
    assert (caption.precision, caption.recall, caption.f_score, caption.best_frames) == (0, 0, 0, ())
    assert caption.score == caption.coarse / 2 == pytest.approx(1.18 / math.sqrt(5.8))
    assert qa.score == 0


def test_a_keyword_more_raises_the_score_of_an_answer():
    """Of equal keywords F stays as it is; ln(2 + 1) / ln(1 + 1) is left."""
    one, two = (scored(FRAMES, TEXT, [[0.0, 1.0]] * n, "qa") for n in (1, 2))
    assert two.score / one.score == pytest.approx(math.log(3) / math.log(2))


@pytest.mark.parametrize(
    ("precision", "recall", "expected"),
    [(0.5, 0.5, 0.5), (1, 0.5, 2 / 3), (0, 0, 0), (0.3, -0.3, 0), (0.2, -0.5, 0), (-0.1, -0.3, -0.15), (0, -1, 0)],
)
def test_harmonic_mean(precision, recall, expected):
    """2 · 1 · .5 / 1.5 = 2/3; 2 · .03 / −.4 = −.15."""
    assert harmonic_mean(np.array([precision]), np.array([recall])) == pytest.approx([expected])


def test_rows_are_scored_each_by_itself():
    """Caption, question and answer, and a blank answer, whose n is 0; a verdict needs more than the threshold."""
    parts = [compare(FRAMES, TEXT, KEYWORDS, mode) for mode in ("caption", "qa")] + [VideoParts("qa")]
    alone = [score([one], EvqascoreOptions()) for one in parts]
    together = score(parts, EvqascoreOptions(threshold=alone[0].score[0]))
    for name in ("score", "precision", "recall", "f_score", "coarse", "n_keywords"):
        assert getattr(together, name).tolist() == [getattr(one, name)[0] for one in alone]
    assert together.n_keywords.tolist() == [2, 2, 0]
    assert together.verdict.tolist() == [False, True, False]
    assert alone[0].verdict is None
    assert score([], EvqascoreOptions()).score.shape == (0,)


def test_frames_that_cancel_out_have_no_mean():
    assert scored([[1, 0], [-1, 0]], [1, 0], [[0, 1]], "caption").coarse == 0
    frames = [[math.cos(angle), math.sin(angle)] for angle in np.arange(7) * 2 * math.pi / 7]
    assert scored(frames, [1, 0], [[0, 1]], "caption").coarse == 0


def test_orthogonal_features_score_nothing():
    found = scored([[1, 0]], [0, 1], [[0, 1]], "qa")
    assert (found.precision, found.recall, found.f_score, found.coarse, found.score) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize("factor", [1e-300, 1e-30, 3, 1e200])
def test_lengths_do_not_matter(factor):
    scaled = [np.array(values) * factor for values in (FRAMES, TEXT, KEYWORDS)]
    assert scored(*scaled, "qa").score == pytest.approx(scored(FRAMES, TEXT, KEYWORDS, "qa").score)


def test_the_first_of_equal_frames_is_the_best():
    assert scored([[0, 1], [1, 0], [1, 0]], [1, 0], [[1, 0]], "qa").best_frames == (1,)


_finite = arrays.arrays(np.float32, (4, 3), elements=st.floats(-1, 1, width=32))


@given(frames=_finite, keywords=_finite, text=_finite)
def test_never_nan_and_within_range(frames, keywords, text):
    if not (frames.any(1).all() and keywords.any(1).all() and text[0].any()):
        return
    found = scored(frames, text[0], keywords, "caption")
    assert all(math.isfinite(value) for value in (found.f_score, found.score))
    assert all(-1 - 1e-9 <= value <= 1 + 1e-9 for value in (found.precision, found.recall, found.coarse))
    order = [2, 0, 3, 1]
    again = scored(frames[order], text[0], keywords[order], "caption")
    # The harmonic mean of numbers of different sign magnifies the last digits without bound.
    assert (again.precision, again.recall, again.coarse) == pytest.approx(
        (found.precision, found.recall, found.coarse), abs=1e-9
    )


@pytest.mark.parametrize(
    ("frames", "text", "keywords", "message"),
    [
        ([], TEXT, KEYWORDS, "frame_features has the shape"),
        (np.empty((0, 2)), TEXT, KEYWORDS, "at least one frame"),
        (FRAMES, [1, 0, 0], KEYWORDS, r"text_feature \(3,\)"),
        (FRAMES, TEXT, [[1, 0, 0]], r"keyword_features \(1, 3\)"),
        (FRAMES[0], TEXT, KEYWORDS, r"frame_features has the shape \(2,\)"),
        ([[1, 0], [0, 0]], TEXT, KEYWORDS, r"frame_features\[1\] has no direction"),
        (FRAMES, [math.nan, 1], KEYWORDS, r"text_feature\[0\] has no direction"),
        (FRAMES, TEXT, [[1, 0], [1, 0], [math.inf, 0]], r"keyword_features\[2\] has no direction"),
    ],
)
def test_what_cannot_be_scored_is_told(frames, text, keywords, message):
    with pytest.raises(ValueError, match=f"^evqascore: .*{message}"):
        scored(frames, text, keywords, "qa")


def test_an_unknown_mode_is_told():
    with pytest.raises(ValueError, match="mode is 'video'; expected 'caption' or 'qa'"):
        scored(FRAMES, TEXT, KEYWORDS, "video")
