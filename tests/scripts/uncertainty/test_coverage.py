"""A small version of the simulations in COVERAGE.md, which must name all designs."""

import numpy as np
import pytest

from evaluate_qa.dev import coverage
from evaluate_qa.dev.coverage import LABELLED, PAIRS, TABLE, Measured, of_labels, of_means, of_pairs, page, table

RUNS = 60


def least(share):
    """The share that is missed by chance once in 1,000 times of so many runs."""
    return share - 3.1 * np.sqrt(share * (1 - share) / RUNS)


def test_intervals_of_differences_hold_the_truth_and_nothing_is_found_by_chance(monkeypatch):
    """But for 5% of gains, of which 20 questions may show none."""
    monkeypatch.setattr(coverage, "PAIRS", {name: PAIRS[name] for name in PAIRS if "5% gain all" not in name})
    for one in of_pairs([100], RUNS):
        held, significant, failed = one.shares.values()
        assert held >= least(0.95), one
        assert np.isnan(significant) or significant <= 1 - least(0.95), one
        assert failed <= 1 - least(0.94), one


def test_intervals_of_accuracies_hold_the_truth_and_samples_are_accepted(monkeypatch):
    monkeypatch.setattr(coverage, "LABELLED", {name: LABELLED[name] for name in LABELLED if "nearly" not in name})
    for one in of_labels([100], RUNS):
        assert one.shares["interval holds the truth"] >= least(0.95), one
        assert one.shares["refused as no sample"] == 0, one


def test_intervals_of_means_hold_the_truth():
    for one in of_means([3, 10], RUNS):
        assert one.shares["interval holds the truth"] >= least(0.88), one


def test_a_table_by_hand():
    measured = [Measured("a", 1000, {"held": 0.95, "found": float("nan")})]
    assert (
        table(measured, "rows") == "| design | rows | held | found |\n|---|---:|---:|---:|\n| a | 1,000 | 95.0% | – |"
    )


def test_the_page_that_stands_there_has_all_lines_of_the_program():
    """Whatever their figures, which 1,000 runs of each take half an hour for."""

    def designs(text):
        return [line.split("|")[1:3] for line in text.splitlines() if line.startswith("|")]

    assert designs(TABLE.read_text("utf-8")) == designs(page(2))


@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_seed_measures_the_same(seed):
    assert list(of_means([3], 20, seed)) == list(of_means([3], 20, seed))
    assert list(of_means([3], 20, 0)) != list(of_means([3], 20, 2))
