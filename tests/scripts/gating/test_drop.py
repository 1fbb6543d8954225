"""The test of the gate."""

import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

import evaluate_qa
from evaluate_qa.gating.drop import drop_of_difference, gate, two_sided_confidence
from evaluate_qa.uncertainty.intervals import Interval


def test_gate_by_hand():
    """Five rows have 31 halves, and 5% of 32 is 1: the bounds are the least and the greatest of their means.

    Those are halves of a single row: .1 and .5. Deviation: √(Σ (d − .3)²)/5 = √.1/5 = .0632456; reach 1.64485 + .84162.
    """
    found = evaluate_qa.gate([0.5] * 5, [0.4, 0.3, 0.2, 0.1, 0.0], max_drop=0.09)
    assert list(vars(found.drop).values()) == pytest.approx([0.3, 0.1, 0.5])
    assert found.detectable == pytest.approx(0.09 + 2.48648 * 0.0632456, abs=1e-6)
    assert (found.rows, found.clusters, found.passed) == (5, 5, False)
    assert gate([0.5] * 5, [0.4, 0.3, 0.2, 0.1, 0.0], max_drop=0.1).passed, "the bound is not above the allowed drop"
    assert gate([0.4] * 20, [0.1] * 20, max_drop=0.3).passed, "in binary .4 − .1 is above .3"


def test_resamples_must_be_enough_for_the_confidence():
    """The first of 999 halves is a bound at 99.9%; 998 halves are too few."""
    drawn = np.random.default_rng(2).random(50)
    assert gate(drawn, np.zeros(50), confidence=0.999, resamples=999).drop.low > 0
    with pytest.raises(ValueError, match="resamples is 998; expected at least 999 for 99"):
        gate(drawn, np.zeros(50), confidence=0.999, resamples=998)


@given(st.integers(0, 40), st.integers(0, 40))
def test_gate_without_allowed_drop_is_mcnemars_one_sided_test(wins, losses):
    """P-values near .05 are left out, as halves are random (deviation .003)."""
    expected = stats.binomtest(wins, wins + losses, alternative="less").pvalue if wins + losses else 1
    assume(abs(expected - 0.05) > 0.012)
    before = [True] * losses + [False] * wins + [True] * 20
    after = [False] * losses + [True] * wins + [True] * 20
    assert gate(before, after).passed == (expected > 0.05)


def test_detectable_drop_of_verdicts_by_hand():
    """Of 100 rows 10 lost and 4 won: ψ = .14 − .06 = .08, n = 100; the reach is 2.48648, and .02 is allowed.

    (δ − .02)² = .0618258 (.08 + δ − δ²) holds for δ = .129068, and 1/100 is added.
    """
    before, after = np.arange(100) < 80, (np.arange(100) >= 10) & (np.arange(100) < 84)
    assert gate(before, after, max_drop=0.02).detectable == pytest.approx(0.139068, abs=1e-5)


def test_detectable_drop_of_verdicts_needs_enough_rows():
    assert gate([1] * 5, [1] * 5, max_drop=0.5).detectable is None
    assert gate([1] * 20, [1] * 20).detectable is not None


def test_bounds_of_unchanged_verdicts_are_wider_than_zero():
    """None of 40 rows changed: Tango's bound is z²/(n + z²) with z = 1.644854: 2.705543/42.705543 = .0633534."""
    found = gate([1] * 40, [1] * 40)
    assert (found.drop.low, found.drop.high) == pytest.approx((-0.0633534, 0.0633534), abs=1e-6)
    assert found.passed


def test_doubts_name_few_and_skewed_clusters():
    """At a tenth of the questions all ten answers were won, at the others one in nine was lost."""
    generator = np.random.default_rng(3)
    won = np.repeat(generator.random(30) < 0.1, 10)
    lost = ~won & (generator.random(300) < 1 / 9)
    few, skewed = gate(~won, won | ~lost, clusters=np.repeat(np.arange(30), 10)).doubts
    assert few.startswith("With fewer than 50 clusters, a rare")
    assert skewed.startswith("The differences are skewed")
    assert gate(~won, won | ~lost).doubts == (), "verdicts of independent rows are tested exactly"


def test_equal_labels_do_not_show_which_drops_they_can_detect():
    found = drop_of_difference(Interval(0.0, 0.0, 0.0), 0.0, 0.95)
    assert found.passed
    assert found.detectable is None


def test_of_difference_by_hand():
    """System minus baseline is −.05 ± 1.64485 · .02, with a 95% bound at each end; 2.48648 deviations are .04973."""
    found = drop_of_difference(Interval(-0.05, -0.0828971, -0.0171029), 0.01, 0.95)
    assert list(vars(found.drop).values()) == [0.05, 0.0171029, 0.0828971]
    assert found.detectable == pytest.approx(0.01 + 0.04973, abs=1e-5)
    assert not found.passed
    assert drop_of_difference(Interval(-0.05, -0.0828971, -0.0171029), 0.02, 0.95).passed
    assert two_sided_confidence(0.95) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("before", "after", "options", "message"),
    [
        ([1] * 4, [0] * 4, {}, "with only 4 clusters, the gate can never fail. Give more rows."),
        ([1] * 9, [0] * 9, {"clusters": [0] * 9}, "with only 1 cluster, the gate"),
        ([], [], {}, "with only 0 clusters, the gate"),
        ([1] * 6, [0] * 5, {}, "the length of system is 5; expected 6"),
        ([1] * 6, [0] * 5 + [None], {}, "system[5] is nan; expected a number"),
        ([1] * 6, [0] * 6, {"max_drop": -0.1}, "max_drop is -0.1; expected 0 or more"),
        ([1] * 6, [0] * 6, {"max_drop": 5}, "max_drop is 5, which no drop of accuracy can exceed"),
        ([1] * 6, [0] * 6, {"max_drop": float("nan")}, "max_drop is nan; expected 0 or more"),
        ([1] * 6, [0] * 6, {"confidence": 0.5}, "confidence is 0.5; expected a number between 0.5 and 1"),
        ([1] * 60, [0] * 60, {"resamples": 10}, "resamples is 10; expected at least 100 for 95.0% confidence"),
    ],
)
def test_gate_rejects_bad_input(before, after, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        gate(before, after, **options)
