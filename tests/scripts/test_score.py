"""`evaluate-qa score` adds scores to every row, in every format, also after a kill, and reports bad rows."""

import json
import os
import re
import signal
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from chat_server import ChatServer
from commands import run_command
from toy_metric import toy_rows, write_plain_metric, write_toy_metric
from waiting import when_there

from evaluate_qa.files.rows import read_rows
from evaluate_qa.files.work_folder import lock_work_folder
from evaluate_qa.files.writing import write_rows
from evaluate_qa.loading import load_metric
from evaluate_qa.scoring.cluster import _connect

ROWS = [
    {"id": 1, "prediction": "the cat sat", "references": ["the dog", "a cat sat down"], "question": "Who sat?"},
    {"id": 2, "prediction": "", "references": "nothing", "question": "What?"},
    {"id": 3, "prediction": "é x", "references": ["é x"], "question": "Was?"},
]
# Shares of the reference's words in the prediction: max(1/2, 2/4), 0/1, 2/2. The first of equal ones counts.
SCORES = [0.5, 0.0, 1.0]


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    return write_toy_metric(tmp_path_factory.mktemp("metric"))


@pytest.fixture
def score(working_folder, toy):

    def run(*arguments, code=0, **keywords):
        metric = () if "--metric" in arguments else ("--metric", toy)
        return run_command("score", *metric, *arguments, code=code, **keywords)

    return run


@pytest.fixture
def chat_server():
    server = ChatServer()
    yield server
    server.close()


def _files():
    return sorted(path.name for path in Path().iterdir())


def _lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def _rows(path):
    return [row for _, row in read_rows(path, lists=["references"])]


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_score_adds_the_metrics_columns_to_each_row(score, suffix):
    write_rows(f"in.{suffix}", ROWS)
    score("--input", f"in.{suffix}", "--output", "out.jsonl", "--chunk-size", 2)
    out = _rows("out.jsonl")
    assert [row["score"] for row in out] == SCORES
    assert [row["verdict"] for row in out] == [True, False, True]
    assert [(row["best_reference"], row["length"]) for row in out] == [(0, 3), (0, 0), (0, 2)]
    assert [row["asked"] for row in out] == ["Who sat?", "What?", "Was?"]
    assert [str(row["id"]) for row in out] == ["1", "2", "3"]
    assert [row["prediction"] for row in out] == [row["prediction"] for row in ROWS]
    assert _files() == [f"in.{suffix}", "out.jsonl"]


def test_parquet_keeps_the_types_of_the_input(score):
    write_rows("in.parquet", [{**row, "n": 1, "raw": b"\x00"} for row in ROWS])
    score("--input", "in.parquet", "--output", "out.parquet")
    before, after = pq.read_schema("in.parquet"), pq.read_schema("out.parquet")
    assert [after.field(name).type for name in before.names] == before.types
    assert [str(after.field(name).type) for name in ("score", "verdict")] == ["double", "bool"]


def test_standard_streams_are_jsonl(score):
    result = score("--input", "-", "--output", "-", "--chunk-size", 2, input=_lines(ROWS))
    assert [json.loads(line)["score"] for line in result.stdout.splitlines()] == SCORES
    assert "MODEL LOADED" in result.stderr  # output of the metric does not come between the rows
    assert "rows scored" in result.stderr
    assert _files() == []


def test_the_summary_has_mean_score_share_judged_correct_and_signature(score):
    write_rows("in.jsonl", ROWS)
    message = score("--input", "in.jsonl", "--output", "out.jsonl", "--chunk-size", 2).stderr
    for line in (r"rows scored .* 3", r"mean score .* 0\.5000", r"judged correct .* 66\.7% \(2 of 3\)"):
        assert re.search(line, message), message
    assert "length" not in message
    assert "signature: toy|v:1|questions:given\n" in message


@pytest.mark.parametrize("option", ["bonus=0.25", "toy.bonus=0.25"])
def test_options_of_compute_and_a_prefix_are_applied(score, option):
    write_rows("in.jsonl", ROWS)
    score("--input", "in.jsonl", "--output", "out.jsonl", "--compute", option, "--prefix", "toy_")
    assert [row["toy_score"] for row in _rows("out.jsonl")] == [0.75, 0.25, 1.25]
    assert "score" not in _rows("out.jsonl")[0]


def test_columns_can_be_named(score):
    write_rows(
        "in.csv", [{"said": "a b", "gold": ["a b", "c"], "q": "?", "syn": ""}, {"said": "", "gold": "d", "syn": "e"}]
    )
    score(
        *("--input", "in.csv", "--output", "out.jsonl", "--column", "predictions=said", "--column", "references=gold"),
        *("--column", "questions=q", "--column", "synthetic_answers=syn"),
    )
    out = _rows("out.jsonl")
    assert [row["score"] for row in out] == [1.0, 0.0]
    assert [row["asked"] for row in out] == ["?", ""]
    assert [row["synthetic"] for row in out] == [0, 1]  # an empty cell is not a synthetic answer


def test_a_missing_column_is_reported_before_scoring(score):
    write_rows("in.jsonl", [{"predictions": "a", "reference_text": "b"}])
    message = score("--input", "in.jsonl", "--output", "out.jsonl", "--errors", "bad.jsonl", code=1)
    assert "no column 'references'. Did you mean 'reference_text'?" in message.stderr
    assert "--column references=NAME" in message.stderr
    message = score("--input", "in.jsonl", "--output", "out.jsonl", "--column", "references=reference", code=1)
    assert "no column 'reference'. Did you mean 'reference_text'?" in message.stderr
    assert _files() == ["in.jsonl"]


def test_a_column_answer_holds_predictions_only_if_it_is_named(score):
    """In many data sets, it is the right answer."""
    write_rows("in.jsonl", [{"answer": "a b", "references": "a b", "output": "c"}])
    files = "--input", "in.jsonl", "--output", "out.jsonl"
    message = score(*files, code=1).stderr
    assert "in.jsonl: there is no column 'predictions'. A column 'answer' often holds the right answer. Use" in message
    assert "--column predictions=answer" not in score(*files, "--column", "references=answer", code=1).stderr
    score(*files, "--column", "predictions=answer")
    assert [row["score"] for row in _rows("out.jsonl")] == [1.0]


@pytest.mark.parametrize("options", [["--input", "in.jsonl"], ["--input", "-", "--errors", "bad.jsonl"]])
def test_a_column_under_both_of_its_names_is_reported_in_any_row(score, options):
    write_rows("in.jsonl", [ROWS[0], {"prediction": "a", "references": ["b"]}, {**ROWS[0], "reference": "b"}])
    with Path("in.jsonl").open() as file:
        message = score(*options, "--output", "out.jsonl", "--chunk-size", 2, code=1, input=file.read()).stderr
    where = "standard input" if "-" in options else "in.jsonl"
    assert (
        f"{where}, line 3: there are two columns, 'references' and 'reference'. Name one with --column ref" in message
    )
    assert ("MODEL LOADED" in message) == ("-" in options), "rows of a pipe cannot be checked before"


BAD = [
    *ROWS,
    {"id": 4, "prediction": None, "references": "x"},
    {"id": 5, "prediction": "y", "references": ["y", ""]},
    {"id": 6, "prediction": "z", "references": "z"},
]


def test_a_bad_row_stops_the_run_before_the_model_is_loaded(score):
    write_rows("in.jsonl", BAD)
    message = score("--input", "in.jsonl", "--output", "out.jsonl", "--chunk-size", 1, code=1)
    assert "in.jsonl, line 4: toy: prediction is None; expected a string" in message.stderr
    assert "--errors bad.jsonl" in message.stderr
    assert "MODEL LOADED" not in message.output
    assert _files() == ["in.jsonl"]


@pytest.mark.parametrize("chunk_size", [1, 100])
def test_bad_rows_are_set_aside_and_the_rest_is_scored(score, chunk_size):
    write_rows("in.jsonl", BAD)
    with Path("in.jsonl").open("a") as file:
        file.write('{"id": 7, "prediction\n{"id": 8, "prediction": "v", "references": ["u v"]}\n')
    message = score(
        "--input", "in.jsonl", "--output", "out.csv", "--errors", "bad.jsonl", "--chunk-size", chunk_size
    ).stderr
    assert [row["id"] for row in _rows("out.csv")] == ["1", "2", "3", "6", "8"]
    assert [float(row["score"]) for row in _rows("out.csv")[:3]] == SCORES
    bad = _rows("bad.jsonl")
    assert [row["row"] for row in bad] == [4, 5, 7]
    assert [row["input"] for row in bad] == [BAD[3], BAD[4], '{"id": 7, "prediction']
    assert bad[0]["error"].startswith('in.jsonl, line 4: toy: prediction is None; expected a string (use "" for a ')
    assert "references is ['y', '']; expected a non-empty string or a non-empty list of" in bad[1]["error"]
    assert "line 7: not JSON" in bad[2]["error"]
    assert re.search(r"bad rows .* 3", message)


def test_a_bad_row_on_a_pipe_stops_the_run_after_the_rows_before_it(score):
    message = score("--input", "-", "--output", "out.jsonl", input=json.dumps(ROWS, indent=1), code=1).stderr
    assert message.endswith("JSONL has one object per line. Write each row on a line of its own.\n"), "no row is bad"
    lines = _lines(BAD)
    message = score("--input", "-", "--output", "out.jsonl", "--chunk-size", 3, input=lines, code=1)
    assert "standard input, line 4" in message.stderr
    score(
        *("--input", "-", "--output", "out.jsonl", "--chunk-size", 3, "--resume", "--errors", "bad.jsonl"), input=lines
    )
    assert [row["id"] for row in _rows("out.jsonl")] == [1, 2, 3, 6]
    assert [row["row"] for row in _rows("bad.jsonl")] == [4, 5]


def test_a_column_of_the_input_is_never_overwritten(score):
    write_rows("in.jsonl", [{**row, "verdict": "human"} for row in ROWS])
    message = score("--input", "in.jsonl", "--output", "out.jsonl", code=1).stderr
    assert "in.jsonl, line 1: there is a column 'verdict' already" in message
    assert "--prefix toy_" in message
    score("--input", "in.jsonl", "--output", "out.jsonl", "--prefix", "toy_")
    assert _rows("out.jsonl")[0]["verdict"] == "human"


@pytest.mark.parametrize("source", ["in.jsonl", "-"])
def test_a_column_that_the_judge_adds_is_reported_before_any_request(score, chat_server, source):
    rows = [{**row, "judge_label": label} for row, label in zip(ROWS, (None, "right", "wrong"), strict=True)]
    write_rows("in.jsonl", rows)
    judge = ["--metric", "judge", "--load", f"endpoint={chat_server.url}", "--load", "model=m", "--output", "out.jsonl"]
    options = ["--input", source, *judge, "--chunk-size", 2]
    error = score(*options, code=1, input=_lines(rows)).stderr
    assert "line 2: there is a column 'judge_label' already, which the metric adds. Rename the added columns" in error
    assert "--prefix judge_" in error
    assert chat_server.bodies == []
    score(*options, "--prefix", "my_", input=_lines(rows))
    assert [row["judge_label"] for row in _rows("out.jsonl")] == [None, "right", "wrong"]
    assert [row["my_judge_label"] for row in _rows("out.jsonl")] == ["correct", "not attempted", "correct"]


def test_a_column_that_the_metric_adds_is_reported_before_the_first_chunk(score):
    write_rows("in.jsonl", [*ROWS, {**ROWS[0], "verdict": 1}])
    message = score("--input", "in.jsonl", "--output", "out.jsonl", "--chunk-size", 1, code=1).stderr
    assert "in.jsonl, line 4: there is a column 'verdict' already, which the metric adds." in message
    assert _files() == ["in.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--input", "in.jsonl", "--output", "in.jsonl"], "must be different files"),
        (["--input", "in.jsonl", "--output", "o.csv", "--errors", "bad.csv"], "bad.jsonl"),
        (["--input", "in.jsonl", "--output", "o.csv", "--chunk-size", "0"], "expected at least 1"),
        (["--input", "in.jsonl", "--output", "-", "--resume"], "--resume needs an --output that is a file"),
        (["--input", "in.jsonl", "--output", "o.csv", "--compute", "bonos=1"], "did you mean 'bonus'?"),
        (["--input", "in.jsonl", "--output", "o.csv", "--compute", "questions=q"], "questions is a column. Name it"),
        (
            ["--input", "in.jsonl", "--output", "o.csv", "--compute", "n_bootstrap=9", "--metric", "deltableu"],
            "--compute n_bootstrap=…: score does not accept n_bootstrap, because it scores deltableu row by row.",
        ),
        (
            ["--input", "in.jsonl", "--output", "o.csv", "--compute", 'against=["a"]', "--metric", "deltableu"],
            "--compute against=…: score does not accept against, because it scores deltableu row by row. Pass it to",
        ),
        (["--input", "in.jsonl", "--output", "o.csv", "--load", "modle=x"], "modle"),
        (["--input", "in.jsonl", "--output", "o.csv", "--column", "prediction=a"], "Did you mean 'predictions'?"),
        (["--input", "in.jsonl", "--output", "o.csv", "--column", "a=prediction"], "as --column predictions=a."),
        (["--input", "in.jsonl", "--output", "o.csv", "--column", "predictions"], "as --column predictions=NAME."),
        (
            ["--input", "in.jsonl", "--output", "o.csv", "--column", "videos=id"],
            "toy has no such column. Available: predict",
        ),
        (["--input", "in.jsonl", "--output", "o.csv", "--column", "against=id"], "no column 'against' to rename."),
        (["--input", "in.jsonl", "--output", "o.csv", "--load", "config=paper"], "there is no configuration 'paper'"),
        (["--input", "empty.jsonl", "--output", "o.csv"], "there are no rows to score"),
        (["--input", ".", "--output", "o.csv"], ". is a folder. Name a file in it."),
        (["--input", "-", "--output", "o.csv"], "standard input: there are no rows to score"),
        (["--input", "in.jsonl", "--output", "o.csv", "--metric", "./nowhere"], "nowhere"),
        (
            ["--metric", "smile", "--metric", "bem", "--input", "in.jsonl", "--output", "o.csv"],
            "--metric was given 2 t",
        ),
    ],
)
def test_wrong_options_are_reported_and_leave_no_files(score, arguments, message):
    write_rows("in.jsonl", ROWS)
    Path("empty.jsonl").touch()
    assert message in score(*arguments, code=1).stderr
    assert _files() == ["empty.jsonl", "in.jsonl"]


def test_an_unknown_option_is_reported_before_any_row_is_read(score):
    Path("in.jsonl").write_text("no JSON")
    error = score("--input", "in.jsonl", "--output", "out.jsonl", "--compute", "bonos=1", "--errors", "e.jsonl", code=1)
    assert error.stderr == "evaluate-qa score: toy: unknown keyword 'bonos'; did you mean 'bonus'?\n"


def test_deltableu_does_not_read_a_second_system(score):
    pytest.importorskip("sacrebleu")
    write_rows("in.jsonl", [{"prediction": "a b", "references": "a b", "against": against} for against in ("a", None)])
    score("--metric", "deltableu", "--input", "in.jsonl", "--output", "out.jsonl")
    assert [row["against"] for row in _rows("out.jsonl")] == ["a", None]


def test_deltableu_prints_the_score_of_all_rows_also_after_a_resume(score):
    weights = [[1.0, 0.5], [-1.0, 0.1], [0.2, -0.3], [0.7, 1.0], [0.4, 0.9]]  # the second chunk has negative matches
    answers = ["a rash on the left hand", "a dry rash on the hand", "no", "eczema of the hand", "a dry rash on a hand"]
    references = [["a rash on the hand", answer] for answer in answers[::-1]]
    columns = {"prediction": answers, "references": references, "reference_weights": weights}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    options = ["--metric", "deltableu", "--output", "out.jsonl", "--chunk-size", 1, "--compute", "effective_order=true"]
    score("--input", "-", *options, code=1, input=_lines([*rows[:3], {**rows[3], "references": []}]))
    write_rows("in.jsonl", rows)
    shown = score("--input", "in.jsonl", *options, "--resume").stderr
    expected = load_metric("deltableu").compute(
        predictions=answers, references=references, reference_weights=weights, effective_order=True
    )
    mean = sum(expected["per_example"]["score"]) / 5
    assert re.search(rf"score of all rows .* {expected['deltableu']:.4f}\b", shown), (shown, expected)
    assert re.search(rf"mean score .* {mean:.4f}\b", shown)


def test_a_metric_of_evaluate_may_return_lists(score, tmp_path):
    folder = write_plain_metric(tmp_path)
    write_rows(
        "in.jsonl", [{"prediction": "abc", "reference": "x", "question": "?"}, {"prediction": "", "reference": "x"}]
    )
    message = score("--metric", folder, "--input", "in.jsonl", "--output", "out.jsonl").stderr
    assert [row["nearness"] for row in _rows("out.jsonl")] == [-2, -1]
    assert "mean nearness" in message
    message = score(
        "--metric", folder, "--input", "in.jsonl", "--output", "o.csv", "--compute", "aggregate=True", code=1
    ).stderr
    assert "the metric returned nearness, precisions, but no score per row" in message, "these are of n-grams"


# -- stopped runs ------------------------------------------------------------------------------------------------


def _summary(message):
    return message[message.index("rows scored") :].split("Bad rows")[0]


# The interrupt may come between opening a file and entering its context.
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_an_interrupted_run_resumes_and_equals_an_uninterrupted_one(score, toy):
    load_metric(str(toy))  # whose imports could take longer than the thread below waits
    write_rows("in.jsonl", toy_rows(200))
    options = ["--input", "in.jsonl", "--chunk-size", "10", "--compute", "seconds=0.02"]
    stopped = [*options, "--output", "out.csv", "--errors", "bad.jsonl"]
    work = Path("out.csv.work")
    thread = when_there(work / "000003.csv", lambda: os.kill(os.getpid(), signal.SIGTERM))
    assert "stopped. Continue with --resume." in score(*stopped, code=128 + signal.SIGTERM).stderr
    thread.join()
    done = 10 * len(list(work.glob("*.block")))
    assert 30 <= done < 200
    assert not Path("out.csv").exists()
    assert f"{work} holds the work of a stopped run. Continue it with --resume, or start over with --overwrite." in (
        score(*stopped, code=1).stderr
    )
    message = score(*stopped, "--resume").stderr
    assert f"{done}/200" in message  # the progress bar begins where the run was stopped
    whole = score(*options, "--output", "whole.csv", "--errors", "whole_bad.jsonl").stderr
    assert Path("out.csv").read_bytes() == Path("whole.csv").read_bytes()
    assert Path("bad.jsonl").read_bytes() == Path("whole_bad.jsonl").read_bytes()
    assert _summary(message) == _summary(whole)
    assert _files() == sorted(["bad.jsonl", "in.jsonl", "out.csv", "whole.csv", "whole_bad.jsonl"])
    assert "out.csv is complete already." in score(*stopped, "--resume").stderr
    os.utime("out.csv", (0, 0))  # older than the input
    assert "out.csv exists, but in.jsonl is newer. Use --overwrite" in score(*stopped, "--resume", code=1).stderr


def test_files_that_a_killed_run_has_not_finished_are_written_again(score):
    lines = _lines(BAD)
    options = ["--input", "-", "--chunk-size", 3, "--errors", "bad.jsonl", "--output", "out.jsonl"]
    score(*options, input=lines + "{" * 5, code=0)
    whole, bad = Path("out.jsonl").read_bytes(), Path("bad.jsonl").read_bytes()
    Path("out.jsonl").unlink()
    score("--input", "-", "--chunk-size", 3, "--output", "out.jsonl", input=lines, code=1)
    Path("out.jsonl.work/000001.jsonl").write_text("half a part")
    Path("out.jsonl.work/000001.bad.jsonl").write_text("half a li")
    Path("out.jsonl.work/.000001.block.77.part").write_text("half a bl")
    Path("out.jsonl.work/.out.jsonl.77.part").write_text("half of all")
    score(*options, "--resume", input=lines + "{" * 5)
    assert Path("out.jsonl").read_bytes() == whole
    assert Path("bad.jsonl").read_bytes() == bad
    assert _files() == ["bad.jsonl", "out.jsonl"]


RESUME = ["--input", "-", "--output", "out.jsonl", "--chunk-size", 2, "--resume"]


@pytest.fixture
def stopped(score):
    """A run that stopped at a bad row on a pipe, four rows in."""
    lines = _lines([*ROWS, ROWS[0], {"prediction": 5, "references": "x"}])
    score("--input", "-", "--output", "out.jsonl", "--chunk-size", 2, input=lines, code=1)
    assert Path("out.jsonl.work/progress.json").exists()


@pytest.mark.usefixtures("stopped")
def test_rows_that_were_not_scored_may_be_fixed(score):
    lines = _lines([*ROWS, ROWS[0], {"prediction": "5", "references": "5"}])
    score(*RESUME, input=lines)
    assert [row["score"] for row in _rows("out.jsonl")] == [*SCORES, SCORES[0], 1.0]


@pytest.mark.usefixtures("stopped")
@pytest.mark.parametrize(
    ("rows", "changed"),
    [([*ROWS[:2], {**ROWS[2], "id": 0}, ROWS[0]], "rows 3 to 4"), (ROWS[:1], "rows 1 to 1"), ([], "the last rows")],
)
def test_a_resumed_run_refuses_changed_rows(score, rows, changed):
    error = score(*RESUME, input=_lines(rows), code=1).stderr
    assert f"{changed} differ from those that the stopped run scored" in error
    assert "start over with --overwrite instead of --resume." in error


@pytest.mark.usefixtures("stopped")
@pytest.mark.parametrize(
    ("option", "difference"),
    [
        (["--compute", "bonus=1"], "with compute {}, but this run has compute {'bonus': 1}"),
        (["--prefix", "x_"], "with prefix '', but this run has prefix 'x_'"),
        (["--column", "questions=question"], "with columns {}, but"),
        (["--chunk-size", 3], "with chunk size 2, but this run has chunk size 3"),
    ],
)
def test_a_resumed_run_refuses_other_options(score, option, difference):
    assert f"out.jsonl.work was made {difference}" in score(*RESUME, *option, input="", code=1).stderr


@pytest.mark.usefixtures("stopped")
def test_a_resumed_run_refuses_other_code_of_the_metric(score, toy, tmp_path):
    program = (toy / "toy.py").read_text()
    try:
        (toy / "toy.py").write_text(program.replace("len({*text.split()})", "7"))
        assert "was made with code" in score(*RESUME, input="", code=1).stderr
    finally:
        (toy / "toy.py").write_text(program)


def test_two_runs_do_not_write_the_same_file_of_bad_rows(score):
    write_rows("in.jsonl", BAD)
    options = ["--input", "in.jsonl", "--output", "-", "--errors", "bad.jsonl"]
    with lock_work_folder(Path("bad.jsonl")):
        assert "bad.jsonl: another run is writing it" in score(*options, code=1).stderr
    score(*options)
    assert [row["row"] for row in _rows("bad.jsonl")] == [4, 5]


@pytest.mark.usefixtures("stopped")
def test_bad_rows_are_not_written_to_the_work_folder(score):
    bad = "out.jsonl.work/000001.bad.jsonl"
    message = score(*RESUME, "--errors", bad, input="", code=1).stderr
    assert "is in the folder for unfinished work. Name a file outside of it" in message


STOP = {**ROWS[0], "score": 7}
"""A row at which a run stops, even if bad rows are set aside."""


@pytest.mark.usefixtures("stopped")
@pytest.mark.parametrize("content", [b'{"engine": "lo', b"[1]"])
def test_damaged_settings_of_the_work_are_reported(score, content):
    Path("out.jsonl.work/progress.json").write_bytes(content)
    message = score(*RESUME, input="", code=1).stderr
    assert "out.jsonl.work/progress.json is damaged (" in message
    assert "). Restore it, or delete it to start over.\n" in message
    Path("out.jsonl.work/progress.json").unlink()
    score(*RESUME, input=_lines(ROWS))
    assert _files() == ["out.jsonl"]


# -- files of users -----------------------------------------------------------------------------------------------


def test_bad_rows_replace_nothing_but_bad_rows(score):
    write_rows("in.jsonl", BAD)
    write_rows("mine.jsonl", ROWS)
    before = Path("mine.jsonl").read_bytes()
    error = score("--input", "in.jsonl", "--output", "out.jsonl", "--errors", "mine.jsonl", code=1).stderr
    assert "mine.jsonl exists and does not hold bad rows" in error
    assert Path("mine.jsonl").read_bytes() == before
    for name in ("out.jsonl", "-"):
        options = ["--input", "in.jsonl", "--output", name, "--errors", "bad.jsonl"]
        score(*options, "--overwrite")
        write_rows("in.jsonl", BAD[1:])
        more = [] if name == "-" else ["--resume", "--output", "other.jsonl"]
        error = score(*options, *more, code=1).stderr
        assert "bad.jsonl already exists. Use --overwrite to replace it, or name another --errors." in error
        assert [row["row"] for row in _rows("bad.jsonl")] == [4, 5] if name == "out.jsonl" else [3, 4]


@pytest.mark.parametrize("errors", [[], ["--errors", "other.jsonl"]])
def test_a_resumed_run_needs_the_same_file_of_bad_rows(score, errors):
    write_rows("in.jsonl", BAD)
    score("--input", "in.jsonl", "--output", "first.jsonl", "--errors", "other.jsonl")
    other = Path("other.jsonl").read_bytes()
    lines = [*BAD, STOP]
    options = ["--input", "-", "--output", "out.jsonl", "--chunk-size", 2]
    score(*options, "--errors", "bad.jsonl", input=_lines(lines), code=1)
    message = score(*options, *errors, "--resume", input=_lines(BAD), code=1).stderr
    assert f"was made with --errors {Path('bad.jsonl').resolve()}, but" in message
    assert Path("other.jsonl").read_bytes() == other
    score(*options, "--errors", "bad.jsonl", "--resume", input=_lines(BAD))
    assert [row["row"] for row in _rows("bad.jsonl")] == [4, 5]


def test_an_output_may_be_a_symbolic_link(score):
    write_rows("in.jsonl", ROWS)
    Path("out.jsonl").symlink_to("real.jsonl")
    options = ["--input", "in.jsonl", "--output", "out.jsonl"]
    with lock_work_folder(Path("real.jsonl")):
        assert "another run is writing it" in score(*options, code=1).stderr
    score(*options)
    assert [row["score"] for row in _rows("real.jsonl")] == SCORES
    assert _files() == ["in.jsonl", "out.jsonl", "real.jsonl"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["deltableu"], "out.jsonl is complete already."),
        (["deltableu", "--compute", "lowercase=true"], ", not deltableu|v:1.2.0|nrefs:"),
        (["smile"], "its column 'signature' does not name the metric smile in each row"),
        (["deltableu", "--errors", "bad.jsonl"], "out.jsonl is complete already."),
        (
            ["deltableu", "--input", "more.jsonl"],
            "out.jsonl exists, but it has 3 rows and more.jsonl has 5. If the other rows were bad, name the file that "
            "holds them with --errors. Use --overwrite to score all rows again, or name another --output.\n",
        ),
        (
            ["deltableu", "--input", "more.jsonl", "--errors", "bad.jsonl"],
            "it has 3 rows, bad.jsonl has 1 and more.jsonl has 5. If",
        ),
        (["deltableu", "--input", "bad.jsonl"], "it has 3 rows and bad.jsonl has 1. Use"),
        (["deltableu", "--input", "-"], "its rows cannot be compared with those on the standard input"),
    ],
)
def test_finished_output_is_complete_or_is_not_replaced(score, options, message):
    write_rows("in.jsonl", ROWS)
    write_rows("more.jsonl", [*ROWS, *ROWS[:2]])
    write_rows("bad.jsonl", [{"row": 9, "error": "in.jsonl, line 9: …", **ROWS[0]}])  # of another run
    score("--input", "in.jsonl", "--output", "out.jsonl", "--metric", "deltableu")
    before = _rows("out.jsonl")
    code = int("complete" not in message)
    done = score("--input", "in.jsonl", "--output", "out.jsonl", "--resume", "--metric", *options, code=code)
    assert message in done.stderr
    assert _rows("out.jsonl") == before


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_an_output_with_scores_of_another_column_is_not_complete(score, suffix):
    write_rows("in.jsonl", [{"a": text, "b": "a cat", "references": "a cat"} for text in ("a cat", "a", None)])
    options = ["--input", "in.jsonl", "--output", f"out.{suffix}", "--errors", "bad.jsonl", "--column"]
    score(*options, "predictions=a")
    assert "is complete already." in score(*options, "predictions=a", "--resume").stderr
    error = score(*options, "predictions=b", "--resume", "--compute", "bonus=0", code=1).stderr
    assert f"out.{suffix} exists, but its row 2 has the score 0.5, which is 1 in this run." in error


@pytest.mark.parametrize(
    ("option", "difference"),
    [
        (["--load", "api=chat"], None),
        (["--load", "model=other"], "|model:other|"),
        (["--load", "protocol=yes-no"], "|protocol:yes-no@"),
        (["--load", "first=bem"], "|first:bem,"),
        (["--compute", "samples=2"], "|samples:2"),
    ],
)
def test_another_judges_output_is_not_complete_and_no_request_is_sent(score, chat_server, option, difference):
    write_rows("in.jsonl", ROWS)
    options = ["--metric", "judge", "--input", "in.jsonl", "--output", "out.jsonl", "--load", "model=m"]
    options += ["--load", f"endpoint={chat_server.url}"]
    score(*options)
    asked = len(chat_server.bodies)
    message = score(*options, *option, "--resume", code=int(difference is not None)).stderr
    assert "out.jsonl is complete already." in message if difference is None else difference in message
    assert len(chat_server.bodies) == asked


@pytest.mark.usefixtures("stopped")
def test_overwrite_drops_the_work_of_a_stopped_run(score):
    score("--input", "-", "--output", "out.jsonl", "--overwrite", "--prefix", "toy_", input=_lines(ROWS))
    assert [row["toy_score"] for row in _rows("out.jsonl")] == SCORES
    assert _files() == ["out.jsonl"]


@pytest.mark.usefixtures("stopped")
def test_a_refused_run_keeps_the_work_of_a_stopped_one(score):
    write_rows("in.jsonl", ROWS)
    before = _files()
    score("--input", "in.jsonl", "--output", "out.jsonl", "--overwrite", "--column", "predictions=nothing", code=1)
    assert _files() == before


def test_an_existing_output_is_replaced_only_with_overwrite(score):
    write_rows("in.jsonl", ROWS)
    Path("out.jsonl").write_text("mine")
    message = score("--input", "in.jsonl", "--output", "out.jsonl", code=1).stderr
    assert "out.jsonl already exists. Use --overwrite to replace it, or name another --output." in message
    assert Path("out.jsonl").read_text() == "mine"
    score("--input", "in.jsonl", "--output", "out.jsonl", "--overwrite")
    assert [row["score"] for row in _rows("out.jsonl")] == SCORES


def test_a_run_without_any_score_leaves_no_work(score):
    write_rows("in.jsonl", BAD[3:5])
    options = ["--input", "in.jsonl", "--output", "out.jsonl", "--errors", "bad.jsonl"]
    for more in ([], ["--overwrite"]):
        assert "in.jsonl: no row can be scored. See bad.jsonl." in score(*options, *more, code=1).stderr
        assert _files() == ["bad.jsonl", "in.jsonl"]
    write_rows("in.jsonl", ROWS)
    score(*options, "--overwrite")
    assert len(_rows("out.jsonl")) == 3


def test_a_first_block_that_cannot_be_written_leaves_no_work(score):
    write_rows("in.parquet", [{**row, "raw": b"\x00"} for row in ROWS])
    for _ in range(2):
        message = score("--input", "in.parquet", "--output", "out.jsonl", code=1).stderr
        assert "a value of type bytes, which JSONL and CSV cannot hold; write Parquet" in message
        assert _files() == ["in.parquet"]


def test_a_failed_start_of_ray_is_reported(monkeypatch):
    def init(*_, **__):
        raise Exception("the current node timed out")

    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(ConnectionError, match="Ray cannot be started on this machine: the current node timed out"):
        _connect(SimpleNamespace(init=init), None)


def test_memory_does_not_grow_with_the_rows(processes, toy, tmp_path):
    for count in (100, 3_000):
        rows = ({"prediction": "a", "references": ["a b"], "note": f"{number} " * 2000} for number in range(count))
        write_rows(tmp_path / f"{count}.jsonl", rows)
    program = f"""{processes.HIDE_TORCH}
import resource
from pathlib import Path
from evaluate_qa.scoring.job import ScoringJob
from evaluate_qa.scoring.run import run
for name in ("100.jsonl", "3000.jsonl"):
    run(ScoringJob(metric={str(toy)!r}, source=name, target="out.parquet", chunk_size=50))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
    # In a new process, because memory of earlier tests would count.
    done = processes.run("-c", program, cwd=tmp_path, check=True)
    small, large = map(float, done.stdout.split())  # peak memory in MiB so far
    assert large < small + 20, (small, large)  # the larger file has 27 MiB, and its rows would take more
