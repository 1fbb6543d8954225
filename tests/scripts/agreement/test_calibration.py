"""The expected calibration error: by hand and by its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_qa.agreement.calibration import calibration_error
from evaluate_qa.agreement.comparison import Comparison


def error(scores, labels):
    count = len(scores)
    return calibration_error(
        Comparison(np.array(scores, dtype=float), None, np.array(labels, dtype=float), np.arange(count))
    )


def test_the_error_by_hand():
    # (0.2, 0.3]: scores .25 and .29, mean .27, none right: gap .27. (0.9, 1]: .92, .94, 1, mean 2.86 / 3, 2 of 3
    # right: gap .28667. Weighted by rows: (2 · .27 + 3 · .28667) / 5 = .28.
    assert error([0.25, 0.94, 0.29, 0.92, 1], [0, 1, 0, 0, 1]) == pytest.approx(0.28)


@given(st.lists(st.tuples(st.integers(0, 1000), st.booleans()), min_size=1, max_size=60))
def test_the_error_by_its_definition(rows):
    """A score on an edge is in the bin below."""
    scores, labels = np.array([score / 1000 for score, _ in rows]), np.array([label for _, label in rows])
    expected = 0.0
    for number in range(10):
        low, high = np.linspace(0, 1, 11)[number : number + 2]
        inside = (scores > low) & (scores <= high) | (scores == 0) & (number == 0)
        if inside.any():
            expected += abs(labels[inside].sum() - scores[inside].sum()) / len(rows)
    assert error(scores, labels) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("scores", "labels"), [([0, 1.01], [0, 1]), ([-0.01, 1], [0, 1]), ([0, 1], [1, 3])])
def test_only_probabilities_of_verdicts_have_an_error(scores, labels):
    assert error(scores, labels) is None
