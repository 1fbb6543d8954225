"""Made answers that would deceive a judge: their labels are those that a reader gives."""

import random
import re

import pytest
from evaluate_qa.agreement.labelled import LabelledRow
from evaluate_qa.training import deceptions
from evaluate_qa.training.deceptions import deceive
from evaluate_qa.training.wording import ECHOES, EMPTY, RETRACTIONS
from scipy import constants

ROW = LabelledRow("q", "which city is meant?", ["Paris", "Paname"], "It is Paris.", 1.0, frozenset())
OTHERS = ["Rome", "Oslo", "Lima"]
RIGHT = re.compile("Paris|Paname")
NAMES = re.compile("Paris|Paname|Rome|Oslo|Lima")
# Sizes by another hand, in SI units, people by the thousand.
SIZES = {
    **dict.fromkeys(("m", "metres", "litres", "liters", "kg", "kilograms", "seconds", "thousand", "m/s"), 1.0),
    **dict.fromkeys(("km", "kilometres", "tonnes", "million"), constants.kilo),
    "cm": constants.centi,
    **dict.fromkeys(("mm", "g", "grams", "ml", "millilitres"), constants.milli),
    **dict.fromkeys(("mg", "milligrams"), constants.micro),
    **dict.fromkeys(("km/h", "kilometres per hour"), constants.kmh),
    "feet": constants.foot,
    "inches": constants.inch,
    "miles": constants.mile,
    "pounds": constants.pound,
    "micrograms": constants.nano,
    "minutes": constants.minute,
    "hours": constants.hour,
    "days": constants.day,
    "weeks": constants.week,
    "centuries": 1200.0,  # ages by the month
    "decades": 120.0,
    "years": 12.0,
    "months": 1.0,
    "gallons": constants.gallon / constants.liter,
    "billion": constants.mega,
    "mph": constants.mph,
}


def made(kind, monkeypatch):
    """Two hundred of a kind."""
    monkeypatch.setattr(deceptions, "_MEASURED", 0.0)
    monkeypatch.setattr(deceptions, "_KINDS", (kind,))
    draw = random.Random(0)
    found = [deceive(ROW, OTHERS, draw) for _ in range(200)]
    assert all(one.question == ROW.question and one.reference in ROW.references for one in found)
    return found


@pytest.mark.parametrize("kind", dict.fromkeys(deceptions._KINDS))
def test_half_are_right(kind, monkeypatch):
    # Of 200 draws by half a share beyond .4 to .6 has a chance of .005; the draws are the same each time.
    assert 80 <= sum(one.label for one in made(kind, monkeypatch)) <= 120


def test_what_is_said_last_counts_where_something_is_taken_back(monkeypatch):
    assert all(text.index("{first}") < text.index("{last}") for text in RETRACTIONS)
    for one in made(deceptions._retracted, monkeypatch):
        assert bool(RIGHT.fullmatch(NAMES.findall(one.answer)[-1])) == bool(one.label)


def test_a_list_is_right_only_where_the_right_one_is_chosen(monkeypatch):
    for one in made(deceptions._listed, monkeypatch):
        said = NAMES.findall(one.answer)
        chosen = {name for name in said if said.count(name) == 2}
        assert len(set(said)) == 4
        assert bool(one.label) == any(map(RIGHT.fullmatch, chosen))


@pytest.mark.parametrize("kind", [deceptions._empty, deceptions._echoed, deceptions._instructing])
def test_what_says_nothing_is_wrong_and_may_stand_beside_an_answer(kind, monkeypatch):
    for one in made(kind, monkeypatch):
        assert bool(RIGHT.search(one.answer)) == bool(one.label)


def test_a_refusal_that_names_the_reference_is_wrong_and_a_careful_answer_is_not(monkeypatch):
    wrong = [one for one in made(deceptions._declined, monkeypatch) if not one.label]
    assert any(RIGHT.search(one.answer) for one in wrong)
    assert any(not RIGHT.search(one.answer) for one in wrong)  # careful, and another answer


def test_a_quantity_is_right_where_it_is_the_same_in_any_unit():
    draw = random.Random(0)
    for one in (deceptions._measured(draw) for _ in range(500)):
        said, wanted = (_size(text) for text in (one.answer, one.reference))
        # Four digits are written: one in a thousand at most. Wrong numbers differ by a tenth or more.
        assert (abs(said / wanted - 1) < 2e-3) == bool(one.label), one


def _size(text):
    number, unit = re.search(r"(\d[\d,]*(?:\.\d+)?) (\S.*?)\.?$", text).groups()
    return float(number.replace(",", "")) * SIZES[unit]


def test_there_is_none_for_long_references_or_without_another_one(monkeypatch):
    monkeypatch.setattr(deceptions, "_MEASURED", 0.0)
    long = LabelledRow("q", "why?", ["because of this and that and of many other things"], "So.", 1.0, frozenset())
    assert deceive(long, OTHERS, random.Random(0)) is None
    assert deceive(ROW, [], random.Random(0)) is None


def test_echoes_and_phrases_say_no_more_than_they_should():
    assert all(text.count("{question}") == 1 for text in ECHOES)
    assert not any("{" in text for text in EMPTY)
