"""A small version of the simulations in COVERAGE.md, which must name all designs."""

import numpy as np

from evaluate_qa.dev.coverage import (
    LABELED,
    MEANS,
    PAIRS,
    TABLE,
    judge_labels,
    judge_mean,
    judge_pair,
    measure,
    page,
)

RUNS = 60


def least(share):
    """Return the rate that is missed by chance once in 1,000 measurements of this many runs."""
    return share - 3.1 * np.sqrt(share * (1 - share) / RUNS)


def test_intervals_of_differences_cover_the_truth_and_nothing_is_found_by_chance():
    # Where 5% of the questions gain all answers, 20 questions may show no gain.
    designs = {name: draw for name, draw in PAIRS.items() if "5% gain all" not in name}
    for design, shares in measure(designs, judge_pair, [100], RUNS).items():
        covered, significant, failed = shares.values()
        assert covered >= least(0.95), design
        assert np.isnan(significant) or significant <= 1 - least(0.95), design
        assert failed <= 1 - least(0.94), design


def test_intervals_of_accuracies_cover_the_truth_and_samples_are_accepted():
    designs = {name: draw for name, draw in LABELED.items() if "nearly" not in name}
    for design, shares in measure(designs, judge_labels, [100], RUNS).items():
        assert shares["interval covers the truth"] >= least(0.95), design
        assert shares["refused as no sample"] == 0, design


def test_intervals_of_means_cover_the_truth():
    for design, shares in measure(MEANS, judge_mean, [3, 10], RUNS).items():
        assert shares["interval covers the truth"] >= least(0.88), design


def test_page_has_all_lines_of_the_program():
    """The figures are not compared: 1,000 runs per line take half an hour."""

    def designs(text):
        return [line.split("|")[1:3] for line in text.splitlines() if line.startswith("|")]

    assert designs(TABLE.read_text("utf-8")) == designs(page(2))
