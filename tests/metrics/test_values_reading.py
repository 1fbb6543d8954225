"""Values in texts: expected numbers are derived by hand, and conversions from definitions of units."""

import math

import pytest

from evaluate_qa.metrics._values.dates import agrees, dates
from evaluate_qa.metrics._values.number_words import language_of, with_digits
from evaluate_qa.metrics._values.numbers import WrittenNumber, equal
from evaluate_qa.metrics._values.reading import read, value_of_roman
from evaluate_qa.metrics._values.text import plain
from evaluate_qa.metrics._values.times import times
from evaluate_qa.metrics._values.units import convert


def only_number(text, **options):
    (found,) = read(text, **options).numbers
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"$\frac{3}{4}$", "(3/4)"),
        (r"\frac{a}{4}", "((a)/(4))"),
        (r"6.02\times10^{23}", "6.02×10^(23)"),
        ("10⁻³ m²", "10^-3 m^2"),
        ("1 234 567", "1234567"),
        ("٢٠٦", "206"),
        ("5'11\"", "5 foot 11 inch"),
        ("x\ud800", "x?"),
    ],
)
def test_typography_becomes_plain_text(text, expected):
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("nineteen oh five", "en", "1905"),
        ("the eighteen seventies", "en", "the 1870s"),
        ("three dozen", "en", "36"),  # 3 × 12
        ("12k", "en", "12×10^3"),
        ("12m", "en", "12m"),  # meters
        ("einundzwanzig Prozent", "de", "21 %"),
        ("dos millones y medio", "es", "2500000"),
        ("trente-deux ans et demi", "fr", "32 1/2 ans"),
        ("two and a half", "de", "2 1/2"),  # an English answer to a German question
        ("5 mİllion", "en", "5×10^6"),  # a Turkish capital i
    ],
)
def test_number_words_become_digits(text, language, expected):
    assert with_digits(plain(text), language) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.5", 1234.5),
        ("1.234.567", 1234567),
        ("2 1/2", 2.5),  # 2 + 1 / 2
        ("-3/8", -0.375),
        ("4.2 million", 4.2e6),
        ("10^-3", 0.001),
        ("1e3", 1000),
    ],
)
def test_numbers_have_the_value_that_is_written(text, value):
    assert only_number(text).number.value == pytest.approx(value)


def test_decimal_commas_are_those_of_the_language():
    assert only_number("1,234").number.value == 1234
    assert only_number("1,234", decimal_comma=True).number.value == 1.234


def test_ranges_and_quantities_in_two_units_are_one_number():
    wide = only_number("70-85 million").number
    assert (wide.value, wide.high) == pytest.approx((70e6, 85e6))
    assert only_number("5 ft 11 in").number.value == pytest.approx(5 + 11 / 12)
    assert only_number("1 hour and 20 minutes").number.value == pytest.approx(1 + 20 / 60)


@pytest.mark.parametrize(
    ("quantity", "unit", "value"),
    [
        ("1 kcal", "kJ", 4.184),  # the thermochemical calorie is 4.184 J
        ("1 mile", "km", 1.609344),  # 5280 ft × 0.3048 m
        ("1 inch", "cm", 2.54),
        ("1 lb", "kg", 0.45359237),
        ("1 atm", "pascal", 101325),
        ("1 hp", "W", 745.6998715822702),  # 550 ft × lbf / s
        ("36 km/h", "m/s", 10),  # 36,000 m / 3600 s
        ("1 eV", "J", 1.602176634e-19),
        ("-40 °C", "degF", -40),  # -40 × 9 / 5 + 32
        ("25 °C", "kelvin", 298.15),
        ("1 kWh", "MJ", 3.6),  # 1000 W × 3600 s
    ],
)
def test_conversions_agree_with_definitions(quantity, unit, value):
    found = only_number(quantity)
    assert convert(found.number, found.unit, unit).value == pytest.approx(value, rel=1e-9)


def test_numbers_are_equal_within_their_precision():
    exact = WrittenNumber(math.pi, math.pi, 1e-15)
    assert equal(WrittenNumber(3.14, 3.14, 0.01), exact)  # differs by 0.0016, at most 0.01 / 2
    assert not equal(WrittenNumber(3.13, 3.13, 0.01), exact)  # differs by 0.0116
    assert not equal(WrittenNumber(206, 206, 1, integer=True), WrittenNumber(207, 207, 1, integer=True))


def test_dates_agree_field_by_field():
    full, year, decade = (dates(text)[0] for text in ("14.03.1879", "1879", "the 1870s"))
    assert full.fields == (1879, 3, 14)
    assert [agrees(full, year), agrees(year, full), agrees(full, decade)] == [True, None, None]
    assert dates("44 BC")[0].years == (-44, -44)
    assert agrees(dates("3/4/2020")[0], dates("April 3, 2020")[0])  # the third of April in Europe
    assert [time.minutes for time in times("7:30 pm")] == [19 * 60 + 30]


@pytest.mark.parametrize(
    ("text", "language", "clock", "known"),
    [
        ("a quarter to nine", "en", (8, 45), False),  # 9:00 minus 15 minutes
        ("eight minutes to five in the morning", "en", (4, 52), True),
        ("at ten to six", "en", (5, 50), False),
        ("12 at night", "en", (0, 0), True),
        ("um halb eins nachts", "de", (0, 30), True),
        ("fünf vor halb acht", "de", (7, 25), False),
        ("20 Uhr 15", "de", (20, 15), True),
        ("tien voor half acht", "nl", (7, 20), False),
        ("à trois heures et demie", "fr", (3, 30), False),
        ("cinq heures moins le quart du matin", "fr", (4, 45), True),
        ("20h30", "fr", (20, 30), True),
        ("a las ocho de la noche", "es", (20, 0), True),
        ("las cinco menos cuarto", "es", (4, 45), False),
        ("alle otto e mezza di sera", "it", (20, 30), True),
        ("às três e meia da tarde", "pt", (15, 30), True),
        ("в восемь вечера", "ru", (20, 0), True),
        ("下午三点半", "en", (15, 30), True),
        ("minuit", "fr", (0, 0), True),
    ],
)
def test_times_of_day_in_words(text, language, clock, known):
    (found,) = read(text, language).times
    assert (divmod(found.minutes, 60), found.known) == (clock, known)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("five to ten people", "en"),
        ("from 5 to 10", "en"),
        ("three over two", "en"),
        ("half 8", "en"),
        ("zehn vor fünf Jahren", "de"),
        ("2 h 15 min", "fr"),
        ("2 heures 30 minutes", "fr"),
        ("le 12 et 13", "fr"),
        ("3 дня", "ru"),
        ("3 y 5", "es"),
        ("tres horas y media", "es"),
    ],
)
def test_ranges_durations_and_lists_are_no_times_of_day(text, language):
    assert read(text, language).times == ()


def test_roman_numerals_and_languages():
    assert [value_of_roman(text) for text in ("XIV", "MCMXCIV", "IIX")] == [14, 1994, None]  # 1000 + 900 + 90 + 4
    assert [language_of(text) for text in ("Combien d'os a l'homme et la femme?", "206")] == ["fr", "en"]
