"""The tab File: uploads, results, and the explanation of a row."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from evaluate_qa.spaces._shared.page.answer_tab import AnswerEvents
from evaluate_qa.spaces._shared.page.file_tab import FileEvents
from evaluate_qa.spaces._shared.scoring.batch import ScoredFile

ROWS = """\
{"question": "Who discovered radium?", "references": ["Marie Curie"], "prediction": "It was Pierre."}
{oops
{"question": "Who discovered radium?", "references": ["Marie Curie"], "prediction": "Marie Curie"}
"""


@pytest.fixture
def events(smile, scorer_of, uploads):
    return FileEvents(smile, scorer_of("smile"), "smile")


@pytest.fixture
def table(events, uploads):
    file = uploads / "my answers.jsonl"
    file.write_text(ROWS)
    table, _, status = events.upload(str(file))
    assert "my answers.jsonl: 2 rows to score." in status
    return table


def opens(specification):
    return [control.shown for control in specification.controls]


def selected(row):
    return SimpleNamespace(row_value=[str(row)])


def test_other_files_of_the_server_are_not_read(events, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text(ROWS)
    table, _, status = events.upload(str(rows))
    assert table is None
    assert "File: expected an uploaded file." in status


def test_results_have_verdicts_in_words_and_the_name_of_the_file(events, table, smile):
    *steps, (_, status, results, shown, row, csv, _, _) = events.run(table, *opens(smile))
    assert all("my answers.jsonl" in step[1] for step in steps)
    assert "my answers.jsonl: done." in status
    assert "<dd>2</dd>" in results
    assert "line 2: not JSON" in results
    frame = shown["value"]
    assert list(frame)[:5] == ["row", "score", "verdict", "prediction", "question"]
    assert list(frame["verdict"]) == ["incorrect", "correct"]
    assert row == ""
    assert Path(csv["value"]).read_text().startswith("row,score,verdict,prediction,question")


def test_a_selected_row_has_the_explanation_of_the_tab_answer(events, table, smile, scorer_of):
    options = ["False", 0.25, 0.9]
    *_, (scored, *_) = events.run(table, *options)
    shown = events.row(selected(3), scored)
    assert "my answers.jsonl, line 3" in shown
    form = AnswerEvents(smile, scorer_of("smile"), "smile")
    expected = form.score("Who discovered radium?", "Marie Curie", "Marie Curie", "", *options)[1]
    assert "threshold of 0.90" in expected
    assert expected in shown
    assert "been deleted in the meantime" in events.row(selected(3), None)


def test_a_selected_row_of_two_systems_has_both_explanations(events, uploads, smile):
    file = uploads / "two.jsonl"
    row = '{"references": ["Marie Curie"], "prediction": "Marie Curie", "prediction_b": "Pierre"}'
    file.write_text(row)
    *_, (scored, *_) = events.run(events.upload(str(file))[0], *opens(smile))
    shown = events.row(selected(1), scored)
    assert shown.index(">Correct<") < shown.index(">Incorrect<")


def test_stopping_shows_the_rows_scored_so_far(events, smile):
    table, *_ = events.examples()
    assert "Stopped before anything was scored." in events.stop(None)[0]
    steps = events.run(table, *opens(smile))
    next(steps)
    scored = next(steps)[0]
    steps.close()
    assert isinstance(scored, ScoredFile)
    status, results, *_ = events.stop(scored)
    assert "<dd>6</dd>" in results
    assert "Example data: done." in status
