"""Texts that the embedded matcher cannot read are detected, compared by exact rules, and marked."""

import pytest

import evaluate_qa
from evaluate_qa.metrics._shared.languages import exact_score, unsupported

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
    assert [row for row in CITIES if not unsupported(row[0], row[2], row[1])] == []
    assert [row for row in READABLE if unsupported(row[0], row[2], row[1])] == []


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("H2O", "水的化学式是H₂O。"),
        ("한라산", "제주도에 있는 한라산입니다."),
        ("지리산", "한라산이 아니라 지리산입니다."),
        ("서울", "서울특별시입니다."),
        ("عمّان", "العاصمة هي مدينة عمان"),  # without the mark of the double letter
        ("ירושלים", "יְרוּשָׁלַיִם"),
        ("東京", "京都ではなく東京です。"),
        ("上海", "不是北京，是上海"),
        ("上海", "上海，不是北京"),
        ("Москва", "Москва, а не Петербург"),
        ("नई दिल्ली", "भारत की राजधानी नई दिल्ली है।"),
        ("Ankara", "Türkiye'nin başkenti Ankara'dır."),
        ("Xi'an", "Xi'an"),
        ("Нева", "Город стоит на Неве."),
        ("Kraków", "w dawnej stolicy, Krakowie"),
    ],
)
def test_sentences_with_the_reference_are_right(reference, answer):
    assert exact_score(answer, reference) == 1


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("한라산", "한라산이 아니라 지리산입니다."),
        ("목요일", "목요일이 아닙니다"),
        ("서울", "서울에서 가까운 부산입니다"),
        ("서울", "서울 또는 부산입니다"),
        ("산", "산타입니다"),  # Santa, not a mountain
        ("عمّان", "ليست عمان"),
        ("東京", "東京じゃない"),
        ("東京", "東京タワーです"),
        ("京都", "東京都です"),
        ("スーダン", "南スーダンです"),
        ("水", "水素です"),
        ("北京", "不是北京，是上海"),
        ("北京", "北京不是首都。"),
        ("北京", "北京或上海"),
        ("Москва", "Это не Москва"),
        ("Αθήνα", "Δεν είναι η Αθήνα"),
        ("नई दिल्ली", "नई दिल्ली नहीं है"),
        ("Ankara", "Ankara değil"),
        ("Iran", "To było w Iraku."),
        ("Волга", "Волгоград"),
    ],
)
def test_denials_alternatives_and_longer_names_are_wrong(reference, answer):
    assert exact_score(answer, reference) == 0


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
