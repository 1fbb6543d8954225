"""Intervals of shares and means."""

import numpy as np
import pytest
from scipy import stats

from evaluate_qa.uncertainty.intervals import mean, wilson


@pytest.mark.parametrize(("right", "count"), [(0, 5), (3, 10), (10, 10), (700, 1000)])
def test_wilson_matches_scipy(right, count):
    expected = stats.binomtest(right, count).proportion_ci(method="wilson")
    found = wilson(right / count, count)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    values = np.arange(count) < right
    of_rows = mean(values.astype(float), np.arange(count))
    assert (of_rows.low, of_rows.high) == pytest.approx((expected.low, expected.high))


def test_mean_of_scores_has_students_interval():
    values = np.random.default_rng(0).random(300)
    found = mean(values, np.arange(300), confidence=0.9)
    low, high = stats.t.interval(0.9, 299, values.mean(), stats.sem(values))
    assert (found.value, found.low, found.high) == pytest.approx((values.mean(), low, high))
    # Equal values outside of 0 and 1, such as ΔBLEU, are not shares and have no width.
    for value in (37.5, -0.25):
        assert set(vars(mean(np.full(4, value), np.arange(4))).values()) == {value}


@pytest.mark.parametrize("whole", [False, True])
def test_copies_in_a_cluster_add_no_information(whole):
    values = np.random.default_rng(1).random(50)
    values = np.round(values) if whole else values
    once, twice = mean(values, np.arange(50)), mean(np.repeat(values, 2), np.repeat(np.arange(50), 2))
    # For clusters Wilson's interval uses Student's t.
    assert (twice.value, twice.low, twice.high) == pytest.approx(
        (once.value, once.low, once.high), abs=0.004 if whole else 1e-9
    )


@pytest.mark.parametrize(
    ("values", "clusters", "count"),
    [
        ([1, 0, 0], [0, 0, 0], 1),
        ([1, 0, 0] * 10, np.repeat(np.arange(10), 3), 10),  # the clusters' sums cancel but for rounding
        ([0.7], [0], 1),
        ([0.3, 0.3], [0, 1], 2),
    ],
    ids=["one cluster", "clusters alike", "one score", "scores alike"],
)
def test_interval_without_variance_is_wilsons_for_the_clusters(values, clusters, count):
    """A score from 0 to 1 varies at most as much as a verdict with its mean, so Wilson's interval is valid."""
    found = mean(np.array(values, dtype=float), np.array(clusters))
    assert vars(found) == pytest.approx(vars(wilson(np.mean(values), count)))
    assert found.width > 0.3


def test_verdicts_count_as_at_most_their_number():
    """In every cluster except one, one of two is right, so the deviation is smaller than for independent rows."""
    found = mean(np.array([1.0, 0] * 20 + [1, 1]), np.repeat(np.arange(21), 2))
    assert vars(found) == pytest.approx(vars(wilson(22 / 42, 42, degrees=20)))


def test_a_few_large_clusters_widen_the_interval():
    """Shares of .5 and 50 times .01: e/(1 − h) and √(1 − Σh²) = √.745; v is .25 · (.1 + .9/50) and 50 times .0001.

    Degrees of freedom: (.0295 + .005)²/(.0295² + 50 · 1e-8) − 1 = .367, and at least 1, for which t is 12.7062.
    """
    values, clusters = np.r_[np.full(50, 1.0), np.arange(50) / 10], np.r_[np.zeros(50, int), np.arange(1, 51)]
    errors = np.r_[50 * (1 - 1.725), np.arange(50) / 10 - 1.725] / 100 / np.r_[0.5, np.full(50, 0.99)]
    margin = 12.7062047 * np.sqrt(0.745 * errors @ errors)
    found = mean(values, clusters)
    assert (found.low, found.high) == pytest.approx((1.725 - margin, 1.725 + margin))
