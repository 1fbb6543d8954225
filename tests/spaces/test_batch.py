"""Files are scored a few rows at a time, with the same result as at once."""

import dataclasses
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import evaluate_qa
from evaluate_qa.spaces._shared.drawing.code import for_file
from evaluate_qa.spaces._shared.drawing.figures import cards
from evaluate_qa.spaces._shared.drawing.plot import distribution
from evaluate_qa.spaces._shared.scoring import batch
from evaluate_qa.spaces._shared.scoring.files import UploadedTable, collect, read
from evaluate_qa.spaces._shared.scoring.records import records_of
from evaluate_qa.spaces._shared.scoring.videos import Videos, read_videos
from evaluate_qa.spaces._shared.visitors.limits import Limits, Refusal


def table_of(specification):
    """The worked examples as a file has them: a video by its name."""
    rows = [dict(example.row) for example in specification.examples.values()]
    for row in rows if specification.video else []:
        row["videos"] = Path(row["videos"]).name
    return collect(UploadedTable("rows", ""), enumerate(rows, 1), specification.file_fields)


def videos_of(specification, scorer):
    """The worked examples' videos, as if they had been uploaded."""
    paths = {Path(e.row["videos"]) for e in specification.examples.values() if specification.video}
    *_, videos = read_videos(specification, scorer, Videos(), sorted(paths))
    return videos


def test_a_few_at_a_time_is_the_same_as_all_at_once(specification, scorer):
    table, videos = table_of(specification), videos_of(specification, scorer)
    few = dataclasses.replace(specification, chunk=specification.chunk and 2)
    steps = batch.score(few, scorer, table, few.options(), videos)
    *steps, scored = (dataclasses.replace(step, kept=[*step.kept]) for step in steps)
    rows = [example.row for example in specification.examples.values()]
    expected = scorer.compute(rows, specification.fixed)
    # What else is in a batch of the model changes its last digits.
    close = 1e-9 if few.chunk is None else 1e-6
    assert scored.score == pytest.approx(expected[scorer.name], abs=close)
    assert scored.columns["score"] == pytest.approx(expected["per_example"]["score"], abs=close)
    assert scored.kept == [*range(len(table.rows))]
    others = {name: column for name, column in expected["per_example"].items() if isinstance(column[0], (list, str))}
    assert {name: scored.columns[name] for name in others} == others
    if few.chunk:
        assert [step.done for step in steps] == [*range(0, len(table.rows), 2)][: len(steps)]


def test_options_reach_the_metric(smile, scorer_of):
    table, scorer = table_of(smile), scorer_of("smile")
    *_, scored = batch.score(smile, scorer, table, replace(smile.options(), w=0.0))
    assert scored.score == pytest.approx(scorer.compute(table.rows, {"w": 0.0})["lexical"])


def test_rows_that_the_metric_refuses_are_named_and_left_out(smile, scorer_of):
    rows = [
        {"predictions": "a", "references": ["b"]},
        {"predictions": "a", "references": ["b", "c", "d"], "synthetic_answers": ["1", "2"]},
    ]
    table = collect(UploadedTable("rows", ""), enumerate(rows, 1), smile.fields)
    *_, scored = batch.score(smile, scorer_of("smile"), table, smile.options())
    assert scored.kept == [0]
    (problem,) = scored.problems
    assert problem.startswith(
        "row 2: synthetic_answers has 2 entries; expected one string, or a list with one for each"
    )
    table.rows = table.rows[1:]
    with pytest.raises(Refusal, match=r"^No row could be scored\. row 1: synthetic_answers has 2 entries"):
        list(batch.score(smile, scorer_of("smile"), table, smile.options()))


def test_when_time_is_up_what_was_scored_is_kept(smile, monkeypatch, scorer_of):
    table = table_of(smile)
    now = iter([0.0, 1.0, 11.0])
    monkeypatch.setattr(batch.time, "monotonic", lambda: next(now))
    two = dataclasses.replace(smile, chunk=2)
    *_, scored = batch.score(two, scorer_of("smile"), table, smile.options(), limits=Limits(seconds=10))
    assert (scored.done, scored.kept) == (2, [0, 1])
    assert scored.stopped == "Stopped after 10 seconds. The rows scored so far are below."


def test_long_texts_are_scored_fewer_at_a_time(smile, scorer_of):
    """Six rows of which 16 would fit: with texts of 60 characters and more, two reach the limit of 100."""
    table = table_of(smile)
    lengths = [sum(len(str(value)) for value in row.values()) for row in table.rows]
    steps = batch.score(smile, scorer_of("smile"), table, smile.options(), limits=Limits(chunk_characters=100))
    done = [step.done for step in steps]
    expected, characters = [0], 0
    for number, length in enumerate(lengths, 1):
        characters += length
        if characters >= 100 or number == len(lengths):
            expected.append(number)
            characters = 0
    assert done == expected
    assert 3 <= len(done) <= len(lengths)


def test_a_record_has_the_row_as_it_was_and_what_came_of_it(smile, scorer_of):
    table = table_of(smile)
    *_, scored = batch.score(smile, scorer_of("smile"), table, smile.options())
    record = records_of(scored)[0]
    assert list(record)[:3] == ["row", "score", "verdict"]
    assert record["predictions"] == smile.examples["Right"].row["predictions"]
    shown = cards(scored, None, smile)
    assert shown["Rows scored"] == ("6", "")
    assert shown["Judged correct"] == ("83.3%", "")  # five of six


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", pytest.param(".parquet", marks=pytest.mark.process)])
def test_the_python_lines_give_the_score_of_the_file(suffix, smile, tmp_path, monkeypatch, capsys, scorer_of):
    monkeypatch.chdir(tmp_path)
    records = [
        {"prediction": "It was Marie Curie.", "references": ["Curie", "Marie Curie"]},
        {"prediction": "no", "references": ["yes"]},
    ]
    file = tmp_path / f"an answer's{suffix}"
    if suffix == ".jsonl":
        file.write_text("\n".join(map(json.dumps, records)))
    elif suffix == ".csv":
        pd.DataFrame(records).assign(references=['["Curie", "Marie Curie"]', "yes"]).to_csv(file, index=False)
    else:
        pd.DataFrame(records).to_parquet(file)
    table, scorer = read(file, smile.fields), scorer_of("smile")
    *_, scored = batch.score(smile, scorer, table, replace(smile.options(), w=0.25))
    lines = for_file((evaluate_qa.path(scorer.name), None), "smile", table, smile.file_fields, {"w": 0.25})
    done = {}
    exec(lines, done)
    assert done["out"]["smile"] == pytest.approx(scored.score, abs=1e-9)
    assert capsys.readouterr().out.startswith("0.")


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", pytest.param(".parquet", marks=pytest.mark.process)])
def test_the_python_lines_take_a_text_for_a_text_and_nothing_for_nothing(
    suffix, smile, tmp_path, monkeypatch, scorer_of
):
    """An answer may look like a list, and what one row has another may lack."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(
        {
            "prediction": ["[inaudible]", "[42]", ""],
            "references": [["[42]"], ["42", "forty-two"], ["yes"]],
            "synthetic_answers": ["It is 42.", "", ""],
        }
    )
    if suffix == ".csv":
        frame["references"] = ['["[42]"]', '["42", "forty-two"]', "yes"]
    file = tmp_path / f"answers{suffix}"
    if suffix == ".jsonl":
        frame.to_json(file, orient="records", lines=True)
    else:
        frame.to_csv(file, index=False) if suffix == ".csv" else frame.to_parquet(file)
    table, scorer = read(file, smile.fields), scorer_of("smile")
    assert table.problems == []
    *_, scored = batch.score(smile, scorer, table, smile.options())
    done = {}
    exec(for_file((evaluate_qa.path(scorer.name), None), "smile", table, smile.file_fields, {}), done)
    assert done["out"]["per_example"]["score"] == pytest.approx(scored.columns["score"], abs=1e-6)


def test_the_python_lines_of_videos_run_where_the_videos_are(
    specification_of, scorer_of, tmp_path, monkeypatch, capsys
):
    specification, scorer = specification_of("evqascore"), scorer_of("evqascore")
    videos = videos_of(specification, scorer)
    for example in specification.examples.values():
        shutil.copy(example.row["videos"], tmp_path)
    monkeypatch.chdir(tmp_path)
    rows = [
        {"video": "red_square.mp4", "question": "What moves?", "prediction": "A large red square moves."},
        {"video": "green_ring.mp4", "question": "What moves?", "prediction": "A large red square moves."},
    ]
    Path("answers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    table, options = read(Path("answers.jsonl"), specification.file_fields), specification.options()
    *_, scored = batch.score(specification, scorer, table, options, videos)
    lines = for_file(
        (evaluate_qa.path(scorer.name), specification.configuration),
        specification.name,
        table,
        specification.file_fields,
        specification.arguments(options),
    )
    done = {}
    exec(lines, done)
    assert done["out"]["evqascore"] == pytest.approx(scored.score, abs=1e-6)
    assert done["out"]["per_example"]["best_times"] == scored.columns["best_times"]
    assert capsys.readouterr().out


def test_the_plot_counts():
    drawn = distribution([0.0, 0.05, 0.95, 1.0, 1.0], [False, False, True, True, False], 1.0)
    # The first column has 2 answers, the last 3, of which 2 are correct.
    assert "from 0: 2, from 0.1: 0," in drawn
    assert "from 0.9: 3" in drawn
    assert 'class="qa-high" style="height:66.67%"' in drawn
    assert "incorrect" not in distribution([50.0], None, 100.0)
    assert "from 50: 1" in distribution([50.0], None, 100.0)


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        # Ten columns of 0.1 hold them; of 0.05 they would end at 0.5.
        ([0.12, 0.5], "from 0: 0, from 0.1: 1, from 0.2: 0, from 0.3: 0, from 0.4: 0, from 0.5: 1, from 0.6: 0,"),
        # Ten of 0.2 end at 2 or, begun at -0.2, at 1.8.
        ([-0.1, 1.5], "from -0.2: 1, from 0: 0, from 0.2: 0, from 0.4: 0, from 0.6: 0, from 0.8: 0, from 1: 0, "
         "from 1.2: 0, from 1.4: 1, from 1.6: 0"),
        ([0.0, 0.0], "from 0: 2, from 0.001: 0,"),
        ([12.0], "from 10: 0, from 12: 1,"),
    ],
)  # fmt: skip
def test_the_plot_of_scores_without_bounds_takes_them_all_in(scores, told):
    assert told in distribution(scores, None, None)
