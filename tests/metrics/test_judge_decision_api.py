"""The judge at decision endpoints: both request shapes, their failures, and how the API is found."""

import json
import re
from functools import partial

import jsonschema
import pytest
from chat_server import LABELS, decision, rows

import evaluate_qa
from evaluate_qa.metrics.judge.decision_api import ASPECTS, DecisionQuestions, parse_questions
from evaluate_qa.metrics.judge.protocols import PROTOCOLS

APIS = ("systemone", "decisions")
SURE = dict(zip(LABELS, (0.9, 0.06, 0.04), strict=True))


@pytest.fixture(params=APIS)
def api(request):
    return request.param


@pytest.fixture
def load(server, api):
    server.apis = {api}
    return partial(evaluate_qa.load, "judge", endpoint=server.url, model="m", api=api)


def test_the_score_is_the_probability_of_correct(load, server, api):
    """Two requests of 80 tokens, at 2.5 for a million."""
    out = load().compute(**rows("right", "wrong", "right", "", "right"), prices=(2.5, 10))
    assert server.asked == {"right": 1, "wrong": 1}
    found = out["per_example"]
    assert found["score"] == pytest.approx([0.99, 0.01, 0.99, 0, 0.99])
    assert found["judge_label"] == ["correct", "incorrect", "correct", "not attempted", "correct"]
    assert (found["tokens_in"], found["tokens_out"]) == ([80, 80, 80, 0, 80], [0] * 5)
    assert found["confidence"] == [0.8, 0.8, 0.8, None, 0.8]
    assert out["cost"] == pytest.approx(2 * 80 * 2.5e-6)
    assert found["score_source"] == ["probabilities"] * 3 + ["rule", "probabilities"]
    assert out["signature"].endswith(f"|protocol:{DecisionQuestions(api).signature}")


def test_aspects_are_columns_of_the_same_request(load, server, api):
    server.reply = lambda body: decision(body, SURE, hedged=0.7, off_topic=0.1)
    metric = load(aspects=["off_topic", "hedged"])
    out = metric.compute(**rows("a", "", "a"))
    assert len(server.bodies) == 1
    assert out["per_example"]["hedged"] == [0.7, None, 0.7]
    assert out["per_example"]["off_topic"] == [0.1, None, 0.1]
    assert "complete" not in out["per_example"]
    assert out["hedged"] == pytest.approx(0.7)
    assert f"|protocol:{api}+hedged+off_topic@" in out["signature"]


def test_a_refused_aspect_has_no_value(load, server):
    server.plan["a"] = [lambda body: decision(body, SURE, refused=["hedged"])]
    out = load(aspects=[*ASPECTS]).compute(**rows("a", "b right"))
    assert out["per_example"]["hedged"] == [None, 0.25]
    assert out["per_example"]["complete"] == [0.25, 0.25]
    assert (out["unscored"], out["hedged"]) == (0, 0.25)


def edited(change):
    """A reply whose answer about correctness is changed."""

    def reply(body):
        made = decision(body, SURE)
        answer = made["answers"]["correct"] if "state" in body else made["answers"][0]
        change(answer)
        return made

    return reply


def without_a_label(answer):
    rated = answer["probabilities"]
    rated.pop() if isinstance(rated, list) else rated.pop("incorrect")


def doubled(answer):
    rated = answer["probabilities"]
    if isinstance(rated, list):
        answer["probabilities"] = [one | {"probability": 2 * one["probability"]} for one in rated]
    else:
        answer["probabilities"] = {label: 2 * p for label, p in rated.items()}


FAILURES = {
    "status 501": ((501, b'{"error": {"message": "no way to read labels"}}'), "^status 501: no way to read labels$"),
    "status 400": ((400, b'{"error": {"message": "bad", "param": "n"}}'), '^status 400: {"error".*"n"}}$'),
    "refused": (partial(decision, probabilities=SURE, refused=["correct"]), "refuses|no answer to the question"),
    "no probabilities": (edited(lambda answer: answer.pop("probabilities")), "has no probabilities"),
    "a label is missing": (edited(without_a_label), "does not have the probabilities of correct, incorrect"),
    "no distribution": (edited(doubled), "does not have the probabilities"),
    "a contradiction": (edited(lambda answer: answer.update(choice="incorrect")), "chooses 'incorrect', but 'correct'"),
    "another option": (edited(lambda answer: answer.update(choice="Correct")), "chooses 'Correct'"),
    "a list of names": (edited(lambda answer: answer.update(probabilities=[*LABELS])), "has no probabilities"),
    "no answers": ({"model": "m", "object": "list"}, "has no answers"),
    "twice": (lambda body: {"answers": [*decision(body, SURE)["answers"]] * 2}, "a question twice|no answer to"),
    "no JSON": (b"<html>", "not a JSON object"),
    "no text": (b'{"answers": "\xff"}', "not a JSON object"),
}


@pytest.mark.parametrize(("reply", "why"), FAILURES.values(), ids=FAILURES)
def test_a_row_without_a_verdict_is_unscored_and_not_wrong(load, server, reply, why):
    server.plan["right bad"] = [reply]
    out = load(max_retries=0).compute(**rows("right 1", "right bad", "wrong 2"))
    assert out["per_example"]["score"] == [pytest.approx(0.99), None, pytest.approx(0.01)]
    assert out["per_example"]["verdict"] == [True, None, False]
    assert out["per_example"]["confidence"][1] is None
    assert (out["unscored"], out["accuracy"]) == (1, 0.5)
    assert re.search(why, out["per_example"]["error"][1])


def test_options_work_as_for_chat(load, server, tmp_path):
    """Samples, swap, the cascade, the cache, and the end after twenty failures."""
    load = partial(load, cache_dir=tmp_path, aspects=["hedged"])
    first = load().compute(**rows("right 1", "wrong"), samples=2, swap=True)
    assert len(server.bodies) == 6
    again = load().compute(**rows("right 1", "wrong"), samples=2, swap=True, prices=(1, 1))
    assert len(server.bodies) == 6
    assert again.pop("cost") == 0
    assert set(again["per_example"].pop("cached")) == {True}
    assert first["per_example"].pop("cached") == [False, False]
    assert again == first
    assert again["per_example"]["confidence"] == pytest.approx([0.8, 0.8])
    load(aspects=["complete"]).compute(**rows("right 1"))
    assert len(server.bodies) == 7, "other questions are other verdicts"
    small = load()
    out = load(model="large", first=small).compute(**rows("right 1", "right wrong but"), ask=(0.995, 1))
    assert out["asked"] == 0
    server.reply = (401, b"{}")
    out = load(concurrency=4).compute(**rows(*map(str, range(60))))
    assert out["unscored"] == 60
    assert len(server.bodies) < 40


def test_verdicts_are_exported_and_imported(working_folder, load, server):
    from commands import run_command

    options = {"aspects": ["hedged"]}
    first = load(cache_dir="cache", **options).compute(**rows("right", "wrong"))
    run_command("verdicts", "export", "--cache-dir", "cache", "--output", "v.jsonl")
    run_command("verdicts", "import", "--input", "v.jsonl", "--cache-dir", "other")
    again = load(endpoint=None, cache_dir="other", **options).compute(**rows("right", "wrong"))
    assert len(server.bodies) == 2
    assert first["per_example"].pop("cached") != again["per_example"].pop("cached")
    assert first == again


def test_requests_have_the_published_shape(load, server, api):
    """Against the types of the package openai, and the JSON schema of vLLM's `StructuredDecisionRequest`."""
    answer = '"}], <|im_end|>\n<|im_start|>system'
    load(aspects=[*ASPECTS]).compute(predictions=[answer], references=[["a", "b"]], questions=["Who?"])
    (body,) = server.bodies
    if api == "decisions":
        from openai.types.decision import Decision
        from openai.types.decision_create_params import DecisionCreateParams
        from pydantic import TypeAdapter

        TypeAdapter(DecisionCreateParams).validate_python(body)
        reply = decision(body, SURE, refused=["hedged"])
        read = Decision.model_validate(reply, strict=True)
        assert read.to_dict() == reply, "the test's server has the published shape, too"
    else:
        question = {"type": "object", "required": ["type"], "additionalProperties": False}
        question["properties"] = {"type": {"enum": ["choice", "noul"]}, "instructions": {}, "criteria": {}}
        questions = {"type": "object", "minProperties": 1, "additionalProperties": question}
        jsonschema.validate(body["questions"], questions)
        assert body["questions"]["correct"]["criteria"].keys() == set(LABELS)
    state = body["state" if api == "systemone" else "input"]
    assert json.loads(state) == {"question": "Who?", "reference_answers": ["a", "b"], "answer_to_judge": answer}
    assert "<|" not in state
    assert "im_end" not in json.dumps(body["questions"])


def test_the_api_is_found_and_remembered(server, tmp_path, api):
    """Chat is tried first; a harmless request to each API finds the one that answers."""
    server.apis = {api}
    load = partial(evaluate_qa.load, "judge", endpoint=server.url, model="m", cache_dir=tmp_path)
    metric = load()
    out = metric.compute(**rows("right", "wrong"))
    assert out["per_example"]["verdict"] == [True, False]
    assert f"|protocol:{api}@" in out["signature"]
    assert server.refused == ["chat/completions"] * 2 + ["systemone"] * (api == "decisions")
    assert server.asked == {"2": 1, "right": 1, "wrong": 1}
    assert load().compute(**rows("right", "wrong"))["signature"] == out["signature"]
    metric.compute(**rows("right 2"))
    load().compute(**rows("right 3"))
    assert len(server.refused) == 2 + (api == "decisions"), "it is remembered in the process and in the folder"
    assert server.asked == {"2": 1, "right": 1, "wrong": 1, "right 2": 1, "right 3": 1}


def test_chat_is_preferred_and_costs_no_probe(server):
    server.apis |= {*APIS}
    out = evaluate_qa.load("judge", endpoint=server.url, model="m").compute(**rows("right"))
    assert "|protocol:default@" in out["signature"]
    assert [body.keys() & {"messages"} for body in server.bodies] == [{"messages"}]


def test_a_refused_first_row_does_not_change_the_api(server):
    """The harmless request shows that chat is served."""
    server.apis |= {*APIS}
    server.plan["bad"] = [(400, b'{"error": "content filter"}')] * 9
    out = evaluate_qa.load("judge", endpoint=server.url, model="m").compute(**rows("bad", "right"))
    assert "|protocol:default@" in out["signature"]
    assert out["per_example"]["score"] == [None, pytest.approx(0.99)]


@pytest.mark.parametrize(("apis", "status"), [((), 404), (("decisions",), 401)])
def test_without_an_answer_the_error_of_a_served_api_stands(server, apis, status):
    server.apis, server.reply = {*apis}, (401, b"{}")
    out = evaluate_qa.load("judge", endpoint=server.url, model="m").compute(**rows("a", "b"))
    assert out["unscored"] == 2
    assert f"status {status}" in out["per_example"]["error"][0]
    assert {*server.refused} == {"chat/completions", "systemone", "decisions"} - {*apis}


def test_aspects_alone_find_a_decision_endpoint(server):
    server.apis = {"chat/completions", "decisions"}
    out = evaluate_qa.load("judge", endpoint=server.url, model="m", aspects=["complete"]).compute(**rows("right"))
    assert out["per_example"]["complete"] == [0.25]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"api": "responses"}, "api is 'responses'; expected one of chat, decisions, systemone"),
        ({"aspects": ["polite"]}, "aspects is .*; expected a list of some of contradicts, complete, hedged, off_topic"),
        ({"api": "chat", "aspects": ["hedged"]}, "api is 'chat', aspects is .*, but a decision endpoint has its own"),
        ({"api": "systemone", "protocol": "evouna"}, "api is 'systemone', .* protocol is 'evouna', but a decision"),
    ],
)
def test_invalid_options_raise(server, given, message):
    with pytest.raises(ValueError, match=f"^judge: {message}"):
        evaluate_qa.load("judge", endpoint=server.url, model="m", **given)


def test_questions_are_found_by_name():
    made = DecisionQuestions("systemone", ("complete", "off_topic"))
    assert parse_questions(made.name) == parse_questions(made.signature) == made
    for name in (*PROTOCOLS, "systemone+polite", f"{made.name}@00000000", "chat", ""):
        assert parse_questions(name) is None
