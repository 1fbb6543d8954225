"""`evaluate-qa fit`: the final layer that weighs all anew where references are long."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from evaluate_qa.metrics._shared.arithmetic import sigmoid
from evaluate_qa.metrics._shared.lexical import EVIDENCE, OF_LONG, by_length
from evaluate_qa.training.layers import Classified, fit_layers, held_out_scores, row_scores

NAMES = ("margin", "recall")


@pytest.fixture
def classified():
    """Two sets, each row with one reference: where it is short the margin decides, where it is long the words do."""
    rng = np.random.default_rng(0)
    count = 400
    columns = {name: rng.random(count) for name in (*EVIDENCE, *OF_LONG)}
    columns |= {"margin": rng.normal(size=count), "long": np.repeat([0.0, 1.0], count // 2), "same": np.zeros(count)}
    logits = np.where(columns["long"] == 1, 6 * columns["recall"] - 1, 3 * columns["margin"])
    return Classified(
        np.arange(count),
        np.ones(count, dtype=bool),
        columns,
        rng.random(count) < sigmoid(logits),
        [str(number) for number in range(count)],
        ["short"] * (count // 2) + ["long"] * (count // 2),
    )


def test_short_references_are_scored_as_by_recall_and_long_ones_as_by_a_layer_of_their_own(classified):
    layers = fit_layers(classified, "bem")
    assert set(layers["lengths"]) == {"margin", "intercept", *by_length("margin")}
    long = classified.columns["long"] == 1
    short, lengths = (row_scores(classified, layers[name]) for name in ("recall", "lengths"))
    assert np.array_equal(short[~long], lengths[~long])
    for rows, names in ((~long, NAMES), (long, (*NAMES, *OF_LONG))):
        # Right and wrong answers to references of a kind weigh 100 rows each: half of the 400, as one of two sets.
        labels = classified.labels[rows]
        importance = np.where(labels, 100 / labels.sum(), 100 / (~labels).sum())
        matrix = np.column_stack([classified.columns[name][rows] for name in names])
        alone = LogisticRegression(C=10, max_iter=1000, tol=1e-8).fit(matrix, labels, importance)
        assert lengths[rows] == pytest.approx(alone.predict_proba(matrix)[:, 1], abs=1e-6)


def test_layers_that_are_kept_are_those_that_were_given(classified):
    kept = {"recall": {**dict.fromkeys(NAMES, 0.5), "intercept": -1.0}}
    layers = fit_layers(classified, "bem", kept)
    assert layers["recall"] == kept["recall"]
    assert layers["lengths"].items() >= kept["recall"].items()
    short = classified.columns["long"] == 0
    scores = held_out_scores(classified, "bem", kept)
    assert np.array_equal(scores["lengths"][short], scores["recall"][short])


def test_without_long_references_of_both_verdicts_all_are_weighed_as_short_ones(classified):
    columns = {**classified.columns, "long": np.zeros(400)}
    layers = fit_layers(replace(classified, columns=columns), "bem")
    assert {name: weight for name, weight in layers["lengths"].items() if weight and "long" in name} == {}


def test_how_many_are_right_in_a_set_is_not_learned(classified):
    right = np.flatnonzero((classified.columns["long"] == 1) & classified.labels)
    rows = np.sort(np.concatenate([np.arange(400), right, right]))
    thrice = Classified(
        np.arange(len(rows)),
        classified.answered[rows],
        {name: values[rows] for name, values in classified.columns.items()},
        classified.labels[rows],
        [classified.question_ids[number] for number in rows],
        [classified.sets[number] for number in rows],
    )
    kept = {"recall": {**dict.fromkeys(NAMES, 0.0), "intercept": 0.0}}
    one, other = (row_scores(classified, fit_layers(found, "bem", kept)["lengths"]) for found in (classified, thrice))
    # More rows of the same weigh as much together; only the penalty counts for less. Alone, three times as many right
    # ones would add log 3 to each logit, which makes .75 of .5.
    assert other == pytest.approx(one, abs=0.03)
