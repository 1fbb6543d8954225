"""Texts that the embedded matcher cannot read are detected and marked."""

import pytest

import evaluate_qa
from evaluate_qa.metrics._shared.languages import is_unsupported

CITIES = [
    ("日本の首都は?", "東京", "京都"),
    ("What is the longest river in China?", "长江", "珠江"),
    ("ما هي عاصمة مصر؟", "القاهرة", "الإسكندرية"),
    ("Türkiye'nin başkenti neresidir?", "Ankara", "İstanbul"),
    ("Столица России?", "Москва", "Киев"),
    ("Πρωτεύουσα της Ελλάδας;", "Αθήνα", "Θεσσαλονίκη"),
    ("대한민국의 수도는?", "서울", "부산"),
    ("भारत की राजधानी?", "नई दिल्ली", "मुंबई"),
    ("Thủ đô của Việt Nam?", "Hà Nội", "Đà Nẵng"),
]

READABLE = [
    ("Who discovered radium?", "Marie Curie", "Skłodowska"),
    ("Wie heißt das Gegenteil von klein?", "groß", "größer"),
    ("¿Cuál es la capital de España?", "Madrid", "Málaga"),
    ("Who is the president of Turkey?", "Erdoğan", "Recep Tayyip Erdoğan"),
    ("What is the sum of the angles?", "π", "180°"),
    ("What is 5 + 5?", "10", "ten"),
    ("", "a", ""),
    ("What is the area of a circle?", "πr²", "pi times the radius squared"),
]


def test_unsupported_texts_are_detected_by_their_letters():
    assert [row for row in CITIES if not is_unsupported(row[0], row[2], row[1])] == []
    assert [row for row in READABLE if is_unsupported(row[0], row[2], row[1])] == []


@pytest.mark.parametrize("name", ["bem", "nli_lex"])
def test_wrong_answers_are_rejected_and_rows_are_marked(name):
    questions, right, wrong = map(list, zip(*CITIES, strict=True))
    scorer = evaluate_qa.load(name)
    found = scorer.compute(predictions=wrong, references=right, questions=questions)
    assert found["per_example"]["score"] == [0.0] * len(CITIES)
    assert found["unsupported_language"] == len(CITIES)
    assert scorer.compute(predictions=right, references=right, questions=questions)["accuracy"] == 1
    plain = scorer.compute(predictions=["Paris", ""], references=["Paris", "東京"], questions=["Which city?"] * 2)
    assert plain["per_example"]["unsupported_language"] == [False, True]
    assert plain["per_example"]["score"][1] == 0
