"""Keywords from YAKE: which phrases are found, and that no word counts twice."""

import pytest

from evaluate_qa.metrics.evqascore.keywords import drop_overlaps, yake_keywords


def test_phrases_of_question_and_answer_are_found():
    found = yake_keywords(
        "What is the man doing? He is playing an acoustic guitar on a wooden stage while a crowd claps."
    )
    assert set(found) == {"acoustic guitar", "wooden stage", "crowd claps", "man", "playing"}
    assert len(yake_keywords("What is the man doing? guitar")) == 2


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        *((text, "en", []) for text in ("", " \n", "?!…", "The of and.", "42", "Yes.", "🙂🙂", "\0", "\ufffd")),
        ("cats. dogs", "en", ["cats", "dogs"]),
        ("What do they do? run", "en", ["run"]),
        ("居里夫人发现了镭。", "zh", ["居里夫人发现了镭"]),
        ("Un homme joue de la guitare.", "fr", ["homme joue", "guitare"]),
    ],
)
def test_phrases_end_with_a_sentence_and_have_no_stop_words(text, lang, expected):
    assert yake_keywords(text, lang) == expected


def test_repetition_and_overlap_do_not_count():
    once = yake_keywords("A red ball rolls.")
    assert len(yake_keywords("A red ball rolls. The red ball rolls! Red ball, RED BALL, ball.")) <= len(once) + 1
    assert yake_keywords("ball Ball BALL") == ["ball ball"]


def test_disjoint_keeps_the_first_of_overlapping_phrases():
    text = "a red ball hits a blue ball"
    phrases = ["red ball", "ball hits", "hits", "blue ball", "ball", "red"]
    assert drop_overlaps(text, phrases) == ["red ball", "hits", "blue ball"]
    assert drop_overlaps(text, ["ball", "red ball", "blue"]) == ["ball", "blue"]
    assert drop_overlaps("well-known jazz-club", ["jazz-club", "well-known jazz-club"]) == ["jazz-club"]
