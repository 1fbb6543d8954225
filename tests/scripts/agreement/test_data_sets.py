"""Data sets as labeled answers: groups, dropped rows, selections, and published statistics."""

import json

import pytest

from evaluate_qa.agreement.data_sets import DATA
from evaluate_qa.agreement.statistics import SCORE_STATISTICS, VERDICT_STATISTICS
from evaluate_qa.agreement.tables import PUBLISHED
from evaluate_qa.labeled_data.rows import DataSelection
from evaluate_qa.labeled_data.sets import SETS

ENTRIES = json.loads(PUBLISHED.read_text(encoding="utf-8"))


def read(name, folder, **selection):
    return DATA[name](DataSelection(folder, **selection))


def test_evouna_groups(evouna_dir):
    data = read("evouna", evouna_dir, systems=("gpt4", "fid"))
    assert data.groups == ["all", "NQ", "TQ", "NQ/fid", "NQ/gpt4", "TQ/fid", "TQ/gpt4"]
    assert {group: len(data.members(group)) for group in data.groups} == {
        "all": 7,
        "NQ": 4,
        "TQ": 3,
        "NQ/fid": 2,  # of 3 usable questions one has no answer by fid
        "NQ/gpt4": 2,  # and one no verdict on gpt4
        "TQ/fid": 1,
        "TQ/gpt4": 2,
    }
    row = data.rows[0]
    assert (row.question, row.references, row.label) == ("question 0?", ["Paris", "City of Light"], 1.0)
    assert row.groups == {"all", "NQ", "NQ/fid"}


def test_limit_selects_first_questions_of_each_set(evouna_dir, diver_qa_dir):
    assert {row.question_id for row in read("evouna", evouna_dir, limit=1).rows} == {"NQ/0", "TQ/0"}
    assert {row.question for row in read("diver_qa", diver_qa_dir, limit=1).rows} == {"Where?", "When?"}


def test_diver_qa_groups_by_source_and_model(diver_qa_dir):
    data = read("diver_qa", diver_qa_dir)
    assert data.groups == ["all", "source aqa", "source squad", "model claude", "model phi"]
    assert [len(data.members(group)) for group in data.groups] == [6, 4, 2, 3, 3]
    assert len({row.question_id for row in data.rows}) == 3
    assert read("diver_qa", diver_qa_dir, systems=("phi",)).groups == ["all", "source aqa", "source squad", "model phi"]


def test_semeval_groups_by_part_and_test(semeval2013_dir):
    parts = {part: [f"{part}/unseen {what}" for what in ("answers", "questions")] for part in ("Beetle", "SciEntsBank")}
    groups = ["all", *(group for part, tests in parts.items() for group in (part, *tests))]
    assert read("semeval2013", semeval2013_dir).groups == groups
    assert read("semeval2013", semeval2013_dir, split="train").groups == ["all", *parts]


def test_default_split_of_evouna(evouna_dir):
    (evouna_dir / "split.json").unlink()
    found = read("evouna", evouna_dir, split="train")
    assert {row.question_id for row in found.rows} == {"NQ/0", "NQ/1", "NQ/3", "TQ/0", "TQ/2"}  # TQ/1 is in test


@pytest.mark.parametrize(
    ("name", "selection", "message"),
    [
        ("evouna", {"systems": ("gpt5",)}, "no system 'gpt5'; expected some of fid, gpt35"),
        ("evouna", {"limit": 0}, "limit is 0"),
        ("evouna", {"split": "final"}, "no split 'final'"),
        ("diver_qa", {"split": "dev"}, "no splits"),
        ("saf", {"systems": ("gpt4",)}, "saf does not name systems"),
    ],
)
def test_wrong_selections_are_rejected(evouna_dir, diver_qa_dir, name, selection, message):
    with pytest.raises(ValueError, match=message):
        read(name, evouna_dir.parent, **selection)


def test_empty_selection_is_an_error(tmp_path, evouna_dir):
    (evouna_dir / "split.json").write_text(json.dumps({"NQ": {"bad": [2]}, "TQ": {"bad": [1]}}))
    with pytest.raises(ValueError, match="evouna: no labeled answer is left"):
        read("evouna", evouna_dir, split="bad")


def test_missing_files_are_reported_with_source(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        read("evouna", tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="https://"):
        read("evouna", tmp_path)


def test_published_statistics_are_computed():
    statistics = {statistic for entry in ENTRIES for found in entry["groups"].values() for statistic in found}
    assert statistics <= {*SCORE_STATISTICS, *VERDICT_STATISTICS}
    unpublished = {"sample", "near_names", "traps", "values", *SETS}
    assert {entry["data"] for entry in ENTRIES} == {*DATA} - unpublished


@pytest.mark.parametrize("name", ["evouna", "diver_qa", "board"])
def test_published_groups_exist(shared, name):
    groups = {group for entry in ENTRIES if entry["data"] == name for group in entry["groups"]}
    assert groups <= set(read(name, shared / "data").groups)
