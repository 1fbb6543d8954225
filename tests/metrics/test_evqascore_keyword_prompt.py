"""What a chat model replies, read as keywords."""

import pytest

from evaluate_qa.metrics.evqascore.keyword_model import conversation, parse_keywords

REPLIES = {
    "JSON": '["red ball", "blue box"]',
    "JSON in a fence": '```json\n["red ball", "blue box"]\n```',
    "JSON after words": 'Here are the key phrases: ["red ball", "blue box"]. Tell me if you need more!',
    "JSON object": '{"keywords": ["red ball", "blue box"]}',
    "JSON of objects": '[{"phrase": "red ball"}, {"phrase": "blue box"}]',
    "JSON on lines": '[\n  "red ball",\n  "blue box"\n]',
    "JSON that was cut": '["red ball", "blue box"',
    "numbers": "1. red ball\n2. blue box",
    "numbers in brackets": "(1) red ball\n(2) blue box",
    "numbers with an introduction": "Sure! The phrases are:\n\n1) red ball\n2) blue box\n\nLet me know!",
    "bullets": "* red ball\n* blue box",
    "dashes, bold": "Key phrases:\n- **red ball**\n- **blue box**",
    "dots": "• red ball\n• blue box",
    "lines": "red ball\nblue box",
    "commas": "red ball, blue box",
    "commas after a heading": "Keywords: red ball, blue box.",
    "a heading and commas": "Keywords:\nred ball, blue box",
    "semicolons": "red ball; blue box;",
    "Chinese commas": "red ball、blue box",
    "thoughts": '<think>\nThe text [sic] names two, a, b.\n</think>\n["red ball", "blue box"]',
    "quotes": '"red ball", “blue box”',
    "repeated": '["red ball", "Red  ball", "blue box", "", "red ball"]',
}


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
def test_both_keywords_are_read_in_order(reply):
    assert parse_keywords(reply) == ["red ball", "blue box"]


@pytest.mark.parametrize(
    "reply", ["", "[]", "None", "none.", "N/A", "No keywords", "```json\n[]\n```", "<think>a</think>", "-"]
)
def test_a_model_may_find_none(reply):
    assert parse_keywords(reply) == []


def test_other_brackets_are_no_json():
    assert parse_keywords("a [red] ball, blue {box}") == ["a [red] ball", "blue {box"]


def test_deeply_nested_replies_do_no_harm():
    assert parse_keywords("[" * 5000 + '"a"') in (["a"], [])


def test_the_prompt_holds_the_text_as_it_is():
    assert conversation("{0} %s [x]")[0]["content"].endswith("Text: {0} %s [x]")
