"""Key phrases from YAKE: which phrases are found, and that no word counts twice."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_qa.metrics.evqascore.keywords import disjoint, yake_keywords


def test_phrases_of_question_and_answer_are_found():
    found = yake_keywords(
        "What is the man doing? He is playing an acoustic guitar on a wooden stage while a crowd claps."
    )
    assert set(found) == {"acoustic guitar", "wooden stage", "crowd claps", "man", "playing"}
    assert len(yake_keywords("What is the man doing? guitar")) == 2


@pytest.mark.parametrize("text", ["", " \n", "?!…", "The of and.", "42", "Yes.", "🙂🙂", "\0", "\ufffd"])
def test_text_without_phrases_gives_an_empty_list(text):
    assert yake_keywords(text) == []


def test_repetition_and_overlap_do_not_count():
    once = yake_keywords("A red ball rolls.")
    assert len(yake_keywords("A red ball rolls. The red ball rolls! Red ball, RED BALL, ball.")) <= len(once) + 1
    assert yake_keywords("ball Ball BALL") == ["ball ball"]


def test_phrase_does_not_cross_the_end_of_a_sentence():
    assert yake_keywords("cats. dogs") == ["cats", "dogs"]
    assert yake_keywords("What do they do? run") == ["run"]


def test_other_languages():
    assert "guitare acoustique" in yake_keywords("Un homme joue de la guitare acoustique sur une scène.", "fr")
    assert yake_keywords("居里夫人发现了镭。", "zh") == ["居里夫人发现了镭"]


WORDS = ["red", "ball", "blue", "box", "the", "a", "rolls", "stops.", "table,", "guitar", "man?", "and"]


@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_each_word_of_the_text_counts_at_most_once(words):
    text = " ".join(words)
    found = yake_keywords(text)
    assert found == yake_keywords(text)
    assert len(found) <= len({word.strip(".,?") for word in words})
    left = re.findall(r"\w+", text.lower())
    for word in (word for phrase in found for word in phrase.split()):
        left.remove(word)  # raises if a word counts more often than it occurs


def test_disjoint_keeps_the_first_of_overlapping_phrases():
    text = "a red ball hits a blue ball"
    phrases = ["red ball", "ball hits", "hits", "blue ball", "ball", "red"]
    assert disjoint(text, phrases) == ["red ball", "hits", "blue ball"]
    assert disjoint(text, ["ball", "red ball", "blue"]) == ["ball", "blue"]
    assert disjoint("well-known jazz-club", ["jazz-club", "well-known jazz-club"]) == ["jazz-club"]
