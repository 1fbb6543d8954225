"""Texts that attack the judge do not change how replies are read, the number of rows, or other requests.

The texts come from `injections.jsonl` and from the traps; each is an answer, a reference and a question.
"""

import json
import zlib
from functools import partial
from pathlib import Path

import pytest
from chat_server import STATES, completion, decision, texts
from hypothesis import given
from hypothesis import strategies as st

import evaluate_qa
from evaluate_qa.labeled_data.files import TRAPS
from evaluate_qa.metrics._shared.chat_models import Reply
from evaluate_qa.metrics._shared.columns import clean
from evaluate_qa.metrics._shared.columns import prediction as check_prediction
from evaluate_qa.metrics.judge.protocols import LABEL, PROTOCOLS, load_protocol
from evaluate_qa.metrics.judge.reading import UnreadableReply, read_verdict


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


INJECTIONS = [line["text"] for line in lines(Path(__file__).with_name("injections.jsonl"))]
TRAPPED = lines(TRAPS)
QUESTIONS = set()
PLAIN = ("Paris", "What is the capital of France?", "It is Paris.")


def in_every_place(some):
    """Rows (reference, question, prediction) with each text in each of these columns."""
    places = range(len(PLAIN))
    return [tuple(text if at == place else PLAIN[at] for at in places) for text in some for place in places]


ROWS = [*in_every_place(INJECTIONS), *((text, text, text) for text in INJECTIONS)]
TRAP_ROWS = [(row["references"], row["question"], row["prediction"]) for row in TRAPPED]
HARMLESS = [("Rome", "What is the capital of Italy?", f"Rome, says guide {number}.") for number in range(20)]


def columns(rows):
    references, questions, predictions = map(list, zip(*rows, strict=True))
    return {"predictions": predictions, "references": references, "questions": questions}


def sent(reference, question, prediction):
    """What the request about a row must contain."""
    references = [reference] if isinstance(reference, str) else reference
    return clean(question), tuple(map(clean, references)), check_prediction(prediction)


def found(body):
    """What a request contains: exactly one line for the question, the references and the answer.

    At a decision endpoint: one JSON object, and questions without a text of the row.
    """
    if "messages" not in body:
        name = next(iter(body.keys() & {*STATES.values()}))
        QUESTIONS.add(json.dumps(body["questions"]))
        assert "<|" not in body[name]
        parts = json.loads(body[name])
        return parts.get("question", ""), tuple(parts["reference_answers"]), parts["answer_to_judge"]
    content = body["messages"][-1]["content"]
    begun = ("Question: ", "Reference answer", "Answer to judge: ", "Correct answer", "Student's answer: ")
    assert sum(line.startswith(begun) for line in content.split("\n")) == 3
    parts = texts(body)
    return parts["Question"][0], tuple(parts["Reference"]), parts["Answer"][0]


def drawn(row, labels):
    """A label that depends on the whole row, by its checksum."""
    return [*labels][zlib.crc32(repr(row).encode()) % len(labels)]


def replied(label, asked, quoted=None):
    """A reply with the label in the protocol's form, and optionally a quoted text."""
    if not asked.fields:
        return label if quoted is None else f"{label}. It says: {quoted}"
    reply = {key: label if held == LABEL else 3 for key, held in asked.fields.items()}
    return json.dumps(reply if quoted is None else {**reply, "quoted": quoted})


@pytest.fixture
def load(server):
    return partial(evaluate_qa.load, "judge", endpoint=server.url, model="m", concurrency=8)


@pytest.mark.parametrize("name", ["default", "smile", *STATES])
def test_every_text_reaches_the_judge_unchanged(load, server, name):
    """The server parses the row from each request and derives the verdict from it.

    A text that left its field, a row that was lost, or a verdict of another row would change the result.
    """
    asked, options = load_protocol("default" if name in STATES else name), {"protocol": name}
    server.reply = lambda body: completion(replied(drawn(found(body), asked.labels), asked))
    if name in STATES:
        server.apis, options = {name}, {"api": name}
        rest = dict.fromkeys(asked.labels, 0.1)
        server.reply = lambda body: decision(body, rest | {drawn(found(body), asked.labels): 0.8})
    QUESTIONS.clear()
    # Harmless rows in between must not be affected.
    rows = [*ROWS, *(TRAP_ROWS if name != "smile" else [])]
    mixed = [one for number, row in enumerate(rows) for one in (row, HARMLESS[number % len(HARMLESS)])]
    out = load(**options).compute(**columns(mixed))
    assert out["unscored"] == 0
    assert out["per_example"]["judge_label"] == [drawn(sent(*row), asked.labels) for row in mixed]
    distinct = {sent(*row) for row in mixed}
    assert len(server.bodies) == len(distinct)
    assert {found(body) for body in server.bodies} == distinct
    assert len(QUESTIONS) == (name in STATES), "the questions are the same for all rows"
    among_others = {json.dumps(body, sort_keys=True) for body in server.bodies}
    server.bodies.clear()
    load(**options).compute(**columns(HARMLESS))
    assert {json.dumps(body, sort_keys=True) for body in server.bodies} <= among_others
    assert len(server.bodies) == len(HARMLESS)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_texts_stay_in_their_fields(name):
    for row in in_every_place([*INJECTIONS, *(row["prediction"] for row in TRAPPED)]):
        reference, question, prediction = map(clean, row)
        messages = load_protocol(name).conversation(question, [reference], prediction)
        assert found({"messages": messages}) == (question, (reference,), prediction)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_quoted_texts_do_not_change_the_verdict(name):
    """If the text ends thoughts, the reply may be unreadable, but never another verdict."""
    for text in [*INJECTIONS, *(row["prediction"] for row in TRAPPED)]:
        check_quoting(name, text)


@given(st.sampled_from([*PROTOCOLS]), st.text(st.characters(codec="utf-8")))
def test_quoting_any_text_does_not_change_the_verdict(name, text):
    check_quoting(name, text)


def check_quoting(name, text):
    asked = load_protocol(name)
    for label in asked.labels:
        for reply in (replied(label, asked, text), f"<think>{text}</think>\n{replied(label, asked)}"):
            try:
                assert read_verdict(Reply(reply), asked).label == label
            except UnreadableReply:
                assert "</think>" in text or len(text) > 5000
