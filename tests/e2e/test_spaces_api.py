"""Every Space as programs meet it, those that mean harm among them."""

import http.client
import itertools
import json
import os
import socket
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from space_requests import ask, server_elsewhere, upload
from space_server import CLIP, ROOT

pytest.importorskip("gradio")

USERS = 20
SECONDS = float(os.environ.get("SPACES_LOAD_SECONDS", "4"))

WAYS = ("call", "call/v2", "run", "api")

pytestmark = pytest.mark.timeout(300)


def test_no_path_of_the_server_is_read(server):
    """Neither as an upload nor as a download."""
    config = server.client().config
    uploads = [d["id"] for d in config["dependencies"] if d["targets"] and d["targets"][0][1] == "upload"]
    file = {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}
    for number, (function, given) in enumerate(itertools.product(uploads, ([file, None], [[file], None]))):
        session = f"x{number}"
        body = json.dumps({"data": given, "fn_index": function, "session_hash": session}).encode()
        asked = urllib.request.Request(
            f"{server.url}/gradio_api/queue/join", body, {"Content-Type": "application/json"}
        )
        urllib.request.urlopen(asked, timeout=20).close()
        with urllib.request.urlopen(f"{server.url}/gradio_api/queue/data?session_hash={session}", timeout=20) as events:
            told = events.read().decode()
        assert '"success":false' in told.replace(" ", "")
        assert "root:" not in told
    assert Path("/etc/passwd").is_file()
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"{server.url}/gradio_api/file=/etc/passwd", timeout=20)


def test_no_path_is_read_as_a_video(evqascore):
    file = {"path": str(ROOT / "README.md"), "meta": {"_type": "gradio.FileData"}}
    for given in (file, file["path"], {"path": str(CLIP)}):
        body = json.dumps({"data": ["a", given, None, "auto", 20]}).encode()
        call = f"{evqascore.url}/gradio_api/call/score"
        with urllib.request.urlopen(urllib.request.Request(call, body, {"Content-Type": "application/json"})) as reply:
            event = json.load(reply)["event_id"]
        with urllib.request.urlopen(f"{call}/{event}", timeout=60) as events:
            assert "event: error" in events.read().decode()


@pytest.fixture
def internet():
    """A file on a server elsewhere, and the paths that it was asked for."""
    with server_elsewhere() as there:
        yield there


def test_nothing_is_fetched_from_an_address(server, internet):
    """Whatever endpoint and field it is given to; gradio would, into any field, without a limit."""
    (address, asked), api = internet, f"{server.url}/gradio_api"
    file, config = {"path": address, "meta": {"_type": "gradio.FileData"}}, server.client().config
    for function in config["dependencies"]:
        for place in range(len(function["inputs"])):
            for given in (file, [file], {"video": file}):
                data = [None] * place + [given] + [None] * (len(function["inputs"]) - place - 1)
                body = {"data": data, "fn_index": function["id"], "session_hash": "x"}
                # Those that are not public are asked for by name as well: one may be called "upload".
                for way in ("queue/join", *(f"{way}/{function['api_name']}" for way in WAYS)):
                    status, told = ask(f"{api}/{way}", body)
                    assert (status, "downloads nothing" in told) == (400, True), (way, place, told)
    for path in ("file", "proxy"):
        assert ask(f"{api}/{path}={address}")[0] == 403
    assert asked == []
    assert not [path for path in server.uploads.rglob("*") if "secret" in path.name]


def test_no_answer_has_a_path_of_the_server(server):
    """A file where something else belongs is refused without a word of where it lies."""
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
                _, told = ask(f"{api}/call{endpoint}/{json.loads(event)['event_id']}")
                assert told.startswith("event: error"), (name, told)
                assert not [part for part in (str(server.uploads), str(ROOT), "/etc/passwd") if part in told], told


def test_many_rows_with_videos_by_the_api(evqascore, tmp_path):
    from gradio_client import handle_file

    client = evqascore.client()
    broken = tmp_path / "not a video.mp4"
    broken.write_bytes(b"no video")
    secret = tmp_path / "list.mp4"
    secret.write_text(f"ffconcat version 1.0\nfile '{CLIP.name}'\n")
    names = [CLIP.name, broken.name, str(CLIP), secret.name, CLIP.name]
    rows = [{"video": name, "prediction": "A large red square moves."} for name in names]
    rows[-1]["question"] = "What moves?"
    given = {"rows": rows, "videos": [handle_file(str(path)) for path in (CLIP, broken, secret)]}
    many = client.predict(**given, api_name="/batch")
    assert [row["row"] for row in many["rows"]] == [1, 5]
    assert [row["mode"] for row in many["rows"]] == ["caption", "qa"]
    one = client.predict(prediction=rows[0]["prediction"], video=handle_file(str(CLIP)), api_name="/score")
    assert many["rows"][0]["score"] == pytest.approx(one["score"], abs=1e-6)
    assert many["rows"][0]["video"] == CLIP.name
    unreadable, unknown, listed = many["problems"]
    assert unreadable.startswith("row 2: not a video.mp4: the file cannot be read as a video.")
    assert unknown.startswith("row 3: Video: there is no video “/")
    assert listed.startswith("row 4: list.mp4: the file cannot be read as a video.")
    assert not [file for file in evqascore.uploads.rglob("not a video*") if file.is_file()]


def test_two_systems_answers_by_the_api(smile):
    """Three become right, none wrong: McNemar 2 · 1/2³ = .25."""
    given = {"references": ["Marie Curie"], "prediction": "Nobody.", "prediction_b": "It was Marie Curie."}
    rows = [given | {"question": f"{n}?"} for n in range(3)]
    rows.append(given | {"question": "3?", "prediction": "Marie Curie"})
    many = smile.client().predict(rows=rows, api_name="/batch")
    found = many["certainty"]
    assert (found["rows"], found["wins"], found["losses"]) == (4, 3, 0)
    assert found["verdicts"]["p_value"] == pytest.approx(0.25)
    assert found["verdicts"]["difference"]["value"] == 0.75
    assert found["means"]["score"]["value"] == pytest.approx(many["score"])
    assert found["means_b"]["score"]["value"] == pytest.approx(many["score_b"])
    assert [row["change"] for row in many["rows"]] == ["win"] * 3 + [""]
    alone = smile.client().predict(
        rows=[{name: row[name] for name in row if name != "prediction_b"} for row in rows], api_name="/batch"
    )
    assert {*alone["certainty"]} == {"rows", "clusters", "means"}
    assert alone["certainty"]["means"]["score"] == pytest.approx(found["means"]["score"], abs=1e-6)
    del rows[2]["prediction_b"]
    with pytest.raises(Exception, match="row 3 has no prediction_b, but row 1 has one"):
        smile.client().predict(rows=rows, api_name="/batch")


@pytest.mark.parametrize("path", ["/etc/passwd", str(CLIP), "clips/red_square.mp4"])
def test_no_path_is_read_as_one_of_many_videos(evqascore, path):
    call = f"{evqascore.url}/gradio_api/call/batch"
    rows = [{"video": Path(path).name, "prediction": "a"}]
    for file in (path, {"path": path}, {"path": path, "meta": {"_type": "gradio.FileData"}}):
        body = json.dumps({"data": [rows, [file], "auto", 20]}).encode()
        with urllib.request.urlopen(urllib.request.Request(call, body, {"Content-Type": "application/json"})) as reply:
            event = json.load(reply)["event_id"]
        with urllib.request.urlopen(f"{call}/{event}", timeout=60) as events:
            assert "event: error" in events.read().decode()
    assert CLIP.is_file()


def test_requests_that_are_too_large_are_refused(smile):
    """By their header or as they come, and in words that reach a program that asks."""
    client = smile.client()
    row = {"prediction": "x" * 4000, "references": ["y"]}
    with pytest.raises(Exception, match="413"):
        client.predict(rows=[row] * 1400, api_name="/batch")
    pieces = (b"[" + b" " * 2**20 for _ in range(6))
    headers = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
    connection = http.client.HTTPConnection(smile.url.removeprefix("http://"), timeout=20)
    connection.request("POST", "/gradio_api/call/score", pieces, headers, encode_chunked=True)
    answer = connection.getresponse()
    assert answer.status == 413
    assert "This is more than the maximum allowed size of 5 MB." in answer.read().decode()
    connection.close()
    assert client.predict(**row, api_name="/score")["score"] < 0.9


def test_its_signature_is_that_of_the_metric(smile):
    api = smile.client().view_api(return_format="dict")["named_endpoints"]
    assert {*api} == {"/score", "/batch"}
    names = [parameter["parameter_name"] for parameter in api["/score"]["parameters"]]
    assert names == ["prediction", "references", "question", "synthetic_answers", "w", "threshold"]


def test_it_scores(smile):
    client = smile.client()
    given = {"prediction": "It was Marie Curie.", "references": ["Marie Curie"]}
    one = client.predict(**given, w=0.0, api_name="/score")
    # Only the words count, and they are the reference's.
    assert (one["score"], one["verdict"], one["best_reference"]) == (pytest.approx(1.0, abs=1e-6), True, 0)
    assert one["marked"] == [[7, 18, "for"]]
    many = client.predict(rows=[given, {"prediction": "x"}], w=0.0, api_name="/batch")
    assert [row["score"] for row in many["rows"]] == [pytest.approx(1.0, abs=1e-6)]
    assert many["problems"] == ["row 2: There is no reference. Enter at least one."]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"prediction": "a", "references": []}, "There is no reference"),
        ({"prediction": "a", "references": ["b"], "w": 2}, "w: expected a number from 0 to 1, not 2"),
        ({"prediction": ["a"], "references": ["b"]}, "Answer: expected a text"),
        ({"prediction": "a", "references": ["b"] * 11}, "References: there are 11; this Space accepts 10"),
    ],
)
def test_what_it_cannot_score_it_explains(smile, given, message):
    with pytest.raises(Exception, match=message):
        smile.client().predict(**given, api_name="/score")


@pytest.mark.parametrize("size", [1, 7])
def test_of_an_upload_that_is_broken_off_nothing_stays(smile, size):
    """The visitor goes away, or it is too large as a whole though no file of it is."""
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
    """Wait for a minute at most."""
    for _ in range(600):
        if true():
            return
        time.sleep(0.1)
    pytest.fail("it has not come true")


def test_many_users_at_once(smile):
    """Each gets its own answer, none an error; memory stays within 150 MB of what it was."""
    clients = [smile.client() for _ in range(USERS)]
    before, end, counts, waits = smile.memory(), time.monotonic() + SECONDS, [0] * USERS, []

    def use(number):
        name = f"person {number}"
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
    # In order: nobody is served much more often than another.
    assert min(counts) >= 1
    assert max(counts) - min(counts) <= 0.3 * max(counts) + 2
    assert smile.memory() - before < 150
