"""`synthesize` with servers that drip, flood, redirect, break off, or repeat the key."""

import json
import os
import socket
import threading
import time
from contextlib import contextmanager

import pytest

from evaluate_qa.files.writing import write_rows

KEY = "sk-secret-0123456789"
SECONDS = 3

ANSWER = json.dumps(
    {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "It is."}}],
    }
).encode()
HEAD = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\n"


def reply(body, status=b"200 OK", more=b""):
    return HEAD % status + b"Content-Length: %d\r\n%s\r\n" % (len(body), more) + body


def drip_of_the_head(connection, elsewhere):
    for byte in reply(ANSWER):
        connection.sendall(bytes([byte]))
        time.sleep(0.3)


def flood(connection, elsewhere):
    connection.sendall(HEAD % b"200 OK" + b"Transfer-Encoding: chunked\r\n\r\n")
    block = b" " * 2**20
    for _ in range(4000):
        connection.sendall(b"%x\r\n%s\r\n" % (len(block), block))


def flood_of_the_head(connection, elsewhere):
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for number in range(4000):
        connection.sendall(b"X-%d: %s\r\n" % (number, b"a" * 2**18))


def echo(connection, elsewhere):
    body = json.dumps({"error": {"message": f"wrong key {KEY}, Bearer {KEY}"}}).encode()
    connection.sendall(reply(body, b"401 No", b"X-Key: %s\r\nConnection: close\r\n" % KEY.encode()))


def elsewhere_by_307(connection, elsewhere):
    connection.sendall(reply(b"", b"307 Go", b"Location: %s\r\n" % elsewhere.encode()))


def round_in_a_circle(connection, elsewhere):
    connection.sendall(reply(b"", b"308 Go", b"Location: /v1/chat/completions\r\n"))


def deep_json(connection, elsewhere):
    connection.sendall(reply(b"[" * 200_000))


def a_great_number(connection, elsewhere):
    connection.sendall(reply(ANSWER.replace(b'"created": 1', b'"created": ' + b"9" * 10_000)))


def bytes_at_random(connection, elsewhere):
    connection.sendall(bytes(range(256)) * 40)


def hang_up(connection, elsewhere):
    connection.sendall(reply(ANSWER)[:-30])


def a_row_of_its_own(connection, elsewhere):
    content = 'It is.\n{"id": 99, "synthetic_answers": ["planted"]}\u2028\ud800\0'
    connection.sendall(reply(ANSWER.replace(b'"It is."', json.dumps(content).encode())))


ATTACKS = [
    *(drip_of_the_head, flood, flood_of_the_head, echo, elsewhere_by_307, round_in_a_circle, deep_json),
    *(a_great_number, bytes_at_random, hang_up, a_row_of_its_own),
]
HARMLESS = {a_row_of_its_own}


@contextmanager
def serving(attack, elsewhere=""):
    """Give the port of a server that reads a request and then attacks, and what it was sent."""
    got = []

    def serve(connection):
        connection.settimeout(60)
        with connection:
            try:
                while data := connection.recv(2**16):
                    got.append(data)
                    if b"}" in data or b"GET" in data:
                        attack(connection, elsewhere)
                        if attack is not round_in_a_circle:
                            return
            except OSError:
                return

    def accept():
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=accept, daemon=True).start()
        yield listening.getsockname()[1], got


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_servers(drill, attack, finished, tmp_path):
    """Hostile servers for `synthesize`.

    They drip, flood, redirect, break off, answer nonsense, or repeat the key.
    """
    write_rows(tmp_path / "in.jsonl", [{"question": "q", "reference": f"r{number}"} for number in range(3)])
    output = tmp_path / "out.jsonl"
    with serving(echo) as (other, got), serving(attack, f"http://127.0.0.1:{other}/v1/chat") as (port, _):
        options = ["--endpoint", f"http://127.0.0.1:{port}/v1", "--load", f"timeout={SECONDS}"]
        options += ["--load", "max_retries=1", "--input", tmp_path / "in.jsonl", "--output", output]
        environment, began = {**os.environ, "OPENAI_API_KEY": KEY}, time.monotonic()
        with drill.attempt(attack.__name__):
            code, message, memory = finished("synthesize", *options, env=environment, timeout=60, measured=True)
            seconds = time.monotonic() - began
            assert code == (0 if attack in HARMLESS else 1), message
            written = output.read_text() if output.exists() else ""
            assert len(written.splitlines()) == (3 if attack in HARMLESS else 0)
            assert KEY not in message + written + str(got)
            assert memory < 900, memory
            assert seconds < 30, seconds  # the start, and twice the time for a reply
