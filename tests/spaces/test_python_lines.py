"""The Python lines that the page shows do what the page did, or say why they cannot."""

import json
from pathlib import Path

import pytest

import evaluate_qa
from evaluate_qa.spaces._shared.drawing.code import NO_API, for_file
from evaluate_qa.spaces._shared.metric.declared import ChoiceControl
from evaluate_qa.spaces._shared.page.answer_tab import AnswerEvents
from evaluate_qa.spaces._shared.page.file_tab import FileEvents
from evaluate_qa.spaces._shared.scoring.files import OTHER, read
from evaluate_qa.spaces._shared.visitors.endpoints import VisitorEndpoint

UNSURE = ("When did the Second World War end?", "1945", "Five years before 1950.")
GOOD = {"question": "Who?", "references": ["Curie", "Marie Curie"], "prediction": "Curie, of course"}
MORE = {"question": "Where?", "references": ["in Paris"], "prediction": "In Rome."}


def test_a_program_can_hand_over_every_setting(specification):
    """What goes through JSON, as a client sends it, is that setting still."""
    for control in (control for control in specification.controls if isinstance(control, ChoiceControl)):
        for value in control.labels:
            sent = json.loads(json.dumps(control.given(value)))
            assert control.value(sent) == control.value(str(value)), (control.name, value)


def test_what_was_asked_elsewhere_has_no_lines_with_the_api(specification_of, scorer_of, monkeypatch):
    """They would use the judge of the Space, and not say so."""
    specification, scorer = specification_of("judge"), scorer_of("judge")
    space = AnswerEvents(specification, scorer, ("judge", "http://127.0.0.1:7860"))
    assert "gradio_client" in space.score(*UNSURE, "None")[-1]
    monkeypatch.setitem(specification.__dict__, "asking", lambda scorer, _: scorer.with_metric(lambda metric: metric))
    elsewhere = ("http://127.0.0.1:9/v1", "m", "")
    analysed, _, lines, api = space.score(*UNSURE, "None", *elsewhere)
    assert VisitorEndpoint(*elsewhere).told.items() <= analysed.loading.items()
    assert (elsewhere[0] in lines, api) == (True, NO_API)
    assert space.rescore(analysed, "(0, 1)")[-1] == NO_API


def lines_of(records):
    """Records as the content of a JSONL file."""
    return "\n".join(record if isinstance(record, str) else json.dumps(record) for record in records)


HEAD, CELLS = "prediction,question,references", 'Curie,Who?,"[""Curie"", ""Marie Curie""]"'
BROKEN = {
    "no JSON": ("a.jsonl", lines_of([GOOD, '{"oops', MORE]), 2, "line 2: this is not JSON"),
    "no question": (
        "a.jsonl",
        lines_of([GOOD, MORE, {**MORE, "question": ""}]),
        3,
        "line 3: There is no question. Enter one.",
    ),
    "no object": ("a.jsonl", lines_of(["[1]", GOOD]), 1, "line 1: expected an object"),
    "other names": (
        "a.jsonl",
        lines_of([GOOD, {"predictions": "Rome", "questions": "q", "references": ["Rome"]}]),
        2,
        "line 2: questions: earlier rows call this column question. Use one name in all rows.",
    ),
    "few cells": ("a.csv", f"{HEAD}\nx,Who?\n{CELLS}", 2, "row 1: 2 cells, but the header has 3."),
    "no list": ("a.csv", f"{HEAD}\nx,Who?,[so] it\n{CELLS}", 2, "row 1: references: this is not a JSON list"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_of_a_file_with_broken_rows_these_are_named_and_without_them_the_lines_run(
    name, specification_of, scorer_of, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    file, content, number, told = BROKEN[name]
    Path(file).write_text(content)
    specification, scorer = specification_of("bem"), scorer_of("bem")
    table = read(Path(file), specification.file_fields)
    events = FileEvents(specification, scorer, evaluate_qa.path(scorer.name))
    *_, (scored, *_, code) = events.run(table, None, *(control.shown for control in specification.controls))
    lines = code["value"]
    assert lines.startswith(f"# Fix or delete these rows first; the page skipped them:\n# - {told}")
    kept = content.split("\n")
    del kept[number - 1]
    Path(file).write_text("\n".join(kept))
    done = {}
    exec(lines, done)
    assert done["out"]["bem"] == pytest.approx(scored.score, abs=1e-6)


def test_many_broken_rows_are_counted_and_no_comment_ends_early(smile, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(GOOD))
    table = read(file, smile.file_fields)
    problems = [f"line {number}: a\r\nimport os" for number in range(12)]
    lines = for_file(("smile", None), "smile", table, smile.file_fields, {}, problems=problems)
    assert lines.count("# - line") == 10
    assert "# - and 2 more\n" in lines
    assert "import os" not in lines.replace("a import os", "").split("\n")
    assert "Repair" not in for_file(("smile", None), "smile", table, smile.file_fields, {})


@pytest.mark.process
def test_of_a_parquet_file_they_read_what_is_needed(smile, scorer_of, tmp_path, monkeypatch):
    import pyarrow
    from pyarrow import parquet

    monkeypatch.chdir(tmp_path)
    columns = {name: pyarrow.array([GOOD[name], MORE[name]]) for name in GOOD}
    late = pyarrow.array([2**30] * 2, pyarrow.date32())
    parquet.write_table(pyarrow.table({**columns, "late": late, OTHER: ["Pierre", "In Rome."]}), "a.parquet")
    table = read(Path("a.parquet"), smile.file_fields)
    done = {}
    exec(for_file((evaluate_qa.path(scorer_of("smile").name), None), "smile", table, smile.file_fields, {}), done)
    assert done["other"]["smile"] < done["out"]["smile"]
