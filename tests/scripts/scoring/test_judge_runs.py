"""`evaluate-qa score --metric judge`: signatures, verdicts that are missing, and what a resumed run asks again."""

import pytest
from chat_server import ChatServer
from commands import run_command

from evaluate_qa.files.rows import read_rows
from evaluate_qa.files.writing import write_rows

pytestmark = pytest.mark.filterwarnings("ignore:judge. no verdict on")


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
