"""Scores from statistics, by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_qa.metrics.deltableu.scoring import DeltaBleuOptions, score


def line(sys_len, ref_len, matches, totals):
    return np.array([[sys_len, ref_len, *matches, *totals]], dtype=float)


def one(statistics, **options):
    return score(statistics, DeltaBleuOptions(max_ngram_order=(statistics.shape[1] - 2) // 2, **options))


def test_only_the_released_program_smooths_a_line_without_matches():
    # 1/2/3.2, 1/4/2.4, 1/8/1.6, 1/16/0.8 = 0.15625, 0.1041667, 0.078125, 0.078125; BP = exp(1 - 5/4).
    statistics = line(4, 5, [0] * 4, [3.2, 2.4, 1.6, 0.8])
    assert one(statistics).score[0] == 0
    assert one(statistics).precisions[0].tolist() == [0] * 4
    product = 0.15625 * (0.25 / 2.4) * 0.078125 * 0.078125
    assert one(statistics, variant="released").score[0] == pytest.approx(100 * math.exp(-0.25) * product**0.25)


@pytest.mark.parametrize("none", [-1, 0.1 + 0.2 - 0.3], ids=["negative", "rounding error"])
def test_negative_matches_and_rounding_errors_are_no_match(none):
    # The precision of order 2 is smoothed, (1/2)/3.
    scores = one(line(4, 4, [2, none], [4, 3]))
    assert scores.score[0] == pytest.approx(math.sqrt(50 * 100 / 6))


@given(st.integers(1, 6), st.sampled_from(["none", "add-k"]), st.data())
def test_more_matches_never_lower_the_score(order, method, data):
    """Except with `exp` and `floor`, which may give no match more than a small weight earns (see the card)."""
    totals = [data.draw(st.floats(0.5, 20)) for _ in range(order)]
    before = [data.draw(st.floats(-total, total)) for total in totals]
    after = [data.draw(st.floats(low, total)) for low, total in zip(before, totals, strict=True)]
    options = DeltaBleuOptions(max_ngram_order=order, smooth_method=method)
    low, high = (score(line(20, 20, matches, totals), options).score[0] for matches in (before, after))
    assert high >= low - 1e-9


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"smooth_value": 0.1}, "smooth_method='exp' has no value"),
        ({"smooth_method": "floor", "smooth_value": 0}, "smooth_value is 0; expected a number above 0"),
        ({"smooth_method": "add-k", "smooth_value": math.inf}, "smooth_value is inf; expected a number above 0"),
    ],
)
def test_invalid_smoothing_values_raise(bad, message):
    with pytest.raises(ValueError, match=message):
        DeltaBleuOptions(**bad)
