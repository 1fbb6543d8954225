"""Files are scored in chunks, with the same result as all rows together."""

import dataclasses
import json
import shlex
from dataclasses import replace

import pytest
from commands import run_command

from evaluate_qa.spaces._shared.drawing.code import for_file
from evaluate_qa.spaces._shared.drawing.summary import cards
from evaluate_qa.spaces._shared.scoring import batch
from evaluate_qa.spaces._shared.scoring.files import UploadedTable, collect, read
from evaluate_qa.spaces._shared.scoring.records import records_of
from evaluate_qa.spaces._shared.visitors.limits import Refusal


def table_of(specification):
    rows = [example.row for example in specification.examples.values()]
    return collect(UploadedTable("rows", ""), enumerate(rows, 1), specification.fields)


@pytest.mark.parametrize("name", ["bem", "deltableu", "judge", "nli_lex", "smile"])
def test_chunks_give_the_same_result_as_all_rows_together(specification, scorer):
    table = table_of(specification)
    few = dataclasses.replace(specification, chunk=specification.chunk and 2)
    steps = batch.score(few, scorer, table, few.options())
    *steps, scored = (dataclasses.replace(step, kept=[*step.kept]) for step in steps)
    rows = [example.row for example in specification.examples.values()]
    expected = scorer.compute(rows, specification.fixed)
    # The other rows in a batch change the last digits of the model's outputs.
    close = 1e-9 if few.chunk is None else 1e-6
    assert scored.score == pytest.approx(expected[scorer.name], abs=close)
    assert scored.columns["score"] == pytest.approx(expected["per_example"]["score"], abs=close)
    assert scored.kept == [*range(len(table.rows))]
    others = {name: column for name, column in expected["per_example"].items() if isinstance(column[0], (list, str))}
    assert {name: scored.columns[name] for name in others} == others
    if few.chunk:
        assert [step.done for step in steps] == [*range(0, len(table.rows), 2)][: len(steps)]


def test_rows_that_the_metric_refuses_are_named_and_skipped(scored_rows):
    rows = [
        {"predictions": "a", "references": ["b"]},
        {"predictions": "a", "references": ["b", "c", "d"], "synthetic_answers": ["1", "2"]},
    ]
    scored = scored_rows("smile", rows)
    assert scored.kept == [0]
    (problem,) = scored.problems
    assert problem.startswith(
        "row 2: synthetic_answers has 2 entries; expected one string, or a list with one for each"
    )
    with pytest.raises(Refusal, match=r"^No row could be scored\. row 1: synthetic_answers has 2 entries"):
        scored_rows("smile", rows[1:])


def test_rows_scored_before_the_time_limit_are_kept(smile, monkeypatch, scorer_of, limit):
    table = table_of(smile)
    now = iter([0.0, 1.0, 11.0])
    monkeypatch.setattr(batch.time, "monotonic", lambda: next(now))
    limit(seconds=10)
    *_, scored = batch.score(dataclasses.replace(smile, chunk=2), scorer_of("smile"), table, smile.options())
    assert (scored.done, scored.kept) == (2, [0, 1])
    assert scored.stopped == "stopped after 10 seconds"


def test_chunks_of_long_texts_have_fewer_rows(smile, scorer_of, limit):
    """A chunk could have 16 rows, but two rows of 60 characters exceed the limit of 100."""
    rows = [{"predictions": "x" * 60, "references": ["y"]}] * 5
    table = collect(UploadedTable("rows", ""), enumerate(rows, 1), smile.fields)
    limit(chunk_characters=100)
    steps = batch.score(smile, scorer_of("smile"), table, smile.options())
    assert [step.done for step in steps] == [0, 2, 4, 5]


def test_a_record_has_the_row_and_its_scores(smile, scored_rows):
    scored = scored_rows("smile", [example.row for example in smile.examples.values()])
    record = records_of(scored)[0]
    assert list(record)[:3] == ["row", "score", "verdict"]
    assert record["predictions"] == smile.examples["Right"].row["predictions"]
    shown = cards(scored, None, smile)
    assert shown["Rows scored"] == ("6", "")
    assert shown["Judged correct"] == ("66.7%", "")  # four of six


def test_the_commands_give_the_scores_and_the_comparison_of_the_page(working_folder, smile, scorer_of, tmp_path):
    """Also if rows lack columns or are broken, and if an answer looks like a list."""
    rows = [
        {"prediction": "[42]", "references": ["[42]"], "prediction_b": "no", "synthetic_answers": ["It is 42."]},
        {"prediction": "It was Marie Curie.", "references": ["Curie", "Marie Curie"], "prediction_b": "Marie Curie"},
        {"prediction": "", "references": ["yes"], "prediction_b": "yes"},
        {"prediction": "no references", "prediction_b": ""},
    ]
    file = tmp_path / "an answer's.jsonl"
    lines = [json.dumps({"question": f"{number}?", **row}) for number, row in enumerate(rows)]
    file.write_text("\n".join([*lines, "{oops"]))
    table, options = read(file, smile.fields), replace(smile.options(), w=0.25)
    *_, scored = batch.score(smile, scorer_of("smile"), table, options)
    lines = for_file(smile, "smile", table, options, {}).splitlines()
    assert len(lines) == 3
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "evaluate-qa"
        run_command(*arguments)
    for end, expected in (("scored", scored), ("scored_b", scored.other)):
        found = [json.loads(line)["score"] for line in (tmp_path / f"an answer's.{end}.jsonl").read_text().splitlines()]
        assert found == pytest.approx(expected.columns["score"], abs=1e-6)
