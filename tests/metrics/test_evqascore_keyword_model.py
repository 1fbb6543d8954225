"""Keywords from chat models: an OpenAI-compatible server, a local model, and the formats of their replies."""

import pytest

from evaluate_qa.metrics._shared.chat_models import NoAnswer
from evaluate_qa.metrics.evqascore.keywords import KeywordModel, conversation, parse_keywords


def text_of(body):
    return body["messages"][-1]["content"].rpartition("Text: ")[2]


def numbered(body):
    """The words of the text as a numbered list, or an error if the text begins with a status."""
    words = text_of(body).split()
    if words[0].isdigit():
        return int(words[0]), b"{}"
    return "".join(f"{number}. {word}\n" for number, word in enumerate(words, 1))


@pytest.fixture
def server(server):
    server.reply, server.subject = numbered, text_of
    return server


@pytest.fixture
def ask(server):
    """Ask a new object for the keywords of texts."""

    def ask(*texts, cache_dir=None, model="m"):
        return KeywordModel(model, endpoint=server.url, cache_dir=cache_dir).keywords(texts)

    return ask


def test_each_text_is_asked_for_once(server):
    model = KeywordModel("m", endpoint=server.url)
    assert model.keywords(["red ball", "box", "red ball"]) == {"red ball": ["red", "ball"], "box": ["box"]}
    assert server.asked == {"box": 1, "red ball": 1}


def test_stored_keywords_are_not_asked_for_again(server, ask, tmp_path):
    ask("a é", cache_dir=tmp_path)
    assert ask("a é", "c", cache_dir=tmp_path) == {"a é": ["a", "é"], "c": ["c"]}
    assert server.asked == {"a é": 1, "c": 1}
    ask("a é", cache_dir=tmp_path, model="another")
    assert server.asked == {"a é": 2, "c": 1}, "each model has its own store"


def test_failure_is_returned_and_not_stored(server, ask, tmp_path):
    found = ask("401 a", "b", cache_dir=tmp_path)
    assert found["b"] == ["b"]
    assert isinstance(found["401 a"], NoAnswer)
    assert "status 401" in str(found["401 a"])
    ask("401 a", "b", cache_dir=tmp_path)
    assert server.asked == {"401 a": 2, "b": 1}


def test_twenty_failures_in_a_row_end_the_call(server, ask, tmp_path):
    with pytest.raises(ValueError, match=r"^evqascore: 20 requests in a row failed: status 401"):
        ask("first", *(f"401 {number}" for number in range(60)), cache_dir=tmp_path)
    assert len(server.bodies) < 60
    assert ask("first", cache_dir=tmp_path) == {"first": ["first"]}
    assert server.asked["first"] == 1, "earlier replies are kept"


REPLIES = {
    "JSON": '["red ball", "blue box"]',
    "JSON in a fence": '```json\n["red ball", "blue box"]\n```',
    "JSON after words": 'Here are the key phrases: ["red ball", "blue box"]. Tell me if you need more!',
    "JSON object": '{"keywords": ["red ball", "blue box"]}',
    "JSON of objects": '[{"phrase": "red ball"}, {"phrase": "blue box"}]',
    "truncated JSON": '["red ball", "blue box"',
    "numbers in brackets": "(1) red ball\n(2) blue box",
    "numbers with an introduction": "Sure! The phrases are:\n\n1) red ball\n2) blue box\n\nLet me know!",
    "square brackets": "[1] red ball\n[2] blue box",
    "a number in the heading": "Key phrases [2]:\n- red ball\n- blue box",
    "bullets": "* red ball\n* blue box",
    "dashes, bold": "Key phrases:\n- **red ball**\n- **blue box**",
    "dots": "• red ball\n• blue box",
    "lines": "red ball\nblue box",
    "commas after a heading": "Keywords: red ball, blue box.",
    "a heading and commas": "Keywords:\nred ball, blue box",
    "semicolons": "red ball; blue box;",
    "Chinese commas": "red ball、blue box",
    "thoughts": '<think>\nThe text [sic] names two, a, b.\n</think>\n["red ball", "blue box"]',
    "quotes": '"red ball", “blue box”',
    "repeated": '["red ball", "Red  ball", "blue box", "", "red ball"]',
}


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
def test_keywords_are_parsed_in_order(reply):
    assert parse_keywords(reply) == ["red ball", "blue box"]


@pytest.mark.parametrize(
    "reply", ["", "[]", "None", "N/A", "No keywords", "```json\n[]\n```", "<think>a</think>", "<think>a, b", "-"]
)
def test_reply_without_keywords_is_an_empty_list(reply):
    assert parse_keywords(reply) == []


def test_other_brackets_are_not_json():
    assert parse_keywords("a [red] ball, blue {box}") == ["a [red] ball", "blue {box"]
    assert parse_keywords("[" * 1500 + '"a"') in (["a"], [])


def test_prompt_holds_the_text_unchanged():
    assert conversation("{0} %s [x]")[0]["content"].endswith("Text: {0} %s [x]")
