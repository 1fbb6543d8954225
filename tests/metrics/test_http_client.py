"""Requests: retries, waits, connections, proxies, and certificates."""

import asyncio
import json
import shutil
import ssl
import subprocess
import time
from email.utils import formatdate

import pytest
from chat_server import completion
from file_server import replies_served

from evaluate_qa.metrics._shared import http_client
from evaluate_qa.metrics._shared.http_client import Client, PostError, backoff_seconds, retry_after

BODY = {"messages": [{"content": "Who wrote it? Müller"}]}


def posted(url, key=None, max_retries=1):
    """Return the content of a reply, or the error, in a list."""

    async def post():
        async with Client(f"{url}/chat/completions", key, 5.0, max_retries) as client:
            return await asyncio.gather(client.post(BODY), return_exceptions=True)

    return asyncio.run(post())


@pytest.fixture
def server(server):
    server.reply = "correct"
    return server


def test_body_and_reply_arrive_unchanged(server):
    (content,) = posted(server.url)
    assert server.bodies == [BODY]
    assert json.loads(content) == completion("correct")


@pytest.mark.parametrize(("repeated", "longest"), [(0, 0.5), (1, 1), (2, 2), (4, 8), (5, 8), (10_000, 8)])
def test_waits_double_up_to_8_seconds_minus_up_to_a_quarter(repeated, longest):
    waits = [backoff_seconds(repeated, None) for _ in range(100)]
    assert 0.75 * longest <= min(waits) < max(waits) <= longest


def test_retry_after_is_followed_up_to_two_minutes():
    assert backoff_seconds(3, 0.01) == 0.01
    assert backoff_seconds(0, 120) == 120
    assert backoff_seconds(0, 121) is backoff_seconds(0, float("inf")) is None
    assert 0.375 <= backoff_seconds(0, 0) <= 0.5
    assert 0.375 <= backoff_seconds(0, -5) <= 0.5  # a date in the past


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "3"}, 3),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "Tue, 99 Foo 2026 00:00:00 GMT"}, None),
    ],
    ids=repr,
)
def test_retry_after_is_read(headers, seconds):
    assert retry_after(headers) == seconds


def test_retry_after_may_be_a_date():
    assert retry_after({"Retry-After": formatdate(time.time() + 30, usegmt=True)}) == pytest.approx(30, abs=2)


@pytest.mark.parametrize(
    ("status", "wait", "asked"),
    [
        *((s, "0.001", 2) for s in (408, 409, 429, 500, 529)),
        *((s, "0.001", 1) for s in (400, 404, 501)),
        (429, "3600", 1),
    ],
)
def test_only_transient_errors_are_retried_unless_the_wait_is_long(server, status, wait, asked):
    server.reply = (status, b"oh", {"Retry-After": wait})
    (error,) = posted(server.url)
    assert isinstance(error, PostError)
    assert (error.status, str(error)) == (status, f"status {status}: oh")
    assert len(server.bodies) == asked


@pytest.mark.parametrize(("code", "asked"), [(429, 2), ("429", 2), (502, 2), (400, 1), (50001, 1), (None, 1)])
def test_an_error_with_status_200_counts_by_its_code(server, code, asked):
    reply = {"error": {"message": "slow down", "code": code}, "choices": []}
    server.reply = (200, json.dumps(reply).encode(), {"Retry-After": "0.001"})
    (error,) = posted(server.url)
    status = int(code) if str(code) in {"429", "502", "400"} else None
    assert (error.status, str(error)) == (
        status,
        f"error{f' {status}' if status else ''} instead of an answer: slow down",
    )
    assert len(server.bodies) == asked


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ({"error": "out of memory"}, "out of memory"),
        ({"error": {"type": "x"}}, '{"type": "x"}'),
        ({**completion("correct"), "error": None}, None),
        ({**completion('"error"'), "error": {"message": "a warning"}}, None),
        ([{"error": 1}], None),
        ('"error"', None),
    ],
)
def test_errors_with_status_200_are_recognized(server, reply, message):
    server.reply = (200, json.dumps(reply).encode())
    (done,) = posted(server.url)
    assert (
        done == json.dumps(reply).encode() if message is None else str(done) == f"error instead of an answer: {message}"
    )


@pytest.mark.parametrize("url", ["http://:8000/v1", "http://host:99999/v1"])
def test_an_invalid_url_is_not_retried(url):
    start = time.monotonic()
    (error,) = posted(url, max_retries=5)
    assert (str(error)[:10], error.transient) == ("not sent: ", False)
    assert time.monotonic() - start < 0.4


def test_the_error_of_an_invalid_proxy_hides_its_url(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://bob:pw@:99999")
    monkeypatch.setenv("no_proxy", "")
    (error,) = posted("http://model.invalid/v1")
    assert not error.transient
    assert "a proxy" in str(error)
    assert "bob" not in str(error)


def test_credentials_in_the_url_replace_the_key(server):
    """In base64, u:p is dTpw."""
    posted(server.url.replace("//", "//u:p@"), key="k")
    posted(server.url, key="k")
    posted(server.url)
    assert server.keys == ["Basic dTpw", "Bearer k", None]


@pytest.mark.parametrize(
    ("scheme", "bypassed", "asked"), [("http://", "", True), ("", "", True), ("http://", "*", False)]
)
def test_a_proxy_of_the_environment_is_used(server, monkeypatch, scheme, bypassed, asked):
    monkeypatch.setenv("http_proxy", scheme + server.url.removeprefix("http://").removesuffix("/v1"))
    monkeypatch.setenv("no_proxy", bypassed)
    (done,) = posted("http://model.invalid/v1", max_retries=0)
    assert len(server.bodies) == asked
    assert isinstance(done, bytes) == asked


@pytest.fixture
def encrypted(tmp_path, monkeypatch):
    """A server with a trusted certificate for known.test: its port, the requested host names, and the keys."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate")
    certificate, key = str(tmp_path / "certificate.pem"), str(tmp_path / "key.pem")
    made = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    names = ["-subj", "/CN=known.test", "-addext", "subjectAltName=DNS:known.test", "-days", "2"]
    subprocess.run([*made, *names, "-out", certificate, "-keyout", key], check=True, capture_output=True)
    monkeypatch.setenv("SSL_CERT_FILE", certificate)
    http_client._certificates.cache_clear()
    greeted, keys = [], []

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.sni_callback = lambda _, name, __: greeted.append(name)
    reply = lambda request: keys.append(request.headers["Authorization"]) or (200, b"{}")  # noqa: E731
    with replies_served(reply, context) as server:
        yield server.server_port, greeted, keys
    http_client._certificates.cache_clear()


async def post_there(host, port):
    async def here(_):
        return "127.0.0.1"

    async with Client(f"https://{host}:{port}/v1", "secret", 5.0, 3, here) as client:
        return await client.post(BODY)


def test_the_certificate_is_checked_against_the_host_name(encrypted):
    port, greeted, keys = encrypted
    assert asyncio.run(post_there("known.test", port)) == b"{}"
    assert keys == ["Bearer secret"]
    with pytest.raises(PostError, match=r"unknown\.test.*certificate"):
        asyncio.run(post_there("unknown.test", port))
    assert keys == ["Bearer secret"]  # nothing was sent
    assert greeted == ["known.test", "unknown.test"]  # no retry


def test_a_reply_that_is_cut_off_is_retried(server):
    server.reply, cut_off = "correct", (200, b'{"choices": [{"mess')
    server.plan = {"": [cut_off]}
    (done,) = posted(server.url)
    assert json.loads(done)["choices"]
    server.reply = cut_off
    (error,) = posted(server.url)
    assert str(error) == 'the reply is not complete JSON: {"choices": [{"mess'


def test_status_401_names_the_variable_for_a_key_that_was_not_sent(server):
    server.reply = (401, b"no")
    (error,) = posted(server.url)
    assert str(error) == "status 401: no; no key was sent: set the environment variable OPENAI_API_KEY"
