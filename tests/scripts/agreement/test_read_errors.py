"""The errors that were read: their form, the table that is printed of them, and whose they are."""

import random
from collections import Counter

import pytest

from evaluate_qa.agreement.read_errors import CATEGORIES, read_errors, table
from evaluate_qa.datasets_scripts.diver_qa import rows as diver_qa
from evaluate_qa.datasets_scripts.evouna import rows as evouna

ERRORS = read_errors()


def place(error):
    return error.data, error.row, error.system


def test_sixty_of_each_data_set_once():
    assert Counter(error.data.partition("/")[0] for error in ERRORS) == {"diver_qa": 60, "evouna": 60}
    assert len(set(map(place, ERRORS))) == len(ERRORS)


def test_each_is_an_error_of_a_known_category():
    assert all((error.bem, error.nli_lex) != (error.correct, error.correct) for error in ERRORS)
    assert {error.category for error in ERRORS} == set(CATEGORIES)


def test_the_table_is_the_one_in_the_document(root):
    assert table(ERRORS) in (root / "scripts/training/README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def drawn_from(shared):
    """All rows that the errors were drawn from, by place, in the order in which they were scored."""
    rows = [(("diver_qa", n, row["model"]), row) for n, row in enumerate(diver_qa.read_rows(shared / "data/diver_qa"))]
    dev = []
    for config in evouna.SOURCES:
        questions = evouna.read_split(evouna.SPLIT_FILE, config, "dev")
        chosen = evouna.select(evouna.read_rows(shared / "data/evouna", config), questions)
        dev += [((f"evouna/{config.upper()}", r["question_id"], r["system"]), r) for r in chosen if r["usable"]]
    for part in (rows, dev):
        random.Random(0).shuffle(part)
    return dict(rows + dev)


def test_they_stand_in_the_order_of_the_draw(drawn_from):
    order = {found: number for number, found in enumerate(drawn_from)}
    numbers = [order[place(error)] for error in ERRORS]
    assert numbers == sorted(numbers)


def test_verdicts_are_those_of_people(drawn_from):
    assert [drawn_from[place(error)]["judgement"] for error in ERRORS] == [error.correct for error in ERRORS]
