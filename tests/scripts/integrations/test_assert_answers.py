"""`assert_answers` passes and fails tests, with a message that explains wrong answers."""

import re

import numpy as np  # noqa: F401 - before pytester, which removes modules that tests import
import pandas as pd  # likewise
import pytest

import evaluate_qa

pytest_plugins = ["pytester"]

TESTS = """
ANSWERS = {
    "predictions": ["It was Marie Curie who discovered radium.", "Lyon, I think.", ""],
    "references": ["Marie Curie", ["Paris", "the city of Paris"], "42"],
    "questions": ["Who discovered radium?", "What is the capital of France?", None],
}

def test_right(assert_answers):
    assert_answers("It is Paris.", ["Paris", "Paris, France"], "What is the capital of France?")

def test_enough(assert_answers):
    assert_answers(**ANSWERS, min_accuracy=1 / 3)

def test_wrong(assert_answers):
    assert_answers(**ANSWERS)

def test_loaded_once(assert_answers):
    (metric,) = assert_answers._metrics.values()
    assert_answers("Paris", "Paris")
    assert [metric] == [*assert_answers._metrics.values()]

def test_other_options_are_another_metric(assert_answers):
    assert_answers("Paris", "Paris", load={"batch_size": 8})
    assert len(assert_answers._metrics) == 2

def test_threshold(assert_answers):
    assert_answers(**ANSWERS, threshold=0.0, min_accuracy=2 / 3)

def test_number(assert_answers):
    assert_answers([42], ["42"])
"""


def test_in_a_run_of_pytest(pytester):
    nli_lex = evaluate_qa.load("nli_lex")
    found = nli_lex.compute(
        predictions=["Lyon, I think."], references=[["Paris", "the city of Paris"]],
        questions=["What is the capital of France?"],
    )  # fmt: skip
    pytester.makeconftest('pytest_plugins = ["evaluate_qa.pytest"]')
    pytester.makepyfile(TESTS)
    done = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:xdist")
    done.assert_outcomes(passed=5, failed=2)
    score, best = (found["per_example"][name][0] for name in ("score", "best_reference"))
    done.stdout.fnmatch_lines(
        [
            "*AssertionError: 1 of 3 answers are right; expected 100%",
            "E*[[]1] 'Lyon, I think.'",
            "E*question: 'What is the capital of France?'",
            "E*reference: 'Paris', 'the city of Paris'",
            f"E*score {score:.3f}, nearest reference {['Paris', 'the city of Paris'][best]!r}, entailment *",
            "E*[[]2] ''",
            "E*reference: '42'",
            "E*not_attempted True",
            f"E*{found['signature']}",
            "E*RowTypeError: nli_lex: predictions[[]0] is 42; expected a string (convert numbers with str(…))",
        ]
    )
    shown = done.stdout.str()
    assert "[0] 'It was" not in shown, "right answers are not listed"
    assert "check_column" not in shown, "the traceback leaves out this package"
    assert not re.search(r"integrations.pytest\.py:\d+: AssertionError", shown)


def columns_of_other_types():
    """Yield columns whose rows have no positions, labels that are not positions, or no truth value."""
    series = [
        pd.Series(column, index=[5, 1]) for column in (["right", "bad"], ["right", ["1", "2"]], ["Which?", "How?"])
    ]
    yield series
    yield [column.to_numpy() for column in series]
    yield [iter(column) for column in series]
    yield [dict(enumerate(column)).values() for column in series]


@pytest.mark.parametrize("columns", [*columns_of_other_types()], ids=["Series", "arrays", "iterators", "views"])
def test_the_message_shows_the_wrong_row_of_any_kind_of_column(columns):
    with pytest.raises(
        AssertionError, match=r"^1 of 2 answers are right; expected 100%\n\[1\] 'bad'\n +question: 'How"
    ) as error:
        with_right(1, 2)(*columns)
    assert "reference: '1', '2'" in str(error.value)


@pytest.mark.parametrize(
    ("given", "more", "message"),
    [
        (("a", "a", ["Who?"]), {}, r"nli_lex: questions\[0\] is \['Who\?'\]; expected a string"),
        ((5, ["a"]), {}, "nli_lex: predictions is 5; expected a list"),
        ((iter([]), []), {}, "predictions is empty; expected at least one answer"),
        (("a", "a"), {"metric": "deltableu"}, "deltableu gives no verdicts"),
        (("a", "a"), {"min_accuracy": 60}, "min_accuracy is 60; expected the share of correct answers, from 0 to 1"),
        (("a", "a"), {"min_accuracy": "1"}, "min_accuracy is '1'; expected the share"),
        (("a", "a"), {"min_accuracy": float("nan")}, "min_accuracy is nan; expected the share"),
        (("a", "a"), {"load": "cpu"}, "load is 'cpu'; expected a mapping of options"),
        (
            ("a", "a"),
            {"accuracy": 0.5},
            "^assert_answers: unknown keyword 'accuracy'; did you mean 'min_accuracy'",
        ),
        (("a", "a"), {"device": "cpu"}, "^assert_answers: device is an option of load; pass it to load"),
    ],
)
def test_invalid_arguments_are_refused(given, more, message):
    from evaluate_qa.pytest import AssertAnswers

    with pytest.raises((TypeError, ValueError), match=message):
        AssertAnswers()(*given, **more)


def test_scores_of_rows_are_not_left_out():
    from evaluate_qa.pytest import AssertAnswers

    AssertAnswers()("Paris", "Paris", per_example=False)


def with_right(right, rows):
    """An `AssertAnswers` with a metric for which the first rows are right."""
    from evaluate_qa.pytest import AssertAnswers

    class Metric:
        def compute(self, **columns):
            verdicts = [row < right for row in range(rows)]
            return {"per_example": {"score": list(map(float, verdicts)), "verdict": verdicts}, "signature": "m|v:1"}

    made = AssertAnswers()
    made._metrics["m []"] = Metric()
    return made


@pytest.mark.parametrize("rows", [1, 3, 7, 25, 50, 100])
def test_exactly_the_required_share_is_enough(rows):
    """In floating point, .55 * 100, .07 * 100, .28 * 25 and .14 * 50 are rounded up."""
    answers = {"predictions": ["a"] * rows, "references": ["b"] * rows, "metric": "m"}
    for right in range(rows + 1):
        min_accuracy = float(f"{100 * right // rows}e-2") if 100 % rows == 0 else right / rows
        with_right(right, rows)(**answers, min_accuracy=min_accuracy)
        if right:
            with pytest.raises(AssertionError, match=f"^{right - 1} of {rows} answers are right"):
                with_right(right - 1, rows)(**answers, min_accuracy=min_accuracy)


def test_a_message_lists_at_most_20_wrong_answers():
    from evaluate_qa.pytest import failure_message

    count = 25
    rows = {"predictions": ["a"] * count, "references": ["b"] * count, "questions": None}
    scores = {"score": [None] * count, "verdict": [None] * count, "error": ["no answer from the server"] * count}
    message = failure_message(rows, {"per_example": scores, "signature": "judge|v:1"}, 0.5)
    assert message.startswith(
        "0 of 25 answers are right; expected 50%\n[0] 'a'\n    reference: 'b'\n    not scored: no answer"
    )
    assert message.endswith("\nand 5 more\njudge|v:1")
