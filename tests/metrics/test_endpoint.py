"""A model at an endpoint: URLs, masked secrets, refused fields, and interrupts."""

import asyncio
import base64
import json
from urllib.parse import unquote

import pytest
from chat_server import completion
from file_server import replies_served

from evaluate_qa.metrics._shared.chat_models import NoAnswer
from evaluate_qa.metrics._shared.endpoint import Endpoint

QUESTION = [{"role": "user", "content": "What is red ?"}]


@pytest.fixture
def anything():
    """A server and proxy with a reply that the test sets, which gets the headers of the request."""
    paths = []
    with replies_served(lambda request: paths.append(request.path) or server.answer(request.headers)) as server:
        server.paths, server.answer = paths, lambda headers: (200, json.dumps(completion("a ball")).encode())
        yield server


def reply(url, **options):
    """Return the answer to one question."""
    found = {}
    Endpoint(url, "m", **{"max_retries": 0, **options}).answer([QUESTION], found.__setitem__)
    return found[0]


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/v1/chat/completions/", "/v1/chat/completions"),
        ("?api-version=2024-10-21", "/v1/chat/completions?api-version=2024-10-21"),
        ("/openai/v1?api-version=a&b=c/d", "/openai/v1/chat/completions?api-version=a&b=c/d"),
        ("/a/chat/completions?api-version=a", "/a/chat/completions?api-version=a"),
    ],
)
def test_the_request_url_keeps_the_query(anything, base, path):
    assert reply(f"http://127.0.0.1:{anything.server_port}{base}") == "a ball"
    assert anything.paths == [path]


@pytest.mark.parametrize("url", ["", "ftp://x/v1", "http://host:99999/v1", "http://host:0/v1", "http://[::1/v1"])
def test_an_invalid_url_raises_an_error(url):
    with pytest.raises(ValueError, match=r"^endpoint is '.*'; expected a URL such as http://localhost:8000/v1$"):
        Endpoint(url, "m")


@pytest.mark.parametrize("user", ["bob:pw", "robert:pass%2Fword"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_user_and_password_of_a_proxy_are_masked(anything, monkeypatch, user, scheme):
    monkeypatch.setenv(f"{scheme}_proxy", f"http://{user}@127.0.0.1:{anything.server_port}")
    monkeypatch.setenv("no_proxy", "")
    sent = base64.b64encode(unquote(user).encode()).decode()
    echo = f"no {sent} at http://{user}@proxy".encode()
    anything.answer = lambda headers: (407 if sent in headers["Proxy-Authorization"] else 500, echo)
    answer = reply(f"{scheme}://model.invalid/v1")
    assert isinstance(answer, NoAnswer)
    assert "407" in str(answer)
    assert not [secret for secret in (sent, "bob", "pw", "robert", "word") if secret in str(answer)]


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ({"error": {"message": "bad {key}", "code": 401}}, "error 401 instead of an answer: bad ***"),
        (
            {"choices": [{"message": {"content": None, "refusal": "Not for {key}."}}]},
            "the model refuses to answer: Not for ***.",
        ),
    ],
)
def test_the_key_is_masked_in_errors_and_refusals(anything, content, shown):
    key = "sk-0123456789abcdef"
    anything.answer = lambda headers: (200, json.dumps(content).replace("{key}", key).encode())
    assert str(reply(f"http://127.0.0.1:{anything.server_port}", api_key=key)) == shown


def test_a_field_refused_with_status_200_is_left_out(anything):
    refusal = json.dumps({"error": {"message": "logprobs: unknown", "code": 400}}).encode()
    replies, found = [(200, refusal), (200, json.dumps(completion("a ball")).encode())], {}
    anything.answer = lambda headers: replies.pop(0)
    endpoint = Endpoint(f"http://127.0.0.1:{anything.server_port}", "m", max_retries=0)
    endpoint.reply([QUESTION], found.__setitem__, {"logprobs": True})
    assert (found[0].text, found[0].granted) == ("a ball", False)


def test_the_key_is_masked_in_answers(anything):
    """Control characters are removed, too. A short key, as for local servers, may be a word of the answer."""
    key = "sk-0123456789abcdef"

    def echo(headers):
        sent = headers["Authorization"]
        text = f"correct \x1b[31m{sent}\x1b]0;title\x07 sk-0123\x00456789abcdef\r\nempty\x9b1m"
        return 200, json.dumps(completion(text)).encode()

    anything.answer = echo
    address = f"http://127.0.0.1:{anything.server_port}"
    assert reply(address, api_key=key) == "correct Bearer *** ***\nempty1m"
    assert reply(address, api_key="EMPTY").startswith("correct Bearer EMPTY sk-0123456")


def test_escape_sequences_are_removed_from_errors(anything):
    sent = {"error": {"message": "no \x1b[2J\x1b]8;;http://x\x1b\\model\x1b]8;;\x07 \x07here\x7f\ud800"}}
    anything.answer = lambda headers: (400, json.dumps(sent).encode())
    assert str(reply(f"http://127.0.0.1:{anything.server_port}")) == "status 400: no model here"


# A notebook runs a cell on the thread of its loop, with Python's own interrupt handler.
CELL = """
import asyncio, os, signal, sys
from evaluate_qa.metrics._shared.endpoint import Endpoint
signal.signal(signal.SIGINT, signal.default_int_handler)

def deliver(number, reply):
    if number == 4:
        os.kill(os.getpid(), signal.SIGINT)

async def cell():
    try:
        Endpoint(sys.argv[1], "m", concurrency=2).reply([[{"role": "user", "content": "?"}]] * 60, deliver, {})
    except KeyboardInterrupt:
        print("interrupted")

loop = asyncio.new_event_loop()
loop.run_until_complete(cell())
loop.close()
"""


def test_an_interrupt_cancels_requests_in_a_notebook(server, processes):
    server.reply, server.seconds = "correct", 0.1
    done = processes.run("-W", "error", "-c", CELL, server.url, check=True)
    assert (done.stdout.strip(), done.stderr) == ("interrupted", "")
    assert len(server.bodies) < 20


def test_errors_are_raised_while_a_loop_runs(server):
    """No further conversation is taken from the iterator."""
    server.reply, left = "correct", iter([QUESTION] * 9)

    def deliver(number, reply):
        raise LookupError("enough")

    async def cell():
        Endpoint(server.url, "m", concurrency=2).reply(left, deliver, {})

    with pytest.raises(LookupError, match="enough"):
        asyncio.run(cell())
    assert len([*left]) == 7
