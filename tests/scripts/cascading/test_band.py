"""The band outside of which a metric agrees with people: by hand, against scipy, and its guarantee in simulations."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from evaluate_qa.cascading.band import CheckedBand, Side, find_band, rejected_hypotheses, starting_rows, thresholds

LEVEL = 0.025


def rows(*groups):
    """Return scores and labels of groups of rows: score, number of rows, number of right answers."""
    scores = np.concatenate([np.full(count, score) for score, count, _ in groups])
    labels = np.concatenate([np.arange(count) < right for _, count, right in groups])
    return scores, labels


def test_band_by_hand():
    """From .995 on, all 300 rows are right: P(Bin(300, .95) ≥ 300) = 2e-7. From .85 on, 380 of 400 are, which is .95.

    Without an error the bound is .025^(1/300) = .98778.
    """
    band = find_band(*rows((0.995, 300, 300), (0.85, 100, 80), (0.6, 200, 100)))
    assert band == CheckedBand(0.0, 0.86, None, Side(300, 300, pytest.approx(0.98778, abs=1e-5)))
    mirrored = find_band(*rows((0.005, 300, 0), (0.145, 100, 20), (0.4, 200, 100)))
    assert mirrored == CheckedBand(0.14, 1.0, Side(300, 300, pytest.approx(0.025 ** (1 / 300))), None)


def test_rows_at_beginning_of_sequence():
    """292 = ⌈19 · (2 · 1.96)²⌉ rows pass with half of the allowed errors; at most half of the rows, at least 72."""
    available = np.array([10_000, 584, 583, 300, 144, 10])
    assert starting_rows(available, 0.95, LEVEL).tolist() == [292, 292, 291, 150, 72, 72]


@settings(max_examples=settings.default.max_examples // 5)
@given(st.integers(0, 10_000), st.sampled_from([0.3, 0.5]), st.sampled_from([0.8, 0.9, 0.95]))
def test_band_equals_loop_over_scipy_test(seed, threshold, target):
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
            if beyond.sum() < starting_rows(of_side[None], target, LEVEL)[0]:
                continue
            test = binomtest(int(agrees[beyond].sum()), int(beyond.sum()), target, alternative="greater")
            if test.pvalue > LEVEL:
                break
            expected = cut, test.proportion_ci(1 - LEVEL).low
        assert (side is None) == (expected is None)
        if expected:
            assert (found, side.bound) == (expected[0], pytest.approx(expected[1]))


# Agreement of metric and people by the distance of the score from 0 or 1, scaled to 0 to 1.
SHAPES = {
    "below the target everywhere": lambda distance: np.full_like(distance, 0.9499),
    "falling": lambda distance: 1 - distance / 2,
    "falling slightly": lambda distance: np.where(distance < 0.3, 0.96, 0.94),
    "falling immediately": lambda distance: np.where(distance < 0.02, 1, 0.9499),
    "rising": lambda distance: 0.92 + 0.06 * distance,
}


@pytest.mark.parametrize("count", [300, 2000, 20_000])
@pytest.mark.parametrize("shape", SHAPES)
def test_target_is_missed_in_at_most_five_percent_of_draws(shape, count):
    """A draw misses the target if the true agreement on either side is below .95.

    At a rate of .05 the standard deviation of the share of 1,000 draws is √(.05 · .95 / 1,000) = .0069; three are .021.
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
        passed = rejected_hypotheses(drawn.cumsum(axis=1), agreeing.cumsum(axis=1), 0.95, LEVEL)
        last = passed.shape[1] - 1 - np.argmax(passed[:, ::-1], axis=1)
        some = passed.any(axis=1)
        missed |= some & (true_beyond[last] < 0.95)
        decided += np.mean(np.where(some, cuts[last], 0)) / 2
    assert missed.mean() <= 0.05 + 0.021
    if shape == "below the target everywhere" and count > 300:
        assert missed.mean() > 0.01, "the simulation must be able to miss"
    # Up to distance d, 1 − d/4 of n = 10,000 · d rows agree: .95 + 1.96 · √(.0475/n) = 1 − d/4 at d = .152.
    if shape == "falling" and count > 2000:
        assert 0.13 < decided < 0.16


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"target": 1}, "target is 1; expected a number above 0 and below 1"),
        ({"threshold": math.nan}, "threshold is nan; expected"),
    ],
)
def test_values_out_of_range_are_rejected(given, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        find_band(*rows((0.9, 10, 10)), **given)
