"""`evaluate-qa select`: the best rows are kept in their order, scored here or before, whole or group by group."""

import json
import os
import shlex
import signal
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from commands import run_command
from hypothesis import given
from hypothesis import strategies as st
from toy_metric import write_toy_metric

from evaluate_qa.files.rows import read_rows
from evaluate_qa.files.writing import write_rows
from evaluate_qa.selection.criterion import Criterion

# Shares of the four words of the reference: 1/4, 1, 1/2, 0, 1, 3/4, 0, 1/2.
ANSWERS = ["a", "a b c d", "a b", "x", "d c b a", "a b c", "", "c d"]
SCORES = [0.25, 1.0, 0.5, 0.0, 1.0, 0.75, 0.0, 0.5]
ROWS = [
    {"id": number, "prediction": answer, "reference": "a b c d", "source": "even" if number % 2 == 0 else "odd"}
    for number, answer in enumerate(ANSWERS)
]


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    return write_toy_metric(tmp_path_factory.mktemp("metric"))


@pytest.fixture
def select(tmp_path, monkeypatch):
    """Runs the command in a folder with the rows, on a wide terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    write_rows("rows.jsonl", ROWS)

    return partial(run_command, "select")


def kept(path="kept.jsonl"):
    return [int(row["id"]) for _, row in read_rows(path)]


def test_a_file_in_the_place_of_all_scored_rows_that_is_not_of_an_earlier_run_stays(select, toy):
    arguments = ["--metric", toy, "--input", "rows.jsonl", "--output", "kept.jsonl", "--top", 2]
    for own in ('{"diary": "of years"}\n', "no rows at all"):
        Path("kept.scored.jsonl").write_text(own)
        assert "kept.scored.jsonl is there and not of an earlier run" in select(*arguments, code=1).stderr
        assert Path("kept.scored.jsonl").read_text() == own
    Path("kept.scored.jsonl").unlink()
    select(*arguments)
    select(*arguments)  # and once more, over its own


@pytest.mark.usefixtures("select")
@pytest.mark.parametrize("target", ["kept.jsonl", "kept.csv", "kept.parquet"])
def test_lists_in_csv_stay_lists(select, target):
    rows = [{"references": ["Paris", "Paris, France"], "gold": ["a"], "note": "[x]", "score": at} for at in range(3)]
    write_rows("scored.csv", rows)
    select("--input", "scored.csv", "--score-column", "score", "--top", 2, "--output", target)
    assert [(row["references"], row["note"]) for _, row in read_rows(target)] == [
        (["Paris", "Paris, France"], "[x]")
    ] * 2


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (["--fraction", 0.25], [1, 4]),
        (["--fraction", 0.125], [1]),
        (["--fraction", 0.5], [1, 2, 4, 5]),
        (["--fraction", 1], list(range(8))),
        (["--top", 3], [1, 4, 5]),
        (["--top", 99], list(range(8))),
        (["--threshold", 0.5], [1, 2, 4, 5, 7]),
        (["--threshold", 2], []),
    ],
    ids=str,
)
def test_the_best_rows_are_kept_in_their_order(select, toy, suffix, rule, expected):
    """Of the equal rows 1 and 4, and 2 and 7, the first count: an eighth is row 1, a half has row 2."""
    write_rows(f"rows.{suffix}", ROWS)
    target = f"kept.{suffix}"
    if expected or suffix == "jsonl":
        select("--metric", toy, "--input", f"rows.{suffix}", "--output", target, *rule)
        assert kept(target) == expected
        assert [float(row["score"]) for _, row in read_rows(f"kept.scored.{suffix}")] == SCORES


def test_kept_rows_are_as_they_were_scored(select, toy):
    select("--metric", toy, "--input", "rows.jsonl", "--output", "kept.jsonl", "--top", 3)
    scored = Path("kept.scored.jsonl").read_text().splitlines()
    assert Path("kept.jsonl").read_text().splitlines() == [scored[1], scored[4], scored[5]]


def test_groups_are_selected_by_themselves(select, toy):
    """Even rows score .25 .5 1 0, odd ones 1 0 .75 .5: the better half of each."""
    arguments = ["--metric", toy, "--input", "rows.jsonl", "--output", "kept.jsonl", "--fraction", 0.5]
    told = select(*arguments, "--per-group", "source").stderr
    assert kept() == [1, 2, 4, 5]
    select(*arguments, "--per-group", "source", "--fraction", 0.25)
    assert kept() == [1, 4]
    # Means of the kept: (.5 + 1) / 2 and (1 + .75) / 2; of the dropped: (.25 + 0) / 2 and (0 + .5) / 2.
    lines = [[part.strip() for part in line.strip("│ ").split("│")] for line in told.splitlines()]
    assert ["even", "4", "2", "0.7500", "0.1250", "0.5000"] in lines
    assert ["odd", "4", "2", "0.8750", "0.2500", "0.7500"] in lines
    assert ["all", "8", "4", "0.8125", "0.1875", "0.5000"] in lines
    assert "signature: toy|v:1" in told


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_groups_by_a_column_that_is_nowhere_are_refused_before_anything_is_scored(select, suffix):
    write_rows(f"rows.{suffix}", ROWS)
    arguments = ["--metric", "deltableu", "--input", f"rows.{suffix}", "--output", f"kept.{suffix}", "--top", 2]
    told = select(*arguments, "--per-group", "sorce", code=1).stderr
    assert f"rows.{suffix}: no column 'sorce'; did you mean 'source'? There are id, prediction, reference," in told
    assert "score, " in told, "nor does the metric add it"
    assert "no column 'score'" in select(*arguments, "--per-group", "score", "--prefix", "d_", code=1).stderr
    assert sorted(path.name for path in Path().iterdir()) == sorted({"rows.jsonl", f"rows.{suffix}"})


def test_groups_may_be_by_a_column_of_few_rows_of_the_metric_or_of_a_pipe(select, toy):
    """Rows 5 and 6 alone are of a part; the answers of rows 0 and 3, 1 and 4, 2 and 7 have equally many words."""
    write_rows("few.jsonl", [row | ({"part": "late"} if row["id"] in (5, 6) else {}) for row in ROWS])
    options = ["--output", "kept.jsonl", "--top", 1]
    select(*options, "--metric", toy, "--input", "few.jsonl", "--per-group", "part")
    assert kept() == [1, 5]
    for metric, column in ((toy, "length"), ("deltableu", "sys_len")):
        prefix = ["--prefix", f"{column}_", "--scored", f"{column}.jsonl"]
        select(*options, "--metric", metric, "--input", "rows.jsonl", *prefix, "--per-group", f"{column}_{column}")
        assert len(kept()) == 5
    piped = {"input": Path("rows.jsonl").read_bytes()}
    select(*options, "--metric", toy, "--input", "-", "--per-group", "source", **piped)
    assert kept() == [1, 4]


@pytest.mark.parametrize("piped", [False, True])
def test_groups_found_missing_after_scoring_are_told_with_the_command_that_goes_on(select, toy, piped):
    """What a metric of others adds is not known before, nor what a pipe brings."""
    rows = {"input": Path("rows.jsonl").read_bytes()} if piped else {}
    source = "-" if piped else "rows.jsonl"
    options = ["--metric", toy, "--input", source, "--output", "my kept.jsonl", "--top", 1, "--per-group", "sorce"]
    told = select(*options, code=1, **rows).stderr
    assert "my kept.scored.jsonl: no column 'sorce'; did you mean 'source'?" in told
    command = shlex.split(told[told.index("evaluate-qa select --") :])
    assert not Path("my kept.jsonl").exists()
    done = select(*["source" if word == "sorce" else word for word in command[2:]])
    assert kept("my kept.jsonl") == [1, 4]
    assert "MODEL LOADED" not in done.output


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_scores_that_are_there_are_not_made_again(select, suffix):
    rows = [{**row, "mine": None if score == 0 else score} for row, score in zip(ROWS, SCORES, strict=True)]
    write_rows(f"mine.{suffix}", rows)
    told = select("--input", f"mine.{suffix}", "--score-column", "mine", "--fraction", 0.5, "--output", "kept.jsonl")
    assert kept() == [1, 4, 5], "half of the six rows that have a score"
    assert "rows without a score, not kept: 2" in told.stderr
    assert not list(Path().glob("*.scored.*"))


def test_nan_is_no_score(select):
    rows = [{"id": 0, "s": float("nan")}, {"id": 1, "s": -5}, {"id": 2, "s": float("-inf")}]
    Path("s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert (
        "without a score, not kept: 1"
        in select("--input", "s.jsonl", "--score-column", "s", "--top", 1, "--output", "kept.jsonl").stderr
    )
    assert kept() == [1]


def test_bad_rows_are_set_aside(select, toy):
    write_rows("rows.jsonl", [{**ROWS[0], "prediction": 5}, *ROWS[1:]])
    arguments = ["--metric", toy, "--input", "rows.jsonl", "--output", "kept.jsonl", "--top", 2]
    assert "rows.jsonl, line 1: toy: prediction is 5" in select(*arguments, code=1).stderr
    told = select(*arguments, "--errors", "bad.jsonl").stderr
    assert kept() == [1, 4]
    assert "could not be scored and were set aside: 1" in told
    assert [row["row"] for _, row in read_rows("bad.jsonl")] == [1]


def test_a_stopped_run_goes_on(select, toy):
    write_rows("rows.jsonl", ROWS * 10)
    options = ["--metric", toy, "--input", "rows.jsonl", "--fraction", 0.25, "--chunk-size", 4]
    slow = [*options, "--compute", "seconds=0.1"]
    part = Path("kept.scored.jsonl.work/000003.jsonl")

    def stop():
        end = time.monotonic() + 30
        while not part.exists() and time.monotonic() < end:
            time.sleep(0.01)
        if Path("kept.scored.jsonl.work").exists():  # else the run is over, and something else would be stopped
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=stop)
    thread.start()
    assert "stopped; continue with --resume" in select(*slow, "--output", "kept.jsonl", code=130).stderr
    thread.join()
    assert not Path("kept.jsonl").exists()
    select(*slow, "--output", "kept.jsonl", "--resume")
    select(*options, "--output", "whole.jsonl")
    assert Path("kept.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    assert kept() == [1, 4] * 10


def test_to_standard_output(select, toy):
    arguments = ["--metric", toy, "--input", "rows.jsonl", "--output", "-", "--top", 1]
    assert "--scored scored.jsonl" in select(*arguments, code=1).stderr
    out = select(*arguments, "--scored", "scored.jsonl").stdout
    assert [json.loads(line)["id"] for line in out.splitlines()] == [1]


def test_columns_and_prefix_go_through(select, toy):
    write_rows("rows.jsonl", [{"id": row["id"], "said": row["prediction"], "reference": "a b c d"} for row in ROWS])
    arguments = ["--metric", toy, "--input", "rows.jsonl", "--output", "kept.jsonl", "--threshold", 1.5]
    select(*arguments, "--column", "predictions=said", "--compute", "bonus=1", "--prefix", "toy_")
    assert kept() == [1, 2, 4, 5, 7]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--metric", "smile", "--output", "k.jsonl"], "give one of --fraction, --top and --threshold"),
        (["--metric", "smile", "--output", "k.jsonl", "--top", "1", "--fraction", "1"], "give one of --fraction"),
        (["--metric", "smile", "--output", "k.jsonl", "--fraction", "0"], "more than 0 and at most 1"),
        (["--metric", "smile", "--output", "k.jsonl", "--fraction", "12.5"], "at most 1"),
        (["--metric", "smile", "--output", "k.jsonl", "--top", "0"], "--top is 0"),
        (["--metric", "smile", "--output", "k.jsonl", "--threshold", "nan"], "--threshold is not a number"),
        (["--metric", "smile", "--output", "k.txt", "--top", "1"], "expected .jsonl, .csv or .parquet"),
        (["--metric", "smile", "--output", "k.jsonl", "--top", "1", "--score-column", "id"], "give one of them"),
        (["--metric", "smile", "--output", "k.jsonl", "--top", "1", "--scored", "k.jsonl"], "must be different files"),
        (["--metric", "smile", "--output", "rows.jsonl", "--top", "1"], "--input and --output must be different files"),
        (
            ["--metric", "smile", "--output", "k.jsonl", "--top", "1", "--errors", "./k.jsonl"],
            "--output and --errors must be different files",
        ),
        (["--output", "k.jsonl", "--top", "1"], "give --metric, or --score-column"),
        (["--output", "rows.jsonl", "--top", "1", "--score-column", "id"], "must be different files"),
        (["--output", "k.jsonl", "--top", "1", "--score-column", "ids"], "did you mean 'id'?"),
        (["--output", "k.jsonl", "--top", "1", "--score-column", "source"], "line 1: the column 'source' is 'even'"),
        (["--output", "k.jsonl", "--top", "1", "--score-column", "id", "--per-group", "x"], "no column 'x'"),
    ],
)
def test_wrong_options_are_told(select, arguments, told):
    assert told in select("--input", "rows.jsonl", *arguments, code=1).stderr
    assert sorted(path.name for path in Path().iterdir()) == ["rows.jsonl"]


@given(
    scores=st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=30),
    fraction=st.floats(0.01, 1),
)
def test_no_dropped_row_is_better_than_a_kept_one(scores, fraction):
    places = Criterion(fraction=fraction).keep(scores)
    assert places == sorted(set(places))
    assert abs(len(places) - fraction * len(scores)) <= 0.5 or len(places) == 1
    dropped = [score for place, score in enumerate(scores) if place not in places]
    assert not dropped or min(scores[place] for place in places) >= max(dropped)
