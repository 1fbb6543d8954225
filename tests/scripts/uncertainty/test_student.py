"""Student's t distribution."""

import pytest
from scipy import stats

from evaluate_qa.uncertainty.student import quantile, tail

DEGREES = [1, 1.5, 2, 9, 29.3, 200, 5000, 2e5]


@pytest.mark.parametrize("degrees", DEGREES)
def test_student_matches_scipy(degrees):
    for t in (0, 0.01, 0.3, 1, 2, 5, 12):
        assert tail(t, degrees) == pytest.approx(stats.t.sf(t, degrees), rel=1e-8)
    for probability in (0.5, 0.6, 0.9, 0.975, 0.9999):
        assert quantile(probability, degrees) == pytest.approx(stats.t.ppf(probability, degrees), rel=1e-8, abs=1e-8)


def test_student_with_many_degrees_of_freedom_is_normal():
    assert quantile(0.975) == quantile(0.975, 1e9) == pytest.approx(1.959964, abs=1e-6)
    assert tail(1.959964, 1e9) == pytest.approx(0.025, abs=1e-6)
