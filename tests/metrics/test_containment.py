"""Answers in languages that the embedded matcher cannot read, compared by containment."""

import pytest

from evaluate_qa.metrics._shared.containment import containment_score


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
        ("猫", "这是一只猫。"),
        ("赤", "赤色"),
        ("жёлтого", "Лимон желтый."),
    ],
)
def test_sentences_with_the_reference_are_right(reference, answer):
    assert containment_score(answer, reference) == 1


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
        ("猫", "熊猫"),
        ("日本", "日本海"),
        ("Иван", "Иванов"),
    ],
)
def test_denials_alternatives_and_longer_names_are_wrong(reference, answer):
    assert containment_score(answer, reference) == 0
