"""The judge in batch mode, with a local server of files and batches."""

import time
from functools import partial

import pytest
from chat_server import numbered

import evaluate_qa
from evaluate_qa.metrics.judge import batches

KEY = "sk-batch-0123456789abcdef"


@pytest.fixture
def load(server, tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "_FIRST_WAIT", 0.01)
    server.apis |= {"files", "batches"}
    return partial(evaluate_qa.load, "judge", endpoint=server.url, model="m", cache_dir=tmp_path, batch=True)


def remembered(folder):
    return [*folder.rglob("batches/**/*.json")]


@pytest.mark.parametrize("protocol", ["default", "smile"])
def test_results_equal_those_of_immediate_requests(load, server, tmp_path, monkeypatch, protocol):
    monkeypatch.setattr(batches, "_MOST_REQUESTS", 3)
    if protocol == "smile":
        server.reply = '{"pred": "yes", "score": 4}'
    given = {**numbered(8), "questions": ["Which?"] * 8}
    server.states = ["validating", "in_progress", "finalizing", "completed"]
    out = load(protocol=protocol).compute(**given)
    assert [len(one) for one in server.uploads] == [3, 3, 1], "one row shows which fields the server refuses"
    assert remembered(tmp_path) == []
    assert out == load(cache_dir=tmp_path / "other", batch=False, protocol=protocol).compute(**given)
    asked = len(server.bodies)
    again = load(batch=False, protocol=protocol).compute(**given)
    assert len(server.bodies) == asked, "both modes share a store"
    assert again["signature"] == out["signature"]
    assert again["per_example"]["score"] == out["per_example"]["score"]


def test_a_refused_field_is_not_sent_in_a_batch(load, server):
    server.plan["wrong 0"] = [(400, b'{"error": {"message": "logprobs is not supported"}}')]
    out = load().compute(**numbered(4))
    assert out["per_example"]["verdict"] == [False, True, True, False]
    assert ["logprobs" in body for body in server.bodies] == [True, False, False, False, False]


def test_lines_with_errors_are_unscored(load, server, tmp_path):
    server.plan["right 1"] = [(400, b'{"error": {"message": "too long"}}')]
    server.plan["right 2"] = ["Well."]
    metric = load()
    out = metric.compute(**numbered(5))
    errors = out["per_example"]["error"]
    assert out["unscored"] == 2
    assert "status 400" in errors[1]
    assert "too long" in errors[1]
    assert [bool(error) for error in errors] == [False, True, True, False, False]
    assert metric.compute(**numbered(5))["unscored"] == 0, "like failed requests, they are asked again"
    assert sum(map(len, server.uploads)) == 4 + 1


def test_an_error_that_stops_keeps_the_other_verdicts(load, server, tmp_path):
    server.plan["right 1"] = [(400, b'{"error": {"message": "too long"}}')]
    with pytest.raises(ValueError, match="a row has no verdict: status 400"):
        load().compute(**numbered(5), unscored="raise")
    assert remembered(tmp_path) == []
    assert load().compute(**numbered(5), unscored="raise")["unscored"] == 0
    assert len(server.bodies) == 5 + 1


def test_a_failed_batch_has_a_reason_without_the_key(load, server, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.states = ["validating", "failed"]
    out = load().compute(**numbered(30))
    errors = out["per_example"]["error"]
    assert out["unscored"] == 29
    assert set(errors[1:]) == {"the batch has no reply to this request (failed, 0 of 29 requests: no room Bearer ***)"}
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert remembered(tmp_path) == []


def test_an_expired_batch_keeps_what_was_answered(load, server):
    server.states = ["in_progress", "expired"]
    out = load().compute(**numbered(30))
    assert out["unscored"] == 28
    assert "executed in time" in out["per_example"]["error"][29]
    assert load().compute(**numbered(30))["unscored"] == 0
    assert [len(one) for one in server.uploads] == [29, 27], "with another row asked immediately"


KILLED = """
import sys
import evaluate_qa
from evaluate_qa.metrics.judge import batches
batches._FIRST_WAIT = batches._LONGEST_WAIT = 0.01
folder, url, count = sys.argv[1:]
metric = evaluate_qa.load("judge", endpoint=url, model="m", cache_dir=folder, batch=True)
columns = {"predictions": [f"right {number}" for number in range(int(count))], "references": ["right"] * int(count)}
print(metric.compute(**columns)["accuracy"])
"""


@pytest.mark.parametrize("known", [True, False])
def test_a_killed_run_resumes(load, processes, server, tmp_path, known):
    """The kill comes while the batch is pending, or before the reply to its creation. More rows go to a new batch."""
    server.states = ["in_progress"] * 10**6
    server.batches["other"] = {"id": "other", "metadata": None}
    if not known:
        server.create = lambda _: "drip"
    with processes.start("-c", KILLED, tmp_path, server.url, 20) as process:
        while not (server.uploads and (not known or len(server.states) < 10**6)):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        process.kill()
    assert len(remembered(tmp_path)) == 1
    server.states, server.create = ["in_progress"], lambda batch: batch
    done = processes.run("-c", KILLED, tmp_path, server.url, 30, check=True)
    assert done.stdout.strip() == "1.0"
    assert [len(one) for one in server.uploads] == [19, 9]
    assert set(server.asked.values()) == {1}
    assert remembered(tmp_path) == []


def test_an_unknown_batch_stays_remembered(load, server, tmp_path):
    server.states = ["in_progress"]
    server.create = lambda batch: {**batch, "id": "gone"}
    for _ in range(2):
        with pytest.raises(ValueError, match=r"judge: .* batch 'gone': status 404: .*; repeat the call to resume, or"):
            load().compute(**numbered(5))
    assert len(server.uploads) == len(remembered(tmp_path)) == 1


def test_files_have_limits(monkeypatch):
    """A request that is larger than the limit gets a file of its own."""
    lines = [(number, b"x" * size) for number, size in enumerate([4, 4, 4, 1, 1, 1, 12, 1])]
    monkeypatch.setattr(batches, "_MOST_REQUESTS", 3)
    monkeypatch.setattr(batches, "_MOST_BYTES", 10)
    parts = [*batches._split(lines)]
    assert [rows for rows, _ in parts] == [[0, 1], [2, 3, 4], [5], [6], [7]]
    assert b"".join(content for _, content in parts) == b"".join(line for _, line in lines)


def test_a_server_without_batches(load, server, tmp_path):
    server.apis -= {"files"}
    with pytest.raises(ValueError, match=r"judge: the server accepted no batch: status 404: .*; expected a server"):
        load().compute(**numbered(5))
    assert remembered(tmp_path) == []


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"cache_dir": None}, "cache_dir=, a folder that remembers pending batches"),
        ({"endpoint": None, "cache_dir": None}, "endpoint=, the URL of .*, and cache_dir=, a folder .* batches"),
        ({"api": "systemone"}, r"api='chat' without aspects \(api is 'systemone', aspects is None\)"),
        ({"aspects": ["hedged"]}, r"api='chat' without aspects \(api is None, aspects is \['hedged'\]\)"),
        ({"model": None, "judges": ["a", "b"], "cache_dir": None}, "cache_dir=, a folder .* batches"),
    ],
)
def test_options_that_batches_need(load, server, given, found):
    with pytest.raises(ValueError, match=f"batch=True needs {found}$"):
        load(**given)
    assert server.bodies == []
