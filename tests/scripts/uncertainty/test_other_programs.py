"""Estimates compared with ppi_py, by the authors of the method, and clusters compared with statsmodels."""

import json
import os
from pathlib import Path

import frameworks
import numpy as np
import pytest

from evaluate_qa import compare, estimate
from evaluate_qa.uncertainty.arrays import factorize
from evaluate_qa.uncertainty.intervals import mean

PROGRAM = Path(__file__).with_name("in_other_programs.py")
GENERATOR = np.random.default_rng(16)
CLUSTERS = GENERATOR.integers(40, size=200)
VALUES = GENERATOR.random(200) + 0.3 * GENERATOR.random(40)[CLUSTERS]


def rows(count, labeled, kind):
    """Return scores of all rows, and labels of the first rows."""
    scores = GENERATOR.beta(0.6, 0.5, count)
    agree = {"good": scores, "useless": np.full(count, 0.6), "contrary": 1 - scores, "graded": scores}[kind]
    labels = (GENERATOR.random(count) < agree).astype(float)
    if kind == "graded":
        labels = np.round((labels + scores + GENERATOR.random(count)) / 3, 1)
    return scores, np.where(np.arange(count) < labeled, labels, np.nan)


SETS = {
    f"{kind} {labeled}/{count}": (*rows(count, labeled, kind), alpha)
    for kind, count, labeled, alpha in (
        ("good", 2000, 100, 0.05),
        ("good", 130, 100, 0.05),
        ("good", 400, 60, 0.2),
        ("useless", 2000, 200, 0.05),
        ("contrary", 2000, 200, 0.05),
        ("graded", 1000, 50, 0.1),
    )
}
# Rows drawn with the probability .1 or .4.
SCORES, LABELS = rows(1000, 1000, "good")
CHANCES = np.where(SCORES > 0.5, 0.4, 0.1)
DRAWN = GENERATOR.random(1000) < CHANCES
WEIGHTED = estimate(SCORES, np.where(DRAWN, LABELS, np.nan), weights=1 / CHANCES).all


def inputs():
    """Yield the name, function and inputs of each computation in the other programs."""
    for name, (scores, labels, alpha) in SETS.items():
        known = ~np.isnan(labels)
        given = {"labels": labels[known], "scores": scores[known], "others": scores[~known], "alpha": alpha}
        yield name, "ppi", given
        yield f"{name} alone", "ppi", given | {"lam": 0}
    given = {"labels": LABELS[DRAWN], "scores": SCORES[DRAWN], "others": SCORES, "alpha": 0.05}
    yield "weighted", "ppi", given | {"w": 1 / CHANCES[DRAWN], "lam": WEIGHTED.tuning}
    yield "clusters", "clustered", {"values": VALUES, "clusters": CLUSTERS}


@pytest.fixture(scope="module")
def others(processes, tmp_path_factory):
    """Return the results of the other programs, from one process, as their imports take seconds."""
    folder = tmp_path_factory.mktemp("others")
    wanted = {name: (function, given) for name, function, given in inputs()}
    (folder / "inputs.json").write_text(json.dumps(wanted, default=np.ndarray.tolist))
    environment = os.environ | {"PYTHONPATH": frameworks.installed()}
    arguments = (PROGRAM, folder / "inputs.json", folder / "found.json")
    processes.run(*arguments, cwd=folder, env=environment, check=True)
    return json.loads((folder / "found.json").read_text())


@pytest.mark.parametrize("name", SETS)
def test_estimates_match_ppi_py(name, others):
    scores, labels, alpha = SETS[name]
    found = estimate(scores, labels, confidence=1 - alpha).all
    assert (found.tuning > 0.1) == name.startswith(("good", "graded"))
    assert found.accuracy.value == pytest.approx(others[name][0], abs=1e-6)
    assert found.labels_alone.value == pytest.approx(others[f"{name} alone"][0], abs=1e-6)
    # With many labels Wilson's intervals are about as wide as the normal ones; with scores that agree, wider.
    assert found.labels_alone.width == pytest.approx(others[f"{name} alone"][2] - others[f"{name} alone"][1], rel=0.04)
    assert 0.97 < found.accuracy.width / (others[name][2] - others[name][1]) < 1.25


def test_weighted_estimate_matches_ppi_py(others):
    """Only the value: ppi_py uses the variance of w (Y − λf), which changes if 1 is added to all labels."""
    assert pytest.approx(others["weighted"][0], abs=1e-6) == WEIGHTED.accuracy.value


def test_clustered_mean_matches_statsmodels(others):
    value, low, high, deviation = others["clusters"]
    _, clusters = factorize("clusters", CLUSTERS, len(VALUES))
    assert mean(VALUES, clusters).value == pytest.approx(value, abs=1e-9)
    # With 40 clusters, Student's t and the correction for leverage make it some percent wider.
    assert 1.03 < mean(VALUES, clusters).width / (high - low) < 1.12
    (pair,) = compare({"a": np.zeros(len(VALUES)), "b": VALUES}, clusters=CLUSTERS)
    # The normal quantiles of 97.5% and of 80%.
    assert pair.scores.detectable == pytest.approx((1.959964 + 0.841621) * deviation, rel=1e-6)
