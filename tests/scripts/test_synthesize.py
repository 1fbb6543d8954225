"""`evaluate-qa synthesize` against a real HTTP server and a real, tiny chat model: what is asked, kept and resumed."""

import hashlib
import html
import json
import re
import shutil
import signal
import threading
import time
from collections import Counter
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from tiny_chat_model import TEMPLATE, train_chat_model
from typer.testing import CliRunner

from evaluate_qa.cli import app
from evaluate_qa.commands.synthesize import PAPER_MODEL
from evaluate_qa.files.claiming import claimed
from evaluate_qa.files.writing import write_rows
from evaluate_qa.metrics._shared.chat_models import LocalModel
from evaluate_qa.scoring.columns import MetricColumns
from evaluate_qa.synthesis.output import SynthesisOutput, read_tasks
from evaluate_qa.synthesis.prompt import conversation, load_prompt

OUR_PROMPT = load_prompt(None)
EASY = "Paris"  # the answer to the question that is asked when rows fail


class _Server(ThreadingHTTPServer):
    """A chat completions endpoint that answers each prompt by its text, after the faults that a test asks for.

    Attributes:
        bodies: The requests, as received.
        faults: What a reference is answered with instead, one after the other; the last one without end if
            `lasting`. A number is a status, or with a fraction the seconds that each byte of an answer takes; a text is
            content, a dict the whole choice, bytes the whole body, a pair status and body.
        delay: Seconds before each reply.
        busiest: The largest number of requests under way at a time.
    """

    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.bodies, self.paths, self.keys = [], [], []
        self.faults, self.lasting, self.delay = {}, False, lambda reference: 0.0
        self.lock, self.busy, self.busiest = threading.Lock(), 0, 0

    def asked(self):
        """How often each reference was asked for."""
        return Counter(reference_of(body) for body in self.bodies)

    def reply(self, body):
        reference = reference_of(body)
        with self.lock:
            self.bodies.append(body)
            self.busy += 1
            self.busiest = max(self.busiest, self.busy)
            faults = self.faults.get(reference, [])
            fault = (faults[0] if self.lasting else faults.pop(0)) if faults else sentence(reference)
        time.sleep(self.delay(reference))
        with self.lock:
            self.busy -= 1
        return fault


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: two would wait for each other

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.paths.append(self.path)
        self.server.keys.append(self.headers["Authorization"])
        reply = self.server.reply(body)
        if isinstance(reply, int):
            self.send(reply, json.dumps({"error": {"message": f"fault {reply}"}}).encode())
        elif isinstance(reply, tuple):
            self.send(*reply)
        elif isinstance(reply, bytes):
            self.send(200, reply)
        elif isinstance(reply, float):
            self.drip(reply)
        else:
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}
            choice |= reply if isinstance(reply, dict) else {}
            completion = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
            self.send(200, json.dumps(completion).encode())

    def send(self, status, content):
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Retry-After-Ms", "5")
            self.end_headers()
            self.wfile.write(content)
        except OSError:  # the client was killed or has given up
            self.close_connection = True

    def drip(self, seconds):
        answer = (
            b'{"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "a"}}]}'
        )
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(answer)
        try:
            for byte in head + answer:
                time.sleep(seconds)
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
        except OSError:
            self.close_connection = True

    def log_message(self, *args):
        pass


def reference_of(body):
    return re.search(r"\nAnswer: (.*)\nReply with", body["messages"][1]["content"], flags=re.DOTALL)[1]


def sentence(reference):
    return f"  It is {reference}.\n"


@pytest.fixture
def server():
    with _Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def run(source, output, *options, **named):
    """Run the command; named options are written as on the command line."""
    arguments = ["synthesize", "--input", str(source), "--output", str(output), *options]
    return CliRunner().invoke(app, [*arguments, *typed(**named)])


def typed(**named):
    """Return options as they are typed: those of the model by --load."""
    own = ("model", "endpoint", "column", "prompt", "errors")
    pairs = [(name, one) for name, value in named.items() for one in (value if isinstance(value, list) else [value])]
    found = [(f"--{name}", str(one)) if name in own else ("--load", f"{name}={one}") for name, one in pairs]
    return [text for pair in found for text in pair]


def write(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def read(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def some_rows(count):
    return [{"id": n, "questions": f"Which is number {n}?", "references": [f"r{n}", f"s{n}"]} for n in range(count)]


def answered(row):
    references = row["references"] if isinstance(row["references"], list) else [row["references"]]
    return row | {"synthetic_answers": [f"It is {reference}." for reference in references]}


# What is asked


def test_messages_are_the_prompt_with_question_and_reference_filled_in(tmp_path, server):
    source = write(tmp_path / "a.jsonl", [{"questions": "How many {legs} has a spider?", "references": "8"}])
    assert run(source, tmp_path / "b.jsonl", endpoint=server.url, model="m").exit_code == 0
    system, user = server.bodies[0]["messages"]
    assert system["content"].startswith("You turn answers to questions into sentences.")
    assert "\nQuestion: How many {legs} has a spider?\nAnswer: 8\n" in user["content"]
    messages = [{"role": "system", "content": system["content"]}, {"role": "user", "content": user["content"]}]
    assert server.bodies == [{"model": "m", "messages": messages, "max_tokens": 256, "temperature": 0}]
    assert server.paths == ["/v1/chat/completions"]


def test_extra_body_adds_to_the_request_and_wins(tmp_path, server):
    source = write(tmp_path / "a.jsonl", some_rows(1))
    extra = '{"max_tokens": null, "max_completion_tokens": 99, "temperature": 1}'
    assert run(source, tmp_path / "b.jsonl", endpoint=server.url, extra_body=extra).exit_code == 0
    body = server.bodies[0]
    assert (body["max_tokens"], body["max_completion_tokens"], body["temperature"]) == (None, 99, 1)
    assert body["model"] == PAPER_MODEL


@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}", "http://127.0.0.1:{port}/v1/chat/completions/"])
def test_other_forms_of_the_address_are_understood(tmp_path, server, url):
    source = write(tmp_path / "a.jsonl", some_rows(1))
    result = run(source, tmp_path / "b.jsonl", endpoint=url.format(port=server.server_port))
    assert result.exit_code == 0
    assert set(server.paths) == {"/v1/chat/completions"}


def test_the_key_comes_from_the_usual_variable(tmp_path, server, monkeypatch):
    source = write(tmp_path / "a.jsonl", [{"question": "q", "reference": "r"}])
    monkeypatch.setenv("OPENAI_API_KEY", "usual")
    run(source, tmp_path / "b.jsonl", endpoint=server.url)
    assert server.keys == ["Bearer usual"]
    assert "usual" not in (tmp_path / "b.jsonl.settings.json").read_text()


# What is written


def test_rows_come_back_in_input_order_with_one_answer_for_each_reference(tmp_path, server):
    rows = [
        {"questions": "Wer schrieb es?", "references": ["Müller", "MÜLLER 🎭", "Müller"], "x": {"deep": [1, None]}},
        {"questions": "q\u2028\ud800", "references": "lone \ud83d", "x": 1.5},
        {"questions": "Wer schrieb es?", "references": "Müller"},
        {"questions": "Wer schrieb es?", "references": "Müller"},
        *some_rows(20),
    ]
    server.delay = lambda reference: 0.1 if reference.startswith("Müller") else 0.001
    source, output = write(tmp_path / "a.jsonl", rows), tmp_path / "b.jsonl"
    result = run(source, output, endpoint=server.url)
    assert result.exit_code == 0, result.output
    expected = [answered(row) for row in rows]
    expected[1]["synthetic_answers"] = ["It is lone \ufffd."]  # UTF-8, and so a request, cannot hold the half pair
    assert read(output) == expected
    assert "Müller" in output.read_text("utf-8")
    assert "24 of 24 rows" in result.stderr
    # The pairs of the four first rows are three; the order in which they were finished was another.
    assert server.asked().total() == 3 + 40
    assert max(server.asked().values()) == 1


def test_concurrency_is_used_and_kept(tmp_path, server):
    server.delay = lambda reference: 0.02
    source = write(tmp_path / "a.jsonl", some_rows(15))
    assert run(source, tmp_path / "b.jsonl", endpoint=server.url, concurrency=5).exit_code == 0
    assert server.busiest == 5


@pytest.mark.parametrize(
    ("row", "options"),
    [
        ({"question": "q", "reference": "r"}, {}),
        ({"questions": "q", "references": ["r"], "question": 1, "reference": 2}, {}),
        ({"ask": "q", "gold": ["r"]}, {"column": ["questions=ask", "references=gold"]}),
    ],
)
def test_columns_may_bear_other_names(tmp_path, server, row, options):
    source, output = write(tmp_path / "a.jsonl", [row]), tmp_path / "b.jsonl"
    assert run(source, output, endpoint=server.url, **options).exit_code == 0
    assert read(output) == [row | {"synthetic_answers": ["It is r."]}]


@pytest.mark.parametrize("column", ["references", "reference", "gold"])
def test_csv_is_read_too(tmp_path, server, column):
    source, output = tmp_path / "a.csv", tmp_path / "b.jsonl"
    source.write_text(f'questions,{column}\nq,"[""r"", ""s""]"\n')
    options = {"column": ["references=gold"]} if column == "gold" else {}
    assert run(source, output, endpoint=server.url, **options).exit_code == 0
    assert read(output) == [{"questions": "q", column: ["r", "s"], "synthetic_answers": ["It is r.", "It is s."]}]


def test_parquet_is_read_too_and_its_dates_become_texts(tmp_path, server):
    source, output = tmp_path / "a.parquet", tmp_path / "b.jsonl"
    write_rows(source, [{"questions": "q", "references": ["r"], "day": date(2024, 7, 26)}])
    for _ in range(2):
        assert run(source, output, endpoint=server.url).exit_code == 0
        assert read(output) == [answered({"questions": "q", "references": ["r"], "day": "2024-07-26"})]
    assert len(server.bodies) == 1


# What fails


def test_busy_and_broken_servers_are_asked_again(tmp_path, server):
    server.faults = {"r0": [429, 500, 503], "s1": [502]}
    source, output = write(tmp_path / "a.jsonl", some_rows(2)), tmp_path / "b.jsonl"
    assert run(source, output, endpoint=server.url, max_retries=3).exit_code == 0
    assert server.asked() == {"r0": 4, "s0": 1, "r1": 1, "s1": 2}
    assert read(output) == [answered(row) for row in some_rows(2)]


CUT_OFF = {"finish_reason": "length", "message": {"content": "It is"}}
FAULTS = {
    "empty": ("", "answer is empty"),
    "blank": (" \n\u00a0\t", "answer is empty"),
    "null": (None, "answer is empty"),
    "parts": ([{"type": "text"}], "answer is empty"),
    "cut off": (CUT_OFF, "cut off at 256 tokens; allow more"),
    "no message": ({"message": None}, "not a chat completion"),
    "no choices": (b'{"choices": []}', "not a chat completion"),
    "not json": (b"<html>", "not a chat completion"),
    "another resource": (b'"hello"', "not a chat completion"),
    "no list": (b'{"choices": {"a": 1}}', "not a chat completion"),
    "too deep": (b"[" * 100_000, "not a chat completion"),
    "bad request": (400, "fault 400"),
    "overloaded": (503, "fault 503"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_row_that_fails_is_reported_not_written_and_asked_again_by_the_next_run(tmp_path, server, fault):
    rows = [*some_rows(3), {"questions": "again?", "references": "s1"}]
    source, output, errors = write(tmp_path / "a.jsonl", rows), tmp_path / "b.jsonl", tmp_path / "errors.jsonl"
    server.faults, server.lasting = {"s1": [FAULTS[fault][0]]}, True
    result = run(source, output, endpoint=server.url, errors=errors, max_retries=1, concurrency=3)
    assert result.exit_code == 1
    assert read(output) == [answered(rows[0]), answered(rows[2])]
    assert "2 of 4 rows" in result.stderr
    for line, error in zip((2, 4), sorted(read(errors), key=lambda error: error["row"]), strict=True):
        assert (error["row"], error["input"]) == (line, rows[line - 1])
        assert FAULTS[fault][1] in error["error"]
        assert f"line {line}: {error['error']}" in result.stderr

    server.faults = {}
    server.bodies.clear()
    result = run(source, output, endpoint=server.url, errors=errors)
    assert result.exit_code == 0
    assert read(output) == [answered(row) for row in rows]
    assert set(server.asked()) == {"r1", "s1"}
    assert read(errors) == []


def test_a_server_that_hangs_fails_the_row_in_time(tmp_path, server):
    server.delay = lambda reference: 1.0 if reference == "r0" else 0.0
    source, output = write(tmp_path / "a.jsonl", some_rows(2)), tmp_path / "b.jsonl"
    result = run(source, output, endpoint=server.url, timeout=0.2, max_retries=0)
    assert result.exit_code == 1
    assert "line 1: no whole reply in 0.2 s" in result.stderr
    assert read(output) == [answered(some_rows(2)[1])]


@pytest.mark.parametrize("seconds", [0.02, 0.1])
def test_a_server_that_drips_fails_the_row_in_time(tmp_path, server, seconds):
    """With head and answer it sends 180 bytes, in 3.6 s or 18 s: the answer's first after 0.4 s does not help it."""
    server.faults, server.lasting = {"r0": [seconds]}, True
    source, output = write(tmp_path / "a.jsonl", some_rows(2)), tmp_path / "b.jsonl"
    start = time.monotonic()
    result = run(source, output, endpoint=server.url, timeout=1.5, max_retries=1)
    assert time.monotonic() - start < 12
    assert "line 1: no whole reply in 1.5 s" in result.stderr
    assert server.asked()["r0"] == 2
    assert read(output) == [answered(some_rows(2)[1])]


KEY = "sk-proj-A/b+c=d&e_0123456789"
ECHOES = {
    "plain": f"wrong key {KEY}",
    "in JSON": json.dumps({"Authorization": f"Bearer {KEY}"}),
    "in JSON with escapes": json.dumps(KEY).replace("/", "\\/").replace("-", "\\u002d"),
    "in a URL": f"see http://h/?key={quote(KEY, safe='')}",
    "in HTML": f"<html>{html.escape(KEY)}",
    "in part": f"key {KEY[3:20]}…",
}


@pytest.mark.parametrize("status", [401, 400])
@pytest.mark.parametrize("echo", ECHOES)
def test_the_key_is_neither_told_nor_written(tmp_path, server, monkeypatch, echo, status):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.faults, server.lasting = {"r0": [(status, json.dumps({"error": {"message": ECHOES[echo]}}).encode())]}, True
    source, errors = write(tmp_path / "a.jsonl", some_rows(1)), tmp_path / "errors.jsonl"
    result = run(source, tmp_path / "b.jsonl", endpoint=server.url, errors=errors)
    assert f"{status}" in result.stderr
    assert "***" in result.stderr
    for told in (result.output, errors.read_text("utf-8")):
        # What is left of the key, however it is read, is less than 8 characters in a row.
        plain = unquote(html.unescape(told)).replace("\\u002d", "-").replace("\\", "")
        assert not [at for at in range(len(KEY) - 7) if KEY[at : at + 8] in plain], told


@pytest.mark.parametrize(("end", "code", "sent"), [("\n", 0, [f"Bearer {KEY}"] * 2), ("\nmore", 1, [])])
def test_a_key_that_is_no_header_is_not_told(tmp_path, server, monkeypatch, end, code, sent):
    """A line end, as a shell may leave one, is left out; what cannot be sent at all is an error without it."""
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}{end}")
    result = run(write(tmp_path / "a.jsonl", some_rows(1)), tmp_path / "b.jsonl", endpoint=server.url, max_retries=0)
    assert (result.exit_code, server.keys) == (code, sent)
    assert KEY[:8] not in result.output


def test_a_server_that_is_not_there_ends_the_run_early(tmp_path):
    source, output = write(tmp_path / "a.jsonl", some_rows(100)), tmp_path / "b.jsonl"
    # Nothing listens on port 9 (discard).
    result = run(source, output, endpoint="http://127.0.0.1:9/v1", max_retries=0, concurrency=1)
    assert result.exit_code == 1
    assert "0 of 100 rows" in result.stderr
    assert "The run ended early: 20 requests in a row failed, and so did a test" in result.stderr
    assert "no whole reply: ClientConnectorError: Cannot connect to host 127.0.0.1:9" in result.stderr
    assert "10 rows failed" in result.stderr
    assert output.read_bytes() == b""


def test_a_key_that_is_refused_ends_the_run_early_also_with_many_requests_at_a_time(tmp_path, server):
    rows = [{"questions": "q", "references": f"{n}"} for n in range(100)]
    server.faults, server.lasting = {reference: [401] for reference in (*map(str, range(100)), EASY)}, True
    source, output = write(tmp_path / "a.jsonl", rows), tmp_path / "b.jsonl"
    result = run(source, output, endpoint=server.url, concurrency=8)
    assert re.search(r"ended early: 2\d requests in a row", result.stderr), "a few more may come in at the same moment"
    assert ": status 401: " in result.stderr
    assert 20 <= len(server.bodies) < 20 + 2 * 8
    assert server.asked()[EASY] == 1
    assert EASY not in output.read_text("utf-8")


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("fault", [(400, b'{"error": {"code": "content_filter"}}'), CUT_OFF], ids=["refused", "cut"])
def test_many_rows_that_fail_for_good_keep_no_other_from_being_asked(tmp_path, server, fault, concurrency):
    """More than 20, at the beginning and in the middle; the easy question is asked ever less often."""
    rows = [{"questions": "q", "references": f"{n}"} for n in range(200)]
    bad = {*range(70), *range(100, 190)}
    server.faults, server.lasting = {f"{n}": [fault] for n in bad}, True
    source, output = write(tmp_path / "a.jsonl", rows), tmp_path / "b.jsonl"
    for _ in range(2):
        server.bodies.clear()
        result = run(source, output, endpoint=server.url, concurrency=concurrency)
        assert result.exit_code == 1
        assert "40 of 200 rows" in result.stderr
        assert "160 rows failed. Run the same command again to retry them" in result.stderr
        assert "ended early" not in result.stderr
        assert read(output) == [answered(row) for n, row in enumerate(rows) if n not in bad]
    # The second run asks for those 160 alone: after 20, 40 and 80 failures it asks the easy question.
    assert server.asked()[EASY] == 3
    assert len(server.asked()) == 161
    assert len(server.bodies) <= 163 + 3 * (concurrency - 1), "what was under way is asked for again"


def test_a_server_that_stops_in_the_middle_ends_the_run_early(tmp_path, server):
    rows = [{"questions": "q", "references": f"{n}"} for n in range(200)]
    gone = [*map(str, range(50, 200)), EASY]
    server.faults, server.lasting = {reference: [503] for reference in gone}, True
    source, output = write(tmp_path / "a.jsonl", rows), tmp_path / "b.jsonl"
    result = run(source, output, endpoint=server.url, concurrency=1, max_retries=0)
    assert "50 of 200 rows" in result.stderr
    assert "The run ended early: 20 requests in a row failed" in result.stderr
    assert len(server.bodies) == 50 + 20 + 1
    server.faults = {}
    assert run(source, output, endpoint=server.url).exit_code == 0
    assert read(output) == [answered(row) for row in rows]


def test_failures_between_answers_do_not_end_the_run(tmp_path, server):
    rows = [{"questions": "q", "references": f"{n}"} for n in range(50)]
    server.faults = {f"{n}": [""] for n in range(0, 50, 2)}
    source, output = write(tmp_path / "a.jsonl", rows), tmp_path / "b.jsonl"
    result = run(source, output, endpoint=server.url, concurrency=1)
    assert "25 of 50 rows" in result.stderr
    assert "… and 15 more. --errors FILE lists all of them." in result.stderr
    assert [row["references"] for row in read(output)] == [f"{n}" for n in range(1, 50, 2)]


# What is resumed


@pytest.fixture
def finished(tmp_path, server):
    """The rows, the output of a run without interruption and its bytes."""
    rows = [*some_rows(4), {"questions": "Ω?", "references": "ω😀"}, {"questions": "Ω?", "references": "ω😀"}]
    source, output = write(tmp_path / "a.jsonl", rows), tmp_path / "b.jsonl"
    assert run(source, output, endpoint=server.url, model="m").exit_code == 0
    server.bodies.clear()
    return source, output, output.read_bytes()


def test_a_finished_output_is_left_as_it_is(finished, server):
    source, output, whole = finished
    result = run(source, output, endpoint=server.url, model="m")
    assert (result.exit_code, output.read_bytes(), server.bodies) == (0, whole, [])
    assert "has 6 of 6 rows" in result.stderr
    assert "6 of them from an earlier run" in result.stderr


@pytest.mark.parametrize("lost", [1, 2, 12, 40])  # in the line end, in the bracket, in the emoji, in a name
def test_a_torn_last_line_is_made_again(finished, server, lost):
    source, output, whole = finished
    first = whole.splitlines(keepends=True)[0]
    output.write_bytes(whole[len(first) : -lost])
    assert run(source, output, endpoint=server.url, model="m").exit_code == 0
    assert output.read_bytes() == whole
    # The last two rows are the same: one of them is enough to know the answer.
    assert set(server.asked()) == {"r0", "s0"}


def test_whole_lines_are_kept_wherever_the_file_is_torn(finished):
    source, output, whole = finished
    tasks, settings = (
        read_tasks(source, MetricColumns()),
        json.loads(Path(f"{output}.settings.json").read_text("utf-8")),
    )
    for kept in range(len(whole) + 1):
        output.write_bytes(whole[:kept])
        lines = (whole[:kept] + whole[kept:][:1]).count(b"\n")  # a line that lacks its end alone is whole
        assert list(SynthesisOutput(output, tasks, settings).finished) == list(range(lines))
        assert output.read_bytes() == b"".join(whole.splitlines(keepends=True)[:lines])


def test_rows_in_any_order_are_taken_up(finished, server):
    source, output, whole = finished
    lines = whole.splitlines(keepends=True)
    output.write_bytes(lines[5] + lines[2] + lines[0])
    assert run(source, output, endpoint=server.url, model="m").exit_code == 0
    assert output.read_bytes() == whole
    assert set(server.asked()) == {"r1", "s1", "r3", "s3"}


def test_rows_added_to_the_input_are_added_to_the_output(finished, server):
    source, output, _ = finished
    rows = read(source)
    write(source, [rows[0], {"questions": "new?", "references": "new"}, *rows[1:]])
    assert run(source, output, endpoint=server.url, model="m").exit_code == 0
    assert set(server.asked()) == {"new"}
    assert [row["questions"] for row in read(output)][:2] == [rows[0]["questions"], "new?"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"model": "other"}, "was made with model 'm', now it is 'other'"),
        ({"extra_body": '{"seed": 1}'}, "was made with extra_body {}, now it is {'seed': 1}"),
        ({"column": ["references=references"]}, "was made with columns {}"),
    ],
)
def test_other_settings_are_noticed(finished, server, options, told):
    source, output, whole = finished
    result = run(source, output, **({"endpoint": server.url, "model": "m"} | options))
    assert result.exit_code == 1
    assert told in result.stderr
    assert f"remove {output} to start over" in result.stderr
    assert (output.read_bytes(), server.bodies) == (whole, [])


def test_a_model_run_here_is_not_taken_for_the_same_behind_an_endpoint(finished):
    source, output, _ = finished
    result = run(source, output, model="m")
    assert "was made with generator 'endpoint', now it is 'transformers'" in result.stderr


def test_another_prompt_is_noticed(finished, tmp_path, server):
    source, output, whole = finished
    kept = json.loads(Path(f"{output}.settings.json").read_text("utf-8"))
    assert kept["prompt"] == hashlib.sha256(OUR_PROMPT.text.encode()).hexdigest()[:8]
    file = tmp_path / "prompt.jinja"
    file.write_text(OUR_PROMPT.text + " ", "utf-8")
    result = run(source, output, endpoint=server.url, model="m", prompt=file)
    assert f"was made with prompt '{kept['prompt']}', now it is '{load_prompt(file).hash}'" in result.stderr
    assert (output.read_bytes(), server.bodies) == (whole, [])
    file.write_text(kept["prompt_text"], "utf-8")
    assert run(source, output, endpoint=server.url, model="m", prompt=file).exit_code == 0


def test_a_longer_limit_goes_on_with_the_same_output(finished, server):
    source, output, whole = finished
    assert run(source, output, endpoint=server.url, model="m", max_tokens=512).exit_code == 0
    assert output.read_bytes() == whole


def test_a_changed_input_is_noticed(finished, server):
    source, output, whole = finished
    rows = read(source)
    rows[2]["references"][1] = "changed"
    write(source, rows)
    result = run(source, output, endpoint=server.url, model="m")
    assert result.exit_code == 1
    assert f"{output}, line 3: the input has no such row" in result.stderr
    assert (output.read_bytes(), server.bodies) == (whole, [])


@pytest.mark.parametrize("edit", [[], ["one"], ["one", " "], "text", None])
def test_an_edited_output_is_noticed(finished, server, edit):
    source, output, _ = finished
    rows = read(output)
    rows[1]["synthetic_answers"] = edit
    write(output, rows)
    result = run(source, output, endpoint=server.url, model="m")
    assert f"{output}, line 2: synthetic_answers is {edit!r}; expected 2 texts" in result.stderr
    assert result.exit_code == 1


def test_a_file_that_the_command_did_not_make_is_not_touched(tmp_path, server):
    source, output = write(tmp_path / "a.jsonl", some_rows(1)), tmp_path / "b.jsonl"
    output.write_bytes(b"precious, without a line end")
    result = run(source, output, endpoint=server.url)
    assert (result.exit_code, output.read_bytes()) == (1, b"precious, without a line end")
    assert "is there, but not how it was made" in result.stderr


def test_an_output_without_a_line_end_that_the_command_did_not_make_is_not_touched(finished, server):
    """The settings of an earlier output are there, but what is in its place now is another file."""
    source, output, whole = finished
    for content in (b"precious, without a line end", whole + b"precious", whole + b'{"questions": "else?"'):
        output.write_bytes(content)
        result = run(source, output, endpoint=server.url, model="m")
        assert (result.exit_code, output.read_bytes(), server.bodies) == (1, content, [])
        assert f"remove {output} to start over" in result.stderr


def test_a_last_line_that_was_edited_without_its_end_is_kept(finished, server):
    source, output, whole = finished
    edited = whole.replace(b"It is \xcf\x89", b"Mine is \xcf\x89")
    output.write_bytes(edited.removesuffix(b"\n"))
    assert run(source, output, endpoint=server.url, model="m").exit_code == 0
    assert (output.read_bytes(), server.bodies) == (edited, [])


def test_settings_that_the_command_did_not_make_are_not_touched(tmp_path, server):
    source, settings = write(tmp_path / "a.jsonl", some_rows(1)), tmp_path / "b.jsonl.settings.json"
    for content in ("mine", '{"mine": 1}', "[]", "7"):
        settings.write_text(content)
        result = run(source, tmp_path / "b.jsonl", endpoint=server.url)
        assert "b.jsonl.settings.json exists and was not written by this command" in result.stderr
        assert (settings.read_text(), server.bodies) == (content, [])


def test_an_output_that_is_a_link_stays_one(tmp_path, server):
    (tmp_path / "far").mkdir()
    real, link = tmp_path / "far" / "real.jsonl", tmp_path / "b.jsonl"
    link.symlink_to(real)
    source = write(tmp_path / "a.jsonl", some_rows(5))
    server.delay = lambda reference: 0.05 if reference == "r0" else 0.0  # so that rows are brought into order
    assert run(source, link, endpoint=server.url).exit_code == 0
    assert (link.readlink(), read(real)) == (real, [answered(row) for row in some_rows(5)])
    assert "5 of them from an earlier run" in run(source, real, endpoint=server.url).stderr


def test_two_runs_do_not_write_the_same_output(tmp_path, server):
    source, output, errors = write(tmp_path / "a.jsonl", some_rows(3)), tmp_path / "b.jsonl", tmp_path / "e.jsonl"
    server.delay = lambda reference: 0.3
    first = threading.Thread(target=run, args=(source, output), kwargs={"endpoint": server.url, "concurrency": 1})
    first.start()
    while not server.bodies and first.is_alive():
        time.sleep(0.01)
    result = run(source, output, endpoint=server.url, errors=errors)
    first.join()
    with claimed(errors):
        other = run(source, tmp_path / "c.jsonl", endpoint=server.url, errors=errors)
    assert f"{errors}: another run is writing it" in other.stderr
    assert f"{output}: another run is writing it. Wait for that run, or stop it" in result.stderr
    assert read(output) == [answered(row) for row in some_rows(3)]
    assert max(server.asked().values()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl", "b.jsonl.settings.json"]


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_killed_run_goes_on_where_it_was_and_ends_like_one_that_was_not(processes, tmp_path, server, concurrency):
    rows = some_rows(20)
    source, output, uninterrupted = write(tmp_path / "a.jsonl", rows), tmp_path / "b.jsonl", tmp_path / "c.jsonl"
    named = {"endpoint": server.url, "model": "m", "concurrency": concurrency}
    assert run(source, uninterrupted, **named).exit_code == 0
    server.bodies.clear()

    # Of two requests for a row the second takes longer, so that with four at a time rows are finished out of order.
    server.delay = lambda reference: 0.02 * (1 + int(reference[1:]) % 3)
    code = "from evaluate_qa.cli import app; app()"
    with processes.start("-c", code, "synthesize", "--input", source, "--output", output, *typed(**named)) as process:
        deadline = time.monotonic() + 60
        while not output.exists() or output.read_bytes().count(b"\n") < 5:
            assert process.poll() is None, "ended before it was killed"
            assert time.monotonic() < deadline, "wrote nothing"
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    saved = [line for line in output.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    assert 5 <= len(saved) < 20

    time.sleep(0.1)  # what was under way at the server ends
    server.bodies.clear()
    result = run(source, output, **named)
    assert result.exit_code == 0
    assert f"{len(saved)} of them from an earlier run" in result.stderr
    assert output.read_bytes() == uninterrupted.read_bytes()
    finished = {reference for line in saved for reference in json.loads(line)["references"]}
    assert not finished & set(server.asked())
    assert server.asked().total() == 2 * (20 - len(saved))


# What is refused before anything is asked or loaded


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"questions": "q"', "not JSON"),
        ('["q", "r"]', "a JSON list"),
        ('{"questions": "q"}', "no column 'references'"),
        ('{"question": "q", "referenze": "r"}', "Did you mean 'referenze'"),
        ('{"prompt": "q", "references": "r"}', "Use --column questions=NAME to read another column."),
        ('{"questions": "q", "references": []}', "references is []; expected a string or a non-empty list"),
        ('{"questions": "q", "references": ["r", " "]}', "none of them empty"),
        ('{"questions": "q", "references": ["r", null]}', "references is ['r', None]"),
        ('{"questions": "q", "references": 8}', "references is 8"),
        ('{"questions": "", "references": "r"}', "questions is ''; expected a text that is not empty"),
        ('{"questions": null, "references": "r"}', "questions is None"),
        ('{"questions": "q", "references": "r", "synthetic_answers": ["a"]}', "'synthetic_answers' already"),
    ],
)
def test_a_bad_row_is_named_before_anything_is_asked(tmp_path, server, line, told):
    source, output = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    source.write_text('{"questions": "q", "references": "r"}\n\n' + line + "\n")
    for options in ({"endpoint": server.url}, {"model": str(tmp_path / "no model")}):
        result = run(source, output, **options)
        assert result.exit_code == 1
        assert f"evaluate-qa synthesize: {source}, line 3: " in result.stderr
        assert told in result.stderr
    assert (server.bodies, output.exists()) == ([], False)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"endpoint": "localhost:8000"}, "expected a URL such as"),
        ({"endpoint": "http://h", "concurrency": 0}, "concurrency is 0; expected more than 0"),
        ({"endpoint": "http://h", "timeout": 0}, "timeout is 0"),
        ({"endpoint": "http://h", "max_retries": -1}, "max_retries is -1"),
        ({"endpoint": "http://h", "extra_body": "[1]"}, "--load extra_body=[1]: expected a JSON object"),
        ({"endpoint": "http://h", "extra_body": "{"}, "--load extra_body={: expected a JSON object"),
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"batch_size": "many"}, "--load batch_size=many: expected a number, such as batch_size=32."),
        ({"concurrency": 2}, "--load concurrency: there is no such option without --endpoint."),
        ({"endpoint": "http://h", "timeuot": 2}, "no such option with --endpoint. Did you mean 'timeout'?"),
        ({"dtype": "int8"}, "dtype is 'int8'; expected auto, float32"),
    ],
)
def test_bad_options_are_refused(tmp_path, options, told):
    result = run(write(tmp_path / "a.jsonl", some_rows(1)), tmp_path / "b.jsonl", **options)
    assert result.exit_code == 1
    assert told in result.stderr
    assert not (tmp_path / "b.jsonl").exists()


@pytest.mark.parametrize("link", [Path.hardlink_to, Path.symlink_to, None])
@pytest.mark.parametrize("clash", ["output", "errors"])
def test_files_that_would_overwrite_each_other_are_refused(tmp_path, clash, link):
    source = write(tmp_path / "a.jsonl", some_rows(1))
    before = source.read_bytes()
    other = tmp_path / "linked.jsonl" if link else tmp_path / "." / "a.jsonl"
    if link:
        link(other, source)
    paths = {"output": tmp_path / "b.jsonl", "errors": tmp_path / "e.jsonl", clash: other}
    result = run(source, paths["output"], errors=paths["errors"], endpoint="http://h")
    assert f"--input and --{clash} must be different files" in result.stderr
    assert source.read_bytes() == before


@pytest.mark.parametrize("name", ["mine.jsonl", "b.jsonl.settings.json"])
def test_failures_replace_nothing_but_failures(tmp_path, server, name):
    source, mine = write(tmp_path / "a.jsonl", some_rows(1)), write(tmp_path / name, [{"row": 1, "mine": 2}])
    before = mine.read_bytes()
    result = run(source, tmp_path / "b.jsonl", errors=mine, endpoint=server.url)
    assert "does not hold bad rows" in result.stderr or "must be different files" in result.stderr
    assert (mine.read_bytes(), server.bodies) == (before, [])


@pytest.mark.parametrize("name", ["b.parquet", "-"])
def test_the_output_must_be_a_jsonl_file(tmp_path, name):
    source = write(tmp_path / "a.jsonl", some_rows(1))
    result = run(source, name if name == "-" else tmp_path / name, endpoint="http://h")
    assert "Give it a name that ends in .jsonl" in result.stderr


def test_an_empty_or_missing_input_and_a_missing_folder_are_refused(tmp_path):
    (tmp_path / "a.jsonl").write_text("\n")
    assert "there are no rows" in run(tmp_path / "a.jsonl", tmp_path / "b.jsonl").stderr
    assert "no such file" in run(tmp_path / "none.jsonl", tmp_path / "b.jsonl").stderr
    source = write(tmp_path / "a.jsonl", some_rows(1))
    assert "mkdir -p" in run(source, tmp_path / "none" / "b.jsonl").stderr
    assert "mkdir -p" in run(source, tmp_path / "b.jsonl", errors=tmp_path / "none" / "e.jsonl").stderr


# A model that is run here

KNOWN = {
    ("What is the capital of France?", "Paris"): "The capital is Paris .",
    ("Who wrote Faust?", "Goethe"): "It was written by Goethe .",
    ("Who wrote Faust, and did he finish it in the year before he died?", "yes, Goethe did"): "Goethe finished it .",
    ("How many legs has a spider?", "8"): "A spider walks on 8 legs .",
}
SILENT = ("Say nothing .", "nothing")
# Like Llama 3's, it uses a date. If none is given it refuses, where Llama's would take today's.
DATED = "{%- if date_string is not defined %}{{ raise_exception('no date') }}{% endif -%}" + TEMPLATE


@pytest.fixture(scope="session")
def chat_model(tmp_path_factory):
    """A folder with a model that has learnt four answers by heart, and one silence."""
    replies = [(conversation(OUR_PROMPT, *pair), answer) for pair, answer in (KNOWN | {SILENT: ""}).items()]
    model, tokenizer = train_chat_model(replies, DATED)
    # All words nearly as likely, so that only a greedy choice is right.
    model.lm_head.weight.data *= 0.05
    # As with Llama 3.2's own file, sampling is the default.
    model.generation_config.update(do_sample=True, temperature=2.0, top_p=0.9, top_k=5)
    folder = tmp_path_factory.mktemp("chat_model")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def known_rows(tmp_path):
    return write(tmp_path / "a.jsonl", [{"questions": question, "references": ref} for question, ref in KNOWN])


@pytest.mark.parametrize("batch_size", [1, 3, 32])
def test_a_local_model_answers_each_prompt_whatever_is_beside_it_in_the_batch(
    tmp_path, chat_model, known_rows, batch_size
):
    output = tmp_path / "b.jsonl"
    result = run(known_rows, output, model=chat_model, batch_size=batch_size, max_tokens=12, device="cpu")
    assert result.exit_code == 0, result.output
    assert [row["synthetic_answers"] for row in read(output)] == [[answer] for answer in KNOWN.values()]


def test_a_local_model_in_bfloat16(tmp_path, chat_model, known_rows):
    result = run(known_rows, tmp_path / "b.jsonl", model=chat_model, dtype="bfloat16", max_tokens=12)
    assert result.exit_code == 0, result.output
    assert read(tmp_path / "b.jsonl")[0]["synthetic_answers"] == ["The capital is Paris ."]


def test_a_silent_local_model_and_one_that_is_cut_off_fail_and_a_longer_limit_mends(tmp_path, chat_model, known_rows):
    output, rows = tmp_path / "b.jsonl", read(known_rows)
    write(known_rows, [*rows, dict(zip(("questions", "references"), SILENT, strict=True))])
    result = run(known_rows, output, model=chat_model, max_tokens=5)
    assert result.exit_code == 1
    # With its end, "Goethe finished it ." takes five tokens; the others take more.
    assert [row["synthetic_answers"] for row in read(output)] == [["Goethe finished it ."]]
    assert "line 1: the answer was cut off at 5 tokens; allow more: max_tokens" in result.stderr
    assert "line 5: the model's answer is empty" in result.stderr
    result = run(known_rows, output, model=chat_model, max_tokens=12)
    assert "4 of 5 rows" in result.stderr
    assert "1 of them from an earlier run" in result.stderr
    assert [row["synthetic_answers"] for row in read(output)] == [[answer] for answer in KNOWN.values()]


def test_rows_are_written_window_by_window(chat_model, monkeypatch):
    monkeypatch.setattr("evaluate_qa.metrics._shared.chat_models._WINDOW_BATCHES", 1)
    order = []
    model = LocalModel(str(chat_model), batch_size=2, max_tokens=12)
    model.answer(
        [conversation(OUR_PROMPT, *pair) for pair in KNOWN], lambda number, answer: order.append((number, answer))
    )
    assert dict(order) == dict(enumerate(KNOWN.values()))
    assert [{number for number, _ in order[:2]}, {number for number, _ in order[2:]}] == [{0, 1}, {2, 3}]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda folder: (folder / "chat_template.jinja").unlink(), "has no chat template"),
        (
            lambda folder: (folder / "chat_template.jinja").write_text("{{ raise_exception('no system role') }}"),
            "refuses",
        ),
        (lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"), "safetensors"),
        (lambda folder: (folder / "config.json").unlink(), "config.json"),
        (lambda folder: (folder / "tokenizer_config.json").unlink(), "names no end of text"),
    ],
)
def test_a_model_that_cannot_be_used_is_told_with_a_cure(tmp_path, chat_model, known_rows, change, told):
    folder = shutil.copytree(chat_model, tmp_path / "model")
    change(folder)
    result = run(known_rows, tmp_path / "b.jsonl", model=folder)
    assert result.exit_code == 1
    assert str(folder) in result.stderr
    assert told in result.stderr
    assert (tmp_path / "b.jsonl").read_bytes() == b""


def test_a_model_that_is_not_there_is_told_with_a_cure(tmp_path, known_rows):
    result = run(known_rows, tmp_path / "b.jsonl")
    assert f"cannot load the chat model '{PAPER_MODEL}'" in result.stderr
    assert "--endpoint" in result.stderr


def test_a_device_that_is_not_there_is_told(tmp_path, chat_model, known_rows):
    for device in ("nonsense", "cuda:99"):
        result = run(known_rows, tmp_path / "b.jsonl", model=chat_model, device=device)
        assert f"device '{device}' cannot be used" in result.stderr


def test_no_heavy_package_is_imported_with_the_command(processes):
    heavy = {"torch", "transformers", "aiohttp", "datasets", "evaluate", "numpy", "pyarrow"}
    code = f"import sys, evaluate_qa.commands.synthesize; print({heavy!r} & set(sys.modules))"
    done = processes.run("-c", code, check=True)
    assert done.stdout == "set()\n"
