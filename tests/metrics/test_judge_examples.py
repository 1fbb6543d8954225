"""Judged examples in the file of a judge's protocol."""

import pytest

from evaluate_qa.metrics.judge.protocols import PROTOCOLS, load_protocol, parse_protocol

DEFAULT = load_protocol("default")
EXAMPLE = "{prediction: Lyon, references: [Paris], label: incorrect}"
PARIS = """\
{question: "Capital of France?", prediction: It is Paris, references: [Paris, the city of Paris], label: correct}"""


def with_examples(name, examples):
    return parse_protocol("mine", PROTOCOLS[name].replace("---\n", f"---\nexamples: {examples}\n", 1))


def test_examples_are_turns_before_the_row():
    row = ("Who?", ["Curie"], "Marie Curie")
    first, label, second, other, asked = with_examples("default", f"[{PARIS}, {EXAMPLE}]").conversation(*row)
    assert [asked] == DEFAULT.conversation(*row)
    assert [first] == DEFAULT.conversation("Capital of France?", ["Paris", "the city of Paris"], "It is Paris")
    assert [second] == DEFAULT.conversation("", ["Paris"], "Lyon")
    assert label == {"role": "assistant", "content": "correct"}
    assert other == {"role": "assistant", "content": "incorrect"}


def test_examples_follow_the_system_message():
    settings = f'labels: {{"incorrect": 1, "no": 0}}\nsystem: You judge.\nexamples: [{EXAMPLE}]'
    made = parse_protocol("mine", f"---\n{settings}\n---\n{{{{ prediction | quoted }}}}\n")
    assert [one["role"] for one in made.conversation("", ["a"], "b")] == ["system", "user", "assistant", "user"]


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
    with pytest.raises(ValueError, match=message):
        with_examples("default", examples)


def test_examples_need_a_reply_that_is_a_label():
    with pytest.raises(ValueError, match="examples are only for replies that are a label"):
        with_examples("smile", f"[{EXAMPLE}]")
