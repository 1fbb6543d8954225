"""`evaluate-qa serve`: results, batches, limits, System One, and the command in a process."""

import asyncio
import gzip
import http.client
import json
import random
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from commands import run_command

import evaluate_qa
from evaluate_qa.metrics.judge.decision_api import ASPECTS
from evaluate_qa.scoring.dynamic_batching import AsyncBatcher, QueueFullError
from evaluate_qa.serving import bodies, running
from evaluate_qa.serving.app import Server

ROW = {"predictions": ["It was Marie Curie."], "references": [["Marie Curie"]], "questions": ["Who found radium?"]}
STATE = {"question": "Who found radium?", "references": ["Marie Curie"], "prediction": "It was Marie Curie."}
NOUL = {"right": {"type": "noul", "instructions": "Is it right?"}}


@contextmanager
def serving(metric, **settings):
    """Serve a metric from a thread; `at.ask` sends a request and returns status and reply."""
    server = Server(metric, {}, **settings)
    server.load()
    with running.listen("127.0.0.1", 0) as listening:
        uvicorn = running.http_server(server.app())
        thread = threading.Thread(target=uvicorn.run, args=([listening],))
        thread.start()
        port = listening.getsockname()[1]
        yield SimpleNamespace(port=port, ask=lambda *given, **more: ask(port, *given, **more))
        uvicorn.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def metric():
    return evaluate_qa.load("bem")


@pytest.fixture(scope="module")
def bem(metric):
    with serving(metric) as at:
        yield at


@pytest.fixture
def deltableu():
    with serving(evaluate_qa.load("deltableu")) as at:
        yield at


def ask(port, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(*(("GET", path) if body is None else ("POST", path, content)), headers=sent)
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, json.loads(text) if reply.getheader("content-type") == "application/json" else text


def test_concurrent_requests_get_the_results_of_compute(bem, metric):
    """Requests are scored together, and none is lost or mixed up with another."""
    draw = random.Random(0)
    words = ["it", "was", "marie", "curie", "or", "albert", "einstein", "in", "paris", "1898"]
    calls = [
        {
            "predictions": [" ".join(draw.sample(words, 4)) for _ in range(number % 3 + 1)],
            "references": [["Marie Curie", "Curie"], "Paris", "1898"][: number % 3 + 1],
            "questions": ["Who?", "Where?", "When?"][: number % 3 + 1],
        }
        for number in range(24)
    ]
    before, found = bem.ask("/metrics")[1], {}
    todo = iter(enumerate(calls))

    def client():
        for number, call in todo:
            found[number] = bem.ask("/v1/score", call)

    clients = [threading.Thread(target=client) for _ in range(16)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    for number, call in enumerate(calls):
        status, result = found[number]
        expected = metric.compute(**call)
        assert (status, result.keys(), result["signature"]) == (200, expected.keys(), expected["signature"])
        assert result["bem"] == pytest.approx(expected["bem"], abs=1e-6)
        assert result["per_example"]["score"] == pytest.approx(expected["per_example"]["score"], abs=1e-6)
    after = bem.ask("/metrics")[1]
    assert counted(after, "rows_total") - counted(before, "rows_total") == sum(len(c["predictions"]) for c in calls)
    assert counted(after, "batches_total") - counted(before, "batches_total") < len(calls)
    assert counted(after, 'requests_total{status="200"}') - counted(before, 'requests_total{status="200"}') == len(
        calls
    )


def counted(text, name):
    found = re.search(rf"^evaluate_qa_{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0


INVALID = [
    ({**ROW, "predictions": [3]}, 400, "bem: predictions[0] is 3; expected a string"),
    ({**ROW, "predictions": [None]}, 400, "bem: predictions[0] is null; expected a string"),
    ({**ROW, "references": [["Curie", None]]}, 400, 'bem: references[0] is ["Curie", null]; expected a string or'),
    ({**ROW, "references": [{"\ud800": 1}]}, 400, 'bem: references[0] is {"\ud800": 1}; expected a string or'),
    ({**ROW, "questions": [""]}, 400, 'bem: questions[0] is ""; expected a question'),
    ({**ROW, "questions": []}, 400, "bem: the columns differ in length"),
    ({}, 400, "bem: predictions is missing"),
    ({**ROW, "threshold": 0.4}, 400, "threshold is an option of the server. Start the server with --compute."),
    ({**ROW, "prediction": []}, 400, "bem: unknown keyword 'prediction'; did you mean 'predictions'?"),
    ({**ROW, "per_example": "false"}, 400, 'per_example is "false"; expected true or false.'),
    (b"{", 400, "The body is not JSON (Expecting property name"),
    (b"\xff\x00", 400, "The body is not JSON ("),
    (b"[]", 400, "The body is an array; expected a JSON object."),
    (b"null", 400, "The body is null; expected a JSON object."),
    (b"1.5", 400, "The body is a number; expected a JSON object."),
    (b'{"a":' + b"[" * 100_000, 400, "The body is nested too deeply"),
    (b" " * 2**21, 413, "The body has 2.0 MB; expected at most 1 MB."),
]


@pytest.mark.parametrize(("body", "status", "message"), INVALID)
def test_invalid_requests_get_the_scorers_message(body, status, message, bem, monkeypatch, capfd):
    monkeypatch.setattr(bodies, "MOST_BYTES", 2**20)
    found, reply = bem.ask("/v1/score", body)
    assert (found, reply["error"]["code"]) == (status, status)
    assert reply["error"]["message"].startswith(message)
    assert bem.ask("/v1/score", {**ROW, "per_example": False})[1]["accuracy"] == 1.0
    assert capfd.readouterr().err == ""


def test_replies_on_a_kept_connection_are_not_delayed():
    """Nagle's algorithm would hold back the body of a reply for 40 ms."""
    with running.listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        connection, _ = listening.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_web_pages_of_other_sites_cannot_send_rows(bem):
    status, reply = bem.ask("/v1/score", ROW, Content_Type="text/plain")
    assert (status, reply["error"]["message"][:34]) == (415, "The content type is 'text/plain'; ")


def test_a_compressed_body_is_refused(bem):
    status, reply = bem.ask("/v1/score", gzip.compress(json.dumps(ROW).encode()), Content_Encoding="gzip")
    assert (status, reply["error"]["message"][:31]) == (415, "The content encoding is 'gzip';")
    assert bem.ask("/v1/score", ROW, Content_Encoding="identity")[0] == 200


def test_slow_and_broken_requests_are_ended(deltableu, monkeypatch, caplog):
    monkeypatch.setattr(bodies, "MOST_SECONDS", 0.1)
    monkeypatch.setattr(running, "_HEADER_SECONDS", 0.1)
    head = b"POST /v1/score HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n"
    for sent, status in ((head + b"\r\n{", 408), (head, 408), (b"", 408), (b"\x00\r\n\r\n", 400)):
        with socket.create_connection(("127.0.0.1", deltableu.port), timeout=30) as client:
            client.sendall(sent)
            assert client.makefile("rb").read().startswith(b"HTTP/1.1 %d" % status)  # until the server closes
    with socket.create_connection(("127.0.0.1", deltableu.port)) as client:
        client.sendall(head + b"\r\n{")
    assert deltableu.ask("/health") == (200, {"status": "ok", "metric": "deltableu"})
    assert "Traceback" not in caplog.text


def test_an_idle_connection_stays_open(deltableu, monkeypatch):
    monkeypatch.setattr(running, "_HEADER_SECONDS", 2)
    connection = http.client.HTTPConnection("127.0.0.1", deltableu.port, timeout=30)
    connection.connect()
    used = connection.sock
    for _ in range(2):
        connection.request("GET", "/health")
        with connection.getresponse() as response:
            assert (response.status, json.loads(response.read())["status"]) == (200, "ok")
        assert connection.sock is used
        time.sleep(2.5)
    connection.close()


def test_systemone_answers_whether_the_prediction_is_right(bem, metric):
    expected = metric.compute(**ROW)
    for state in (STATE, json.dumps(STATE)):
        status, reply = bem.ask("/v1/systemone", {"model": "any", "state": state, "questions": NOUL})
        assert (status, reply["model"], reply["usage"]["input_tokens"]) == (200, expected["signature"], 0)
        assert reply["answers"] == {"right": {"type": "noul", "noul": pytest.approx(expected["bem"], abs=1e-6)}}


def test_a_judge_can_ask_the_server(bem, metric):
    judge = evaluate_qa.load("judge", endpoint=f"http://127.0.0.1:{bem.port}/v1", model="bem", api="systemone")
    rows = {"predictions": ["It was Curie.", "Nobody."], "references": ["Marie Curie"] * 2, "questions": ["Who?"] * 2}
    out, expected = judge.compute(**rows), metric.compute(**rows)
    assert out["per_example"]["score"] == pytest.approx(expected["per_example"]["score"], abs=1e-6)
    assert out["per_example"]["verdict"] == expected["per_example"]["verdict"] == [True, False]
    scores = expected["per_example"]["score"]
    assert out["per_example"]["confidence"] == pytest.approx([(3 * max(s, 1 - s) - 1) / 2 for s in scores])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"state": "It was Curie."}, "bem: state is not JSON; expected an object with question, references and"),
        ({"state": {"prediction": "a"}}, "bem: state has no 'references'; expected"),
        ({"state": None}, "bem: state is null; expected an object"),
        ({"state": {**STATE, "prediction": 3}}, "bem: state.prediction is 3; expected a string"),
        ({"state": {**STATE, "references": []}}, "bem: state.references is []; expected a non-empty string"),
        ({"state": {**STATE, "question": ""}}, 'bem: state.question is ""; expected a question'),
        ({"questions": {"x": {}}}, "bem: questions['x'] has no type; expected 'noul'"),
        ({"questions": {}}, "bem: questions is missing or empty"),
        ({"questions": {"x": {"type": "choice"}}}, "bem: questions['x'] has the type 'choice'; expected 'noul'"),
        ({"questions": {"x": {"type": "noul", "instructions": ASPECTS["hedged"]}}}, "bem: questions['x'] is an aspect"),
    ],
)
def test_systemone_refuses_what_a_matcher_cannot_answer(changed, message, bem):
    status, reply = bem.ask("/v1/systemone", {"state": STATE, "questions": NOUL} | changed)
    assert (status, reply["error"]["message"][: len(message)]) == (400, message)


def test_a_missing_column_that_an_option_needs_is_named():
    judge = evaluate_qa.load("judge", endpoint="http://127.0.0.1:9/v1", model="m", first="bem")
    with serving(judge) as at:
        columns = {name: values for name, values in ROW.items() if name != "questions"}
        state = {name: value for name, value in STATE.items() if name != "question"}
        for path, body in (("score", columns), ("systemone", {"state": state, "questions": NOUL})):
            status, reply = at.ask(f"/v1/{path}", body)
            assert (status, "question" in reply["error"]["message"]) == (400, True)


def test_a_row_without_a_score_gets_status_500():
    with serving(evaluate_qa.load("judge", endpoint="http://127.0.0.1:9/v1", model="m", max_retries=0)) as at:
        status, reply = at.ask("/v1/systemone", {"state": STATE, "questions": NOUL})
    assert (status, "cannot connect to 127.0.0.1:9" in reply["error"]["message"]) == (500, True)


def test_a_metric_without_probabilities_has_no_systemone(deltableu):
    status, reply = deltableu.ask("/v1/systemone", {"state": STATE, "questions": NOUL})
    assert (status, reply["error"]["message"][:44]) == (501, "The score of deltableu is not a probability.")


def test_requests_need_the_token():
    with serving(evaluate_qa.load("deltableu"), token="secret") as at:
        assert at.ask("/v1/score", ROW)[0] == at.ask("/metrics")[0] == 401
        assert at.ask("/v1/score", ROW, Authorization="Bearer wrong")[0] == 401
        assert at.ask("/v1/score", ROW, Authorization="Bearer secret")[0] == 200
        assert at.ask("/health")[0] == 200


def test_the_openapi_file_describes_the_columns(bem, metric):
    document = bem.ask("/openapi.json")[1]
    body = document["paths"]["/v1/score"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body["required"] == ["predictions", "references", "questions"]
    assert body["properties"].keys() == {*metric.columns, "per_example"}
    assert document["info"]["version"] == evaluate_qa.__version__
    assert "swagger" in bem.ask("/docs")[1]
    statuses = {path: operation["responses"].keys() for path, (operation,) in operations(document)}
    failures = {"200", "400", "401", "408", "413", "415", "429", "500"}
    assert statuses == {
        "/v1/score": failures,
        "/v1/systemone": {*failures, "501"},
        "/metrics": {"200", "401"},
        "/health": {"200"},
    }


def operations(document):
    return [(path, list(methods.values())) for path, methods in document["paths"].items()]


def test_a_full_queue_refuses_requests_and_errors_stay_with_their_request():
    """While a batch is scored, the next one collects; a request that fails does not fail the others."""
    scored, release = [], threading.Event()

    def score(calls):
        release.wait(30)
        scored.append(len(calls))
        if any(call["n"] == [5] for call in calls):
            raise ValueError("my own")
        return [{"n": call["n"]} for call in calls]

    async def clients():
        batcher = AsyncBatcher(score, most_rows=6)
        first = asyncio.create_task(batcher.result({"n": [0]}, 1))
        await asyncio.sleep(0.01)  # its batch starts
        others = [asyncio.create_task(batcher.result({"n": [n]}, 1)) for n in range(1, 9)]
        await asyncio.sleep(0.01)
        release.set()
        return await asyncio.gather(first, *others, return_exceptions=True), batcher

    found, batcher = asyncio.run(clients())
    assert [one["n"] for one in found if isinstance(one, dict)] == [[0], [1], [2], [3], [4], [6]]
    assert [str(one) for one in found if isinstance(one, ValueError)] == ["my own"]
    assert [type(one) for one in found[7:]] == [QueueFullError] * 2
    assert scored == [1, 6, 1, 1, 1, 1, 1, 1]
    assert (batcher.batches, batcher.rows, batcher.waiting) == (2, 7, 0)


def test_a_panic_of_a_library_ends_only_its_batch():
    """Panics in Rust are no `Exception`; later requests must not wait forever."""

    class Panic(BaseException):
        pass

    def score(calls):
        if calls[0]["n"] == [0]:
            raise Panic
        return calls

    async def clients():
        batcher = AsyncBatcher(score, most_rows=6)
        failed = await asyncio.gather(batcher.result({"n": [0]}, 1), return_exceptions=True)
        return failed, await asyncio.wait_for(batcher.result({"n": [1]}, 1), 30)

    (failed,), found = asyncio.run(clients())
    assert (type(failed), found) == (Panic, {"n": [1]})


def test_the_command_answers_all_requests_before_it_ends(processes, one_line):
    line = one_line("HTTP").replace("--port 8000", "--port 0").split()
    process = processes.start("-c", "from evaluate_qa.cli import app; app()", *line[1:])
    start = next(text for text in process.stderr if text.startswith("Serving"))
    port = int(re.search(r":(\d+),", start)[1])
    found, rows = [], {name: values * 60 for name, values in ROW.items()}
    rows["predictions"] = [f"It was Marie Curie, answer {number}." for number in range(60)]
    clients = [threading.Thread(target=lambda: found.append(ask(port, "/v1/score", rows))) for _ in range(6)]
    for thread in clients:
        thread.start()
    while not counted(ask(port, "/metrics")[1], "waiting_rows"):
        assert len(found) < 6
    process.send_signal(signal.SIGTERM)
    for thread in clients:
        thread.join()
    assert [status for status, _ in found] == [200] * 6
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (-signal.SIGTERM, "")


@pytest.mark.usefixtures("processes")
def test_examples_of_the_servers_page_run(bem, metric, root):
    page = (root / "scripts/serving/README.md").read_text().replace("127.0.0.1:8000", f"127.0.0.1:{bem.port}")
    blocks = {kind: re.search(rf"```{kind}\n(.*?)```", page, re.DOTALL)[1] for kind in ("javascript", "python")}
    names = {}
    exec(blocks["python"], names)
    # As verl 0.9 calls it.
    given = {"data_source": "qa", "solution_str": "It was Marie Curie.", "ground_truth": "Marie Curie"}
    reward = asyncio.run(names["compute_score"](**given, extra_info={"question": "Who found radium?"}))
    assert reward == pytest.approx(metric.compute(**ROW)["bem"], abs=1e-6)
    curl = re.search(r"-d '(.*?)'", page, re.DOTALL)[1]
    answer = bem.ask("/v1/systemone", curl.encode())[1]["answers"]
    assert answer["right"]["noul"] == pytest.approx(1)
    assert f'"answers": {json.dumps(answer)}' in page
    if node := shutil.which("node"):
        program = blocks["javascript"] + "console.log(accuracy, per_example.score.length)"
        shown = subprocess.run(
            [node, "--input-type=module", "-e", program], capture_output=True, text=True, check=False
        )
        assert (shown.stdout, shown.stderr) == ("1 1\n", "")


def test_the_resources_server_of_nemo_gym_gives_the_servers_scores(bem, metric, root):
    pytest.importorskip("nemo_gym", reason="NeMo Gym needs Python 3.12 or newer")
    from fastapi.testclient import TestClient
    from nemo_gym.base_resources_server import BaseResourcesServerConfig
    from nemo_gym.server_utils import ServerClient

    page = (root / "scripts/serving/README.md").read_text().partition("## NeMo Gym")[2]
    names = {}
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1].replace(":8000", f":{bem.port}"), names)
    config = BaseResourcesServerConfig(host="127.0.0.1", port=1, entrypoint="", name="answers")
    app = names["AnswerServer"](config=config, server_client=ServerClient.model_construct()).setup_webserver()
    message = {"id": "m", "role": "assistant", "status": "completed", "type": "message"}
    message["content"] = [{"annotations": [], "text": ROW["predictions"][0], "type": "output_text"}]
    answer = {"id": "r", "created_at": 0.0, "model": "m", "object": "response", "output": [message]}
    answer |= {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
    row = {"question": ROW["questions"][0], "references": ROW["references"][0]}
    given = {"responses_create_params": {"input": row["question"]}, "response": answer, **row}
    reply = TestClient(app).post("/verify", json=given)
    assert reply.json()["reward"] == pytest.approx(metric.compute(**ROW)["bem"], abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metric", "evqascore"], "evqascore opens the files that its rows name, which a server must not do"),
        (["--metric", "bme"], "serves the metrics of this package; 'bme' is not one of them. Did you mean 'bem'?"),
        (["--metric", "bem", "--compute", "thresold=1"], "bem: unknown keyword 'thresold'; did you mean 'threshold'?"),
        (["--metric", "bem", "--compute", "per_example=false"], "bem: unknown keyword 'per_example'; expected one of"),
        (
            ["--metric", "bem", "--metric", "smile"],
            "--metric was given 2 times. Start a server for each, with different",
        ),
    ],
)
def test_the_command_reports_errors_before_it_listens(arguments, message):
    assert message in " ".join(run_command("serve", *arguments, code=1).output.split())


def test_a_port_in_use_is_reported():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        output = run_command("serve", "--metric", "deltableu", "--port", port, code=1).output
    assert f"cannot listen on 127.0.0.1, port {port}: Address already in use. Change --port or --host." in output
