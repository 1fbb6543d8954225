"""Metrics loaded with evaluate, run on labeled answers."""

import pytest

from evaluate_qa.agreement.metric_runs import Metric, MetricSpec, parse_metric
from evaluate_qa.labeled_data.rows import LabeledRow

ROWS = [
    LabeledRow("0", "Q?", ["ab", "ab cd ef gh"], "ab cd", 1.0, frozenset({"all"})),
    LabeledRow("1", "Q?", ["zy"], "xy", 1.0, frozenset({"all"})),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("smile", ("smile", None)),
        ("rouge:rougeL", ("rouge", "rougeL")),
        ("org/rouge:rougeL", ("org/rouge", "rougeL")),
        (r"C:\metrics\smile", (r"C:\metrics\smile", None)),
    ],
)
def test_metric_names(text, expected):
    assert parse_metric(text) == expected


def test_metric_of_this_package(blend):
    metric = Metric(MetricSpec(str(blend)))
    found = metric.score(ROWS)
    # words: 1 and 0; letters: 1 and 1/2; w = .5
    assert found.scores.tolist() == [1, 0.25]
    assert found.verdicts.tolist() == [True, False]
    assert (found.name, found.signature) == ("blend", "blend|w:0.5|questions:2")


def test_compute_option_and_component(blend):
    assert Metric(MetricSpec(str(blend), compute={"w": 1})).score(ROWS).scores.tolist() == [1, 0.5]
    words = Metric(MetricSpec(f"{blend}", column="words")).score(ROWS)
    assert (words.name, words.scores.tolist(), words.verdicts) == ("blend:words", [1, 0], None)


def test_metric_with_one_reference_uses_best(plain):
    found = Metric(MetricSpec(str(plain), threshold=-1)).score(ROWS)
    # lengths: 5 against 2 and 11, 2 against 2
    assert (found.scores.tolist(), found.verdicts.tolist()) == ([-3, 0], [False, True])
