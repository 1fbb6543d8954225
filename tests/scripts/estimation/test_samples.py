"""Which rows are drawn for labelling, with which weights, and how many are enough."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_qa.estimation.plan import Planned, chance, enough, plan
from evaluate_qa.estimation.powered import estimate
from evaluate_qa.estimation.samples import allocation, draw, stratum


def test_rows_drawn_alike():
    sample = draw(100, 30, seed=1)
    assert sample.weights is None
    assert len(set(sample.rows.tolist())) == 30
    assert sample.rows.max() < 100
    assert sample.rows.tolist() == draw(100, 30, seed=1).rows.tolist() != draw(100, 30, seed=2).rows.tolist()
    assert sample.rows.tolist() != sorted(sample.rows.tolist()), "the first of them are a sample too"
    assert sorted(draw(25, 200).rows.tolist()) == list(range(25))


def test_strata():
    assert stratum([0, 0.04, 0.05, 0.19, 0.2, 0.5, 0.79, 0.8, 0.95, 1]).tolist() == [0, 0, 1, 1, 2, 3, 3, 4, 5, 5]


def test_allocation_by_hand():
    """Sizes 80 and 20, spreads .1 and .4: shares (.8 + 8/16)/2 = .65 and .35. Two of each, or all of a small one."""
    assert allocation(np.array([80, 20]), np.array([0.1, 0.4]), 20).tolist() == [13, 7]
    assert allocation(np.array([80, 20]), np.array([0.0, 0.0]), 20).tolist() == [16, 4]
    assert allocation(np.array([1000, 1, 0, 3]), np.array([0.5, 0.5, 0.5, 0.0]), 20).tolist() == [17, 1, 0, 2]
    assert allocation(np.array([10, 2]), np.array([0.1, 0.5]), 12).tolist() == [10, 2]


@given(
    sizes=st.lists(st.integers(0, 50), min_size=6, max_size=6).filter(lambda sizes: sum(sizes) >= 30),
    spreads=st.lists(st.floats(0, 0.5), min_size=6, max_size=6),
    share=st.floats(0.3, 1),
)
def test_allocation_is_whole_and_within_the_sizes(sizes, spreads, share):
    count = max(20, int(share * sum(sizes)))
    counts = allocation(np.array(sizes), np.array(spreads), count)
    assert counts.sum() == count
    assert (counts <= sizes).all()
    assert (counts >= np.minimum(sizes, 2)).all()


def test_weights_are_one_over_the_probability():
    scores = np.random.default_rng(0).beta(0.3, 0.2, 5000)
    sample = draw(5000, 300, scores)
    strata = stratum(scores)
    for number in range(6):
        here = strata[sample.rows] == number
        assert sample.weights[here] == pytest.approx((strata == number).sum() / here.sum())
    assert sample.weights.sum() == pytest.approx(5000)
    assert sample.weights.max() <= 2.1 * 5000 / 300, "no row stands for more than twice its share, but for rounding"
    unsure = (scores[sample.rows] > 0.2) & (scores[sample.rows] < 0.8)
    assert unsure.mean() > 1.4 * ((scores > 0.2) & (scores < 0.8)).mean()


def test_stratified_estimates_cover_also_where_scores_are_wrongly_sure():
    """Of 1,000 samples 95% of the intervals hold the truth; they may be too wide, as strata are taken for chance."""
    generator = np.random.default_rng(1)
    held, widths = 0, []
    for seed in range(1000):
        truth = generator.beta(0.5, 0.3, 2000)
        scores = np.clip(1.4 * (truth - 0.5) + 0.5, 0, 1)
        right = (generator.random(2000) < truth).astype(float)
        sample = draw(2000, 200, scores, seed)
        labels, weights = np.full((2, 2000), np.nan)
        labels[sample.rows], weights[sample.rows] = right[sample.rows], sample.weights
        found = estimate(scores, labels, weights=weights).all
        held += found.accuracy.low <= 0.5 / 0.8 <= found.accuracy.high
        widths.append((found.accuracy.width, found.labels_alone.width))
    assert 930 <= held <= 980
    narrow, alone = np.mean(widths, axis=0)
    assert narrow < 0.75 * alone


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((100, 19), "19 rows to label; an estimate needs at least 20"),
        ((10, 100), "10 rows to label; an estimate needs at least 20"),
        ((30, 20, [0.5] * 29), "there are 30 rows, but 29 scores"),
        ((30, 20, [0.5] * 29 + [2]), "scores are not all from 0 to 1"),
        ((30, 20, [0.5] * 29 + [None]), "scores are not all from 0 to 1"),
    ],
)
def test_what_cannot_be_drawn(arguments, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        draw(*arguments)


def test_a_plan_foretells_the_intervals():
    """Of labels alone ±1.96 √(p(1 − p)/n), p the mean score; an estimate is as wide as foretold."""
    generator = np.random.default_rng(2)
    scores = generator.beta(0.5, 0.3, 4000)
    found = plan(scores)
    assert [one.labels for one in found] == [50, 100, 200, 400, 800, 1600]
    share = scores.mean()
    for one in found:
        assert one.alone == pytest.approx(1.96 * np.sqrt(share * (1 - share) / one.labels), rel=0.03)
        assert one.stratified < one.alike < 0.9 * one.alone
    labels = np.where(np.arange(4000) < 400, generator.random(4000) < scores, np.nan)
    assert estimate(scores, labels).all.accuracy.width / 2 == pytest.approx(found[3].alike, rel=0.1)


def test_labels_correct_a_plan():
    """Scores say that a tenth is right everywhere; labels, that it is half: √(.25/.09) times as wide, or nearly."""
    scores = np.full(2000, 0.1) + np.arange(2000) / 1e6
    labels = np.where(np.arange(2000) < 400, np.arange(2000) % 2, np.nan)
    said, known = (plan(scores, given, [200])[0].alone for given in (None, labels))
    assert known / said == pytest.approx(np.sqrt(0.25 / 0.09), rel=0.05)
    # 400 labels, half of them right, and four more of which .101 are (the mean score): (200 + .404)/404.
    assert chance(scores, labels) == pytest.approx((200 + 4 * scores.mean()) / 404)


def test_numbers_of_labels_that_might_be_all_the_same_are_not_planned():
    """A thousandth is wrong: 50 labels are nearly always all right."""
    with pytest.raises(ValueError, match="no number of labels, up to half of the 1000 rows, is enough"):
        plan(np.full(1000, 0.9999), counts=[50, 100])
    with pytest.raises(ValueError, match="no number of labels, up to half of the 90 rows"):
        plan(np.full(90, 0.5))


def test_enough_by_hand():
    """The squared margin at 1/100 is .0100 and at 1/200 .0064; .0082 is halfway, at 1/133.3."""
    planned = [Planned(100, 0.2, 0.1, 0.1), Planned(200, 0.2, 0.08, 0.05)]
    assert enough(planned, np.sqrt(0.0082), stratified=False) == 134
    assert enough(planned, 0.08, stratified=False) == 200
    assert enough(planned, 0.5, stratified=False) == 100
    assert enough(planned, 0.07, stratified=False) is None
    assert enough(planned, 0.05, stratified=True) == 200
