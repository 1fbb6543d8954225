"""Published figures: names, groups and values."""

import json

import pytest

from evaluate_qa.agreement.data_sets import DATA
from evaluate_qa.agreement.figures import OF_SCORES, OF_VERDICTS
from evaluate_qa.agreement.tables import PUBLISHED, published
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


def test_published_accuracy_of_lexical_match_equals_oracle(shared):
    """Published values are rounded to three digits."""
    oracle = json.loads((shared / "oracles" / "evouna_released_lexical_match.json").read_text())
    for group, expected in oracle.items():
        (lexical,) = (found for found in published("evouna", group) if found.name == "lexical match")
        assert lexical.figures["accuracy"] == pytest.approx(expected["accuracy"], abs=0.0006)


def test_published_mean_correlation_of_morqa():
    published = [found for entry in ENTRIES if entry["data"] == "morqa" for found in entry["groups"].values()]
    assert len(published) == 12 * 19  # metrics, tables of the appendix
    for found in published:
        mean = (found["kendall"] + found["pearson"] + found["spearman"]) / 3
        assert found["mean_correlation"] == pytest.approx(mean, abs=2e-4)
