"""Examples in a judge's prompt."""

import math
import re

import pytest
from chat_server import by_words, completion

import evaluate_qa
from evaluate_qa.metrics.judge.examples import LabeledAnswer, fit_examples, with_examples
from evaluate_qa.metrics.judge.protocols import PROTOCOLS, parse, protocol
from evaluate_qa.metrics.judge.verdicts import JudgedRow

DEFAULT = protocol("default")
PARIS = LabeledAnswer(JudgedRow("Capital of France?", ("Paris", "the city of Paris"), "It is Paris"), True)
LYON = LabeledAnswer(JudgedRow("", ("Paris",), "Lyon"), False)


def test_examples_are_turns_before_the_row():
    prompt = with_examples(DEFAULT, [PARIS, LYON])
    row = ("Who?", ["Curie"], "Marie Curie")
    first, label, second, other, asked = prompt.conversation(*row)
    assert [asked] == DEFAULT.conversation(*row)
    assert [first] == DEFAULT.conversation("Capital of France?", ["Paris", "the city of Paris"], "It is Paris")
    assert [second] == DEFAULT.conversation("", ["Paris"], "Lyon")
    assert label == {"role": "assistant", "content": "correct"}
    assert other == {"role": "assistant", "content": "incorrect"}


def test_examples_follow_the_system_message():
    text = '---\nlabels: {"yes": 1, "no": 0}\nsystem: You judge.\n---\n{{ prediction | quoted }}\n'
    roles = [one["role"] for one in with_examples(parse("mine", text), [LYON]).conversation("", ["a"], "b")]
    assert roles == ["system", "user", "assistant", "user"]


EXAMPLE = "{prediction: Lyon, references: [Paris], label: incorrect}"


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        ("Lyon", r"its examples are 'Lyon'; expected a list"),
        ("[Lyon]", r"its example 0 is 'Lyon'; expected texts: a prediction, references \(a list\), a label and"),
        (f"[{EXAMPLE}, {{prediction: Lyon, label: no}}]", "its example 1 is"),
        ("[{prediction: 1, references: [Paris], label: incorrect}]", "its example 0 is"),
        ("[{prediction: a, references: [], label: incorrect}]", "its example 0 is"),
        ("[{prediction: a, references: [b], why: c, label: incorrect}]", "its example 0 is"),
        (
            "[{prediction: a, references: [b], label: wrong}]",
            "label of its example 0 is 'wrong'; expected one of correct",
        ),
    ],
)
def test_invalid_examples_are_refused(examples, message):
    text = PROTOCOLS["default"].replace("---\n", f"---\nexamples: {examples}\n", 1)
    with pytest.raises(ValueError, match=message):
        parse("mine", text)


def test_examples_need_a_reply_that_is_a_label():
    with pytest.raises(ValueError, match="examples are only for replies that are a label"):
        with_examples(protocol("smile"), [PARIS])


def labeled(rows):
    """Right and wrong answers to questions, in turn."""
    return [
        LabeledAnswer(JudgedRow(f"Question {number}?", ("right",), f"answer {number}"), number % 2 == 1)
        for number in range(rows)
    ]


def test_the_best_draw_is_chosen_and_proved():
    """The judge is wrong about answers with a 7, and learns it from an example with a 7 only."""
    rows, asked = labeled(120), []

    def ask(prompt, about):
        asked.append((prompt, [*about]))
        knows = any("7" in message["content"] for message in prompt.examples)
        truth = {one.row: one.correct for one in rows}
        return [0.9 if truth[row] == (knows or "7" not in row.prediction) else 0.1 for row in about]

    text = fit_examples(rows, DEFAULT, 4, ask)
    examples = parse("mine", text).examples
    assert [one["role"] for one in examples] == ["user", "assistant"] * 4
    assert sorted(one["content"] for one in examples[1::2]) == ["correct"] * 2 + ["incorrect"] * 2
    assert any("7" in one["content"] for one in examples)
    (_, first), *draws, (before, held), (after, again) = asked
    assert held == again
    assert (before, after.prompt.text) == (DEFAULT, text)
    assert len(first) == len(held) == 60
    assert not {row.question for row in first} & {row.question for row in held}
    for prompt, scored in draws:
        shown = {re.search(r'Answer to judge: "(.*)"', one["content"])[1] for one in prompt.examples[::2]}
        assert len(shown) == 4
        assert shown < {row.prediction for row in first}
        assert not shown & {row.prediction for row in scored}


def test_examples_that_do_not_help_are_refused():
    """Without examples, the loss is −ln .8 = .223; with examples −ln .6 = .511."""
    rows = labeled(80)
    truth = {one.row: one.correct for one in rows}

    def ask(prompt, about):
        p = 0.6 if prompt.examples else 0.8
        return [p if truth[row] else 1 - p for row in about]

    with pytest.raises(ValueError, match=r"held-out questions is 0\.511, without examples 0\.223; use the protocol wi"):
        fit_examples(rows, DEFAULT, 4, ask)


@pytest.mark.parametrize(
    ("rows", "count", "message"),
    [
        (40, 4, r"got 40 judged answers to 40 questions, 20 of them correct; expected .* 50 q"),
        (80, 0, "count is 0; expected the number of examples, at least 1"),
    ],
)
def test_fifty_questions_and_one_example_are_needed(rows, count, message):
    with pytest.raises(ValueError, match=message):
        fit_examples(labeled(rows), DEFAULT, count, None)


def test_labels_of_one_kind_are_not_enough():
    """The judge reaches a verdict on right answers only."""
    rows = labeled(80)
    truth = {one.row: one.correct for one in rows}
    with pytest.raises(
        ValueError, match="needs more incorrect answers with a verdict of the judge, to different quest"
    ):
        fit_examples(rows, DEFAULT, 4, lambda _, about: [0.5 if truth[row] else None for row in about])


def test_fit_and_compute(server, tmp_path):
    """The server is sure of its verdicts by words only if it has seen examples."""

    def reply(body):
        if len(body["messages"]) > 1:
            return by_words(body)
        return completion("correct", {"correct": math.log(0.5), "in": math.log(0.5)})

    server.reply = reply
    answers = [f"{'right' if number % 2 else 'wrong'} {number}" for number in range(80)]
    rows = {"predictions": answers, "references": ["right"] * 80, "questions": [f"Question {n}?" for n in range(80)]}
    judge = evaluate_qa.load("judge", endpoint=server.url, model="m")
    file = tmp_path / "mine.md"
    file.write_text(judge.fit_examples(**rows, labels=[number % 2 for number in range(80)], count=2), encoding="utf-8")
    learned = evaluate_qa.load("judge", endpoint=server.url, model="m", protocol=file)
    out = learned.compute(**rows)
    assert out["per_example"]["score"] == pytest.approx([0.99 if n % 2 else 0.01 for n in range(80)])
    assert "|protocol:mine.md@" in out["signature"]
    assert len(server.bodies[-1]["messages"]) == 5


@pytest.mark.parametrize(
    "load", [{"judges": ["a", "b"]}, {"model": "a", "api": "decisions"}], ids=["jury", "decisions"]
)
def test_only_a_chat_model_has_examples(load, server):
    judge = evaluate_qa.load("judge", endpoint=server.url, **load)
    with pytest.raises(ValueError, match="fit_examples needs one chat model; load the judge without judges, api and"):
        judge.fit_examples(predictions=["a"], references=["b"], labels=[True])
