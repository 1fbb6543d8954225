"""DIVER-QA's builder and the rows of its published file."""

import collections
import csv
import dataclasses

import pytest

from evaluate_qa.datasets_scripts.diver_qa import diver_qa
from evaluate_qa.datasets_scripts.diver_qa.diver_qa import DiverQa
from evaluate_qa.datasets_scripts.diver_qa.rows import SOURCE, read_rows

COLUMNS = ["questions", "answers", "dataset", "prediction", "model", "eval"]

LINES = [
    ["Where is the fair held?", "Town Moor", "aqa", 'On the "Town Moor",\n\nin Newcastle.', "claude", "1"],
    ["Is it cold? ", "no", "hotpotqa", " Yes, I think so.", "phi", "0"],
]


def write(folder, lines, columns=COLUMNS):
    with (folder / "diver_qa.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *lines])
    return folder


def test_each_answer_is_a_row_with_unchanged_texts(tmp_path):
    first, second = read_rows(write(tmp_path, LINES))
    assert first == {
        "question": "Where is the fair held?",
        "references": ["Town Moor"],
        "answer": 'On the "Town Moor",\n\nin Newcastle.',
        "source": "aqa",
        "model": "claude",
        "judgement": True,
    }
    assert (second["question"], second["answer"], second["judgement"]) == ("Is it cold? ", " Yes, I think so.", False)


def test_missing_column_is_named(tmp_path):
    write(tmp_path, [], columns=[column for column in COLUMNS if column != "eval"])
    with pytest.raises(ValueError, match=r"diver_qa\.csv lacks the column 'eval'"):
        list(read_rows(tmp_path))


@pytest.mark.parametrize("line", [[*LINES[1][:5], "yes"], [*LINES[1][:5], ""], LINES[1][:3]])
def test_bad_verdict_or_truncated_line_is_reported_with_its_number(tmp_path, line):
    write(tmp_path, [LINES[0], line])
    with pytest.raises(ValueError, match="line 5: eval is"):  # the first answer spans three lines
        list(read_rows(tmp_path))


def test_builder_downloads_and_returns_the_same_rows(tmp_path, served, sha256, monkeypatch):
    folder, address = served
    write(folder, LINES)
    source = dataclasses.replace(SOURCE, url=f"{address}/diver_qa.csv", sha256=sha256(folder / "diver_qa.csv"))
    monkeypatch.setattr(diver_qa, "SOURCE", source)
    for options in ({}, {"data_dir": str(folder)}):
        builder = DiverQa(cache_dir=str(tmp_path / f"cache {len(options)}"), **options)
        builder.download_and_prepare()
        assert builder.as_dataset(split="test").to_list() == list(read_rows(folder))


def test_source_is_the_published_file(shared, sha256):
    assert sha256(shared / "data" / "diver_qa" / "diver_qa.csv") == SOURCE.sha256


def test_each_question_is_answered_by_every_model(shared):
    answers = collections.Counter((row["source"], row["question"]) for row in read_rows(shared / "data" / "diver_qa"))
    assert len(answers) == 600
    assert set(answers.values()) == {5}
