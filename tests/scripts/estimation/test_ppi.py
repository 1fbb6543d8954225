"""The prediction-powered estimate."""

import re

import numpy as np
import pytest
from scipy import stats

import evaluate_qa
from evaluate_qa.estimation.ppi import Estimate, estimate
from evaluate_qa.uncertainty.intervals import wilson

NAN = float("nan")

# 40 labeled rows, (label, score): 16 times (1, 1), 4 (1, 0), 16 (0, 0), 4 (0, 1); of 160 others 100 score 1.
SCORES = np.array([1] * 16 + [0] * 4 + [0] * 16 + [1] * 4 + [1] * 100 + [0] * 60)
LABELS = np.array([1.0] * 20 + [0.0] * 20 + [NAN] * 160)


def ends(interval):
    return interval.value, interval.low, interval.high


def wilsons(value, variance, degrees, confidence=0.95):
    """The shares x for which (value − x)² = t² x(1 − x)/n, with n = value (1 − value)/variance."""
    extra = stats.t.ppf((1 + confidence) / 2, degrees) ** 2 * variance / (value * (1 - value))
    return value, *sorted(np.roots([1 + extra, -2 * value - extra, value**2]))


def test_estimate_by_hand():
    """Ȳ = f̄ = .5, Cov(Y, f) = 16/40 − .25 = .15; f̄' = .625; over all f the variance is .6 · .4 · 200/199.

    λ = .15 / ((1 + 40/160) · .24 · 200/199) = .4975; θ̂ = .5 + .4975 · .125 = .5621875. Var(Y − λf) = .25 − 2λ · .15 +
    λ² · .25 = .16262656, Var f' = .625 · .375 = .234375: Var θ̂ = .16262656/40 + λ² · .234375/160 = .00442822. Errors
    count √(39/40)/(1 − h) times, where h is 1/40 for labeled rows and 0 for others: .16262656/39 + 39/40 · λ² ·
    .234375/160 = .00452340. One more label that disagrees adds λ²/40² = .00015469.
    """
    found = evaluate_qa.estimate(SCORES, LABELS)
    variance = 0.00452340 + 0.00015469
    assert found.all.tuning == pytest.approx(0.4975)
    assert ends(found.all.accuracy) == pytest.approx(wilsons(0.5621875, variance, 39), abs=1e-6)
    # Labels alone: .25/39.
    assert ends(found.all.labels_alone) == pytest.approx(wilsons(0.5, 0.25 / 39, 39), abs=1e-7)
    assert (found.all.rows, found.all.labels, found.all.metric) == (200, 40, 0.6)
    assert found.all.worth == pytest.approx(40 * 0.25 / 39 / variance, rel=1e-5)
    assert (found.clusters, found.groups, found.differences) == (None, {}, {})
    assert found.all.notes == ("With only 40 independent labels (fewer than 50), the interval may be too narrow.",)


def test_figures_are_plain_numbers():
    found = evaluate_qa.estimate(SCORES, LABELS).all
    figures = (*ends(found.accuracy), *ends(found.labels_alone), found.metric, found.tuning, found.worth)
    assert {type(figure) for figure in figures} == {float}


def test_help_names_the_types_of_arguments():
    for function in (evaluate_qa.compare, evaluate_qa.estimate):
        assert {"ArrayLike", "ArrayLike | None"} & set(function.__annotations__.values())


def test_scores_that_fall_with_the_labels_get_no_weight():
    found = estimate(1 - SCORES, LABELS).all
    assert found.tuning == 0
    assert found.accuracy == found.labels_alone
    assert found.worth == 40
    assert "The scores do not rise with the labels (λ = 0), so they add nothing." in found.notes


def test_weight_of_the_scores_is_at_most_one():
    """With scores of .4 and .6 for 0 and 1 Cov(Y, f) is .2 · .15, and Var f .04 of what it was: λ would be 2.4875.

    It is cut to 1: θ̂ = .5 + .2 · .125 = .525; Var(Y − f) = .25 − 2 · .2 · .15 + .04 · .25 = .2, Var f' = .04 · .234375:
    Var θ̂ = .2/39 + 39/40 · .009375/160 + 1/40² = .00581033. The last term is one more label that disagrees.
    """
    found = estimate(0.4 + 0.2 * SCORES, LABELS).all
    assert found.tuning == 1
    assert ends(found.accuracy) == pytest.approx(wilsons(0.525, 0.00581033, 39), abs=1e-6)


@pytest.mark.parametrize("clusters", [None, np.arange(200) // 2], ids=["rows", "clusters"])
def test_estimate_needs_twenty_labels(clusters):
    """20 rows, or 20 clusters of two, half of them right; one fewer is too few."""
    each = 1 if clusters is None else 2
    enough = np.repeat([1.0, 0.0, NAN], [10 * each, 10 * each, 200 - 20 * each])
    scores = np.tile([0.0, 1.0], 100)
    assert estimate(scores, enough, clusters=clusters).all.labels == 20 * each
    with pytest.raises(ValueError, match=r"\((19 of 200 rows labeled|38 labels in only 19 groups); 20 needed\)"):
        estimate(scores, np.where(np.arange(200) < 19 * each, enough, NAN), clusters=clusters)


def test_weights_by_hand():
    """20 rows have weight 1, half of them right; 20 have weight 3, all right: (10 + 60)/80 = .875.

    Errors count 80/79 and 80/77 times, and Σh² = 200/6400: Var = (1 − 1/32) (10 · (.125² + .875²)/79² + 20 · 9 ·
    .125²/77²) = .00167220. Student's t has (Σh²)²/Σh⁴ − 1 = 200²/(20 + 20 · 81) − 1 = 23.390 degrees of freedom.
    """
    labels = np.array([1.0] * 10 + [0.0] * 10 + [1.0] * 20 + [NAN] * 40)
    weights = np.array([1.0] * 20 + [3.0] * 20 + [NAN] * 40)
    found = estimate(np.full(80, 0.5), labels, weights=weights).all
    assert ends(found.accuracy) == pytest.approx(wilsons(0.875, 0.00167220, 23.390), abs=1e-5)
    assert found.tuning == 0, "equal scores add nothing"


def test_equal_weights_and_clusters_of_one_row_change_nothing():
    assert estimate(SCORES, LABELS, weights=np.full(200, 7.0)) == estimate(SCORES, LABELS)
    assert estimate(SCORES, LABELS, clusters=np.arange(200)[::-1]) == estimate(SCORES, LABELS)


def test_copies_in_a_cluster_add_no_information():
    once = estimate(SCORES, LABELS).all
    found = [
        estimate(np.repeat(SCORES, times), np.repeat(LABELS, times), clusters=np.repeat(np.arange(200), times))
        for times in (2, 3)
    ]
    assert [one.clusters for one in found] == [200, 200]
    for one in found:
        assert ends(one.all.labels_alone) == pytest.approx(ends(once.labels_alone))
        assert ends(one.all.accuracy) == pytest.approx(ends(found[0].all.accuracy))
        assert ends(one.all.accuracy) == pytest.approx(ends(once.accuracy), abs=0.005)
    apart = estimate(np.repeat(SCORES, 2), np.repeat(LABELS, 2)).all
    assert apart.accuracy.width < 0.75 * once.accuracy.width, "without clusters they seem to add much"


@pytest.mark.parametrize(
    "scores", [np.tile([0.2, 0.8], 100), np.random.default_rng(1).random(200)], ids=["equal", "any"]
)
@pytest.mark.parametrize("wrong", [1, 2])
def test_equal_clusters_count_as_their_number(scores, wrong):
    """Each question has one right answer, so the labels of 30 questions do not vary between questions."""
    rows = np.arange(100 * (1 + wrong))
    labels = np.where(rows < 30 * (1 + wrong), rows % (1 + wrong) == 0, NAN)
    found = estimate(np.resize(scores, len(rows)), labels, clusters=rows // (1 + wrong)).all
    assert (found.tuning, found.worth) == (pytest.approx(0, abs=1e-9), 30 * (1 + wrong))
    assert ends(found.accuracy) == pytest.approx(ends(wilson(1 / (1 + wrong), 30, degrees=29)))


def test_groups_are_estimated_separately():
    generator = np.random.default_rng(7)
    group = np.array(["a", "b"])[generator.integers(2, size=800)]
    scores = generator.random(800)
    labels = np.where(np.arange(800) < 200, generator.random(800) < scores, NAN)
    found = estimate(scores, labels, groups=group, differences=[("a", "b"), ("b", "a")])
    alone = {name: estimate(scores[group == name], labels[group == name]).all for name in "ab"}
    for name, one in alone.items():
        assert found.groups[name].tuning == pytest.approx(one.tuning)
        assert ends(found.groups[name].accuracy) == pytest.approx(ends(one.accuracy))
    # Groups of independent rows are independent: variances add. Near .5 Wilson's interval is nearly normal.
    difference, back = found.differences.values()
    value = alone["a"].accuracy.value - alone["b"].accuracy.value
    width = np.hypot(alone["a"].accuracy.width, alone["b"].accuracy.width)
    assert ends(difference) == pytest.approx((value, value - width / 2, value + width / 2), abs=0.005)
    assert ends(back) == pytest.approx([-end for end in (difference.value, difference.high, difference.low)])


def test_difference_from_a_copy_is_zero():
    """Clusters pair the rows of two systems. Shared errors cancel, except for one more label of each, λ²/40²."""
    systems = np.repeat(["a", "b"], 200)
    found = estimate(
        np.tile(SCORES, 2), np.tile(LABELS, 2), clusters=np.tile(np.arange(200), 2), groups=systems,
        differences=[("a", "b")],
    )  # fmt: skip
    margin = stats.t.ppf(0.975, 39) * np.sqrt(2) * found.groups["a"].tuning / 40
    assert ends(found.differences["a", "b"]) == pytest.approx((0, -margin, margin), abs=1e-9)


def test_group_without_enough_labels_has_a_reason():
    found = estimate(SCORES, LABELS, groups=["much"] * 190 + ["none"] * 10)
    assert isinstance(found.groups["much"], Estimate)
    assert found.groups["none"] == "0 of 10 rows labeled; 20 needed"
    with pytest.raises(
        ValueError, match=r"too few labels of 'none' for a difference \(0 of 10 rows labeled; 20 needed\)"
    ):
        estimate(SCORES, LABELS, groups=["much"] * 190 + ["none"] * 10, differences=[("much", "none")])
    with pytest.raises(ValueError, match=r"There is no group 'c'\. Available: much, none\."):
        estimate(SCORES, LABELS, groups=["much"] * 190 + ["none"] * 10, differences=[("c", "none")])


@pytest.mark.parametrize(
    "given", [{"differences": [("a", "b")]}, {"differences": ("a", "b"), "groups": ["a"] * 200}], ids=["alone", "pair"]
)
def test_differences_are_pairs_of_groups(given):
    expected = "pairs of groups, such as [('a', 'b')], and `groups` with the group of each row"
    with pytest.raises(ValueError, match=re.escape(f"differences is {given['differences']}; expected {expected}")):
        estimate(SCORES, LABELS, **given)


def test_groups_with_a_larger_share_of_labels_need_weights():
    """100 labels of 200 rows and 100 of 1,800: a tenth of the rows has half of the labels."""
    generator = np.random.default_rng(14)
    group, scores = np.repeat(["few", "many"], [200, 1800]), generator.random(2000)
    labels = np.where(generator.random(2000) < scores, 1.0, 0.0)
    labels[100:200] = labels[300:] = NAN
    with pytest.raises(
        ValueError, match="not a random sample: 50% of them, but 10% of all rows, are in the group 'few'"
    ):
        estimate(scores, labels, groups=group)
    found = estimate(scores, labels, groups=group, weights=np.repeat([2, 18], [200, 1800]))
    alone = estimate(scores[:200], labels[:200]).all
    assert ends(found.groups["few"].accuracy) == pytest.approx(ends(alone.accuracy))


@pytest.mark.parametrize("right", [0, 1])
def test_equal_labels_have_an_interval_of_their_own(right):
    """Wilson's interval of 40 of 40 with Student's t reaches down to 1 / (1 + t²/40)."""
    labels = np.where(np.isnan(LABELS), NAN, right)
    systems = {"groups": np.repeat(["a", "b"], 200), "differences": [("a", "b")]}
    found = estimate(np.tile(SCORES, 2), np.tile(labels, 2), **systems)
    width = 1 - 1 / (1 + stats.t.ppf(0.975, 39) ** 2 / 40)
    assert ends(found.groups["a"].accuracy) == pytest.approx((1, 1 - width, 1) if right else (0, 0, width))
    assert found.groups["a"].notes[1:] == (f"All 40 labels are {right}, so the interval is from the labels alone.",)
    assert ends(found.differences["a", "b"]) == pytest.approx((0, -(2**0.5) * width, 2**0.5 * width))


def test_scores_add_nothing_if_all_rows_are_labeled():
    found = estimate(SCORES[:40], LABELS[:40]).all
    assert found.accuracy == found.labels_alone
    assert "Every row is labeled, so the scores add nothing." in found.notes


def test_few_labels_of_a_kind_get_a_note():
    labels = np.where(np.arange(1000) < 100, np.arange(1000) != 7, NAN)
    found = estimate(np.random.default_rng(1).random(1000), labels).all
    assert "Only 1 label is of the rarer class, so the interval is approximate." in found.notes
    assert found.accuracy.value < found.accuracy.high < 1, "no mean of labels is above 1"
    found = estimate(np.random.default_rng(1).random(1000), 1 - labels).all
    assert 0 < found.accuracy.low < found.accuracy.value, "nor below 0"


def changed(values, place, value):
    values = np.array(values, dtype=object)
    values[place] = value
    return values.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scores": changed(SCORES, 3, NAN)}, "scores[3] is nan; expected a number from 0 to 1"),
        ({"scores": ["a"] * 200}, "scores is ['a', 'a', "),
        ({"scores": [SCORES]}, "scores is [array([1, 1, "),
        ({"scores": SCORES - 1}, "scores[16] is -1; expected a number from 0 to 1"),
        ({"labels": -LABELS}, "labels[0] is -1; expected a number from 0 to 1, or NaN"),
        ({"labels": LABELS[:199]}, "the length of labels is 199; expected 200"),
        (
            {"labels": np.where(np.arange(200) < 5, LABELS, NAN)},
            "too few labels for an estimate (5 of 200 rows labeled; 20 needed). Label more rows.",
        ),
        ({"weights": changed(np.ones(200), 1, NAN)}, "weights[1] is nan; expected a positive number"),
        ({"weights": np.ones(3)}, "the length of weights is 3; expected 200"),
        ({"clusters": [0] * 3}, "the length of clusters is 3; expected 200"),
        ({"clusters": [0] * 190 + list(range(10))}, "(40 labels in only 1 group; 20 needed)"),
        ({"groups": ["a"]}, "the length of groups is 1; expected 200"),
        ({"confidence": 95}, "confidence is 95; expected a number between 0 and 1"),
    ],
)
def test_estimate_rejects_bad_input(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        estimate(**{"scores": SCORES, "labels": LABELS} | options)


@pytest.mark.parametrize("share", [0.98, 0.995])
def test_only_samples_that_are_not_random_are_refused(share):
    """50 labels of 10,000 rows that nearly all score 1, in 300 groups; the rows with the lowest scores are refused."""
    generator = np.random.default_rng(18)
    for _ in range(30):
        scores = (generator.random(10_000) < share).astype(float)
        labels = np.full(10_000, NAN)
        labels[generator.choice(10_000, 50, replace=False)] = np.arange(50) % 2
        assert estimate(scores, labels, groups=generator.integers(300, size=10_000)).all.labels == 50
    chosen = np.argsort(scores, kind="stable")[:50]
    with pytest.raises(ValueError, match=r"not a random sample: they score 0\.\d+ lower on average than all rows"):
        estimate(scores, np.where(np.isin(np.arange(10_000), chosen), np.arange(10_000) % 2, NAN))


def test_unlikely_sample_gets_a_note():
    """16 of 43 labels are in a tenth of the rows. Chernoff's bound for 10 groups: 20 e^(−43 KL(.372 ‖ .1)) = .00025."""
    groups = np.arange(1000) % 10
    labels = np.full(1000, NAN)
    for group, count in enumerate([16, *[3] * 9]):
        labels[np.flatnonzero(groups == group)[:count]] = np.arange(count) % 2
    scores = np.random.default_rng(1).random(1000)
    note = "The labeled rows may not be a random sample: 37% of them, but 10% of all rows, are in the group '0'"
    assert note in estimate(scores, labels, groups=groups).all.notes[0]
