"""The rows of `python -m evaluate_qa.dev.bench`: the sample's or a file's, and an error where there are none."""

import json

import pytest
from commands import run_program

from evaluate_qa.dev.benchmarks.rows import COLUMNS, given_rows

COMMANDS = ["smile", "deltableu", "bem", "nli-lex"]


def test_a_reference_that_is_a_string_is_a_list_of_one(tmp_path):
    rows = [{"said": "a b", "reference": "b c", "question": "q"}, {"said": "", "reference": ["d", "e"], "question": ""}]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert given_rows(str(file), ["predictions=said"], COLUMNS) == {
        "predictions": ["a b", ""],
        "references": [["b c"], ["d", "e"]],
        "questions": ["q", ""],
    }


def test_the_sample_has_all_columns():
    given = given_rows(None, None, COLUMNS, limit=5)
    assert [len(given[name]) for name in COLUMNS] == [5, 5, 5]


@pytest.mark.parametrize("metric", COMMANDS)
@pytest.mark.parametrize(
    ("line", "told"),
    [
        (None, "there is no such file"),
        ("", "there are no rows to score"),
        ('{"prediction": "a", "reference_text": "b"}', "no column 'references'. Did you mean 'reference_text'?"),
        (
            '{"prediction": "a", "reference": null, "question": "q"}',
            "references: expected a string or a non-empty list",
        ),
    ],
)
def test_what_cannot_be_measured_is_told_in_a_line(tmp_path, metric, line, told):
    file = tmp_path / "rows.jsonl"
    if line is not None:
        file.write_text(line)
    result = run_program("bench", metric, "--input", file, code=1)
    assert result.stderr.startswith(f"python -m evaluate_qa.dev.bench {metric}: ")
    assert told in result.stderr
