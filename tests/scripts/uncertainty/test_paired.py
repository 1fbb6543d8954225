"""Paired comparisons of systems."""

import re

import numpy as np
import pytest
from scipy import stats

import evaluate_qa
from evaluate_qa.uncertainty import paired
from evaluate_qa.uncertainty.bounds import sum_by_cluster
from evaluate_qa.uncertainty.paired import compare, holm, mcnemar, sign_flips


@pytest.mark.parametrize(
    ("wins", "losses"), [(1, 0), (100, 130), (130, 100), (2, 60), (3000, 3200), (499_000, 500_500), (500_000, 500_000)]
)
def test_mcnemar_matches_scipy(wins, losses):
    expected = stats.binomtest(wins, wins + losses).pvalue
    assert mcnemar(wins, losses) == pytest.approx(expected, rel=1e-8, abs=0)


def test_sign_flips_by_hand():
    """The sums 6, 4, −4 and −6 of ±1 ±2 ±3 reach |−1 + 2 + 3| = 4: 4 of 8."""
    assert sign_flips(np.array([-1.0, 2.0, 3.0]), 100, 0) == 4 / 8
    assert sign_flips(np.zeros(5), 100, 0) == 1
    # The observed sum 0 is 5.6e-17 in binary; other sums that are 0 must reach it.
    assert sign_flips(np.array([0.1, 0.1, 0.1, -0.3]), 100, 0) == 1
    # 12 clusters have 4,096 signs. Of 40 increases none of 100 samples reaches the observation, which counts itself.
    assert sign_flips(np.ones(12), 100, 0) == 2 / 4096
    assert sign_flips(np.ones(40), 100, 0) == 1 / 101


def test_holm_by_hand():
    """.005 · 4 = .02; .01 · 3 = .03; .03 · 2 = .06; .04 · 1 = .04, which is raised to .06."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1, 1]
    assert holm([]) == []


def test_compare_by_hand():
    """10 rows: 4 won, 1 lost, mean +.3; s² over n = (5 − 10 · .09)/10 = .41, deviation √.041 = .20248.

    Smallest detectable, with a reach of 1.95996 + .84162 = 2.80158, ψ = .2 and n = (.5 − .09)/.041 = 10: δ² = .784887
    (.2 + δ − δ²) holds for δ = .58905, and 1/10 is added. McNemar: 2 · (1 + 5)/32 = .375.
    """
    before = [True, False, False, False, False, True, True, True, False, False]
    after = [False, True, True, True, True, True, True, True, False, False]
    scores = {"old": np.zeros(10), "new": np.full(10, 0.25)}
    (found,) = evaluate_qa.compare(scores, verdicts={"new": after, "old": before})
    assert (found.system, found.baseline, found.rows, found.clusters) == ("new", "old", 10, 10)
    assert (found.wins, found.losses) == (4, 1)
    assert found.verdicts.difference.value == pytest.approx(0.3)
    assert found.verdicts.p_value == found.verdicts.adjusted == pytest.approx(0.375)
    assert found.verdicts.detectable == pytest.approx(0.68905, abs=1e-5)
    # Ten equal signs: 2 of 1,024. The difference is .25 in every resample, but with 97.5% confidence at most
    # 1 − .025^(1/10) = .30850 of all rows have another one, which is at most 1.
    assert found.scores.p_value == 2 / 1024
    assert vars(found.scores.difference) == pytest.approx({"value": 0.25, "low": -0.05850, "high": 0.55850}, abs=1e-5)


def test_clusters_of_several_sizes_by_hand():
    """One row with .4, three with 0: mean .1, errors (.4 − .1)/4 and (0 − 3 · .1)/4, √(2 · .075²) = .106066."""
    sums, sizes, deviation = sum_by_cluster(np.array([0.4, 0, 0, 0]), np.array([0, 1, 1, 1]))
    assert (sums.tolist(), sizes.tolist(), deviation) == ([0.4, 0], [1, 3], pytest.approx(0.106066, abs=1e-6))
    # If all rows differ by .25, so does every resample of clusters; 1 − .025^(1/5) = .52182 of others may differ.
    (found,) = compare({"a": np.zeros(9), "b": np.full(9, 0.25)}, clusters=[0, 1, 1, 1, 1, 2, 2, 3, 4])
    assert vars(found.scores.difference) == pytest.approx({"value": 0.25, "low": -0.27182, "high": 0.77182}, abs=1e-5)


def test_a_row_without_a_cluster_is_one():
    values = {"a": np.zeros(4), "b": np.array([0.1, 0.2, 0.3, 0.5])}
    alone, missing = (compare(values, clusters=listed)[0] for listed in (None, [None, float("nan"), None, "q"]))
    assert (missing.clusters, missing.scores) == (4, alone.scores)


def test_shares_of_few_clusters_differ_by_at_most_one():
    """With two clusters, Student's t has one degree of freedom: 2/3 ± 12.7 · .222."""
    verdicts = {"a": [0] * 3, "b": [1, 1, 0]}
    (found,) = compare(verdicts, verdicts=verdicts, clusters=[0, 1, 1])
    for change in (found.scores, found.verdicts):
        assert (change.difference.low, change.difference.high) == (-1, 1)


def test_confidence_and_seed_change_the_result():
    """The reach is 1.64485 + .84162 = 2.48648 at 90% confidence and 1.95996 + .84162 = 2.80159 at 95%."""
    generator = np.random.default_rng(11)
    scores = {name: generator.random(60) for name in "ab"}
    ((usual,), (less,), (other,)) = (compare(scores, **options) for options in ({}, {"confidence": 0.9}, {"seed": 1}))
    assert less.scores.detectable / usual.scores.detectable == pytest.approx(2.48648 / 2.80159, abs=1e-5)
    assert less.scores.difference.width < usual.scores.difference.width
    assert other.scores.p_value != usual.scores.p_value


def test_interval_is_close_to_scipys_bootstrap():
    generator = np.random.default_rng(4)
    first, second = generator.random(200), generator.random(200)
    (found,) = compare({"a": first, "b": second}, resamples=20_000)
    expected = stats.bootstrap(
        (second - first,), np.mean, method="BCa", n_resamples=20_000, rng=np.random.default_rng(1)
    ).confidence_interval
    width = expected.high - expected.low
    assert found.scores.difference.low == pytest.approx(expected.low, abs=0.03 * width)
    assert found.scores.difference.high == pytest.approx(expected.high, abs=0.03 * width)


def test_copies_in_a_cluster_add_no_information():
    generator = np.random.default_rng(6)
    scores = {name: generator.random(60) for name in "ab"}
    verdicts = {name: values > 0.5 for name, values in scores.items()}
    (once,) = compare(scores, verdicts=verdicts)
    (twice,) = compare(
        {name: np.repeat(values, 2) for name, values in scores.items()},
        verdicts={name: np.repeat(values, 2) for name, values in verdicts.items()},
        clusters=np.repeat(np.arange(60), 2),
    )
    assert (twice.rows, twice.clusters, twice.wins) == (120, 60, 2 * once.wins)
    for one, other in ((once.scores, twice.scores), (once.verdicts, twice.verdicts)):
        # Verdicts of clusters may be skewed, so their intervals differ a little.
        assert list(vars(other.difference).values()) == pytest.approx(list(vars(one.difference).values()), abs=0.015)
        assert other.detectable == pytest.approx(one.detectable)
        assert other.p_value == pytest.approx(one.p_value, abs=0.03)
    (apart,) = compare({name: np.repeat(values, 2) for name, values in scores.items()})
    assert apart.scores.difference.width < 0.8 * once.scores.difference.width


def test_several_systems_get_holms_correction():
    generator = np.random.default_rng(8)
    scores = {name: generator.random(100) + shift for name, shift in (("a", 0), ("b", 0.09), ("c", 0.07))}
    found = compare(scores)
    assert [(pair.system, pair.baseline) for pair in found] == [("b", "a"), ("c", "a")]
    assert [pair.scores.adjusted for pair in found] == holm([pair.scores.p_value for pair in found])
    assert [pair.scores.p_value for pair in found] == [compare({"a": scores["a"], name: scores[name]})[0].scores.p_value
                                                       for name in "bc"]  # fmt: skip
    assert all(pair.verdicts is None for pair in found)


def test_sign_flips_of_many_clusters_use_the_normal_distribution(monkeypatch):
    sums = np.random.default_rng(9).normal(0.03, 1, 3000)
    drawn = sign_flips(sums, 5000, 0)
    monkeypatch.setattr(paired, "MANY", 1000)
    assert sign_flips(sums, 5000, 0) == pytest.approx(drawn, abs=0.02)


def test_few_changes_of_many_rows_are_tested_exactly():
    """Five of 20,000 rows lost: 2 · 2⁻⁵ = .0625. The normal distribution would give .025."""
    after = np.arange(20_000) >= 5
    (found,) = compare({"a": np.ones(20_000), "b": after})
    assert found.scores.p_value == 0.0625
    assert found.scores.difference.high == pytest.approx(0, abs=1e-12)


def test_detectable_difference_needs_ten_changed_scores():
    before = np.linspace(0, 1, 40)
    for changed, is_known in ((0, False), (9, False), (10, True)):
        (found,) = compare({"a": before, "b": before + 0.1 * (np.arange(40) < changed)})
        assert (found.scores.detectable is not None) == is_known


@pytest.mark.parametrize("losses", [0, 1, 3])
def test_detectable_difference_of_few_turned_verdicts_has_the_stated_power(losses):
    """McNemar's exact test is significant with at least six losses and no wins (2 · 2⁻⁶ = .031).

    If a share δ = .0263 of 300 rows is lost (7.9 on average), the probability of at least six losses is 80%.
    """
    after = np.arange(300) >= losses
    (found,) = compare({"a": np.ones(300), "b": after}, verdicts={"a": np.ones(300), "b": after})
    smallest = found.verdicts.detectable
    assert smallest == pytest.approx(0.0263, abs=0.004)
    assert 0.75 < stats.binom.sf(5, 300, smallest) < 0.9


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ({"a": [1, 2]}, {}, "scores is {'a': [1, 2]}; expected the scores of two or more systems, such as {'old': "),
        ([[1, 2], [2, 1]], {}, "scores is [[1, 2], [2, 1]]; expected the scores of two or more systems, such as {"),
        ({"a": [1, 2], "b": [1]}, {}, "the length of scores['b'] is 1; expected 2"),
        ({"a": [1, 2], "b": [1, None]}, {}, "scores['b'][1] is nan; expected a number"),
        ({"a": [1, 2], "b": [1, "x"]}, {}, "scores['b'] is [1, 'x']; expected a list of numbers"),
        ({"a": [1], "b": [1]}, {}, "the rows have fewer than two clusters, and a comparison needs at least two"),
        ({"a": [1, 2], "b": [1, 3]}, {"clusters": "zz"}, "fewer than two clusters"),
        ({"a": [], "b": []}, {}, "fewer than two clusters"),
        ({"a": [1, 2], "b": [1, 3]}, {"verdicts": {"a": [1, 0]}}, "verdicts['b'] is missing; expected one"),
        ({"a": [1, 2], "b": [1, 3]}, {"verdicts": {"a": [1, 0], "b": [1, 0.5]}}, "verdicts['b'][1] is 0.5"),
        ({"a": [1, 2], "b": [1, 3]}, {"resamples": 10}, "resamples is 10; expected at least 100"),
        ({"a": [1, 2], "b": [1, 3]}, {"confidence": 2}, "confidence is 2; expected a number between 0 and 1"),
    ],
)
def test_compare_rejects_bad_input(scores, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        compare(scores, **options)


def test_compare_names_the_form_of_its_scores():
    with pytest.raises(TypeError, match=re.escape("write compare({'old': [0, 1], 'new': [1, 1]})")):
        evaluate_qa.compare([0, 1], [1, 1])
