"""Metrics loaded with evaluate, run on labeled answers."""

import pytest

from evaluate_qa.agreement.metric_runs import Metric, MetricSpec, parse_metric
from evaluate_qa.labeled_data.rows import LabeledRow


def rows(*synthetic):
    """Return two answers, the first with two references."""
    given = [("ab cd", ["ab", "ab cd ef gh"]), ("xy", ["zy"])]
    return [
        LabeledRow(
            str(number), "Q?", references, answer, 1.0, frozenset({"all"}), synthetic[number] if synthetic else ()
        )
        for number, (answer, references) in enumerate(given)
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
    found = metric.score(rows())
    # words: 1 and 0; letters: 1 and 1/2; w = .5
    assert found.scores.tolist() == [1, 0.25]
    assert found.verdicts.tolist() == [True, False]
    assert (found.name, found.signature) == ("blend", "blend|w:0.5|questions:2")


def test_compute_option_and_component(blend):
    assert Metric(MetricSpec(str(blend), compute={"w": 1})).score(rows()).scores.tolist() == [1, 0.5]
    words = Metric(MetricSpec(f"{blend}", column="words")).score(rows())
    assert (words.name, words.scores.tolist(), words.verdicts) == ("blend:words", [1, 0], None)


def test_synthetic_answers_are_passed_on(blend):
    # letters: of "abq" the answer has 2/3, of "xy" all; words as before
    found = Metric(MetricSpec(str(blend))).score(rows(("abq", "abq"), ("xy",)))
    assert found.scores.tolist() == pytest.approx([(2 / 3 + 1) / 2, 0.5])


def test_metric_with_one_reference_uses_best(plain):
    found = Metric(MetricSpec(str(plain), threshold=-1)).score(rows())
    # lengths: 5 against 2 and 11, 2 against 2
    assert (found.scores.tolist(), found.verdicts.tolist()) == ([-3, 0], [False, True])


def test_metric_with_several_scores_needs_name(plain):
    spec = MetricSpec(str(plain), compute={"double": True})
    with pytest.raises(ValueError, match="plain: its result has the row scores nearness, longer"):
        Metric(spec).score(rows())
    assert Metric(MetricSpec(str(plain), "longer", compute={"double": True})).score(rows()).scores.tolist() == [1, 0]
