"""The test of the gate: by hand, against McNemar's and sign flips, and how often it errs."""

import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

import evaluate_qa
from evaluate_qa.estimation.drop import gate, of_difference, two_sided
from evaluate_qa.uncertainty.intervals import Interval


def test_it_is_the_function_of_the_package():
    assert evaluate_qa.gate is gate


def test_by_hand():
    """Of five rows there are 31 halves, and 5% of 32 is 1: the bounds are the least and the greatest of their means.

    Those are halves of a single row: .1 and .5. Deviation: √(Σ (d − .3)²)/5 = √.1/5 = .0632456; reach 1.64485 + .84162.
    """
    found = gate([0.5] * 5, [0.4, 0.3, 0.2, 0.1, 0.0], max_drop=0.09)
    assert list(vars(found.drop).values()) == pytest.approx([0.3, 0.1, 0.5])
    assert found.detectable == pytest.approx(0.09 + 2.48648 * 0.0632456, abs=1e-6)
    assert (found.rows, found.clusters, found.passed) == (5, 5, False)
    assert gate([0.5] * 5, [0.4, 0.3, 0.2, 0.1, 0.0], max_drop=0.1).passed, "the bound is not above what is allowed"
    assert gate([0.4] * 20, [0.1] * 20, max_drop=0.3).passed, "in binary .4 − .1 is above .3"


def test_resamples_must_be_enough_for_the_confidence():
    """Of 999 halves the first is a bound of 99.9%, of 998 none is."""
    drawn = np.random.default_rng(2).random(50)
    assert gate(drawn, np.zeros(50), confidence=0.999, resamples=999).drop.low > 0
    with pytest.raises(ValueError, match="998 resamples are too few"):
        gate(drawn, np.zeros(50), confidence=0.999, resamples=998)


@given(st.integers(0, 40), st.integers(0, 40))
def test_with_no_drop_allowed_it_is_mcnemars_exact_test(wins, losses):
    """One-sided; where the p-value is not that near to .05, as halves are random (deviation .003)."""
    expected = stats.binomtest(wins, wins + losses, alternative="less").pvalue if wins + losses else 1
    assume(abs(expected - 0.05) > 0.012)
    before = [True] * losses + [False] * wins + [True] * 20
    after = [False] * losses + [True] * wins + [True] * 20
    assert gate(before, after).passed == (expected > 0.05)


@given(st.lists(st.integers(-9, 9), min_size=5, max_size=9))
def test_a_better_system_is_a_drop_the_other_way(drops):
    one, other = gate(drops, np.zeros(len(drops))).drop, gate(np.zeros(len(drops)), drops).drop
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low))


def test_copies_in_a_cluster_add_nothing():
    generator = np.random.default_rng(3)
    before, after = generator.random(60), generator.random(60)
    once = gate(before, after)
    twice = gate(before.repeat(2), after.repeat(2), clusters=np.arange(60).repeat(2))
    assert (twice.rows, twice.clusters, twice.drop) == (120, 60, once.drop)
    assert gate(before.repeat(2), after.repeat(2)).drop.width < 0.8 * once.drop.width


def verdicts(generator, losses, wins, rows):
    """A row is lost or won with these probabilities."""
    change = generator.choice([-1, 0, 1], rows, p=[losses, 1 - losses - wins, wins])
    return change < 0, change > 0, np.arange(rows)


def scores(generator, drop):
    """100 questions with 3 answers, with effects of the question and of the answer."""
    errors = np.repeat(generator.normal(0, 0.2, 100), 3) + generator.normal(0, 0.2, 300)
    before = generator.random(300)
    return before, before + errors - drop, np.repeat(np.arange(100), 3)


def skewed(generator, questions):
    """Of 10 answers each: at a tenth of the questions all were won, at the others one in nine was lost."""
    won = np.repeat(generator.random(questions) < 0.1, 10)
    lost = ~won & (generator.random(10 * questions) < 1 / 9)
    return ~won, won | ~lost, np.repeat(np.arange(questions), 10)


@pytest.mark.parametrize(
    ("draw", "allowed", "least"),
    [
        (lambda generator: verdicts(generator, 0.06, 0.04, 300), 0.02, 5),
        (lambda generator: verdicts(generator, 0.02, 0, 500), 0.02, 2),
        (lambda generator: verdicts(generator, 0.1, 0.1, 200), 0, 5),
        (lambda generator: verdicts(generator, 0.01, 0.01, 200), 0, 0),
        (lambda generator: scores(generator, 0.02), 0.02, 5),
        (lambda generator: skewed(generator, 60), 0, 2),
    ],
    ids=["verdicts", "losses alone", "none allowed", "few changes", "clusters", "skewed clusters"],
)
def test_a_drop_that_is_allowed_fails_one_run_in_twenty_at_most(draw, allowed, least):
    """Where the true drop is just what is allowed, of 400 runs 20 are to fail: at most 13, three deviations, more."""
    generator, failed = np.random.default_rng(7), 0
    for _ in range(400):
        before, after, clusters = draw(generator)
        failed += not gate(before, after, max_drop=allowed, clusters=clusters, resamples=500).passed
    assert least <= failed <= 33


def test_the_detectable_drop_fails_four_runs_of_five():
    """The deviation of `scores` is √((.04 + .04/3)/100) = .023094: .02 + 2.48648 · .023094 = .07742.

    Of 400 runs 320 are to fail, ± 3 σ.
    """
    generator, failed, told = np.random.default_rng(8), 0, []
    for _ in range(400):
        before, after, clusters = scores(generator, 0.07742)
        found = gate(before, after, max_drop=0.02, clusters=clusters, resamples=500)
        failed += not found.passed
        told.append(found.detectable)
    assert 320 - 24 <= failed <= 320 + 24
    assert np.mean(told) == pytest.approx(0.07742, rel=0.02)


@pytest.mark.parametrize(("rows", "allowed"), [(60, 0.0), (400, 0.02)])
def test_where_nothing_changed_a_small_drop_would_still_pass(rows, allowed):
    """The drop that is told, true in other runs of so many rows, fails about four of five of 300."""
    generator, before = np.random.default_rng(12), np.ones(rows)
    told = gate(before, before, max_drop=allowed).detectable
    runs = (gate(before, generator.random(rows) >= told, max_drop=allowed, resamples=500) for _ in range(300))
    assert 0.7 < np.mean([not run.passed for run in runs]) < 0.9


def test_the_detectable_drop_of_verdicts_by_hand():
    """Of 100 rows 10 lost and 4 won: ψ = .14 − .06 = .08, n = 100; the reach is 2.48648, and .02 allowed.

    (δ − .02)² = .0618258 (.08 + δ − δ²) is true of δ = .129068, and 1/100 is added.
    """
    before, after = np.arange(100) < 80, (np.arange(100) >= 10) & (np.arange(100) < 84)
    assert gate(before, after, max_drop=0.02).detectable == pytest.approx(0.139068, abs=1e-5)


def test_of_few_verdicts_no_drop_may_show():
    """Beyond half of five rows there is none that fails; of 20 rows there is."""
    assert gate([1] * 5, [1] * 5, max_drop=0.5).detectable is None
    assert gate([1] * 20, [1] * 20).detectable < 1


def test_too_few_scores_that_changed_tell_nothing():
    scores = np.linspace(0, 1, 40)
    assert gate(scores, scores).detectable is None
    assert gate(scores, scores - 0.1 * (np.arange(40) < 10)).detectable > 0


def test_where_nothing_changed_the_bounds_are_no_point():
    """Of 40 rows none changed: Tango's bound is z²/(n + z²) with z = 1.644854: 2.705543/42.705543 = .0633534."""
    found = gate([1] * 40, [1] * 40)
    assert (found.drop.low, found.drop.high) == pytest.approx((-0.0633534, 0.0633534), abs=1e-6)
    assert found.passed


def test_doubts_are_told():
    """Of clusters and of scores, where they are few or skewed; verdicts of single rows are tested exactly."""
    before, after, clusters = skewed(np.random.default_rng(3), 30)
    told = gate(before, after, clusters=clusters).doubts
    assert [one.partition(" (")[0].partition(":")[0] for one in told] == [
        "fewer than 50 clusters", "the differences are skewed"
    ]  # fmt: skip
    assert gate(before, after).doubts == []


def test_of_a_difference_by_hand():
    """System less baseline −.05 ± 1.64485 · .02, each end of which is a 95% bound; 2.48648 deviations are .04973."""
    found = of_difference(Interval(-0.05, -0.0828971, -0.0171029), 0.01, 0.95)
    assert list(vars(found.drop).values()) == [0.05, 0.0171029, 0.0828971]
    assert found.detectable == pytest.approx(0.01 + 0.04973, abs=1e-5)
    assert not found.passed
    assert of_difference(Interval(-0.05, -0.0828971, -0.0171029), 0.02, 0.95).passed
    assert two_sided(0.95) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("before", "after", "options", "told"),
    [
        ([1] * 4, [0] * 4, {}, "4 clusters could not fail with 95% confidence: give more rows"),
        ([1] * 9, [0] * 9, {"clusters": [0] * 9}, "1 clusters could not fail"),
        ([], [], {}, "0 clusters could not fail"),
        ([1] * 6, [0] * 5, {}, "there are 6 scores, but 5 system"),
        ([1] * 6, [0] * 5 + [None], {}, "system[5] is nan; expected a number"),
        ([1] * 6, [0] * 6, {"max_drop": -0.1}, "a drop of -0.1 is allowed; expected 0 or more"),
        ([1] * 6, [0] * 6, {"max_drop": float("nan")}, "a drop of nan is allowed"),
        ([1] * 6, [0] * 6, {"confidence": 0.5}, "expected a confidence between 0.5 and 1, got 0.5"),
        ([1] * 6, [0] * 6, {"confidence": 1}, "expected a confidence between 0.5 and 1, got 1"),
        ([1] * 60, [0] * 60, {"resamples": 10}, "10 resamples are too few"),
        ([1] * 60, [0] * 60, {"confidence": 0.999, "resamples": 500}, "500 resamples are too few for 99.9% confidence"),
    ],
)
def test_wrong_input_is_told(before, after, options, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        gate(before, after, **options)
