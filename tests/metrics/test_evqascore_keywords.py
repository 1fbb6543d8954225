"""Keywords that need no model: which phrases are found, and that no word counts twice."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_qa.metrics.evqascore.keyword_model import distinct
from evaluate_qa.metrics.evqascore.keywords import disjoint, yake_keywords

GUITAR = "What is the man doing? He is playing an acoustic guitar on a wooden stage while a crowd claps."


def test_what_is_found():
    found = yake_keywords(GUITAR)
    assert {"acoustic guitar", "wooden stage", "crowd claps", "man", "playing"} == set(found)


@pytest.mark.parametrize("text", ["", " \n", "?!…", "The of and.", "42", "Yes.", "🙂🙂", "\0", "\ufffd"])
def test_text_in_which_nothing_is_found_has_none(text):
    assert yake_keywords(text) == []


def test_repetition_and_overlap_do_not_count():
    once = yake_keywords("A red ball rolls.")
    assert len(yake_keywords("A red ball rolls. The red ball rolls! Red ball, RED BALL, ball.")) <= len(once) + 1
    assert yake_keywords("ball Ball BALL") == ["ball ball"]


def test_a_phrase_does_not_cross_the_end_of_a_sentence():
    assert yake_keywords("cats. dogs") == ["cats", "dogs"]
    assert yake_keywords("What do they do? run") == ["run"]


def test_a_richer_answer_has_more():
    poor, rich = yake_keywords("What is the man doing? guitar"), yake_keywords(GUITAR)
    assert len(poor) == 2 < len(rich) == 5


def test_other_languages():
    assert "guitare acoustique" in yake_keywords("Un homme joue de la guitare acoustique sur une scène.", "fr")
    assert yake_keywords("居里夫人发现了镭。", "zh") == ["居里夫人发现了镭"]
    with pytest.raises(ValueError, match=r"lang is 'xx', which YAKE does not know; expected one of ar, .*en, "):
        yake_keywords("a", "xx")


WORDS = ["red", "ball", "blue", "box", "the", "a", "rolls", "stops.", "table,", "guitar", "man?", "and"]


@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_each_word_of_the_text_counts_at_most_once(words):
    text = " ".join(words)
    found = yake_keywords(text)
    assert found == yake_keywords(text)
    assert len(found) <= len({word.strip(".,?") for word in words})
    left = re.findall(r"\w+", text.lower())
    for word in (word for phrase in found for word in phrase.split()):
        left.remove(word)  # raises where a word counts more often than it occurs


def test_disjoint_keeps_the_better_of_overlapping_phrases():
    text = "a red ball hits a blue ball"
    assert disjoint(text, ["red ball", "ball hits", "hits", "blue ball", "ball", "red"]) == [
        "red ball",
        "hits",
        "blue ball",
    ]
    assert disjoint(text, ["ball", "red ball", "blue"]) == ["ball", "blue"]
    assert disjoint("well-known jazz-club", ["jazz-club", "well-known jazz-club"]) == ["jazz-club"]


def test_distinct_ignores_case_and_spaces():
    assert distinct(["Red ball", "red  ball ", "", " ", "box", "RED BALL", "a"]) == ["Red ball", "box", "a"]
