"""The start of a Space, and the API of all Spaces, including hostile requests."""

import itertools
import json
import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from space_requests import ask, server_elsewhere, upload
from space_server import CLIP, ROOT

pytest.importorskip("gradio")

USERS = 10
SECONDS = float(os.environ.get("SPACES_LOAD_SECONDS", "2"))

WAYS = ("call", "call/v2", "run", "api")

pytestmark = pytest.mark.timeout(300)


def test_only_one_thread_imports_while_the_metric_is_loaded(evqascore):
    """Two threads may deadlock (python/cpython#91351), as about one in fifty starts did."""
    # The server was asked for a score as soon as the page was up, while the metric was being loaded.
    lines = evqascore.log.with_suffix(".imports").read_text().splitlines()
    threads, modules = zip(*(line.split("\t") for line in lines), strict=True)
    loading = modules.index("torch")
    assert threads[loading] == "MainThread"
    loaded = len(threads) - threads[::-1].index("MainThread")
    assert loaded - loading > 1000
    assert {*threads[loading:loaded]} == {"MainThread"}


def test_no_file_of_the_server_is_read(server):
    """Neither as an upload nor as a download nor as a video."""
    api, config = f"{server.url}/gradio_api", server.client().config
    uploads = [d["id"] for d in config["dependencies"] if d["targets"] and d["targets"][0][1] == "upload"]
    file = {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}
    for number, (function, given) in enumerate(itertools.product(uploads, ([file, None], [[file], None]))):
        session = f"x{number}"
        ask(f"{api}/queue/join", {"data": given, "fn_index": function, "session_hash": session})
        _, events = ask(f"{api}/queue/data?session_hash={session}")
        assert '"success":false' in events.replace(" ", "")
        assert "root:" not in events
    assert ask(f"{api}/file=/etc/passwd")[0] == 403


@pytest.fixture
def internet():
    with server_elsewhere() as there:
        yield there


def test_nothing_is_fetched_from_an_address(server, internet):
    """In no endpoint and no field, although Gradio would download it for any field."""
    (address, asked), api = internet, f"{server.url}/gradio_api"
    file, config = {"path": address, "meta": {"_type": "gradio.FileData"}}, server.client().config
    for function in config["dependencies"]:
        for place in range(len(function["inputs"])):
            for given in (file, [file], {"video": file}):
                data = [None] * place + [given] + [None] * (len(function["inputs"]) - place - 1)
                body = {"data": data, "fn_index": function["id"], "session_hash": "x"}
                # Also by the names of private functions, such as "upload".
                for way in ("queue/join", *(f"{way}/{function['api_name']}" for way in WAYS)):
                    status, text = ask(f"{api}/{way}", body)
                    assert (status, "downloads nothing" in text) == (400, True), (way, place, text)
    for path in ("file", "proxy"):
        assert ask(f"{api}/{path}={address}")[0] == 403
    assert asked == []
    assert not [path for path in server.uploads.rglob("*") if "secret" in path.name]


def test_no_response_has_a_path_of_the_server(server):
    """A file instead of another value is refused without revealing its path."""
    api = f"{server.url}/gradio_api"
    given = {"prediction": "a", "references": ["a"], "question": "q", "rows": [{"prediction": "a"}]}
    for endpoint, about in server.client().view_api(return_format="dict")["named_endpoints"].items():
        taken = {p["parameter_name"]: p.get("parameter_default") for p in about["parameters"]}
        for name in taken:
            good = taken | {other: value for other, value in given.items() if other in taken}
            good |= {"video": upload(server, CLIP.read_bytes())} if "video" in taken else {}
            wrong = upload(server, b"no video")
            for value in (wrong, [wrong], {"path": "/etc/passwd"}):
                _, event = ask(f"{api}/call{endpoint}", {"data": [*(good | {name: value}).values()]})
                _, text = ask(f"{api}/call{endpoint}/{json.loads(event)['event_id']}")
                assert text.startswith("event: error"), (name, text)
                assert not [part for part in (str(server.uploads), str(ROOT), "/etc/passwd") if part in text], text


def test_requests_that_are_too_large_are_refused(smile):
    client = smile.client()
    row = {"prediction": "x" * 4000, "references": ["y"]}
    with pytest.raises(Exception, match="413"):
        client.predict(rows=[row] * 1400, api_name="/batch")
    assert client.predict(**row, api_name="/score")["score"] < 0.9


@pytest.mark.parametrize("endpoint", ["score", "batch"])
@pytest.mark.parametrize("way", ["run", "api"])
def test_requests_without_the_queue_are_refused(judge, way, endpoint):
    """The queue's limits keep one visitor from blocking all others."""
    rows = [{"prediction": "a", "question": "b", "references": ["c"]}]
    data = {"score": ["a", "b", ["c"], "None"], "batch": [rows, "None"]}[endpoint]
    status, response = ask(f"{judge.url}/gradio_api/{way}/{endpoint}", {"data": data})
    assert (status, "Please join the queue" in response) == (404, True)
    status, event = ask(f"{judge.url}/gradio_api/call/{endpoint}", {"data": data})
    assert "event: complete" in ask(f"{judge.url}/gradio_api/call/{endpoint}/{json.loads(event)['event_id']}")[1]


def test_every_parameter_has_a_label_and_a_description(server):
    endpoints = server.client().view_api(return_format="dict")["named_endpoints"]
    assert {*endpoints} == {"/score", "/explain", *(["/batch"] if server.name != "evqascore" else [])}
    for endpoint in endpoints.values():
        assert endpoint["description"]
        assert [value["label"] for value in endpoint["returns"]] == ["result"]
        for parameter in endpoint["parameters"]:
            assert parameter["label"][0].isupper(), parameter  # not "1st", "2nd", …
            assert len(parameter["python_type"]["description"]) > 5, parameter


def test_the_parameters_are_the_metrics_fields_and_options(smile):
    parameters = smile.client().view_api(return_format="dict")["named_endpoints"]["/score"]["parameters"]
    names = [parameter["parameter_name"] for parameter in parameters]
    assert names == ["prediction", "references", "question", "synthetic_answers", "typed", "w", "threshold"]
    assert parameters[1]["label"] == "References"
    assert parameters[1]["python_type"] == {"type": "list[str]", "description": "Correct answers."}


def test_the_api_scores_one_answer_and_many(smile):
    client = smile.client()
    given = {"prediction": "It was Marie Curie.", "references": ["Marie Curie"]}
    one = client.predict(**given, w=0.0, api_name="/score")
    # Only words count, and the answer contains the reference.
    assert (one["score"], one["verdict"], one["best_reference"]) == (pytest.approx(1.0, abs=1e-6), True, 0)
    assert one["marked"] == [[7, 18, "for"]]
    many = client.predict(rows=[given, {"prediction": "x"}], w=0.0, api_name="/batch")
    assert [row["score"] for row in many["rows"]] == [pytest.approx(1.0, abs=1e-6)]
    assert many["problems"] == ["row 2: There is no reference. Enter at least one."]


@pytest.mark.parametrize("size", [1, 7])
def test_nothing_remains_of_an_interrupted_upload(smile, size):
    """The visitor leaves, or the files together are too large."""
    before = {path for path in smile.uploads.rglob("*") if path.is_file()}
    head = (
        "POST /gradio_api/upload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
        "Content-Type: multipart/form-data; boundary=XX\r\n\r\n"
    )
    with socket.create_connection(smile.url.removeprefix("http://").split(":"), timeout=20) as connection:
        connection.sendall(head.encode())
        for number in range(size):
            part = f'--XX\r\nContent-Disposition: form-data; name="files"; filename="{number}.csv"\r\n\r\n'
            body = part.encode() + b"x" * 2**20 + b"\r\n"
            connection.sendall(f"{len(body):x}\r\n".encode() + body + b"\r\n")
        if size == 7:
            assert b" 413 " in connection.recv(1000).split(b"\r\n")[0]
        else:
            wait_until(lambda: {path for path in smile.uploads.rglob("*") if path.is_file()} - before)
    wait_until(lambda: {path for path in smile.uploads.rglob("*") if path.is_file()} <= before)


def wait_until(true):
    for _ in range(600):
        if true():
            return
        time.sleep(0.1)
    pytest.fail("the condition is still false after a minute")


def test_many_simultaneous_users_get_their_own_results(smile):
    """Without errors, and with at most 150 MB more memory."""
    clients = [smile.client() for _ in range(USERS)]
    before, end, counts, waits = smile.memory(), time.monotonic() + SECONDS, [0] * USERS, []

    def use(number):
        name = f"person {chr(ord('a') + number)}"
        while time.monotonic() < end:
            begin = time.monotonic()
            scored = clients[number].predict(prediction=f"It was {name}.", references=[name], api_name="/score")
            waits.append(time.monotonic() - begin)
            assert f"“{name}”" in scored["why"]
            assert scored["verdict"] is True
            counts[number] += 1

    with ThreadPoolExecutor(USERS) as pool:
        list(pool.map(use, range(USERS)))
    print(f"{sum(counts)} answers in {SECONDS:g} s, slowest {max(waits):.2f} s, {smile.memory() - before:+.0f} MB")
    # Nobody is served much more often than others.
    assert min(counts) >= 1
    assert max(counts) - min(counts) <= 0.3 * max(counts) + 2
    assert smile.memory() - before < 150
