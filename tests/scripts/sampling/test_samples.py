"""Samples of rows to label, and plans of the number of labels."""

import re

import numpy as np
import pytest

from evaluate_qa.estimation.ppi import estimate
from evaluate_qa.sampling.planning import plan_labels
from evaluate_qa.sampling.samples import allocation, draw, stratum


def test_simple_random_sample_is_in_random_order():
    rows, weights = draw(100, 30, seed=1)
    assert weights is None
    assert len(set(rows.tolist())) == 30
    assert rows.max() < 100
    assert rows.tolist() == draw(100, 30, seed=1)[0].tolist() != draw(100, 30, seed=2)[0].tolist()
    assert rows.tolist() != sorted(rows.tolist())
    assert sorted(draw(25, 200)[0].tolist()) == list(range(25))


def test_stratum_by_hand():
    scores = np.array([0, 0.04, 0.05, 0.19, 0.2, 0.5, 0.79, 0.8, 0.95, 1])
    assert stratum(scores).tolist() == [0, 0, 1, 1, 2, 3, 3, 4, 5, 5]


def test_allocation_by_hand():
    """Sizes 80 and 20, spreads .1 and .4: shares (.8 + 8/16)/2 = .65 and .35. Two of each, or all of a small one."""
    assert allocation(np.array([80, 20]), np.array([0.1, 0.4]), 20).tolist() == [13, 7]
    assert allocation(np.array([80, 20]), np.array([0.0, 0.0]), 20).tolist() == [16, 4]
    assert allocation(np.array([1000, 1, 0, 3]), np.array([0.5, 0.5, 0.5, 0.0]), 20).tolist() == [17, 1, 0, 2]
    assert allocation(np.array([10, 2]), np.array([0.1, 0.5]), 12).tolist() == [10, 2]


def test_weights_are_one_over_the_probability():
    scores = np.random.default_rng(0).beta(0.3, 0.2, 5000)
    rows, weights = draw(5000, 300, scores)
    strata = stratum(scores)
    for number in range(6):
        here = strata[rows] == number
        assert weights[here] == pytest.approx((strata == number).sum() / here.sum())
    assert weights.sum() == pytest.approx(5000)
    assert weights.max() <= 2.1 * 5000 / 300, "no row has more than twice its weight, except for rounding"
    unsure = (scores[rows] > 0.2) & (scores[rows] < 0.8)
    assert unsure.mean() > 1.4 * ((scores > 0.2) & (scores < 0.8)).mean()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((100, 19), "19 rows to label; an estimate needs at least 20. Draw more with --rows."),
        ((1, 1), "1 row to label; an estimate needs at least 20. Score more rows."),
        ((30, 20, [0.5] * 29), "the length of scores is 29; expected 30"),
        ((30, 20, [0.5] * 29 + [None]), "some scores are not from 0 to 1"),
    ],
)
def test_draw_rejects_bad_input(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        draw(*arguments)


def test_plan_predicts_margins():
    """Labels alone have the margin ±1.96 √(p(1 − p)/n) for the mean score p; estimates have the planned width."""
    generator = np.random.default_rng(2)
    scores = generator.beta(0.5, 0.3, 4000)
    found = plan_labels(scores, counts=[50, 400, 1600])
    share = scores.mean()
    for one in found:
        assert one.labels_only == pytest.approx(1.96 * np.sqrt(share * (1 - share) / one.labels), rel=0.03)
        assert one.stratified < one.with_scores < 0.9 * one.labels_only
    labels = np.where(np.arange(4000) < 400, generator.random(4000) < scores, np.nan)
    assert estimate(scores, labels).all.accuracy.width / 2 == pytest.approx(found[1].with_scores, rel=0.1)


def test_plan_continues_up_to_all_rows():
    scores = np.random.default_rng(2).beta(0.5, 0.3, 250)
    assert [one.labels for one in plan_labels(scores, repeats=2)] == [50, 100, 200, 250]


def test_plan_leaves_out_numbers_of_labels_that_might_be_all_the_same():
    """With a thousandth wrong, 50 labels are nearly always all right."""
    with pytest.raises(ValueError, match=r"no number of labels up to 100 is enough\. Label every row\."):
        plan_labels(np.full(1000, 0.9999), counts=[50, 100])
