"""The sample data as labelled answers."""

import json
from pathlib import Path

import evaluate_qa
import pytest
from evaluate_qa.agreement.labelled import Selection
from evaluate_qa.agreement.sample_rows import labelled, sample_data
from evaluate_qa.cli import app
from typer.testing import CliRunner

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
    data = labelled(path)
    assert data.groups == ["all", "kind short", "kind empty"]
    assert [row.question_id for row in data.rows] == ["0", "0", "1"]
    assert [row.label for row in data.rows] == [1.0, 0.0, 0.0]


def test_limit_counts_questions(path):
    assert len(labelled(path, 1).rows) == 2


def test_the_whole_sample_is_read():
    assert len(sample_data(Selection()).rows) == len(evaluate_qa.sample().read_text().splitlines())


def test_there_are_no_splits():
    with pytest.raises(ValueError, match="neither splits nor systems"):
        sample_data(Selection(split="dev"))


def test_group_prints_one_table_only():
    done = CliRunner().invoke(app, ["agreement", "--data", "sample", "--group", "kind short", "--bootstrap", "0"])
    assert done.exit_code == 0, done.output
    assert "kind short: 12 answers" in done.output
    assert "kind verbose" not in done.output
