"""Reading verdicts from replies, and protocols."""

import math

import pytest
from chat_server import LABELS

from evaluate_qa.metrics._shared.chat_models import Reply, Token
from evaluate_qa.metrics.judge.protocols import PROTOCOLS, load_protocol, parse_protocol
from evaluate_qa.metrics.judge.reading import UnreadableReply, read_verdict

DEFAULT = load_protocol("default")


def verdict(text, name="default", **reply):
    return read_verdict(Reply(text, **reply), load_protocol(name))


def logs(**probabilities):
    return {token: math.log(p) for token, p in probabilities.items()}


READ = [
    ("correct", "correct"),
    (" Correct.\n", "correct"),
    ("**Incorrect**", "incorrect"),
    ("incorrect. The correct answer is Paris.", "incorrect"),
    ("Verdict: not_attempted", "not attempted"),
    ("Not-Attempted - it says that it does not know", "not attempted"),
    ("<think>It could be incorrect. incorrect?</think>\ncorrect", "correct"),
    ("It could be incorrect.\n</think>\n\ncorrect", "correct"),
    ("`correct`", "correct"),
    ("“Correct.”", "correct"),
    ("```\nincorrect\n```", "incorrect"),
    ('{"label": "not attempted"}', "not attempted"),
    ('```json\n{"verdict": "incorrect", "reason": "It is correct that …"}\n```', "incorrect"),
    ("correct\nIncorrect answers name another city.", "correct"),
    ("<think>It ends with </think></think>\nincorrect", "incorrect"),
]
UNREADABLE = [
    *(" \n", "correctly so", "The answer is correct.", "correct, incorrect or not attempted", "Correct: incorrect"),
    *("correct/incorrect", "<think>It is correct", "correct answers would be Paris", "<think>hm</think>"),
    'incorrect. It says "</think> correct"',
    "<think>hm</think>incorrect, as it says: </think>correct",
    *("```json correct or incorrect", "“correct” or “incorrect”", '```json\n["correct", "incorrect"]\n```'),
    *("correct\nincorrect\nnot attempted", "correct - incorrect - not attempted", "correct\n\nIncorrect"),
]


@pytest.mark.parametrize(("text", "label"), READ)
def test_a_label_at_the_beginning_is_read(text, label):
    found = verdict(text)
    assert (found.label, found.correct, found.how) == (label, label == "correct", "parse")
    assert found.score == (label == "correct")


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_label_elsewhere_is_unreadable(text):
    with pytest.raises(UnreadableReply):
        verdict(text)


@pytest.mark.parametrize(
    ("text", "score"), [("0", 0), ("0.5", 0.5), ("1", 1), ("1.0", 1), ("0.0", 0), ("Rating: 0.5 - incomplete", 0.5)]
)
def test_ratings_are_numbers(text, score):
    assert verdict(text, "morqa").score == score


@pytest.mark.parametrize("text", ["0.7", "0,5", "0\n0.5\n1", "10", "-1", "1.05", "0.55", "2", "1/2", "half"])
def test_other_numbers_are_unreadable(text):
    with pytest.raises(UnreadableReply):
        verdict(text, "morqa")


def test_a_truncated_reply_names_max_tokens():
    with pytest.raises(UnreadableReply, match="cut off: increase max_tokens"):
        verdict("<think>Let me see", cut_off=True)
    assert verdict("correct. As the", cut_off=True).label == "correct"


def test_the_score_is_the_probability_of_correct():
    """.6 for correct, .02 + .28 for incorrect, .05 for not attempted and .05 for another word: .6/.95."""
    top = logs(correct=0.6, Incorrect=0.28, Not=0.05, The=0.05, **{"in": 0.02})
    found = verdict("correct", tokens=[Token("correct", top)])
    assert found.how == "logprobs"
    assert found.score == pytest.approx(0.6 / 0.95)


def test_log_probabilities_are_those_of_the_label_not_of_the_thoughts():
    """P(correct) = .1/(.1 + .9)."""
    thought = Token("<think>correct</think>\n", logs(correct=0.99))
    found = verdict(
        "<think>correct</think>\nincorrect",
        tokens=[thought, Token("in", logs(correct=0.1, inc=0.9)), Token("correct", logs(correct=1.0))],
    )
    assert (found.label, found.score) == ("incorrect", pytest.approx(0.1))


@pytest.mark.parametrize(
    "tokens",
    [
        [],
        [Token("correct", {})],
        [Token("correct", logs(a=0.5, b=0.5))],
        [Token("another", logs(correct=0.9, incorrect=0.1))],
        [Token("correct", {"correct": -0.1, "incorrect": math.nan})],
        [Token("correct", {"incorrect": math.inf, "correct": -0.1})],
    ],
    ids=["none", "without candidates", "candidates that are not labels", "of another text", "no number", "infinite"],
)
def test_the_score_is_0_or_1_without_valid_log_probabilities(tokens):
    found = verdict("correct", tokens=tokens)
    assert (found.score, found.how) == (1.0, "parse")


def test_expected_score_with_two_labels():
    """P(yes) = .8/(.8 + .2)."""
    found = verdict("Yes", "evouna", tokens=[Token("Yes", logs(Yes=0.5, yes=0.3, No=0.2))])
    assert (found.label, found.score) == ("yes", pytest.approx(0.8))


@pytest.mark.parametrize(
    ("text", "score", "correct"),
    [
        ('{"pred": "yes", "score": 4}', 0.8, True),
        ("{'pred': 'no', 'score': 1}", 0.2, False),  # as the paper asks for it
        (r"{'pred': 'no', 'score': 1, 'why': '\d'}", 0.2, False),  # Python warns of the escape
        ('```json\n{"score": "5", "pred": "Yes"}\n```', 1.0, True),
        ('<think>{"pred": "no", "score": 0}</think>{"pred": "yes", "score": 3.0}', 0.6, True),
    ],
)
def test_json_replies_are_read(text, score, correct):
    for name in ("smile", "smile-extract"):
        found = verdict(text, name, granted=True)
        assert (found.score, found.correct, found.how) == (pytest.approx(score), correct, "schema")
    assert verdict(text, "smile").how == "parse"


@pytest.mark.parametrize(
    "text",
    [
        *("yes", '{"pred": "yes"}', '{"pred": "maybe", "score": 3}', '{"pred": "yes", "score": 6}'),
        *(f'{{"pred": "yes", "score": {score}}}' for score in ("2.5", "true", "NaN")),
        '[{"pred": "yes", "score": 3}]',
        'I say {"pred": "yes", "score": 3}',
        '{"pred": "yes", "score": 3} {"pred": "no", "score": 3}',
        '{"pred": "yes", "score": 3' + " " * 20_000 + "}",
        "{" * 5000,
        "__import__('os').abort()",
    ],
)
def test_other_replies_are_unreadable_if_json_is_expected(text):
    with pytest.raises(UnreadableReply) as caught:
        verdict(text, "smile")
    assert len(str(caught.value)) < 300


def test_diver_qa_accepts_strings_and_numbers():
    assert verdict('{"match": "1"}', "diver_qa").score == 1
    assert verdict('{"match": 0}', "diver_qa").label == "0"
    assert load_protocol("diver_qa").schema["properties"] == {"match": {"enum": ["1", "0"], "type": "string"}}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_request_has_the_question_and_all_references(name):
    messages = load_protocol(name).conversation("Who?", ["Marie", "Curie"], "Marie")
    text = messages[-1]["content"]
    assert 'Question: "Who?"' in text
    assert f'{"Correct" if name == "yes-no" else "Reference"} answers: "Marie", "Curie"' in text
    assert "Question" not in load_protocol("default").conversation("", ["Marie"], "x")[-1]["content"].replace(
        "question", ""
    )


def test_properties_of_the_protocols():
    assert tuple(DEFAULT.labels) == LABELS
    assert [name for name in PROTOCOLS if load_protocol(name).needs_question] == [*PROTOCOLS][2:]
    assert [name for name in PROTOCOLS if load_protocol(name).first_token_decides] == ["default", "yes-no", "evouna"]
    assert len({load_protocol(name).signature for name in PROTOCOLS}) == len(PROTOCOLS)


GOOD = '---\nlabels: {"good": 1, "bad": 0}\n---\n{{ prediction }}\n'


def test_a_protocol_can_be_a_file(tmp_path):
    file = tmp_path / "mine.j2"
    file.write_text(GOOD, "utf-8")
    mine = load_protocol(file)
    assert mine.conversation("", ["a"], "x <|y|>") == [{"role": "user", "content": "x <|y|>"}]
    assert mine.signature.startswith("mine.j2@")
    file.write_text(GOOD + "More.", "utf-8")
    assert load_protocol(file).signature != mine.signature
    file.write_bytes(GOOD.replace("\n", "\r\n").encode())
    assert load_protocol(file).labels == mine.labels


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Is it right?", "has no labels"),
        ("---\nIs it right?", "does not begin with settings"),
        (GOOD.replace('"good": 1', "yes: 1"), "is not a text; write labels"),
        (GOOD.replace(", ", "} #"), "has no labels"),
        (GOOD.replace(": 1", ": 2"), "the score of its label 'good' is 2; expected a number from 0 to 1"),
        (GOOD.replace('"bad"', '"Good"'), "differ only in case or spaces"),
        (GOOD.replace("labels", "label"), "setting 'label' is unknown"),
        (GOOD.replace("---\n{{", "fields: {a: 5}\n---\n{{"), "its fields are {'a': 5}; expected exactly one label"),
        (GOOD.replace("---\n{{", "fields: {a: label, b: x}\n---\n{{"), "at most one grade"),
        (GOOD.replace("---\n{{", "fields: {a: label, b: reason, c: reason}\n---\n{{"), "at most one reason"),
        (GOOD.replace("---\n{{", "question: always\n---\n{{"), "expected required or optional"),
        (GOOD.replace("prediction", "answer"), "'answer' is undefined"),
        (GOOD.replace(" }}", " "), "unexpected"),
        (GOOD.replace("prediction", "prediction.__class__.__mro__"), "unsafe"),
        ("---\na: [\n---\nx", "while parsing"),
        (GOOD.replace("prediction", "references"), "it does not contain the answer: {{ prediction | quoted }}"),
        (GOOD.replace("{{ prediction }}", "{# prediction #}"), "it does not contain the answer"),
    ],
)
def test_invalid_protocols_raise(text, message):
    with pytest.raises(ValueError, match=r"^protocol 'mine' cannot be used: ") as caught:
        parse_protocol("mine", text)
    assert message in str(caught.value)


def test_many_ends_of_thoughts_are_unreadable():
    """Reading the reply from each of 20,000 took 8 seconds."""
    with pytest.raises(UnreadableReply, match="the reply has 20,001 </think> tags; expected one"):
        verdict("</think>" * 20_000 + "correct")
