"""Intervals of shares and means: against scipy, and with clusters."""

import numpy as np
import pytest
from evaluate_qa.uncertainty.intervals import mean, wilson
from scipy import stats


@pytest.mark.parametrize(("right", "count"), [(0, 5), (3, 10), (10, 10), (700, 1000)])
def test_wilson_as_scipy_has_it(right, count):
    expected = stats.binomtest(right, count).proportion_ci(method="wilson")
    found = wilson(right / count, count)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    values = np.arange(count) < right
    of_rows = mean(values.astype(float), np.arange(count))
    assert (of_rows.low, of_rows.high) == pytest.approx((expected.low, expected.high))


def test_means_of_scores():
    values = np.random.default_rng(0).random(300)
    found = mean(values, np.arange(300), confidence=0.9)
    low, high = stats.norm.interval(0.9, values.mean(), stats.sem(values, ddof=0))
    assert (found.value, found.low, found.high) == pytest.approx((values.mean(), low, high))


@pytest.mark.parametrize("whole", [False, True])
def test_copies_in_a_cluster_add_nothing(whole):
    values = np.random.default_rng(1).random(50)
    values = np.round(values) if whole else values
    once, twice = mean(values, np.arange(50)), mean(np.repeat(values, 2), np.repeat(np.arange(50), 2))
    assert (twice.value, twice.low, twice.high) == pytest.approx((once.value, once.low, once.high))
