"""No text in a row changes how a reply is read, how many rows there are, or what is asked about another row.

The texts are those of `injections.jsonl` and of the traps, each as an answer, as a reference and as a question.
"""

import json
import zlib
from functools import partial
from pathlib import Path

import pytest
from chat_server import completion, texts
from commands import run_command
from hypothesis import given
from hypothesis import strategies as st

import evaluate_qa
from evaluate_qa.files.columns import read_columns
from evaluate_qa.files.writing import write_rows
from evaluate_qa.labeled_data.files import TRAPS
from evaluate_qa.metrics._shared.arguments import clean
from evaluate_qa.metrics._shared.chat_models import Reply
from evaluate_qa.metrics.judge.protocols import LABEL, PROTOCOLS, protocol
from evaluate_qa.metrics.judge.reading import Unreadable, read


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


INJECTIONS = [line["text"] for line in lines(Path(__file__).with_name("injections.jsonl"))]
TRAPPED = lines(TRAPS)
PLAIN = ("Paris", "What is the capital of France?", "It is Paris.")


def in_every_place(some):
    """Rows (reference, question, prediction): each text in each of these places, the others plain."""
    places = range(len(PLAIN))
    return [tuple(text if at == place else PLAIN[at] for at in places) for text in some for place in places]


ROWS = [*in_every_place(INJECTIONS), *((text, text, text) for text in INJECTIONS)]
TRAP_ROWS = [(row["references"], row["question"], row["prediction"]) for row in TRAPPED]
HARMLESS = [("Rome", "What is the capital of Italy?", f"Rome, says guide {number}.") for number in range(20)]


def columns(rows):
    references, questions, predictions = map(list, zip(*rows, strict=True))
    return {"predictions": predictions, "references": references, "questions": questions}


def told(reference, question, prediction):
    """What a server must find in the request about a row."""
    references = [reference] if isinstance(reference, str) else reference
    return clean(question), tuple(map(clean, references)), clean(prediction)


def found(body):
    """What a server finds there, in lines of one JSON string or several, of which there must be just one each."""
    content = body["messages"][-1]["content"]
    begun = ("Question: ", "Reference answer", "Answer to judge: ")
    assert sum(line.startswith(begun) for line in content.split("\n")) == 3
    parts = texts(body)
    return parts["Question"][0], tuple(parts["Reference"]), parts["Answer"][0]


def drawn(row, labels):
    """A label that only the row as a whole decides, by its checksum."""
    return [*labels][zlib.crc32(repr(row).encode()) % len(labels)]


def replied(label, asked, quoted=None):
    """A reply with that label, in the protocol's form, and perhaps with a text that the judge quotes."""
    if not asked.fields:
        return label if quoted is None else f"{label}. It says: {quoted}"
    reply = {key: label if held == LABEL else 3 for key, held in asked.fields.items()}
    return json.dumps(reply if quoted is None else {**reply, "quoted": quoted})


@pytest.fixture
def load(server):
    return partial(evaluate_qa.load, "judge", endpoint=server.url, model="m", concurrency=8)


def test_there_are_fifty_texts_that_differ():
    assert len(set(INJECTIONS)) == len(INJECTIONS) == 50
    assert len(TRAPPED) > 300


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_text_reaches_the_judge_as_it_is_and_changes_nothing_else(load, server, name):
    """The server reads each request back into the row that it was made of, and by that draws its verdict.

    So a text that left its place, a row that was lost or doubled, or a verdict that went to another row would show.
    """
    asked = protocol(name)
    server.reply = lambda body: completion(replied(drawn(found(body), asked.labels), asked))
    # Between the others, where what they do to their neighbours would show.
    rows = [*ROWS, *(TRAP_ROWS if name == "default" else [])]
    mixed = [one for number, row in enumerate(rows) for one in (row, HARMLESS[number % len(HARMLESS)])]
    out = load(protocol=name).compute(**columns(mixed))
    assert out["unscored"] == 0
    assert out["per_example"]["label"] == [drawn(told(*row), asked.labels) for row in mixed]
    distinct = {told(*row) for row in mixed}
    assert len(server.bodies) == len(distinct)
    assert {found(body) for body in server.bodies} == distinct

    among_others = {json.dumps(body, sort_keys=True) for body in server.bodies}
    server.bodies.clear()
    load(protocol=name).compute(**columns(HARMLESS))
    assert {json.dumps(body, sort_keys=True) for body in server.bodies} <= among_others
    assert len(server.bodies) == len(HARMLESS)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_so_do_the_traps_in_every_place(name):
    for row in in_every_place([row["prediction"] for row in TRAPPED]):
        reference, question, prediction = row
        messages = protocol(name).conversation(question, [reference], prediction)
        assert found({"messages": messages}) == told(*row)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_judge_that_quotes_a_text_is_read_as_without_it(name):
    """Or, where the text ends thoughts, not at all; it is never read as another verdict."""
    for text in [*INJECTIONS, *(row["prediction"] for row in TRAPPED)]:
        check_quoting(name, text)


@given(st.sampled_from([*PROTOCOLS]), st.text(st.characters(codec="utf-8")))
def test_whatever_a_judge_quotes(name, text):
    check_quoting(name, text)


def check_quoting(name, text):
    asked = protocol(name)
    for label in asked.labels:
        for reply in (replied(label, asked, text), f"<think>{text}</think>\n{replied(label, asked)}"):
            try:
                assert read(Reply(reply), asked).label == label
            except Unreadable:
                assert "</think>" in text or len(text) > 5000


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_files_of_such_texts_have_as_many_rows_as_before(server, tmp_path, format):
    """Through `evaluate-qa score`, whose formats have marks of their own for the ends of rows and cells."""
    asked = protocol("default")
    server.reply = lambda body: completion(drawn(found(body), asked.labels))
    rows = [tuple(map(clean, row)) for row in ROWS]
    named = [dict(zip(("reference", "question", "prediction"), row, strict=True)) for row in rows]
    source, target = tmp_path / f"a.{format}", tmp_path / f"b.{format}"
    write_rows(source, [{"id": number, **row} for number, row in enumerate(named)])
    options = ["--load", f"endpoint={server.url}", "--load", "model=m"]
    run_command("score", "--metric", "judge", "-i", source, "-o", target, *options)
    scored = read_columns(target, ["id", "label"])
    assert [int(number) for number in scored.values["id"]] == [*range(len(rows))]
    assert scored.values["label"] == [drawn(told(*row), asked.labels) for row in rows]
