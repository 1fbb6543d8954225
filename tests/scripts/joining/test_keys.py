"""The columns that identify and show a row."""

import json
from pathlib import Path

import pytest
from commands import run_command

from evaluate_qa.files.writing import write_rows
from evaluate_qa.joining.keys import cell_of, text_names


@pytest.mark.parametrize("name", ["prediction", "predictions"])
def test_rows_are_joined_by_question_and_answer_under_each_name(working_folder, name):
    rows = [{"question": "Who?", name: f"It is {at}.", "score": at / 60} for at in range(60)]
    write_rows("scored.jsonl", rows)
    write_rows("labels.jsonl", [{**row, "label": at % 2} for at, row in enumerate(rows)])
    run_command(
        "estimate", "--scored", "scored.jsonl", "--labels", "labels.jsonl", "--column", f"cluster={name}",
        "--json", "out.json",
    )  # fmt: skip
    assert json.loads(Path("out.json").read_text())["all"]["labels"] == 60


def test_changed_rows_hold_the_answers(working_folder):
    for system in ("old", "new"):
        rows = [
            {"question": f"{at}?", "prediction": f"{system} {at}", "score": float(system == "new")} for at in range(20)
        ]
        write_rows(f"{system}.jsonl", rows)
    run_command("compare", "old.jsonl", "new.jsonl", "--changed", "changed.jsonl")
    changed = [json.loads(line) for line in Path("changed.jsonl").read_text().splitlines()]
    assert {(row["prediction_before"], row["prediction"]) for row in changed} == {
        (f"old {at}", f"new {at}") for at in range(20)
    }


def test_an_empty_prediction_is_not_replaced_by_another_column():
    row = {"question": "Who?", "prediction": "", "answer_to_judge": "Marie Curie"}
    assert cell_of(row, "predictions") == ""
    assert text_names(row) == ["question", "prediction"]
