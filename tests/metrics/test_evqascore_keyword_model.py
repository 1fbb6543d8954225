"""Keywords from chat models: a server on this machine, and a model that is run here; each text is asked for once."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tiny_chat_model import save_chat_model

from evaluate_qa.metrics._shared.chat_models import NoAnswer
from evaluate_qa.metrics.evqascore.keyword_model import KeywordModel, KeywordStore, conversation


class _Handler(BaseHTTPRequestHandler):
    """Replies with the words of the text as a numbered list; to a text that begins with a number, with that status."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = body["messages"][-1]["content"].rpartition("Text: ")[2]
        self.server.asked.append(text)
        status = int(text.split()[0]) if text.split()[0].isdigit() else 200
        reply = "".join(f"{number}. {word}\n" for number, word in enumerate(text.split(), 1))
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}
        content = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        sent = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.asked = []
        server.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def ask(server):
    """Asks a new object for the keywords of texts."""

    def ask(*texts, cache_dir=None, model="m"):
        return KeywordModel(model, endpoint=server.url, cache_dir=cache_dir).keywords(texts)

    return ask


def test_each_text_is_asked_for_once(server, ask):
    assert ask("red ball", "box", "red ball") == {"red ball": ["red", "ball"], "box": ["box"]}
    assert sorted(server.asked) == ["box", "red ball"]


def test_an_object_remembers(server):
    model = KeywordModel("m", endpoint=server.url)
    assert model.keywords(["a b"]) == model.keywords(["a b"]) == {"a b": ["a", "b"]}
    assert server.asked == ["a b"]


def test_what_is_stored_is_not_asked_again(server, ask, tmp_path):
    ask("a b", cache_dir=tmp_path)
    assert ask("a b", "c", cache_dir=tmp_path) == {"a b": ["a", "b"], "c": ["c"]}
    assert server.asked == ["a b", "c"]
    ask("a b", cache_dir=tmp_path, model="another")
    assert server.asked == ["a b", "c", "a b"], "each model has a store of its own"


def test_a_failure_is_told_and_not_stored(server, ask, tmp_path):
    found = ask("401 a", "b", cache_dir=tmp_path)
    assert found["b"] == ["b"]
    assert isinstance(found["401 a"], NoAnswer)
    assert "status 401" in str(found["401 a"])
    ask("401 a", "b", cache_dir=tmp_path)
    assert server.asked.count("401 a") == 2
    assert server.asked.count("b") == 1


def test_it_gives_up_after_twenty_failures_in_a_row(server, ask, tmp_path):
    with pytest.raises(ValueError, match=r"^evqascore: the keyword model failed 20 times in a row: status 401"):
        ask("first", *(f"401 {number}" for number in range(60)), cache_dir=tmp_path)
    assert len(server.asked) < 60
    assert KeywordStore(tmp_path, "x").read(["first"]) == {}
    assert ask("first", cache_dir=tmp_path) == {"first": ["first"]}
    assert server.asked.count("first") == 1, "what it had is kept"


def test_the_store_outlives_a_kill(processes, tmp_path):
    program = (
        "import os, sys\n"
        "from evaluate_qa.metrics.evqascore.keyword_model import KeywordStore\n"
        "store = KeywordStore(sys.argv[1], 'x')\n"
        "store.write('text', ['é', 'b'])\n"
        "os.kill(os.getpid(), 9)\n"
    )
    assert processes.run("-c", program, tmp_path).returncode == -9
    store = KeywordStore(tmp_path, "x")
    assert store.read(["text", "other"]) == {"text": ["é", "b"]}
    store.write("text", ["later"])
    assert store.read(["text"]) == {"text": ["é", "b"]}, "the first answer stays"


def test_many_may_write_at_once(tmp_path):
    def write(number):
        for index in range(20):
            KeywordStore(tmp_path, "x").write(f"{number} {index}", [str(number)])

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = {f"{n} {i}": [str(n)] for n in range(4) for i in range(20)}
    assert KeywordStore(tmp_path, "x").read(list(expected)) == expected


@pytest.fixture(scope="module")
def chat_model(tmp_path_factory):
    replies = {"A red ball.": '["red ball"]', "A dog runs.": "1. dog, running"}
    folder = tmp_path_factory.mktemp("chat")
    return save_chat_model(folder, [(conversation(text), reply) for text, reply in replies.items()])


def test_a_model_that_is_run_here(chat_model):
    model = KeywordModel(str(chat_model), device="cpu")
    assert model.keywords(["A dog runs.", "A red ball."]) == {
        "A dog runs.": ["dog, running"],
        "A red ball.": ["red ball"],
    }
    assert model.label.startswith(f"{chat_model.name}+prompt@")


def test_a_model_that_is_not_there_is_told():
    with pytest.raises(ValueError, match=r"^evqascore: cannot load the chat model 'no/model'"):
        KeywordModel("no/model").keywords(["a"])


def test_an_endpoint_that_is_no_address_is_told():
    with pytest.raises(ValueError, match=r"^evqascore: keyword_endpoint is 'localhost'; expected a URL such as http"):
        KeywordModel("m", endpoint="localhost")
