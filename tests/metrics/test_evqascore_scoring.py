"""The equations of EVQAScore: numbers by hand, and vectors without a direction."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from evaluate_qa.metrics.evqascore.options import EvqascoreOptions
from evaluate_qa.metrics.evqascore.scoring import compare, harmonic_mean, score

# Three frames; two of them equal a keyword. Every length is 1.
FRAMES = [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]
TEXT = [0.8, 0.6]
KEYWORDS = [[1.0, 0.0], [0.6, 0.8]]


def scored(frames, text, keywords, mode):
    """Return the numbers of one row."""
    parts = compare(frames, text, keywords, mode)
    columns = vars(score([parts], EvqascoreOptions())).items()
    return SimpleNamespace(
        **{name: values[0] for name, values in columns if values is not None}, best_frames=parts.best_frames
    )


@pytest.mark.parametrize("none", [[], np.empty((0, 2))], ids=["list", "matrix"])
def test_without_keywords_f_is_zero(none):
    """A caption keeps c / 2; an answer scores 0, because ln(0 + 1) = 0."""
    caption, qa = (scored(FRAMES, TEXT, none, mode) for mode in ("caption", "qa"))
    assert (caption.precision, caption.recall, caption.f_score, caption.best_frames) == (0, 0, 0, ())
    assert caption.score == caption.coarse / 2 == pytest.approx(1.18 / math.sqrt(5.8))
    assert qa.score == 0


@pytest.mark.parametrize(
    ("precision", "recall", "expected"),
    [
        *((0.5, 0.5, 0.5), (1, 0.5, 2 / 3), (0, 0, 0), (0, -1, 0)),
        *((0.3, -0.3, 0), (0.2, -0.5, 0), (-0.1, 0.1001, 0), (-0.1, -0.3, -0.15)),
    ],
)
def test_harmonic_mean(precision, recall, expected):
    """2 · 1 · .5 / 1.5 = 2/3; 2 · .03 / −.4 = −.15."""
    assert harmonic_mean(np.array([precision]), np.array([recall])) == pytest.approx([expected])


def test_frames_that_cancel_out_have_no_mean():
    assert scored([[1, 0], [-1, 0]], [1, 0], [[0, 1]], "caption").coarse == 0
    frames = [[math.cos(angle), math.sin(angle)] for angle in np.arange(7) * 2 * math.pi / 7]
    assert scored(frames, [1, 0], [[0, 1]], "caption").coarse == 0


@pytest.mark.parametrize("factor", [1e-300, 1e-30, 3, 1e200])
def test_vector_lengths_do_not_matter(factor):
    scaled = [np.array(values) * factor for values in (FRAMES, TEXT, KEYWORDS)]
    assert scored(*scaled, "qa").score == pytest.approx(scored(FRAMES, TEXT, KEYWORDS, "qa").score)


def test_first_of_equal_frames_is_the_best():
    assert scored([[0, 1], [1, 0], [1, 0]], [1, 0], [[1, 0]], "qa").best_frames == (1,)


@pytest.mark.parametrize(
    ("frames", "text", "keywords", "message"),
    [
        (FRAMES[0], TEXT, KEYWORDS, r"frame_features has the shape \(2,\)"),
        ([[1, 0], [0, 0]], TEXT, KEYWORDS, r"frame_features\[1\] has no direction"),
        (FRAMES, [math.nan, 1], KEYWORDS, r"text_feature\[0\] has no direction"),
        (FRAMES, TEXT, [[1, 0], [1, 0], [math.inf, 0]], r"keyword_features\[2\] has no direction"),
    ],
)
def test_vectors_without_a_direction_are_rejected(frames, text, keywords, message):
    with pytest.raises(ValueError, match=f"^evqascore: .*{message}"):
        scored(frames, text, keywords, "qa")
