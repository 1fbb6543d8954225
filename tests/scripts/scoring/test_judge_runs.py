"""`evaluate-qa score --metric judge`: signatures, verdicts that are missing, and what a resumed run asks again."""

import json
import re
import shutil
from pathlib import Path

import pytest
from chat_server import ChatServer
from commands import run_command

from evaluate_qa.files.rows import read_rows
from evaluate_qa.files.writing import write_rows


@pytest.fixture
def chat_server():
    server = ChatServer(reply="correct")
    yield server
    server.close()


@pytest.fixture
def judge(working_folder, chat_server):
    def run(*options, code=0, **keywords):
        load = [f"--load=endpoint={chat_server.url}", "--load=model=m", "--load=concurrency=1"]
        files = ["--input", "in.jsonl", "--output", "out.jsonl"]
        return run_command("score", "--metric", "judge", *files, *load, *options, code=code, **keywords)

    return run


def _write(*predictions):
    write_rows("in.jsonl", [{"references": "right", "prediction": text, "label": 1} for text in predictions])


def _column(name):
    return [row[name] for _, row in read_rows("out.jsonl")]


def test_a_chunk_without_requests_has_the_signature_of_the_others(judge):
    _write("a", "b", "", "")
    judge("--chunk-size", 2)
    assert len({*_column("signature")}) == 1
    assert _column("score_source") == ["parse", "parse", "rule", "rule"]


def test_peoples_labels_stay(judge):
    _write("a", "b", "", "")
    judge()
    assert _column("label") == [1] * 4
    assert _column("judge_label") == ["correct", "correct", "not attempted", "not attempted"]


def test_rows_without_a_score_are_asked_again_and_the_others_keep_theirs(judge, chat_server):
    """Also with other options of the requests, and in a chunk with other rows."""
    _write("a", "b", "c", "d")
    chat_server.plan = {"b": ["Well."], "c": [(500, b"no")]}
    error = judge("--chunk-size", 2, "--load=max_retries=0", code=1).stderr
    assert "The judge gave no verdict on 2 of 4 rows. Fix the cause above, or allow more with" in error
    assert re.search(r"rows without a score .* 2 \(50.0%\)", error)
    assert _column("score") == [1, None, None, 1]
    chat_server.bodies.clear()
    chat_server.reply, chat_server.plan = "incorrect", {"c": ["Well."]}
    assert "only these rows are scored again" in judge("--chunk-size", 2, "--resume", "--max-unscored", 0.25).stderr
    assert chat_server.asked == {"b": 1, "c": 1}
    assert _column("score") == [1, 0, None, 1]
    judge("--chunk-size", 2, "--resume")
    assert _column("score") == [1, 0, 0, 1]
    assert sorted(path.name for path in Path().iterdir()) == ["in.jsonl", "out.jsonl"]
    assert "complete already" in judge("--chunk-size", 2, "--resume").stderr


def test_an_output_without_its_work_is_accepted(judge, chat_server):
    _write("a", "b")
    chat_server.plan = {"b": ["Well."]}
    judge(code=1)
    shutil.rmtree("out.jsonl.work")
    assert "complete already" in judge("--resume").stderr
    assert not Path("out.jsonl.work").exists()
    assert len(chat_server.bodies) == 2


@pytest.mark.parametrize("target", ["out.jsonl", "-"])
def test_a_judge_that_stops_ends_the_run_which_can_be_resumed(judge, chat_server, target):
    """30 rows get a verdict, then 20 requests fail in the second chunk; the third one is not begun."""
    names = [str(number) for number in range(150)]
    _write(*names)
    chat_server.plan = {name: [(401, b"{}")] for name in names[80:]}
    done = judge("--chunk-size", 50, "--output", target, code=1)
    assert "The judge stopped: 20 requests in a row failed: status 401: {}" in done.stderr
    assert len(chat_server.bodies) == 100
    chat_server.plan = {}
    if target == "-":
        assert [json.loads(line)["score"] for line in done.stdout.splitlines()] == [1] * 80 + [None] * 20
        return
    judge("--chunk-size", 50, "--resume")
    assert chat_server.asked == {name: 2 if 80 <= int(name) < 100 else 1 for name in names}
    assert _column("score") == [1] * 150
