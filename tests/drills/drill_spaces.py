"""Hostile requests to every Space."""

import json
import socket
from functools import partial

import pytest
from space_requests import ask, server_elsewhere, upload
from space_server import CLIP, NAMES, ROOT, Server

REQUESTS = 150


@pytest.fixture(scope="module", params=NAMES)
def server(request, processes, tmp_path_factory):
    """Each Space in turn, which treats local addresses as public."""
    local_is_public = ROOT / "tests" / "e2e" / "local_is_public.py"
    app, folder = ROOT / "spaces" / request.param / "app.py", tmp_path_factory.mktemp("space")
    server = Server(request.param, app, folder, partial(processes.start, local_is_public))
    yield server
    server.stop()


@pytest.fixture
def functions(server):
    return server.client().config["dependencies"]


def reveals_nothing(server, text, status=400):
    """Return True if a response has no paths, file contents or traceback; a successful one may name its own files."""
    secrets = [str(ROOT), "root:x:", "Traceback", 'File "/', *[str(server.uploads)] * (status != 200)]
    return not [secret for secret in secrets if secret in text]


def test_addresses(drill, rng, server, functions):
    """Hostile requests to every Space.

    Addresses in place of files, in any field of any function; nothing is fetched.
    """
    with server_elsewhere() as (address, asked):
        for _ in range(REQUESTS):
            function = rng.choice(functions)
            scheme = rng.choice([address, address.replace("http", "HTTP"), address.replace("http:", "https:")])
            file = {"path": scheme, "meta": {"_type": "gradio.FileData"}}
            file = rng.choice([file, [file], {"a": {"b": [file]}}, file | {"url": scheme}, {"video": file}])
            data = [rng.choice([None, "a", [], file]) for _ in function["inputs"]]
            if data:
                data[rng.randrange(len(data))] = file
            ways = ["queue/join", f"call/{function['api_name']}", f"run/{function['api_name']}", "run/predict"]
            body = {"data": data, "fn_index": function["id"], "session_hash": rng.choice(["x", "y"])}
            with drill.attempt(body):
                status, text = ask(f"{server.url}/gradio_api/{rng.choice(ways)}", body)
                assert 400 <= status < 500 or not data, (status, text)
                assert reveals_nothing(server, text, status)
                assert asked == []
    with drill.attempt("nothing was kept"):
        assert not [path for path in server.uploads.rglob("*") if "secret" in path.name]


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


def test_odd_requests(drill, rng, server, functions):
    """Hostile requests to every Space.

    Odd JSON, headers and paths; the server reveals nothing and keeps running.
    """
    before = server.memory()
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


def test_bodies_too_large(drill, rng, server):
    """Hostile requests to every Space.

    Bodies beyond the limits, with a length or in pieces; refused, and nothing of them is kept.
    """
    kept = {path for path in server.uploads.rglob("*") if path.is_file()}
    before = server.memory()
    for _ in range(12):
        size = rng.randint(6, 60) * 2**20 + (100 * 2**20 if server.name == "evqascore" else 0)
        path = rng.choice(["/gradio_api/call/score", "/gradio_api/queue/join", "/gradio_api/upload"])
        chunked = rng.random() < 0.5
        kind = "multipart/form-data; boundary=X" if path.endswith("upload") else "application/json"
        length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {size}"
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {kind}\r\n{length}\r\n\r\n"
        part = b'--X\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
        body = (part if path.endswith("upload") else b"[") + b" " * size
        if chunked:
            body = b"".join(b"%x\r\n%s\r\n" % (2**20, body[at : at + 2**20]) for at in range(0, size, 2**20))
        with drill.attempt(f"{path}, {size} bytes, {'in pieces' if chunked else 'with a length'}"):
            status, text = send(server, head.encode() + body)
            assert status in {0, 400, 413}, text[:500]
            assert reveals_nothing(server, text)
    with drill.attempt("nothing is kept, and the server keeps running"):
        server.client()
        assert {path for path in server.uploads.rglob("*") if path.is_file()} - kept <= {
            path for path in server.uploads.rglob("*") if path.name == CLIP.name
        }
        assert server.memory() - before < 400


def test_files_of_another_kind(drill, rng, server, functions):
    """Hostile requests to every Space.

    Uploads of noise, and paths in place of files, in any function; the server reveals nothing.
    """
    for _ in range(30):
        content = rng.choice([rng.randbytes(5000), b"", b"PK\3\4" + rng.randbytes(99), b"PAR1" + bytes(99) + b"PAR1"])
        function, file = rng.choice(functions), upload(server, content)
        data = [rng.choice([file, [file], "a", None, {"path": "/etc/passwd"}]) for _ in function["inputs"]]
        session = f"s{rng.randrange(10**9)}"
        with drill.attempt(f"{function['api_name']} {data}"):
            body = {"data": data, "fn_index": function["id"], "session_hash": session}
            status, text = ask(f"{server.url}/gradio_api/queue/join", body)
            assert status < 500
            if status == 200:
                status, text = ask(f"{server.url}/gradio_api/queue/data?session_hash={session}")
            assert "Traceback" not in text
            assert "root:x:" not in text
            assert str(ROOT) not in text
