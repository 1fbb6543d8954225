"""Estimates, intervals and tests against ppi_py, by the authors of the method, and statsmodels."""

import json
import os
from pathlib import Path

import frameworks
import numpy as np
import pytest

from evaluate_qa import compare, estimate
from evaluate_qa.uncertainty.arrays import codes
from evaluate_qa.uncertainty.intervals import mean, wilson
from evaluate_qa.uncertainty.paired import holm, mcnemar

PROGRAM = Path(__file__).with_name("in_other_programs.py")
GENERATOR = np.random.default_rng(16)
CHANGES = [(0, 1), (3, 3), (7, 1), (1, 7), (40, 61), (700, 640), (20_000, 20_500)]
P_VALUES = [[0.01, 0.04, 0.03, 0.005], [0.5], [0.2, 0.2, 0.9, 0.001, 0.001]]
SHARES = [(0, 5), (3, 10), (10, 10), (700, 1000)]
CLUSTERS = GENERATOR.integers(40, size=200)
VALUES = GENERATOR.random(200) + 0.3 * GENERATOR.random(40)[CLUSTERS]


def rows(count, labelled, kind):
    """Scores of all rows, and labels of the first."""
    scores = GENERATOR.beta(0.6, 0.5, count)
    agree = {"good": scores, "useless": np.full(count, 0.6), "contrary": 1 - scores, "graded": scores}[kind]
    labels = (GENERATOR.random(count) < agree).astype(float)
    if kind == "graded":
        labels = np.round((labels + scores + GENERATOR.random(count)) / 3, 1)
    return scores, np.where(np.arange(count) < labelled, labels, np.nan)


SETS = {
    f"{kind} {labelled}/{count}": (*rows(count, labelled, kind), alpha)
    for kind, count, labelled, alpha in (
        ("good", 2000, 100, 0.05),
        ("good", 130, 100, 0.05),
        ("good", 400, 60, 0.2),
        ("useless", 2000, 200, 0.05),
        ("contrary", 2000, 200, 0.05),
        ("graded", 1000, 50, 0.1),
    )
}
# Rows that were drawn with the probability .1 or .4; each stands for one over it.
SCORES, LABELS = rows(1000, 1000, "good")
CHANCES = np.where(SCORES > 0.5, 0.4, 0.1)
DRAWN = GENERATOR.random(1000) < CHANCES
WEIGHTED = estimate(SCORES, np.where(DRAWN, LABELS, np.nan), weights=1 / CHANCES).all


def asked():
    """What the other programs are asked, by name."""
    for name, (scores, labels, alpha) in SETS.items():
        known = ~np.isnan(labels)
        given = {"labels": labels[known], "scores": scores[known], "others": scores[~known], "alpha": alpha}
        yield name, "powered", given
        yield f"{name} alone", "powered", given | {"lam": 0}
    given = {"labels": LABELS[DRAWN], "scores": SCORES[DRAWN], "others": SCORES, "alpha": 0.05}
    yield "weighted", "powered", given | {"w": 1 / CHANCES[DRAWN], "lam": WEIGHTED.tuning}
    yield "labels alone", "weighted", {"values": LABELS[DRAWN], "weights": 1 / CHANCES[DRAWN]}
    yield "clusters", "clustered", {"values": VALUES, "clusters": CLUSTERS}
    for wins, losses in CHANGES:
        yield f"changed {wins} {losses}", "changed", {"wins": wins, "losses": losses}
    for place, p_values in enumerate(P_VALUES):
        yield f"corrected {place}", "corrected", {"p_values": p_values}
    for right, count in SHARES:
        yield f"share {right}/{count}", "share", {"right": right, "count": count, "alpha": 0.1}


@pytest.fixture(scope="module")
def others(processes, tmp_path_factory):
    """What they found, by name: one process for all, for their imports take seconds."""
    folder = tmp_path_factory.mktemp("others")
    wanted = {name: (function, given) for name, function, given in asked()}
    (folder / "asked.json").write_text(json.dumps(wanted, default=np.ndarray.tolist))
    environment = os.environ | {"PYTHONPATH": frameworks.installed()}
    arguments = (PROGRAM, folder / "asked.json", folder / "found.json")
    processes.run(*arguments, cwd=folder, env=environment, check=True)
    return json.loads((folder / "found.json").read_text())


@pytest.mark.parametrize("name", SETS)
def test_estimates_with_the_best_tuning_and_with_none(name, others):
    scores, labels, alpha = SETS[name]
    found = estimate(scores, labels, confidence=1 - alpha).all
    assert (found.tuning > 0.1) == name.startswith(("good", "graded"))
    assert found.accuracy.value == pytest.approx(others[name][0], abs=1e-6)
    assert found.labels_alone.value == pytest.approx(others[f"{name} alone"][0], abs=1e-6)
    # Of many labels Wilson's intervals are about as wide as the normal ones; of fewer scores that agree, wider.
    assert found.labels_alone.width == pytest.approx(others[f"{name} alone"][2] - others[f"{name} alone"][1], rel=0.04)
    assert 0.97 < found.accuracy.width / (others[name][2] - others[name][1]) < 1.25


def test_estimates_of_rows_drawn_unequally(others):
    """With one λ ppi_py finds the same mean, and statsmodels' weighted mean is that of the labels alone.

    ppi_py's interval is another: by the variance of w (Y − λf), which grows if all labels are one higher, where here
    each counts by its distance from the mean, since the weights are divided by their sum.
    """
    assert pytest.approx(others["weighted"][0], abs=1e-6) == WEIGHTED.accuracy.value
    assert WEIGHTED.labels_alone.value == pytest.approx(others["labels alone"][0], abs=1e-9)
    assert WEIGHTED.labels_alone.width == pytest.approx(others["labels alone"][2] - others["labels alone"][1], rel=0.03)


def test_means_of_clusters(others):
    value, low, high, deviation = others["clusters"]
    _, clusters = codes("clusters", CLUSTERS, len(VALUES))
    assert mean(VALUES, clusters).value == pytest.approx(value, abs=1e-9)
    # Student's t and the correction for leverage make it wider, of 40 clusters by some percent.
    assert 1.03 < mean(VALUES, clusters).width / (high - low) < 1.12
    (pair,) = compare({"a": np.zeros(len(VALUES)), "b": VALUES}, clusters=CLUSTERS)
    # The quantiles of 97.5% and of 80%.
    assert pair.scores.detectable == pytest.approx((1.959964 + 0.841621) * deviation, rel=1e-6)


@pytest.mark.parametrize(("wins", "losses"), CHANGES)
def test_mcnemar(wins, losses, others):
    assert mcnemar(wins, losses) == pytest.approx(others[f"changed {wins} {losses}"], rel=1e-9, abs=0)


@pytest.mark.parametrize("place", range(len(P_VALUES)))
def test_holm(place, others):
    assert holm(P_VALUES[place]) == pytest.approx(others[f"corrected {place}"], abs=1e-12)


@pytest.mark.parametrize(("right", "count"), SHARES)
def test_wilson(right, count, others):
    found = wilson(right / count, count, 0.9)
    assert [found.low, found.high] == pytest.approx(others[f"share {right}/{count}"], abs=1e-9)
