"""The judge: requests, failures, the cache and the cascade, with a local server."""

import gzip
import inspect
import json
import sqlite3
import sys
import time
from contextlib import closing, suppress
from functools import partial

import numpy as np
import pytest
from chat_server import STATES, by_words, completion, numbered, rows
from tiny_chat_model import save_chat_model

import evaluate_qa
from evaluate_qa.metrics.judge.protocols import load_protocol
from evaluate_qa.metrics.judge.verdict_store import VerdictStore

KEY = "sk-judge-0123456789abcdef"


@pytest.fixture
def load(server):
    return partial(evaluate_qa.load, "judge", endpoint=server.url, model="m")


def test_each_distinct_row_is_asked_about_once(load, server):
    """Two requests of 100 and 2 tokens, at 2.5 and 10 for a million: 2 · (100 · 2.5 + 2 · 10) / 10⁶."""
    out = load().compute(**rows("right", "wrong", "right", "", "right"), prices=(2.5, 10))
    assert out["cost"] == pytest.approx(2 * 270e-6)
    assert server.asked == {"right": 1, "wrong": 1}
    assert out["per_example"] == {
        "score": pytest.approx([0.99, 0.01, 0.99, 0, 0.99]),
        "verdict": [True, False, True, False, True],
        "judge_label": ["correct", "incorrect", "correct", "not attempted", "correct"],
        "score_source": ["logprobs", "logprobs", "logprobs", "rule", "logprobs"],
        "asked": [True, True, True, False, True],
        "cached": [False, False, True, False, True],
        "tokens_in": [100, 100, 100, 0, 100],
        "tokens_out": [2, 2, 2, 0, 2],
        "error": [None] * 5,
        "not_attempted": [False, False, False, True, False],
        "best_reference": [0] * 5,
    }
    assert out["accuracy"] == 0.6
    assert out["accuracy_attempted"] == 0.75
    assert out["not_attempted"] == 0.2
    assert out["asked"] == 0.8
    assert out["unscored"] == 0


def test_an_unreadable_reply_costs_a_request_and_a_failed_one_nothing(load, server):
    server.plan = {"odd": ["Well."], "bad": [(403, b'{"error": "no"}')]}
    out = load().compute(**rows("odd", "bad", "odd", "wrong"), prices=(2.5, 10))
    assert server.asked == {"odd": 1, "bad": 1, "wrong": 1}
    assert out["unscored"] == 3
    assert out["per_example"]["tokens_in"] == [100, 0, 100, 100]
    assert out["per_example"]["cached"] == [False, False, True, False]
    assert out["cost"] == pytest.approx(2 * 270e-6)


def test_cost_is_none_if_the_server_counts_no_tokens(load, server):
    server.reply = {name: value for name, value in completion("correct").items() if name != "usage"}
    out = load().compute(**rows("right"), prices=(1, 1))
    assert out["cost"] is None
    assert out["per_example"]["tokens_in"] == [None]


def test_a_column_has_the_source_of_scores_and_the_signature_does_not_depend_on_the_rows(load, server):
    metric = load()
    outs = [metric.compute(**rows("right"))]
    server.reply = "correct"
    outs += [metric.compute(**rows("right")), metric.compute(**rows("", "right"))]
    assert [out["per_example"]["score_source"] for out in outs] == [["logprobs"], ["parse"], ["rule", "parse"]]
    assert {out["signature"] for out in outs} == {
        f"judge|v:1.2.0|model:m|protocol:{load_protocol('default').signature}"
    }
    server.reply = "Well."
    assert metric.compute(**rows("right"))["per_example"]["score_source"] == [None]


def test_signature_shows_the_hash_of_extra_body(load, server, tmp_path):
    plain = load().compute(**rows("right"))["signature"]
    warm, same, cold = (
        load(extra_body=body, cache_dir=tmp_path).compute(**rows("right"))["signature"]
        for body in ({"temperature": 1, "seed": 2}, {"seed": 2, "temperature": 1}, {"temperature": 0.5})
    )
    (added,) = set(warm.split("|")) - set(plain.split("|"))
    assert warm.replace(f"|{added}", "") == plain == load(extra_body={}).compute(**rows("right"))["signature"]
    assert warm == same != cold
    kept = [stored.judge.request for stored in VerdictStore(tmp_path)]
    assert len(kept) == 2
    assert added.removeprefix("request:") in kept


REFUSALS = {
    "logprobs": {"error": {"message": "logprobs are not supported with this model"}},
    "temperature": {"error": {"message": "Unsupported value: 'temperature' does not support 0"}},
    "max_tokens": {"error": {"message": "'max_tokens' is not supported; use 'max_completion_tokens' instead"}},
    "top_logprobs": {"error": {"message": "bad request"}},
}


@pytest.mark.parametrize("field", REFUSALS)
def test_a_field_that_the_server_rejects_is_sent_once(load, server, field):
    def reply(body):
        return (400, json.dumps(REFUSALS[field]).encode()) if field in body else by_words(body)

    server.reply = reply
    out = load().compute(**numbered(40))
    assert out["unscored"] == 0
    assert len(server.bodies) == 41
    assert sum(field in body for body in server.bodies) == 1
    assert {*out["per_example"]["score_source"]} == {"parse" if "logprobs" in field else "logprobs"}
    assert ("max_completion_tokens" in server.bodies[-1]) == (field == "max_tokens")


def test_a_reply_without_schema_is_parsed(load, server):
    def reply(body):
        if "response_format" in body:
            return 400, b'{"error": {"message": "response_format is not supported"}}'
        return "{'pred': 'yes', 'score': 4}"

    columns = {**numbered(5), "questions": ["Who?"] * 5}
    server.reply = '{"pred": "yes", "score": 4}'
    assert load(protocol="smile").compute(**columns)["per_example"]["score_source"] == ["schema"] * 5
    schema = server.bodies[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["score"] == {"enum": [0, 1, 2, 3, 4, 5], "type": "integer"}
    server.reply = reply
    out = load(protocol="smile").compute(**columns)
    assert out["per_example"]["score_source"] == ["parse"] * 5
    assert out["judge"] == pytest.approx(0.8)
    assert sum("response_format" in body for body in server.bodies[5:]) == 1


EXPLAINED = """\
---
labels: {"yes": 1, "no": 0}
fields: {why: reason, right: label, grade: 4}
---
Answer to judge: {{ prediction | quoted }}
Is it right?
"""


def test_reasons_are_returned_and_cached(load, server, tmp_path):
    (tmp_path / "explained.j2").write_text(EXPLAINED, "utf-8")
    load = partial(load, protocol=tmp_path / "explained.j2", cache_dir=tmp_path)
    server.reply = '{"why": "It names her.", "right": "yes", "grade": 3}'
    server.plan["b"] = ['{"right": "no", "grade": 0}', "Hm."]
    for _ in range(2):
        out = load().compute(**rows("a", "b"))
        assert out["per_example"]["reason"] == ["It names her.", None]
        assert out["per_example"]["score"] == [0.75, None]
        server.plan["b"] = ["Hm."]
    assert out["per_example"]["cached"] == [True, False]
    schema = server.bodies[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["why"] == {"type": "string"}
    assert "reason" not in load(protocol="default").compute(**rows("a"))["per_example"]


GARBAGE = {
    "no JSON": b"<html>",
    "no choices": b'{"choices": []}',
    "odd choices": b'{"choices": [5]}',
    "odd parts": completion([5, "correct", {"text": "correct"}, {"type": "text", "text": [{"type": "text"}]}]),
    "odd content": json.dumps(completion(None)).encode(),
    "empty": "",
    "an error": b'{"error": {"message": "no", "code": "bad"}}',
    "prose": "I would rather not say whether that is correct.",
}


@pytest.mark.parametrize("reply", GARBAGE.values(), ids=GARBAGE)
def test_a_row_without_a_verdict_is_unscored_and_not_wrong(load, server, reply):
    server.plan["right bad"] = [reply] * 9
    out = load().compute(**rows("right 1", "right bad", "wrong 2"))
    assert out["per_example"]["score"] == [pytest.approx(0.99), None, pytest.approx(0.01)]
    assert out["per_example"]["verdict"] == [True, None, False]
    assert out["per_example"]["judge_label"][1] is None
    assert out["unscored"] == 1
    assert out["accuracy"] == 0.5
    assert out["judge"] == pytest.approx(0.5)
    first, why, last = out["per_example"]["error"]
    assert first is last is None
    assert why


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        {"content": None},
        {"content": [{"token": "correct"}]},
        {"content": [{"top_logprobs": "x"}]},
        {"content": [{"token": "correct", "top_logprobs": [{"token": "correct", "logprob": 10**400}]}]},
    ],
    ids=repr,
)
def test_invalid_log_probabilities_are_ignored(load, server, logprobs):
    server.reply = completion("correct", logprobs=logprobs)
    out = load().compute(**rows("right"))
    assert out["per_example"]["score"] == [1.0]
    assert out["per_example"]["score_source"] == ["parse"]


def test_a_reply_in_parts_is_read(load, server):
    server.reply = completion([{"type": "thinking", "text": "in"}, {"type": "text", "text": "cor"}, {"type": "text"}])
    server.reply["choices"][0]["message"]["content"].append({"type": "text", "text": "rect"})
    assert load().compute(**rows("right"))["per_example"]["judge_label"] == ["correct"]


@pytest.mark.parametrize("message", [{"content": "Well."}, {"content": None, "refusal": "I cannot help."}], ids=str)
def test_replies_without_a_verdict_do_not_end_the_requests(load, server, message):
    """They cost as much as other replies."""
    server.reply = completion("")
    server.reply["choices"][0]["message"] |= message
    out = load().compute(**numbered(60), prices=(2.5, 10))
    assert out["unscored"] == len(server.bodies) == 60
    assert out["cost"] == pytest.approx(60 * 270e-6)
    if "refusal" in message:
        assert set(out["per_example"]["error"]) == {"the judge refuses to answer: I cannot help."}


def test_a_slow_reply_times_out(load, server):
    server.plan["right"] = ["drip"] * 2
    start = time.monotonic()
    out = load(timeout=0.3, max_retries=0).compute(**rows("right", "wrong"))
    assert out["per_example"]["score"] == [None, pytest.approx(0.01)]
    assert time.monotonic() - start < 4


def test_a_reply_above_16_mb_is_an_error(load, server):
    padded = json.dumps(completion("correct")).encode() + b" " * 17 * 2**20
    packed = {"Content-Encoding": "gzip"}
    server.plan = {"right": [padded], "right too": [(200, gzip.compress(padded), packed)]}
    out = load(max_retries=0).compute(**rows("right", "right too", "wrong"))
    assert out["per_example"]["score"] == [None, None, pytest.approx(0.01)]
    assert all("the reply is larger than 16 MB" in error for error in out["per_example"]["error"][:2])


def test_unscored_raise_stops_at_the_first_failure(load, server):
    server.reply = "I cannot say."
    with pytest.raises(ValueError, match=r"^judge: a row has no verdict: the reply does not begin with correct or"):
        load(concurrency=2).compute(**numbered(50), unscored="raise")
    assert len(server.bodies) < 10


@pytest.mark.parametrize("count", [1, 3])
def test_rows_without_a_verdict_cause_a_warning_and_a_failed_request_is_not_asked(load, server, count):
    metric = load(endpoint="http://127.0.0.1:9/v1", max_retries=0)
    with pytest.warns(
        UserWarning, match=rf"^judge: no verdict on {count} of 4 rows, .*: cannot connect to 127.0.0.1:9 "
    ):
        out = metric.compute(**rows(*map(str, range(count)), *[""] * (4 - count)))
    assert (out["unscored"], out["asked"]) == (count, 0)


def test_refused_requests_do_not_end_the_others(load, server):
    server.plan = {f"{'right' if number % 3 else 'wrong'} {number}": [(400, b"{}")] * 2 for number in range(50)}
    assert load(concurrency=1, api="chat").compute(**numbered(60))["unscored"] == 50


def test_twenty_failures_in_a_row_end_the_requests(load, server):
    server.reply = (401, b'{"error": "no"}')
    metric = load(concurrency=4)
    out = metric.compute(**numbered(60))
    assert metric.gave_up.startswith("20 requests in a row failed: status 401: ")
    assert out["unscored"] == 60
    assert out["judge"] is out["accuracy"] is None
    assert len(server.bodies) < 30
    assert out["per_example"]["error"][-1].startswith("not asked, because 20 requests in a row failed: status 401: ")
    assert out["per_example"]["asked"] == [False] * 60
    server.reply = by_words
    assert metric.compute(**numbered(60))["unscored"] == 0
    assert metric.gave_up is None


def test_the_cache_key_holds_everything_that_a_verdict_depends_on(load, server, tmp_path):
    columns = {**rows("right"), "questions": ["Who?"]}
    load = partial(load, cache_dir=tmp_path)
    load().compute(**columns)
    load(model="another").compute(**columns)
    load(protocol="evouna").compute(**columns)
    load(extra_body={"seed": 1}).compute(**columns)
    load().compute(**columns | {"questions": ["Why?"]})
    load().compute(**columns | {"references": [["right", "left"]]})
    assert len(server.bodies) == 6
    load(concurrency=1, timeout=9, max_retries=0).compute(**columns)
    assert len(server.bodies) == 6


KILLED = """
import sys
import evaluate_qa
folder, url = sys.argv[1:]
metric = evaluate_qa.load("judge", endpoint=url, model="m", cache_dir=folder, concurrency=8)
columns = {"predictions": [f"right {number}" for number in range(100)], "references": ["right"] * 100}
print(metric.compute(**columns)["accuracy"])
"""


@pytest.mark.parametrize("api", ["chat/completions", "systemone"])
def test_stored_verdicts_survive_a_kill(processes, server, tmp_path, api):
    """The second run knows the API, too."""
    server.seconds, server.apis = 0.2, {api}
    kept = 0
    with processes.start("-c", KILLED, tmp_path, server.url) as process:
        while not kept:
            assert process.poll() is None
            time.sleep(0.01)
            kept = stored(tmp_path)
        process.kill()
    time.sleep(0.5)  # until the server has handled the requests
    kept, asked = stored(tmp_path), len(server.bodies)
    assert kept < 100
    refused = [*server.refused]
    done = processes.run("-c", KILLED, tmp_path, server.url, check=True)
    assert done.stdout.strip() == "1.0"
    assert len(server.bodies) - asked == 100 - kept
    assert len(server.asked) == 100 + (api in STATES), "with the request that found the API"
    assert server.refused == refused


def stored(folder):
    """Number of verdicts on disk."""
    file = folder / "verdicts.sqlite"
    if not file.is_file():
        return 0
    with closing(sqlite3.connect(file)) as connection, suppress(sqlite3.OperationalError):  # no table yet, or locked
        return connection.execute("SELECT count(*) FROM entries WHERE value <> x''").fetchone()[0]
    return 0


def test_the_key_is_sent_only_to_the_server(load, server, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.plan["wrong"] = [(401, json.dumps({"error": {"message": f"Incorrect API key: {KEY}"}}).encode())]
    metric = load(cache_dir=tmp_path)
    out = metric.compute(**rows("right", "wrong"))
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert out["unscored"] == 1
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"right" in kept
    for text in (repr(out), repr(metric.model.members[0].model), *capfd.readouterr(), kept.decode("latin-1")):
        assert KEY[-12:] not in text
    server.plan["wrong"] = [(401, json.dumps({"error": {"message": f"Incorrect API key: {KEY}"}}).encode())]
    with pytest.raises(ValueError, match="no verdict") as caught:
        metric.compute(**rows("wrong"), unscored="raise")
    assert KEY[-12:] not in str(caught.value)


def test_a_missing_question_is_an_error_if_the_protocol_needs_it(load):
    metric = load(protocol="evouna")
    with pytest.raises(ValueError, match=r"^judge: questions\[1\] is ''; expected a question, which the protocol"):
        metric.compute(**rows("a", "b"), questions=["Who?", None])
    with pytest.raises(ValueError, match=r"^judge: questions\[0\]"):
        metric.compute(**rows("a"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"protocol": "smil"}, "protocol is 'smil'; expected a file or one of default, yes-no, smile, "),
        ({"protocol": "Is it right? " * 30}, "protocol is 'Is it right\\? .*…; expected a file or one of default, "),
        *(({"endpoint": url}, f"endpoint is '{url}'; expected a URL such as") for url in ("ftp://x", "http://x:99999")),
        ({"model": None}, "endpoint is given without model"),
        ({"extra_body": [1]}, "extra_body is .*; expected a mapping"),
        ({"extra_body": {"stop": {1}}}, "extra_body is .*; expected a mapping .*, with values that JSON can hold"),
        ({"extra_body": {"top_p": np.float32(0.5)}}, "extra_body is .*; expected a mapping"),
    ],
)
def test_invalid_load_options_raise(load, given, message):
    with pytest.raises((ValueError, FileNotFoundError), match=f"^judge: {message}"):
        load(**given)


def test_a_missing_model_is_an_error():
    metric = evaluate_qa.load("judge")
    with pytest.raises(ValueError, match=r"^judge: model is missing; load the judge with the name of a chat model"):
        metric.compute(**rows("a"))


TINY = '---\nlabels: {"good": 1, "bad": 0}\n---\nIs {{ prediction }} good ?\n'


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """Loads a local judge that has learned which answers are good."""
    folder = tmp_path_factory.mktemp("judge")
    known = [([{"role": "user", "content": f"Is {answer} good ?"}], reply) for answer, reply in LEARNT.items()]
    save_chat_model(folder / "model", known)
    (folder / "tiny.j2").write_text(TINY, "utf-8")
    return partial(
        evaluate_qa.load, "judge", model=str(folder / "model"), protocol=folder / "tiny.j2", device="cpu", max_tokens=5
    )


LEARNT = {"gold": "good", "mud": "bad", "silver": "good . Really"}


def test_a_local_model_judges(local):
    out = local().compute(predictions=["mud", "gold", "silver"], references=["a"] * 3)
    rows = out["per_example"]
    assert rows["verdict"] == [False, True, True]
    assert rows["score"][0] < 0.1
    assert min(rows["score"][1:]) > 0.9
    assert 0 < rows["score"][0] < 1, "a probability"
    assert rows["tokens_out"] == [2, 2, 4], "with the token that ends the reply"
    assert rows["tokens_in"] == [7] * 3, "<user> Is gold good ? <end>, and <assistant>"
    assert out["signature"].startswith("judge|v:1.2.0|model:model|protocol:tiny.j2@")
    assert rows["score_source"] == ["logprobs"] * 3
    alone = [local(batch_size=1).compute(predictions=[answer], references=["a"])["judge"] for answer in ("mud", "gold")]
    assert alone == pytest.approx(rows["score"][:2], abs=1e-5)


def test_the_score_of_a_local_model_is_the_softmax_over_the_labels(local):
    """Against a forward pass of transformers over the prompt."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    metric = local()
    folder = metric.load_options.model
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    prompt = tokenizer("<user> Is gold good ? <end> <assistant>", return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        p = model(prompt).logits[0, -1].softmax(-1)
    good, bad = (p[tokenizer.convert_tokens_to_ids(label)].item() for label in ("good", "bad"))
    found = metric.compute(predictions=["gold"], references=["a"])["judge"]
    assert found == pytest.approx(good / (good + bad), abs=1e-6)


@pytest.mark.parametrize(
    ("options", "samples", "message"),
    [
        ({}, 1, "cannot load the chat model"),
        ({}, 2, "samples is above 1, but a local model"),
        ({"api": "decisions"}, 1, "'decisions' is given without endpoint"),
    ],
)
def test_what_a_local_model_cannot_do_is_an_error(tmp_path, options, samples, message):
    metric = evaluate_qa.load("judge", model=str(tmp_path), **options)
    with pytest.raises(ValueError, match=f"^judge: {message}"):
        metric.compute(**rows("a"), samples=samples)


SURE = {
    "predictions": ["Marie Curie, born in Warsaw.", "Bananas.", "", "Marie Curie or her husband, I am not sure"],
    "references": ["Marie Curie"] * 4,
    "questions": ["Who discovered radium?"] * 4,
}


@pytest.fixture(scope="module")
def bem():
    return evaluate_qa.load("bem")


def test_the_judge_is_asked_only_within_the_band(load, server, bem):
    scores = bem.compute(**SURE)["per_example"]["score"]
    band = (sorted(scores)[1] + 1e-6, max(scores) - 1e-6)  # excludes the best and the two worst answers
    out = load(first=bem).compute(**SURE, ask=band)
    within = [band[0] <= score < band[1] for score in scores]
    assert out["per_example"]["asked"] == [
        inside and bool(p) for inside, p in zip(within, SURE["predictions"], strict=True)
    ]
    assert 0 < sum(out["per_example"]["asked"]) < 3
    for row, inside in enumerate(within):
        if not inside and SURE["predictions"][row]:
            assert out["per_example"]["score"][row] == scores[row]
            assert out["per_example"]["verdict"][row] == (scores[row] > 0.5)
    asked = [p for p, inside in zip(SURE["predictions"], within, strict=True) if inside and p]
    assert server.asked == dict.fromkeys(asked, 1)
    assert out["asked"] == len(asked) / 4
    assert "|first:bem,v:1.3.0,cls:" in out["signature"]
    assert f"|ask:{band[0]:g}-{band[1]:g}|model:" in out["signature"]


def test_a_band_up_to_1_includes_the_score_1_as_the_help_says(load, server, bem):
    exact = {name: values[:1] for name, values in SURE.items()} | {"predictions": ["Marie Curie"]}
    assert bem.compute(**exact)["bem"] == 1
    assert load(first=bem).compute(**exact, ask=(0.2, 1))["asked"] == 1
    assert "low ≤ score < high; high = 1 includes 1" in inspect.getdoc(type(load()))


def test_best_reference_is_known_from_the_matcher_or_for_one_reference(load, bem):
    columns = {
        "predictions": ["It was Marie Curie.", "It was Marie Curie.", "It was Marie Curie."],
        "references": [["Bananas", "Marie Curie"], ["Bananas", "Marie Curie"], "Marie Curie"],
        "questions": ["Who discovered radium?"] * 3,
    }
    assert load(first=bem).compute(**columns, ask=(0, 0))["per_example"]["best_reference"] == [1, 1, 0]
    assert load(first=bem).compute(**columns, ask=(0, 1))["per_example"]["best_reference"] == [None, None, 0]


def test_not_attempted_comes_from_the_matcher(load, server, bem):
    columns = {
        "predictions": ["It was Marie Curie.", "I do not know.", "", "Bananas."],
        "references": ["Marie Curie"] * 4,
        "questions": ["Who discovered radium?"] * 4,
    }
    alone, out = bem.compute(**columns), load(first=bem).compute(**columns, ask=(0, 0))
    assert alone["per_example"]["not_attempted"] == [False, True, True, False]
    assert out["per_example"]["not_attempted"] == [False, True, True, False]
    assert out["per_example"]["judge_label"] == ["correct", "not attempted", "not attempted", "incorrect"]
    for figure in ("accuracy", "not_attempted", "accuracy_attempted"):
        assert out[figure] == alone[figure]
    asked = load(first=bem).compute(**columns, ask=(0, 1))
    assert asked["per_example"]["judge_label"][1] == "incorrect"


def test_a_judge_can_be_a_matcher(load, server):
    server.plan["wrong 2"] = ["Hm."]
    first = load(model="small")
    out = load(first=first).compute(**rows("right", "wrong 2", "wrong 3"), ask=(0.3, 0.7))
    assert out["per_example"]["asked"] == [False, True, False]
    assert out["per_example"]["verdict"] == [True, False, False]
    assert [body["model"] for body in server.bodies] == ["small"] * 3 + ["m"]


@pytest.mark.parametrize("name", evaluate_qa.metric_names())
def test_metrics_without_verdicts_cannot_be_matchers(load, name, cases):
    first = evaluate_qa.load(name, **cases[name].load)
    message = f"^judge: first is '{name}', which does not judge answers by references; expected bem, nli_lex or smile"
    if first.verdicts and "references" in first.columns:
        assert load(first=first).matcher is first
    else:
        for given in (first, name, evaluate_qa.path(name)):
            with pytest.raises(ValueError, match=message):
                load(first=given)


@pytest.mark.parametrize("result", [{}, {"per_example": {"score": [0.1]}, "signature": "s"}], ids=str)
def test_another_matcher_must_return_scores_and_verdicts(load, result):
    class Other:
        def compute(self, **_):
            return result

    with pytest.raises(ValueError, match=r"^judge: the matcher returned no signature, or no score and verdict per row"):
        load(first=Other()).compute(**rows("a"))


def test_a_matcher_can_be_a_name_a_folder_or_a_metric(load, server, bem):
    found = [load(first=first).compute(**SURE, ask=(0, 0)) for first in ("bem", evaluate_qa.path("bem"), bem)]
    assert found[0] == found[1] == found[2]
    assert found[0]["asked"] == 0
    assert server.bodies == []


def test_errors_of_the_matcher_come_before_requests(load, server, tmp_path):
    with pytest.raises(ValueError, match=r"^bem: questions\[1\] is ''; expected a question"):
        load(first="bem").compute(**rows("a", "b"), questions=["Who?", ""])
    with pytest.raises(FileNotFoundError, match=r"^judge: first is '.*, and there is no such metric"):
        load(first=str(tmp_path / "none"))
    for missing, found in {"bme": "Did you mean 'bem'[?] Available: bem", "none" * 100: "Available: bem"}.items():
        with pytest.raises(ValueError, match=f"^judge: first is '{missing[:9]}.*there is no metric .* {found}"):
            load(first=missing)
    assert server.bodies == []


def test_a_missing_package_is_named(load, monkeypatch):
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    with pytest.raises(
        ImportError, match=r"^judge: aiohttp is not installed; install it: pip install 'evaluate-qa\[judge\]'$"
    ):
        load().compute(**rows("a"))


def test_invalid_bands_raise(load, bem):
    with pytest.raises(ValueError, match=r"^judge: ask is given without first"):
        load().compute(**SURE, ask=(0.1, 0.9))
    for band in ((0.9, 0.1), (0.1,), 0.5, (-1, 1), (True, 1), ("a", "b"), (0, float("nan"))):
        with pytest.raises(ValueError, match=r"^judge: ask is .*; expected two numbers from 0 to 1, \(low, high\)"):
            load(first=bem).compute(**SURE, ask=band)
