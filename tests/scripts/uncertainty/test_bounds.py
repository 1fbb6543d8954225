"""Bounds of mean differences."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from evaluate_qa.uncertainty import bounds as module
from evaluate_qa.uncertainty.bounds import (
    bounds,
    half_means,
    hall_bounds,
    halves_bounds,
    skewed_p_value,
    skewness,
    tango,
)


def test_bounds_by_halves_by_hand():
    """The means of 31 halves of 1, 2, 4, 8 and 16 begin 1, 1½, 2, 2⅓, 2½, 3, 3⅔, 3¾; k = ⌊α (R + 1)⌋ = ⌊.25 · 32⌋ = 8.

    For 999 halves k is 100 at 90%, although 1 − .9 is less than .1 in binary, and 1 at 99.9%.
    """
    assert halves_bounds(np.array([1.0, 2, 4, 8, 16]), np.ones(5), 0.75, 100, 0)[0] == pytest.approx(3.75)
    drawn = np.random.default_rng(2).random(50)
    means = np.sort(half_means(drawn, np.ones(50), 999, 0))
    assert halves_bounds(drawn, np.ones(50), 0.9, 999, 0) == (means[99], means[-100])
    assert halves_bounds(drawn, np.ones(50), 0.9, 999, 0) != halves_bounds(drawn, np.ones(50), 0.9, 999, 1)
    assert halves_bounds(drawn, np.ones(50), 0.999, 999, 0)[0] == means[0]
    # The least of the three halves of two rows, 1, 1½ and 2, is a bound of 75%.
    assert halves_bounds(np.array([1.0, 2]), np.ones(2), 0.75, 100, 0)[0] == 1


def test_halves_by_hand():
    """Clusters of 1, 2 and 1 rows with drops 1, 0 and −1: single 1, 0, −1; pairs 1/3, 0, −1/3; all three 0."""
    found = half_means(np.array([1.0, 0, -1]), np.array([1.0, 2, 1]), 100, 0)
    assert sorted(found) == pytest.approx([-1, -1 / 3, 0, 0, 0, 1 / 3, 1])
    assert len(half_means(np.ones(12), np.ones(12), 100, 0)) == 2**12 - 1


def test_unchanged_clusters_are_drawn_by_their_number():
    """The halves have the same distribution as if each cluster is drawn."""
    drops, sizes = np.array([3.0, -1, 2, *[0] * 40]), np.array([3.0, 1, 2, *[1, 2] * 20])
    found = half_means(drops, sizes, 4000, 0)
    taken = np.random.default_rng(1).integers(2, size=(4000, 43)).astype(float)
    assert stats.ks_2samp(found, (taken @ drops) / (taken @ sizes)).pvalue > 0.01


@given(st.lists(st.integers(-9, 9), min_size=5, max_size=9), st.sampled_from([0, 0.25, 1, 2.5]))
def test_halves_invert_the_sign_flip_test(drops, allowed):
    """The low bound is above the allowed drop if at most 5% of all signs give as large a sum beyond it."""
    beyond = [drop - allowed for drop in drops]
    sums = [
        sum(side * one for side, one in zip(sides, beyond, strict=True))
        for sides in itertools.product((1, -1), repeat=len(drops))
    ]
    fails = np.mean([one >= sum(beyond) - 1e-9 for one in sums]) <= 0.05
    low, _ = halves_bounds(np.array(drops, dtype=float), np.ones(len(drops)), 0.95, 5000, 0)
    assert (low > allowed + 1e-9) == fails


def test_halves_of_many_clusters_use_the_normal_distribution(monkeypatch):
    sums = np.random.default_rng(9).normal(0.01, 1, 3000)
    drawn = halves_bounds(sums, np.full(3000, 3.0), 0.95, 5000, 0)
    monkeypatch.setattr(module, "MANY", 1000)
    normal = halves_bounds(sums, np.full(3000, 3.0), 0.95, 5000, 0)
    assert normal != drawn
    assert normal == pytest.approx(drawn, abs=0.0008)


def test_skewness_matches_scipy():
    """Clusters of unequal sizes contribute their sums minus their shares of the mean."""
    sums = np.random.default_rng(1).exponential(1, 30)
    assert skewness(sums, np.full(30, 2.0)) == pytest.approx(stats.skew(sums, bias=False))
    sizes = np.arange(1.0, 31)
    assert skewness(sums, sizes) == pytest.approx(stats.skew(sums - sums.sum() / sizes.sum() * sizes, bias=False))


def test_bounds_without_skewness_are_students():
    sums = np.array([-2.0, -1, 0, 1, 2]) + 0.5
    assert hall_bounds(sums, np.ones(5), 0.975) == pytest.approx(stats.t.interval(0.95, 4, 0.5, stats.sem(sums)))
    assert skewed_p_value(sums, np.ones(5)) == pytest.approx(stats.ttest_1samp(sums, 0).pvalue)


@given(st.lists(st.integers(-9, 9), min_size=4, max_size=20), st.floats(0.6, 0.99))
def test_skewed_bounds_and_p_values_agree(drops, level):
    """0 is beyond the bounds of two-sided confidence c if and only if p < 1 − c."""
    sums = np.array(drops, dtype=float)
    low, high = hall_bounds(sums, np.ones(len(sums)), level)
    p_value = skewed_p_value(sums, np.ones(len(sums)))
    if sums.any() and abs(p_value - 2 * (1 - level)) > 1e-6:
        assert (low <= 0 <= high) == (p_value > 2 * (1 - level))


def by_search(wins, losses, rows, delta):
    """Return Tango's statistic, with the most likely share of losses from a search instead of his formula."""

    def unlikely(share):
        cells = share + delta, share, 1 - 2 * share - delta
        counts = wins, losses, rows - wins - losses
        return -sum(count * np.log(max(cell, 1e-300)) for count, cell in zip(counts, cells, strict=True) if count)

    least, most = max(0.0, -delta), (1 - delta) / 2
    share = optimize.minimize_scalar(unlikely, bounds=(least, most), method="bounded", options={"xatol": 1e-12}).x
    return (wins - losses - rows * delta) / np.sqrt(rows * (2 * share + delta - delta**2))


@pytest.mark.parametrize(("wins", "losses", "rows"), [(12, 2, 50), (2, 12, 50), (3, 3, 30), (0, 4, 40), (25, 1, 60)])
def test_tangos_bounds_solve_his_equation(wins, losses, rows):
    low, high = tango(wins, losses, rows, 0.975)
    assert -1 < low < (wins - losses) / rows < high < 1
    assert by_search(wins, losses, rows, low) == pytest.approx(1.959964, abs=2e-3)
    assert by_search(wins, losses, rows, high) == pytest.approx(-1.959964, abs=2e-3)


def test_bounds_of_scores_from_0_to_1_end_at_1():
    drops, rows = np.array([0.0, 0.0, -0.1, -0.9]), np.arange(4)
    free = bounds(drops, rows, 0.975, 100, 0, of_verdicts=False, span=2.0)
    assert free.low < -1 < free.value
    ended = bounds(drops, rows, 0.975, 100, 0, of_verdicts=False, span=1.0)
    assert (ended.low, ended.value) == (-1, free.value)
