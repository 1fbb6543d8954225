"""`assert_answers`: in a run of pytest of its own, which passes and fails, and what it then says."""

import re

import pytest

import evaluate_qa

pytest_plugins = ["pytester"]

TESTS = """
import pytest

ANSWERS = {
    "predictions": ["It was Marie Curie who discovered radium.", "Lyon, I think.", ""],
    "references": ["Marie Curie", ["Paris", "the city of Paris"], "42"],
    "questions": ["Who discovered radium?", "What is the capital of France?", None],
}

def test_right(assert_answers):
    assert_answers("It is Paris.", ["Paris", "Paris, France"], "What is the capital of France?")

def test_enough(assert_answers):
    assert_answers(**ANSWERS, least=1 / 3)

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
    assert_answers(**ANSWERS, threshold=0.0, least=2 / 3)

@pytest.mark.parametrize(("more", "told"), [
    ({"metric": "deltableu"}, "deltableu gives no verdicts"),
    ({"least": 60}, "least is 60; expected the share of answers"),
])
def test_no_verdicts(assert_answers, more, told):
    with pytest.raises(ValueError, match=told):
        assert_answers("Paris", "Paris", **more)
"""


def test_in_a_run_of_pytest(pytester):
    pytester.makeconftest('pytest_plugins = ["evaluate_qa.pytest"]')
    pytester.makepyfile(TESTS)
    done = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:xdist")
    done.assert_outcomes(passed=7, failed=1)
    nli_lex = evaluate_qa.load("nli_lex")
    found = nli_lex.compute(
        predictions=["Lyon, I think."], references=[["Paris", "the city of Paris"]],
        questions=["What is the capital of France?"],
    )  # fmt: skip
    score, best = (found["per_example"][name][0] for name in ("score", "best_reference"))
    done.stdout.fnmatch_lines(
        [
            "*AssertionError: 1 of 3 answers are right; expected 100%",
            "E*[[]1] 'Lyon, I think.'",
            "E*question: 'What is the capital of France?'",
            f"E*reference: 'Paris', 'the city of Paris'; the nearest is {['Paris', 'the city of Paris'][best]!r}",
            f"E*score {score:.3f}, entailment *, not_attempted False",
            "E*[[]2] ''",
            "E*reference: '42'",
            "E*not_attempted True",
            f"E*{found['signature']}",
        ]
    )
    shown = done.stdout.str()
    assert "[0]" not in shown, "what is right is not told"
    assert not re.search(r"integrations.pytest\.py:\d+: AssertionError", shown), "nor where this package raised it"


def with_right(right, rows):
    """An `AssertAnswers` whose metric, loaded already, says so many of the first rows are right."""
    from evaluate_qa.pytest import AssertAnswers

    class Metric:
        def compute(self, **columns):
            verdicts = [row < right for row in range(rows)]
            return {"per_example": {"score": list(map(float, verdicts)), "verdict": verdicts}, "signature": "m|v:1"}

    made = AssertAnswers()
    made._metrics["m []"] = Metric()
    return made


@pytest.mark.parametrize("rows", [1, 3, 7, 25, 50, 100])
def test_exactly_the_share_that_is_asked_for_is_enough(rows):
    """In decimals as they are written, or as a fraction: .55 · 100, .07 · 100, .28 · 25 and .14 · 50 are rounded up."""
    answers = {"predictions": ["a"] * rows, "references": ["b"] * rows, "metric": "m"}
    for right in range(rows + 1):
        least = float(f"{100 * right // rows}e-2") if 100 % rows == 0 else right / rows
        with_right(right, rows)(**answers, least=least)
        if right:
            with pytest.raises(AssertionError, match=f"^{right - 1} of {rows} answers are right"):
                with_right(right - 1, rows)(**answers, least=least)


def test_no_answers_are_refused():
    with pytest.raises(ValueError, match="predictions is empty; expected at least one answer"):
        with_right(0, 0)([], [], metric="m", least=0)


def test_pytest_without_it_does_not_import_it():
    """It is in no entry point, which pytest would import in every run."""
    from importlib.metadata import entry_points

    assert not [entry for entry in entry_points(group="pytest11") if "evaluate_qa" in entry.value]


def test_many_wrong_answers_are_told_in_part():
    from evaluate_qa.pytest import told

    count = 25
    rows = {"predictions": ["a"] * count, "references": ["b"] * count, "questions": None}
    scores = {"score": [None] * count, "verdict": [None] * count, "error": ["no answer from the server"] * count}
    message = told(rows, {"per_example": scores, "signature": "judge|v:1"}, 0.5)
    assert message.startswith(
        "0 of 25 answers are right; expected 50%\n[0] 'a'\n    reference: 'b'\n    no score, error"
    )
    assert message.endswith("\nand 5 more\njudge|v:1")
