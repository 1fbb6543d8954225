"""Abstentions: empty answers, refusals and clarifying questions."""

import pytest

import evaluate_qa
from evaluate_qa.files.rows import read_rows
from evaluate_qa.labeled_data.files import TRAPS
from evaluate_qa.metrics._shared.abstentions import find_abstentions, is_abstention

NO_ATTEMPTS = [
    *("", " \n\t　", "-", '".', "N/A", "I don't know.", "I DO NOT KNOW", "I'm not sure.", "No idea!", "Unknown"),
    *("…", "???", "—", "___"),
    "I’m sorry, but I couldn’t find any information about that.",
    "Unfortunately, I am not able to answer this question.",
    "As an AI language model, I don't have access to real-time information.",
    "There is not enough information.",
    "The passage does not mention the author.",
    "It cannot be determined.",
    "Could you please clarify which war you mean?",
    "Please provide more context.",
    *(
        "I refuse to answer.",
        "I'd rather not say.",
        "As an AI, I can't.",
        "What do you mean?",
        "Which one do you mean?",
    ),
    "Sorry, I do not understand the question.",
    "That information is not available.",
    "The provided passages do not contain the answer.",
]
ATTEMPTS = [
    *("Paris", "None", "Zero.", "42", "Na", "The Unknown Soldier", "Sorry", "No Information Society", "ليس باريس"),
    *("%", "√", "∅", "+", "<", "👍", "#", "$ €", "C#"),
    "I think it was Marie Curie.",
    "I don't know, but it was probably Marie Curie.",
    "I'm not sure, maybe 1969",
    "As an AI language model, I do not have access to real-time data. However, the population is 265,351.",
    "I Don't Want to Miss a Thing",
    "I Can't Help Myself by the Four Tops",
    "The song is called 'I Don't Know How to Love Him'.",
    "It is not known as Ceylon any more but as Sri Lanka.",
]


@pytest.mark.parametrize("answer", NO_ATTEMPTS)
def test_empty_answers_and_refusals_are_not_attempts(answer):
    assert is_abstention(answer)


@pytest.mark.parametrize("answer", ATTEMPTS)
def test_answers_are_attempts(answer):
    assert not is_abstention(answer)


def test_no_right_answer_among_the_traps_is_a_refusal():
    """Half of them start like refusals."""
    rows = [row for _, row in read_rows(TRAPS)]
    assert not any(is_abstention(row["prediction"]) for row in rows if row["correct"])


def test_a_correct_answer_is_an_attempt():
    """The right answer may be "unknown"."""
    assert find_abstentions(["unknown", "unknown", "Paris"], [True, False, False]) == [False, True, False]


@pytest.mark.parametrize("name", ["bem", "nli_lex", "smile"])
def test_accuracy_attempted_counts_attempts(name):
    """One of five answers is right and two are not attempts: 1/5 of all, 1/3 of the attempts, 2/5 not attempted."""
    metric = evaluate_qa.load(name)
    columns = {
        "predictions": ["Marie Curie", "I don't know.", "", "Albert Einstein", "Bananas"],
        "references": ["Marie Curie"] * 5,
        "questions": ["Who discovered radium?"] * 5,
    }
    out = metric.compute(**columns)
    assert out["per_example"]["not_attempted"] == [False, True, True, False, False]
    assert out["accuracy"] == pytest.approx(1 / 5)
    assert out["not_attempted"] == pytest.approx(2 / 5)
    assert out["accuracy_attempted"] == pytest.approx(1 / 3)
    columns = {column: values[1:3] for column, values in columns.items()}
    assert metric.compute(**columns, per_example=False)["accuracy_attempted"] is None
