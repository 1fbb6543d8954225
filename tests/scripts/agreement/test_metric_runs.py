"""Metrics that evaluate loads, run on labeled answers."""

import pytest

from evaluate_qa.agreement.experiments import Sweep, ablate, parse_sweep, sweep, with_store
from evaluate_qa.agreement.metric_runs import Metric, MetricSpec, parse_metric
from evaluate_qa.labeled_data.rows import LabeledRow


def rows(*synthetic):
    """Two answers; the first has two references."""
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
def test_names_of_metrics(text, expected):
    assert parse_metric(text) == expected


def test_a_metric_of_our_contract(blend):
    metric = Metric(MetricSpec(str(blend)))
    found = metric.score(rows())
    # words: 1 and 0; letters: 1 and 1/2; w = .5
    assert found.scores.tolist() == [1, 0.25]
    assert found.verdicts.tolist() == [True, False]
    assert (found.name, found.signature) == ("blend", "blend|w:0.5|questions:2")


def test_options_of_compute_and_a_component(blend):
    assert Metric(MetricSpec(str(blend), compute={"w": 1})).score(rows()).scores.tolist() == [1, 0.5]
    words = Metric(MetricSpec(f"{blend}", column="words")).score(rows())
    assert (words.name, words.scores.tolist(), words.verdicts) == ("blend:words", [1, 0], None)


def test_synthetic_answers_are_handed_on(blend):
    # letters: of "abq" the answer has 2/3, of "xy" all; words as before
    found = Metric(MetricSpec(str(blend))).score(rows(("abq", "abq"), ("xy",)))
    assert found.scores.tolist() == pytest.approx([(2 / 3 + 1) / 2, 0.5])


def test_a_metric_with_one_reference_a_row_takes_the_best_of_several(plain):
    found = Metric(MetricSpec(str(plain), threshold=-1)).score(rows())
    # lengths: 5 against 2 and 11, 2 against 2
    assert (found.scores.tolist(), found.verdicts.tolist()) == ([-3, 0], [False, True])


def test_a_metric_with_several_scores_needs_one_named(plain):
    spec = MetricSpec(str(plain), compute={"double": True})
    with pytest.raises(ValueError, match="plain: its result has the per-row scores nearness, longer"):
        Metric(spec).score(rows())
    assert Metric(MetricSpec(str(plain), "longer", compute={"double": True})).score(rows()).scores.tolist() == [1, 0]


def test_a_sweep_scores_anew_for_each_value(blend):
    with with_store(MetricSpec(str(blend))) as metric:
        found = sweep(metric, Sweep("w", [0, 0.5, 1]), rows())
    assert [run.name for run in found] == ["w=0", "w=0.5", "w=1"]
    assert [run.scores[1] for run in found] == [0, 0.25, 0.5]


def test_the_ablation_takes_away_one_component_each(blend):
    metric = Metric(MetricSpec(str(blend)))
    found = ablate(metric, rows())
    assert {run.name: run.scores[1] for run in found} == {
        "blend": 0.25,
        "without semantic scores": 0,  # the words alone
        "without lexical scores": 0.5,  # the letters alone
    }
    with_synthetic = ablate(metric, rows(("abq", "abq"), ("xy",)))
    assert [run.name for run in with_synthetic][3:] == ["without synthetic answers"]
    assert with_synthetic[3].scores.tolist() == found[0].scores.tolist() != with_synthetic[0].scores.tolist()


@pytest.mark.parametrize(
    ("text", "option", "values"),
    [
        ("w=0,0.1,...,1", "w", [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]),
        ("w=0,0.25,…,1", "w", [0, 0.25, 0.5, 0.75, 1]),
        ("w=0, .5, 0.75", "w", [0, 0.5, 0.75]),
        ("k=8,6,...,2,1", "k", [8, 6, 4, 2, 1]),
        ("k=1,2,...,3", "k", [1, 2, 3]),
        ("similarity=scaled,cosine", "similarity", ["scaled", "cosine"]),
        ("k=None,8", "k", [None, 8]),
    ],
)
def test_sweeps_as_typed(text, option, values):
    assert parse_sweep(text) == Sweep(option, values)


@pytest.mark.parametrize(
    "text", ["w", "w=", "=1", "w=0,...,1", "w=0,1,...", "w=0,0.3,...,1", "w=1,1,...,2", "w=a,b,...,c"]
)
def test_sweeps_that_cannot_be(text):
    with pytest.raises(ValueError, match="for example"):
        parse_sweep(text)
