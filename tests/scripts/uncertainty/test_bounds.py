"""Bounds of mean differences: by hand, against scipy, and how often they err where differences are skewed or rare."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from evaluate_qa.uncertainty import bounds as module
from evaluate_qa.uncertainty.bounds import by_halves, by_skewness, halves, skewed_p_value, skewness, tango


def test_which_half_is_the_bound():
    """The means of 31 halves of 1, 2, 4, 8 and 16 begin 1, 1½, 2, 2⅓, 2½, 3, 3⅔, 3¾; k = ⌊α (R + 1)⌋ = ⌊.25 · 32⌋ = 8.

    Of 999 halves at 90% k is 100, though in binary 1 − .9 is less than .1; of 999 at 99.9% the first.
    """
    assert by_halves(np.array([1.0, 2, 4, 8, 16]), np.ones(5), 0.75, 100, 0)[0] == pytest.approx(3.75)
    drawn = np.random.default_rng(2).random(50)
    means = np.sort(halves(drawn, np.ones(50), 999, 0))
    assert by_halves(drawn, np.ones(50), 0.9, 999, 0) == (means[99], means[-100])
    assert by_halves(drawn, np.ones(50), 0.9, 999, 0) != by_halves(drawn, np.ones(50), 0.9, 999, 1)
    assert by_halves(drawn, np.ones(50), 0.999, 999, 0)[0] == means[0]
    # Of the three halves of two rows, with 1, 1½ and 2, the least is a bound of 75%.
    assert by_halves(np.array([1.0, 2]), np.ones(2), 0.75, 100, 0)[0] == 1


def test_halves_by_hand():
    """Clusters of 1, 2 and 1 rows with drops 1, 0 and −1: alone 1, 0, −1; in pairs 1/3, 0, −1/3; all 0."""
    found = halves(np.array([1.0, 0, -1]), np.array([1.0, 2, 1]), 100, 0)
    assert sorted(found) == pytest.approx([-1, -1 / 3, 0, 0, 0, 1 / 3, 1])
    assert len(halves(np.ones(12), np.ones(12), 100, 0)) == 2**12 - 1


def test_clusters_that_did_not_change_are_drawn_by_their_number():
    """As drawing each of them does: two samples of halves have one distribution."""
    drops, sizes = np.array([3.0, -1, 2, *[0] * 40]), np.array([3.0, 1, 2, *[1, 2] * 20])
    found = halves(drops, sizes, 4000, 0)
    taken = np.random.default_rng(1).integers(2, size=(4000, 43)).astype(float)
    assert stats.ks_2samp(found, (taken @ drops) / (taken @ sizes)).pvalue > 0.01


@given(st.lists(st.integers(-9, 9), min_size=5, max_size=9), st.sampled_from([0, 0.25, 1, 2.5]))
def test_halves_are_the_test_by_sign_flips_turned_around(drops, allowed):
    """The low bound is above the allowed drop if at most 5% of all changes of sides make as large a sum beyond it."""
    beyond = [drop - allowed for drop in drops]
    sums = [
        sum(side * one for side, one in zip(sides, beyond, strict=True))
        for sides in itertools.product((1, -1), repeat=len(drops))
    ]
    fails = np.mean([one >= sum(beyond) - 1e-9 for one in sums]) <= 0.05
    low, _ = by_halves(np.array(drops, dtype=float), np.ones(len(drops)), 0.95, 5000, 0)
    assert (low > allowed + 1e-9) == fails


def test_with_many_clusters_halves_come_to_the_normal_distribution(monkeypatch):
    sums = np.random.default_rng(9).normal(0.01, 1, 3000)
    drawn = by_halves(sums, np.full(3000, 3.0), 0.95, 5000, 0)
    monkeypatch.setattr(module, "MANY", 1000)
    normal = by_halves(sums, np.full(3000, 3.0), 0.95, 5000, 0)
    assert normal != drawn
    assert normal == pytest.approx(drawn, abs=0.0008)


def test_skewness_is_scipys():
    """Of what clusters of one size add, the errors; of several sizes, of these less their share of the mean."""
    sums = np.random.default_rng(1).exponential(1, 30)
    assert skewness(sums, np.full(30, 2.0)) == pytest.approx(stats.skew(sums, bias=False))
    sizes = np.arange(1.0, 31)
    assert skewness(sums, sizes) == pytest.approx(stats.skew(sums - sums.sum() / sizes.sum() * sizes, bias=False))


def test_without_skewness_the_bounds_are_students():
    sums = np.array([-2.0, -1, 0, 1, 2]) + 0.5
    assert by_skewness(sums, np.ones(5), 0.975) == pytest.approx(stats.t.interval(0.95, 4, 0.5, stats.sem(sums)))
    assert skewed_p_value(sums, np.ones(5)) == pytest.approx(stats.ttest_1samp(sums, 0).pvalue)


@given(st.lists(st.integers(-9, 9), min_size=4, max_size=20), st.floats(0.6, 0.99))
def test_skewed_bounds_and_p_values_agree(drops, level):
    """0 is beyond the bounds of two-sided confidence c if and only if p < 1 − c."""
    sums = np.array(drops, dtype=float)
    low, high = by_skewness(sums, np.ones(len(sums)), level)
    p_value = skewed_p_value(sums, np.ones(len(sums)))
    if sums.any() and abs(p_value - 2 * (1 - level)) > 1e-6:
        assert (low <= 0 <= high) == (p_value > 2 * (1 - level))


def by_search(wins, losses, rows, delta):
    """Tango's statistic, with the most likely share of losses found by search, not by his formula."""

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


def test_where_no_verdict_changed_the_interval_is_no_point():
    """With no changes of n the variance at Δ is nΔ(1 − Δ): Δ = z²/(n + z²) = 3.841459/33.841459."""
    assert tango(0, 0, 30, 0.975) == pytest.approx((-0.1135134, 0.1135134), abs=1e-6)
    assert tango(0, 0, 30.5, 0.975)[1] < 0.1135134, "counts may be fractions"
