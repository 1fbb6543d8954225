"""This package's own rows as labelled answers."""

import json
from pathlib import Path

import pytest
from commands import run_command
from evaluate_qa.agreement.data_sets import DATA
from evaluate_qa.agreement.labelled import Selection
from evaluate_qa.agreement.own_rows import own_rows

ROWS = [
    {"question": "Q1?", "references": ["a"], "prediction": "a", "correct": True, "kind": "short"},
    {"question": "Q1?", "references": ["a"], "prediction": "b", "correct": False, "kind": "short"},
    {"question": "Q2?", "references": ["c"], "prediction": "", "correct": False, "kind": "empty"},
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return file


def test_rows_are_grouped_by_kind_and_question(path):
    data = own_rows(path, Selection())
    assert data.name == "mine"
    assert data.groups == ["all", "kind short", "kind empty"]
    assert [row.question_id for row in data.rows] == ["Q1?", "Q1?", "Q2?"]
    assert [row.label for row in data.rows] == [1.0, 0.0, 0.0]


def test_limit_counts_questions(path):
    assert len(own_rows(path, Selection(limit=1)).rows) == 2


@pytest.mark.parametrize(("name", "rows"), [("sample", 138), ("near_names", 85)])
def test_each_set_is_read_whole_and_has_no_splits(name, rows):
    assert len(DATA[name](Selection()).rows) == rows
    with pytest.raises(ValueError, match=f"{name} has neither splits nor systems"):
        DATA[name](Selection(split="dev"))


@pytest.mark.parametrize(("split", "rows"), [(None, 142), ("test", 142), ("train", 240)])
def test_traps_are_read_by_part_and_never_mixed(split, rows):
    data = DATA["traps"](Selection(split=split))
    assert len(data.rows) == rows
    assert len(data.groups) == 1 + 10  # all, and each kind
    others = DATA["traps"](Selection(split="test" if split == "train" else "train"))
    assert not {row.question for row in data.rows} & {row.question for row in others.rows}


@pytest.mark.parametrize("given", [{"split": "dev"}, {"systems": ("gpt4",)}])
def test_traps_tell_which_parts_there_are(given):
    with pytest.raises(ValueError, match="traps has the splits train and test"):
        DATA["traps"](Selection(**given))


def test_group_prints_one_table_only():
    done = run_command("agreement", "--data", "sample", "--group", "kind short", "--bootstrap", "0")
    assert "kind short: 12 answers" in done.output
    assert "kind verbose" not in done.output
