"""Hostile requests to every Space."""

import json
import socket
from functools import partial

import pytest
from space_server import NAMES, ROOT, Server

REQUESTS = 150


@pytest.fixture(scope="module", params=NAMES)
def server(request, processes, tmp_path_factory):
    """Each Space in turn, which treats local addresses as public."""
    local_is_public = ROOT / "tests" / "e2e" / "local_is_public.py"
    app, folder = ROOT / "spaces" / request.param / "app.py", tmp_path_factory.mktemp("space")
    server = Server(request.param, app, folder, partial(processes.start, local_is_public))
    yield server
    server.stop()


def reveals_nothing(server, text, status=400):
    """Return True if a response has no paths, file contents or traceback; a successful one may name its own files."""
    secrets = [str(ROOT), "root:x:", "Traceback", 'File "/', *[str(server.uploads)] * (status != 200)]
    return not [secret for secret in secrets if secret in text]


def odd_values(rng):
    deep = "[" * 5000 + "]" * 5000
    return rng.choice(
        [
            *("null", "5", '"a"', "[]", "{}", '{"data": 5}', '{"data": null}', '{"data": {}}', "{", "\0", deep, ""),
            *('{"data": [NaN, Infinity, -0]}', f'{{"data": [{"9" * 5000}]}}', f'{{"data": {deep}}}', "\ud800"),
            *('{"data": ["\\ud800", "\\u0000"]}', json.dumps({"data": ["a"] * 10_000}), '{"data": [], "data": [1]}'),
            json.dumps({"data": [{"prediction": "a"}] * 10, "fn_index": rng.choice([-1, 10**9, "0", None])}),
            json.dumps({"data": [[], {}, 1e308, True], "session_hash": ["x"], "event_id": {}, "trigger_id": "x"}),
            json.dumps({"data": ["a" * rng.choice([4001, 10**6]), ["b"] * rng.choice([11, 5000])]}),
            json.dumps({"data": [{"path": "/etc/passwd"}, {"path": "../../etc/passwd", "meta": {"_type": "x"}}]}),
        ]
    )


def odd_headers(rng):
    return rng.choice(
        [
            *([], ["X: " + "a" * 10**5], ["X: " + "a" * 10**6], ["Content-Type: text/xml"], ["Content-Type: a"]),
            *(["Content-Length: -1"], ["Content-Length: 99999999999"], ["Content-Length: 1", "Content-Length: 5"]),
            *(["Transfer-Encoding: chunked"], ["Transfer-Encoding: gzip"], ["Content-Encoding: gzip"], ["Host: "]),
            *(
                ["Cookie: session=" + "a" * 5000],
                ["Range: bytes=0-" + "9" * 400],
                ["X-Forwarded-Host: a\tb"],
                ["\0: a"],
            ),
            *(
                ["Origin: http://evil.example", "Host: 127.0.0.1"],
                ["X-Forwarded-For: ' OR 1"],
                ["Accept: " + "*," * 500],
            ),
            [f"X-{number}: a" for number in range(300)],
        ]
    )


def odd_paths(rng, functions):
    names = [f"call/{function['api_name']}" for function in functions]
    files = ["/etc/passwd", "../../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "/proc/self/environ", "..%5c..%5cetc"]
    return "/gradio_api/" + rng.choice(
        [
            *(*names, "queue/join", "run/predict", "upload", "queue/data?session_hash=x", "reset", "info"),
            *(
                f"{kind}{rng.choice(files)}"
                for kind in ("file=", "proxy=", "stream/", "custom_component/", "../static/")
            ),
            *("upload_progress?upload_id=../x", "component_server", "deep_link?session_hash=x", "%00", "a" * 5000),
        ]
    )


def send(server, request):
    """Send raw bytes; return the status, or 0, and the part of the response that arrives within a second."""
    host, port = server.url.removeprefix("http://").split(":")
    answer = b""
    with socket.create_connection((host, int(port)), timeout=1) as connection:
        try:
            connection.sendall(request)
            while block := connection.recv(2**16):
                answer += block
        except OSError:  # timeout or connection closed
            pass
    words = answer.split(None, 2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0, answer.decode("utf-8", "replace")


def test_odd_requests(drill, rng, server):
    """Hostile requests to every Space.

    Odd JSON, headers and paths; the server reveals nothing and keeps running.
    """
    before, functions = server.memory(), server.client().config["dependencies"]
    for _ in range(REQUESTS):
        body = odd_values(rng).encode("utf-8", "surrogatepass")
        method = rng.choice(["POST"] * 6 + ["GET", "PUT", "HEAD", "OPTIONS", "X" * 100])
        headers = odd_headers(rng)
        if not any(header.startswith(("Content-Length", "Transfer")) for header in headers):
            headers = [*headers, f"Content-Length: {len(body)}"]
        if not any(header.startswith("Content-Type") for header in headers):
            headers = [*headers, "Content-Type: application/json"]
        if not any(header.startswith("Host") for header in headers):
            headers = [*headers, "Host: x"]
        path = odd_paths(rng, functions)
        head = "\r\n".join([f"{method} {path} HTTP/1.1", "Connection: close", *headers]).encode()
        with drill.attempt(f"{head[:300]} {body[:300]}"):
            status, text = send(server, head + b"\r\n\r\n" + body)
            # Gradio's response to file data of an unknown kind.
            assert status < 500 or text.endswith("\r\n\r\nInternal Server Error"), text[:1000]
            assert reveals_nothing(server, text, status), text[:1000]
    with drill.attempt("the server keeps running"):
        server.client()
        assert server.memory() - before < 300
