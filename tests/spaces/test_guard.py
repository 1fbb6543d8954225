"""Requests that are too large or too slow, or that name an address, are refused; waiting for the metric is limited."""

import asyncio
import json
import threading

import pytest
from starlette.applications import Starlette
from starlette.formparsers import MultiPartException
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from evaluate_qa.spaces._shared.metric.hosted import HostedScorer
from evaluate_qa.spaces._shared.visitors.guard import Guard
from evaluate_qa.spaces._shared.visitors.limits import Refusal


@pytest.fixture(autouse=True)
def small(limit):
    limit(file_bytes=100, piece_seconds=0.1)


async def size(request):
    return PlainTextResponse(str(len(await request.body())))


APP = Guard(
    Starlette(routes=[Route(path, size, methods=["POST"]) for path in ("/run", "/run/upload", "/gradio_api/upload")]),
    500,
)


def ask(pieces, path="/run", length=None, app=APP):
    """Send a body in pieces, where None never arrives; return the status and the body of the response."""
    more = [True] * (len(pieces) - 1) + [False]
    left = [
        {"type": "http.request", "body": piece, "more_body": follows} if isinstance(piece, bytes) else piece
        for piece, follows in zip(pieces, more, strict=True)
    ]
    sent = []

    async def receive():
        message = left.pop(0) if left else None
        if message is None:
            await asyncio.sleep(60)
        return {"type": "http.disconnect"} if message == "gone" else message

    async def send(message):
        sent.append(message)

    headers = [] if length is None else [(b"content-length", length)]
    scope = {"type": "http", "method": "POST", "path": path, "headers": headers, "query_string": b"", "root_path": ""}
    asyncio.run(asyncio.wait_for(app(scope, receive, send), 10))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:]).decode()


def test_requests_within_the_limits_pass():
    assert ask([b"a" * 60, b"a" * 40], length=b"100") == (200, "100")
    assert ask([b"a" * 250, b"a" * 250], "/gradio_api/upload") == (200, "500")
    assert ask([b""]) == (200, "0")


@pytest.mark.parametrize(
    ("pieces", "path", "length"),
    [
        ([b"a" * 101], "/run", b"101"),
        ([b"a" * 60, b"a" * 41], "/run", None),  # in pieces, without a length
        ([b"a" * 60, b"a" * 41], "/run", b"5"),
        ([None], "/run", b"101"),  # refused before anything arrives
        ([b"a"], "/run", b"many"),
        ([None], "/gradio_api/upload", b"501"),
    ],
)
def test_requests_that_are_too_large_are_refused(pieces, path, length):
    status, message = ask(pieces, path, length)
    assert status == 413
    assert "This is more than the maximum allowed size of " in message
    assert "MB. Send it in parts." in message


def test_a_request_that_stalls_is_refused():
    assert ask([b"a", None]) == (408, "No data arrived for 0.1 seconds. Try again.")


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ([b"a" * 300, b"a" * 201], "more than the maximum allowed size"),
        ([b"a", None], r"No data arrived for 0\.1 seconds"),
        ([b"a", "gone"], "interrupted"),
    ],
)
def test_a_broken_upload_raises_the_error_after_which_gradio_deletes_it(pieces, message):
    with pytest.raises(MultiPartException, match=message):
        ask(pieces, "/gradio_api/upload")


def test_waiting_is_not_limited_once_the_body_is_complete():
    """A stream of events waits until the visitor leaves."""

    async def stream(scope, receive, send):
        await receive()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(receive(), 0.3)
        await PlainTextResponse("done")(scope, receive, send)

    assert ask([b"a"], app=Guard(stream, 500)) == (200, "done")


FILE = {"path": "http://example.org/a.mp4", "meta": {"_type": "gradio.FileData"}}


@pytest.mark.parametrize(
    "given",
    [
        FILE,
        {"data": ["a", [], FILE]},
        {"data": [[{"prediction": {"deep": [FILE]}}]]},
        FILE | {"path": "HTTPS://example.org"},
        FILE | {"meta": None},
    ],
)
def test_file_data_with_an_address_are_refused(given, limit):
    limit(file_bytes=10_000)
    content = json.dumps(given).encode()
    escaped = content.replace(b"path", b"\\u0070ath").replace(b"/", b"\\/")
    for body in (content, escaped, json.dumps(given).encode("utf-16")):
        for path in ("/run", "/run/upload"):
            message = "This Space downloads nothing. Upload the file."
            assert ask([body[:20], body[20:]], path) == (400, message)


@pytest.mark.parametrize(
    "given",
    [
        {"data": ["see http://example.org/a.mp4", ["http://a"]]},
        {"data": [[{"prediction": "a", "path": "http://example.org", "url": "http://example.org"}]]},
        FILE | {"path": "/tmp/gradio/a/a.mp4", "url": "http://127.0.0.1:7860/gradio_api/file=/tmp/gradio/a/a.mp4"},
    ],
)
def test_addresses_in_texts_pass(given, limit):
    limit(file_bytes=10_000)
    content = json.dumps(given).encode()
    assert ask([content]) == (200, str(len(content)))


def test_paths_with_an_address_are_refused():
    for path in ("/gradio_api/file=http://example.org/a", "/gradio_api/proxy=https://a.hf.space/b"):
        assert ask([b""], path) == (403, '{"detail":"This Space downloads nothing. Upload the file."}')


@pytest.mark.parametrize("path", ["/gradio_api/deep_link", "/gradio_api/deep_link/", "/deep_link"])
def test_deep_links_are_refused(path):
    assert ask([b""], path) == (
        403,
        '{"detail":"This Space does not store what you entered. Share the Python code instead."}',
    )


def test_waiting_for_the_metric_is_limited(smile, limit):
    """One row holds the metric; others are refused after a while, and served once it is free."""
    limit(turn_seconds=0.1)
    begun, go_on = threading.Event(), threading.Event()
    scorer = HostedScorer("smile")
    row = smile.examples["Right"].row

    class Slow:
        def compute(self, **_):
            begun.set()
            go_on.wait(30)
            return {"smile": 1.0}

    scorer._metric = Slow()
    first = threading.Thread(target=scorer.compute, args=([row], {}))
    first.start()
    assert begun.wait(10)
    for ask_for in (lambda: scorer.compute([row], {}), lambda: scorer.check(row), lambda: scorer.metric):
        with pytest.raises(Refusal, match="Try again in a few minutes"):
            ask_for()
    go_on.set()
    first.join()
    assert scorer.compute([row], {}) == {"smile": 1.0}
