"""Published figures: names, groups and values."""

import json

import pytest

from evaluate_qa.agreement.data_sets import DATA
from evaluate_qa.agreement.figures import OF_SCORES, OF_VERDICTS
from evaluate_qa.agreement.tables import PUBLISHED
from evaluate_qa.labeled_data.rows import DataSelection
from evaluate_qa.labeled_data.sets import SETS

ENTRIES = json.loads(PUBLISHED.read_text(encoding="utf-8"))


def test_published_figures_are_computed():
    figures = {figure for entry in ENTRIES for found in entry["groups"].values() for figure in found}
    assert figures <= {*OF_SCORES, *OF_VERDICTS}
    unpublished = {"sample", "near_names", "traps", "values", *SETS}
    assert {entry["data"] for entry in ENTRIES} == {*DATA} - unpublished


@pytest.mark.parametrize("name", ["evouna", "diver_qa", "board"])
def test_published_groups_exist(shared, name):
    groups = {group for entry in ENTRIES if entry["data"] == name for group in entry["groups"]}
    assert groups <= set(DATA[name](DataSelection(shared / "data")).groups)
