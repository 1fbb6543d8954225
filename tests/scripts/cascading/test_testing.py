"""The band outside of which a matcher agrees with people: by hand, by another way, and its guarantee in simulations."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from evaluate_qa.cascading.testing import CheckedBand, Side, enough, find_band, rejected, thresholds

LEVEL = 0.025


def rows(*groups):
    """Scores and labels of groups of rows: a score, how many rows, how many of them people call correct."""
    scores = np.concatenate([np.full(count, score) for score, count, _ in groups])
    labels = np.concatenate([np.arange(count) < right for _, count, right in groups])
    return scores, labels


def test_by_hand():
    """From .995 on all of 300 rows are right: P(Bin(300, .95) ≥ 300) = 2e-7. From .85 on 380 of 400, which is .95.

    Without an error the bound is .025^(1/300) = .98778.
    """
    band = find_band(*rows((0.995, 300, 300), (0.85, 100, 80), (0.6, 200, 100)))
    assert band == CheckedBand(0.0, 0.86, None, Side(300, 300, pytest.approx(0.98778, abs=1e-5)))
    mirrored = find_band(*rows((0.005, 300, 0), (0.145, 100, 20), (0.4, 200, 100)))
    assert mirrored == CheckedBand(0.14, 1.0, Side(300, 300, pytest.approx(0.025 ** (1 / 300))), None)


def test_as_many_rows_as_it_takes():
    """.95^72 = .0249 and .95^71 = .0262: of 72 rows without an error one may say so, of 71 not."""
    assert find_band(*rows((0.99, 72, 72))).above == Side(72, 72, pytest.approx(0.025 ** (1 / 72)))
    assert find_band(*rows((0.99, 71, 71))) == CheckedBand(0.0, 1.0, None, None)


def test_a_sequence_begins_where_there_are_rows_enough():
    """292 = ⌈19 · (2 · 1.96)²⌉ pass with half the errors allowed; or half of the rows; but 72 at least."""
    assert enough(np.array([10_000, 584, 583, 300, 144, 10]), 0.95, LEVEL).tolist() == [292, 292, 291, 150, 72, 72]


def test_the_first_failure_ends_it():
    """300 of 300 pass, 300 of 400 do not, 5,300 of 5,400 would (98%)."""
    band = find_band(*rows((0.95, 300, 300), (0.9, 100, 0), (0.8, 5000, 5000)))
    assert (band.high, band.above.rows) == (0.91, 300)


def test_a_matcher_that_is_always_right_decides_all():
    band = find_band(*rows((0.51, 400, 400), (0.3, 400, 0)), threshold=0.4)
    assert (band.low, band.high) == (0.4, 0.4)


@settings(max_examples=settings.default.max_examples * 6 // 10)
@given(st.integers(0, 10_000), st.sampled_from([0.3, 0.5]), st.sampled_from([0.8, 0.9, 0.95]))
def test_it_is_what_a_loop_over_scipys_test_finds(seed, threshold, target):
    generator = np.random.default_rng(seed)
    scores = generator.beta(0.3, 0.3, 1500).round(3)
    labels = generator.random(1500) < scores ** generator.uniform(0.5, 2)
    band = find_band(scores, labels, threshold, target)
    lows, highs = thresholds(threshold)
    for cuts, found, is_beyond, agrees, side in (
        (lows, band.low, np.less, ~labels, band.below),
        (highs, band.high, np.greater_equal, labels, band.above),
    ):
        expected, of_side = None, is_beyond(scores, threshold).sum()
        for cut in cuts:
            beyond = is_beyond(scores, cut)
            if beyond.sum() < enough(of_side[None], target, LEVEL)[0]:
                continue
            test = binomtest(int(agrees[beyond].sum()), int(beyond.sum()), target, alternative="greater")
            if test.pvalue > LEVEL:
                break
            expected = cut, test.proportion_ci(1 - LEVEL).low
        assert (side is None) == (expected is None)
        if expected:
            assert (found, side.bound) == (expected[0], pytest.approx(expected[1]))


@given(st.integers(0, 100))
def test_more_is_asked_for_a_higher_target(seed):
    generator = np.random.default_rng(seed)
    scores = generator.random(3000)
    labels = generator.random(3000) < scores
    bands = [find_band(scores, labels, target=target) for target in (0.6, 0.7, 0.8)]
    assert all(one.low >= other.low and one.high <= other.high for one, other in itertools.pairwise(bands))


# How far matcher and people agree at a score, by the score's distance from the surest end, from 0 to 1.
SHAPES = {
    "below the target everywhere": lambda distance: np.full_like(distance, 0.9499),
    "falling": lambda distance: 1 - distance / 2,
    "falling late, and then by little": lambda distance: np.where(distance < 0.3, 0.96, 0.94),
    "falling at once": lambda distance: np.where(distance < 0.02, 1, 0.9499),
    "rising": lambda distance: 0.92 + 0.06 * distance,
}


@pytest.mark.parametrize("count", [300, 2000, 20_000])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_target_is_missed_in_five_of_a_hundred_draws(shape, count):
    """1,000 draws of rows; missed where people agree with less than .95 of what either side decides, in truth.

    At a rate of .05 the standard deviation of the share of 1,000 draws is √(.05 · .95 / 1,000) = .0069: three are .021.
    """
    generator = np.random.default_rng(0)
    cuts = thresholds(0.5)[0] / 0.5
    widths = np.diff(cuts, prepend=0)
    truth = SHAPES[shape](cuts - widths / 2)
    missed, decided = np.zeros(1000, dtype=bool), 0.0
    true_beyond = np.cumsum(truth * widths) / np.cumsum(widths)
    both = generator.multinomial(count, np.tile(widths / 2, 2), size=1000)
    for drawn in np.split(both, 2, axis=1):
        agreeing = generator.binomial(drawn, truth)
        passed = rejected(drawn.cumsum(axis=1), agreeing.cumsum(axis=1), 0.95, LEVEL)
        last = passed.shape[1] - 1 - np.argmax(passed[:, ::-1], axis=1)
        some = passed.any(axis=1)
        missed |= some & (true_beyond[last] < 0.95)
        decided += np.mean(np.where(some, cuts[last], 0)) / 2
    assert missed.mean() <= 0.05 + 0.021
    if shape == "below the target everywhere" and count > 300:
        assert missed.mean() > 0.01, "a test that could not miss would decide nothing"
    # At distance d lie n = 10,000 · d rows, of which 1 − d/4 agree: .95 + 1.96 · √(.0475/n) = 1 − d/4 at d = .152.
    if shape == "falling" and count > 2000:
        assert 0.13 < decided < 0.16


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"target": 1}, "target is 1; expected a number above 0 and below 1"),
        ({"confidence": 0}, "confidence is 0; expected"),
        ({"threshold": math.nan}, "threshold is nan; expected"),
    ],
)
def test_what_cannot_be_tested_is_told(given, told):
    with pytest.raises(ValueError, match=f"^{told}"):
        find_band(*rows((0.9, 10, 10)), **given)
    with pytest.raises(ValueError, match=r"^there are no labelled rows$"):
        find_band(np.empty(0), np.empty(0, dtype=bool))
