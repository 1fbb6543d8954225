"""A visitor's own endpoint: invalid input, public addresses, and the key, which nobody else sees."""

import asyncio
import re
from dataclasses import replace

import pytest
from chat_server import ChatServer

from evaluate_qa.metrics._shared.endpoint import Endpoint
from evaluate_qa.spaces._shared.visitors.endpoints import given, is_public, public_address
from evaluate_qa.spaces._shared.visitors.limits import Refusal
from evaluate_qa.spaces.judge import app

KEY = "sk-visitor-0123456789"
# The matcher's scores are .88 and .99, so the first goes to the judge.
UNSURE = ("Who painted the Mona Lisa?", "Leonardo da Vinci", "Leonardo painted it.")
SURE = ("Who discovered radium?", "Marie Curie", "Marie Curie, born in Warsaw.")
OPENS = "None"  # the control's value when the page opens


@pytest.fixture
def open_space(monkeypatch):
    """The Space, with any endpoint allowed."""
    monkeypatch.setattr(app, "ENDPOINTS", "any")
    return replace(app.SPECIFICATION, asking=app.with_endpoint)


def form_of(specification, scorer):
    from evaluate_qa.spaces._shared.page.answer_tab import AnswerEvents

    return AnswerEvents(specification, scorer, "judge")


@pytest.fixture
def form(open_space, scorer_of):
    return form_of(open_space, scorer_of("judge"))


@pytest.mark.parametrize(
    ("entered", "message"),
    [
        (("ftp://a.org", "m", ""), "URL: expected an address such as"),
        (("file:///etc/passwd", "m", ""), "URL: expected an address such as"),
        (("a.org/v1", "m", ""), "URL: expected an address such as"),
        (("http://a.org/\nb", "m", ""), "URL: expected an address such as"),
        (("http://" + "a" * 4000, "m", ""), "URL: the text has 4,007 characters; this Space accepts 4,000"),
        (("https://me:secret@a.org/v1", "m", ""), "URL: expected an address without user, password and parameters"),
        (("https://a.org/v1?api-key=secret", "m", ""), "URL: expected an address without user"),
        (("https://a.org", " ", ""), "There is no model"),
        (("https://a.org", "m", "sk a"), "Key: expected ASCII letters, digits and symbols"),
        (("https://a.org", "m", "schlüssel"), "Key: expected ASCII letters"),
        (("https://a.org", ["m"], "k"), "URL, model and key: expected texts"),
    ],
)
def test_invalid_endpoints_are_refused(entered, message):
    with pytest.raises(Refusal, match=re.escape(message)) as refused:
        given(entered)
    assert not [secret for secret in ("secret", "sk a", "schlüssel") if secret in str(refused.value)]


def test_the_python_code_has_everything_but_the_key():
    found = given((" https://a.org/v1 ", "m", KEY))
    assert found.loading == {"endpoint": "https://a.org/v1", "model": "m"}
    assert found.key == KEY
    assert KEY not in repr(found)
    assert given(()) is given(("", "m", KEY)) is given((None, None, None)) is None


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_public_addresses_are_accepted(address):
    assert is_public(address)
    assert asyncio.run(public_address(address)) == address


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1"),
        *("::1", "::", "fe80::1", "fe80::1%1", "fd00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1"),
        # 127.0.0.1 as 6to4, and 10.0.0.1 translated.
        *("2002:7f00:1::", "64:ff9b::a00:1"),
        # Other spellings of 127.0.0.1.
        *("2130706433", "0x7f000001", "127.1", "localhost"),
        *("no.such.host.invalid", "", "a" * 300, "0.0.0.0"),
    ],
)
def test_other_addresses_are_refused(address):
    assert not is_public(address)
    with pytest.raises(ConnectionError, match="is not a public internet address"):
        asyncio.run(public_address(address))


def test_a_public_space_does_not_ask_servers_of_its_own_network(form, server, monkeypatch):
    monkeypatch.setattr(app, "ENDPOINTS", "public")
    _, shown, *_ = form.score(*UNSURE, OPENS, server.url, "m", KEY)
    assert "No verdict" in shown
    assert "127.0.0.1 is not a public internet address" in shown
    assert (server.bodies, KEY in shown) == ([], False)


def test_requests_go_to_the_checked_address_and_are_not_redirected(server):
    """The name has no address of its own; the server redirects to another one, which was not checked."""
    checked = []

    async def resolve(host):
        checked.append(host)
        return "127.0.0.1"

    elsewhere = ChatServer()
    there = Endpoint(server.url.replace("127.0.0.1", "judge.invalid"), "m", KEY, max_retries=0, resolve=resolve)
    replies = []
    for moved in (None, (307, b"", {"Location": f"{elsewhere.url}/chat/completions"})):
        server.reply = moved or "correct"
        there.reply([[{"role": "user", "content": "?"}]], lambda _, reply: replies.append(reply), {})
    assert {*checked} == {"judge.invalid"}
    assert replies[0].text == "correct"
    assert "307" in str(replies[1])
    assert (len(server.bodies), elsewhere.bodies) == (2, [])
    elsewhere.close()


def test_the_judge_gets_the_visitors_key_or_none(form, server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-owner")
    analysis, shown, code = form.score(*UNSURE, OPENS, server.url, "m", KEY)
    # The answer has one of the reference's three words: 1 % + 98 % / 3.
    assert "Incorrect" in shown
    assert analysis.features.judge["score"] == [pytest.approx(0.01 + 0.98 / 3)]
    assert "The judge is asked. Its verdict is “incorrect”." in shown
    assert server.keys == [f"Bearer {KEY}"]
    assert f'evaluate_qa.load("judge", endpoint="{server.url}", model="m", first="bem")' in code
    assert "OPENAI_API_KEY" in code
    assert KEY not in repr((analysis, shown, code))
    form.score(*UNSURE, OPENS, server.url, "m", "")
    assert len(server.keys) == 2
    assert not [key for key in server.keys if key and "owner" in key]


def test_the_judge_is_not_asked_if_the_matcher_is_confident_unless_the_visitor_chooses_so(form, server):
    analysis, shown, *_ = form.score(*SURE, OPENS, server.url, "m", KEY)
    assert "bem is confident: 1.00 is 0.8 or more. The judge is not asked." in shown
    assert server.bodies == []
    assert "The judge is asked about every answer. Press Score." in form.rescore(analysis, "(0, 1)")[0]
    assert "Correct" in form.score(*SURE, "(0, 1)", server.url, "m", KEY)[1]
    assert len(server.bodies) == 1


def test_errors_of_an_endpoint_are_shown_without_the_key(form, server):
    server.reply = (401, f'{{"error": {{"message": "Incorrect API key provided: {KEY}"}}}}'.encode())
    _, shown, code = form.score(*UNSURE, OPENS, server.url, "m", KEY)
    assert "but there is no verdict." in shown
    assert "Incorrect API key provided: ***" in shown
    assert KEY not in shown + code
    assert "Traceback" not in shown


def test_a_files_rows_go_to_the_visitors_endpoint(open_space, scorer_of, server, tmp_path, monkeypatch):
    from evaluate_qa.spaces._shared.page.file_tab import FileEvents

    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    events = FileEvents(open_space, scorer_of("judge"), "judge")
    table, *_ = events.examples()
    *_, (_, status, results, *_, code) = events.run(table, "(0, 1)", server.url, "m", KEY)
    assert "done." in status
    # The judge is asked about all six examples. A request has 100 tokens, and its reply 2.
    assert len(server.bodies) == 6
    for name, value in {"Rows scored": "6", "Sent to the judge": "100.0%", "Tokens": "612"}.items():
        assert f"<dt>{name}</dt><dd>{value}</dd>" in results
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert KEY not in results + str(code)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


def test_no_endpoint_is_asked_unless_the_environment_allows_it(scorer_of, server):
    """The page then has no boxes for it, but a program may still send their values."""
    assert app.SPECIFICATION.asking is None
    form = form_of(app.SPECIFICATION, scorer_of("judge"))
    analysis, shown, code = form.score(*UNSURE, OPENS, server.url, "m", KEY)
    assert server.bodies == []
    assert analysis.features.recorded
    assert server.url not in shown + code
