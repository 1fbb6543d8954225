"""The demo of judge's Space: its figures agree with the metric on recorded verdicts."""

from dataclasses import replace

import pytest

from evaluate_qa.metrics.judge.options import DEFAULT_BAND
from evaluate_qa.metrics.judge.scoring import needs_judge
from evaluate_qa.spaces._shared.drawing.summary import cards
from evaluate_qa.spaces._shared.scoring import batch
from evaluate_qa.spaces._shared.scoring.answering import analyze, as_record, explain
from evaluate_qa.spaces.judge import app
from evaluate_qa.spaces.judge.app import DemoAnswer, draw_cascade


@pytest.fixture(scope="module")
def answers(scorer_of):
    return app.demo_answers(scorer_of("judge"))


ANSWERS = [
    DemoAnswer("Who?", ["Ann"], "Bob", 0.02, False, "incorrect", False, "Another."),
    DemoAnswer("Who?", ["Ann"], "Her <name>", 0.30, False, "correct", True, "The same."),
    DemoAnswer("Who?", ["Ann"], "Not Ann", 0.95, True, "incorrect", False, "It denies it."),
    DemoAnswer("Who?", ["Ann", "Anna"], "Ann", 0.99, True, "correct", True, "She."),
]


def test_figures_and_groups():
    """Of four verdicts, the matcher alone has two right; with the judge's verdict on the second, three are right."""
    shown = draw_cascade(ANSWERS, (0.05, 0.9))
    for name, value in {
        "Answers sent to the judge": "1 of 4",
        "Requests per 1,000 answers": "250",
        "Correct verdicts: bem alone": "2 of 4",
        "Correct verdicts: bem and judge": "3 of 4",
    }.items():
        assert f"<dt>{name}</dt><dd>{value}</dd>" in shown
    for title in ("bem decides: below 0.05 (1)", "The judge decides: 0.05 to 0.9 (1)", "bem decides: 0.9 or more (2)"):
        assert f"{title}</h3>" in shown
    assert "Her &lt;name&gt;" in shown
    assert "Judge: correct. The same." in shown
    assert "Wrong verdict: this answer is incorrect. It denies it." in shown
    # Red means an incorrect answer. A wrong verdict has a ring: a dot, the key and an entry of the list.
    assert 'qa-dot qa-any qa-mistake"' in shown
    assert '<li class="qa-right qa-mistake">' in shown
    assert shown.count("qa-mistake") == 3
    assert "Who? Reference: Ann or Anna" in shown
    assert ">No answers<" in draw_cascade(ANSWERS, (0.0, 0.0))


@pytest.mark.parametrize("band", [(0.05, 0.9), (0.0, 1.0), (0.0, 0.0), (0.3, 0.7)])
def test_the_figures_agree_with_the_metric(answers, scorer_of, band):
    rows = [{"questions": one.question, "references": one.references, "predictions": one.answer} for one in answers]
    found = scorer_of("judge").compute(rows, {"ask": band})
    asked = needs_judge([answer.score for answer in answers], band)
    assert found["per_example"]["asked"] == asked
    assert found["per_example"]["verdict"] == [
        replace(one, asked=a).verdict for one, a in zip(answers, asked, strict=True)
    ]
    assert found["unscored"] == 0
    assert f"<dd>{sum(asked)} of {len(rows)}</dd>" in draw_cascade(answers, band)


def test_the_demo_shows_every_case(answers):
    """Confident and right, confident and wrong, and unsure, on either side."""
    low, high = DEFAULT_BAND
    below, above = ([one for one in answers if one.score < low], [one for one in answers if one.score >= high])
    between = [one for one in answers if low <= one.score < high]
    for group in (below, between, above):
        assert {one.matcher_verdict == one.judge_verdict for one in group} == {True, False}
    assert {one.label for one in answers} == {"correct", "incorrect", "not attempted"}


NEW = {
    "questions": "In which city is the Louvre?",
    "references": ["Paris"],
    "predictions": "In the capital of France, Lyon.",  # .26
}


def test_a_new_answer_has_no_verdict_if_the_matcher_is_unsure(specification_of, scorer_of):
    specification, scorer = specification_of("judge"), scorer_of("judge")
    analysis = analyze(specification, scorer, NEW, specification.options())
    outcome = explain(specification, scorer, analysis, specification.options())
    assert (outcome.score, outcome.verdict) == (None, None)
    assert "The judge is asked, but there is no verdict." in outcome.why
    assert as_record(outcome)["score"] is None
    decided = explain(specification, scorer, analysis, specification.options(["(0, 0)"]))
    assert decided.score == analysis.features.matcher["score"][0]


def test_rows_without_a_verdict_are_counted(specification_of, scorer_of, scored_rows):
    """The second of three rows has an error and no score."""
    specification = specification_of("judge")
    sure = specification.examples["Right"].row
    whole = scored_rows("judge", [sure, NEW, sure])
    one_by_one = replace(specification, chunk=1)
    *_, scored = batch.score(one_by_one, scorer_of("judge"), whole.table, specification.options())
    assert {len(column) for column in scored.columns.values()} == {3}
    assert [score is None for score in scored.columns["score"]] == [False, True, False]
    assert [error is None for error in scored.columns["error"]] == [True, False, True]
    assert scored.score == pytest.approx(scored.columns["score"][0]) == pytest.approx(whole.score)
    shown = {name: figure for name, (figure, _) in cards(scored, None, specification).items()}
    assert (shown["Rows scored"], shown["Judged correct"], shown["No verdict"]) == ("2", "100.0%", "1")
    assert "Tokens" not in shown
    for column in ("score", "verdict"):
        scored.columns[column] = [None] * 3
    shown = {name: figure for name, (figure, _) in cards(scored, None, specification).items()}
    assert (shown["Rows scored"], shown["Score"], shown["Judged correct"], shown["No verdict"]) == ("0", "–", "–", "3")
