"""`evaluate-qa fit`: the final layers, and the figures of each set."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from evaluate_qa.metrics._shared.lexical import LONG_FEATURES, OVERLAPS, WORD_FEATURES, features_by_length
from evaluate_qa.metrics._shared.logistic import sigmoid
from evaluate_qa.training import layers
from evaluate_qa.training.evaluation import mean_statistic, split_by_set, table
from evaluate_qa.training.layers import LabeledOutputs, fit_layers, held_out_scores, row_scores

NAMES = ("margin", "recall")


@pytest.fixture
def outputs():
    """Two sets of rows with one reference. The margin decides if it is short, the words in common if it is long."""
    rng = np.random.default_rng(0)
    count = 400
    features = {name: rng.random(count) for name in (*OVERLAPS, *LONG_FEATURES)}
    features |= {"margin": rng.normal(size=count), "long": np.repeat([0.0, 1.0], count // 2), "same": np.zeros(count)}
    logits = np.where(features["long"] == 1, 6 * features["recall"] - 1, 3 * features["margin"])
    return LabeledOutputs(
        np.arange(count),
        np.ones(count, dtype=bool),
        features,
        rng.random(count) < sigmoid(logits),
        [str(number) for number in range(count)],
        ["short"] * (count // 2) + ["long"] * (count // 2),
    )


def with_margins(margins, labels, sets):
    """Return rows without word features."""
    count = len(labels)
    features = {"margin": np.asarray(margins, dtype=float), **{name: np.zeros(count) for name in WORD_FEATURES}}
    ids = [str(number) for number in range(count)]
    labels = np.asarray(labels, dtype=bool)
    return LabeledOutputs(np.arange(count), np.ones(count, dtype=bool), features, labels, ids, sets)


def test_long_references_have_a_layer_of_their_own(outputs):
    fitted = fit_layers(outputs, "bem")
    assert set(fitted["lengths"]) == {"margin", "intercept", *features_by_length("margin")}
    long = outputs.features["long"] == 1
    short, lengths = (row_scores(outputs, fitted[name]) for name in ("recall", "lengths"))
    assert np.array_equal(short[~long], lengths[~long])
    for rows, names in ((~long, NAMES), (long, (*NAMES, *LONG_FEATURES))):
        # Right and wrong answers have 100 rows' weight each: half of the 400 rows, because there are two sets.
        labels = outputs.labels[rows]
        importance = np.where(labels, 100 / labels.sum(), 100 / (~labels).sum())
        matrix = np.column_stack([outputs.features[name][rows] for name in names])
        alone = LogisticRegression(C=10, max_iter=1000, tol=1e-8).fit(matrix, labels, importance)
        assert lengths[rows] == pytest.approx(alone.predict_proba(matrix)[:, 1], abs=1e-6)


def test_kept_layers_are_copied(outputs):
    kept = {"recall": {**dict.fromkeys(NAMES, 0.5), "intercept": -1.0}}
    fitted = fit_layers(outputs, "bem", kept)
    assert fitted["recall"] == kept["recall"]
    assert fitted["lengths"].items() >= kept["recall"].items()
    short = outputs.features["long"] == 0
    scores = held_out_scores(outputs, "bem", kept)
    assert np.array_equal(scores[short], row_scores(outputs, kept["recall"])[short])


def test_without_long_references_of_both_verdicts_one_layer_scores_all_rows(outputs):
    features = {**outputs.features, "long": np.zeros(400)}
    fitted = fit_layers(replace(outputs, features=features), "bem")
    assert {name: weight for name, weight in fitted["lengths"].items() if weight and "long" in name} == {}


def test_layer_does_not_learn_the_share_of_right_answers(outputs):
    right = np.flatnonzero((outputs.features["long"] == 1) & outputs.labels)
    rows = np.sort(np.concatenate([np.arange(400), right, right]))
    thrice = LabeledOutputs(
        np.arange(len(rows)),
        outputs.answered[rows],
        {name: values[rows] for name, values in outputs.features.items()},
        outputs.labels[rows],
        [outputs.question_ids[number] for number in rows],
        [outputs.sets[number] for number in rows],
    )
    kept = {"recall": {**dict.fromkeys(NAMES, 0.0), "intercept": 0.0}}
    one, other = (row_scores(outputs, fit_layers(found, "bem", kept)["lengths"]) for found in (outputs, thrice))
    # Repeated rows have the same weight together; only the penalty counts for less. Without weights, three times as
    # many right answers would add log 3 to each logit, which makes .75 of .5.
    assert other == pytest.approx(one, abs=0.03)


def test_weight_of_a_set_does_not_depend_on_its_size():
    rng = np.random.default_rng(0)
    margins, labels = rng.normal(size=60), rng.random(60) < 0.5
    small = with_margins(margins, labels, ["a"] * 20 + ["b"] * 40)
    # Three copies of the large set change nothing but the strength of the penalty.
    order = [*range(20), *[*range(20, 60)] * 3]
    large = with_margins(margins[order], labels[order], ["a"] * 20 + ["b"] * 120)
    one, other = (fit_layers(found, "bem")["recall"] for found in (small, large))
    assert one["margin"] == pytest.approx(other["margin"], abs=5e-3)
    assert one["intercept"] == pytest.approx(other["intercept"], abs=5e-3)
    unequal = fit_layers(with_margins(margins[order], labels[order], ["a"] * 140), "bem")["recall"]
    assert abs(unequal["margin"] - one["margin"]) > 2e-2


def test_weight_of_a_data_set_is_the_root_of_its_number_of_sets():
    sets = ["a"] * 2 + ["b/1"] * 2 + ["b/2", "b/3", "b/4"]
    labels = [1, 0, 1, 0, 1, 0, 1]
    weights = layers._sample_weights(with_margins(np.zeros(7), labels, sets), np.array(labels, bool))
    # `a` has the weight 1, `b` √4 = 2, and each of its four sets 1/2. The sum is 3, and the mean over 7 rows is 1.
    assert (weights * 3 / 7).tolist() == pytest.approx([0.5, 0.5, 0.25, 0.25, 0.5, 0.5, 0.5])
    # Both verdicts of a set have half of its weight, whether they have one row or two.
    kinds = layers._sample_weights(with_margins(np.zeros(3), [1, 1, 0], ["a"] * 3), np.array([1, 1, 0], bool))
    assert kinds.tolist() == pytest.approx([0.75, 0.75, 1.5])


def test_held_out_scores_do_not_depend_on_the_rows_own_label():
    rng = np.random.default_rng(1)
    margins = rng.normal(size=40)
    labels = (margins + rng.normal(size=40)) > 0
    turned = labels.copy()
    turned[7] = not turned[7]
    one, other = (held_out_scores(with_margins(margins, given, ["a"] * 40), "bem") for given in (labels, turned))
    assert one[7] == other[7]
    assert not np.allclose(one, other)


def test_figures_of_each_set_and_their_mean():
    scores = np.array([0.9, 0.8, 0.2, 0.4, 0.6, 0.7])
    labels = np.array([True, False, False, True, True, True])
    found = split_by_set(scores, labels, list("abcdef"), ["x"] * 4 + ["y"] * 2)
    # x: right .9 and .4, wrong .8 and .2: three of four pairs are in order; one of each kind is accepted, MCC 0.
    assert mean_statistic({"": {"x": found["x"]}}, "auc")[""].value == 0.75
    assert mean_statistic({"": found}, "auc")[""].value == 0.75  # undefined for y, which has only right answers
    assert mean_statistic({"": found}, "mcc")[""].value == 0
    assert mean_statistic({"": found}, "accuracy")[""].value == 0.75  # x: .5, y: 1
    assert mean_statistic({"": found}, "mcc")[""].low is None  # fewer than 20 questions


def test_mean_difference_has_an_interval():
    labels = np.array([True, False] * 40)
    ids, sets = [str(n // 2) for n in range(80)], ["a"] * 40 + ["b"] * 40
    right, half = np.where(labels, 0.9, 0.1), np.tile([0.9, 0.1, 0.1, 0.9], 20)
    matchers = {name: split_by_set(scores, labels, ids, sets) for name, scores in (("before", half), ("after", right))}
    found = mean_statistic(matchers, "mcc")
    # Before, half of the right and half of the wrong answers are accepted: MCC 0.
    assert (found["before"].value, found["after"].value, found["difference"].value) == (0, 1, 1)
    assert found["before"].low < 0 < found["before"].high
    assert (found["difference"].low, found["difference"].high) == pytest.approx(
        (1 - found["before"].high, 1 - found["before"].low)
    )
    columns = [list(column.cells) for column in table("title", matchers).columns]
    assert columns[:4] == [["a", "a", "b", "b"], ["before", "after"] * 2, ["40"] * 4, ["0.50"] * 4]
    # All answers of `after` are judged right: only the accuracy has an interval, Wilson's with 20 questions.
    assert columns[4][1] == "1.000 (no interval)"
    assert columns[6][1] == "1.000 [0.839, 1.000]"
