"""`evaluate-qa sample`."""

from pathlib import Path

import numpy as np
import pytest
from commands import run_command

from evaluate_qa.files.rows import read_rows
from evaluate_qa.files.writing import write_rows
from evaluate_qa.sampling.planning import plan_labels

GENERATOR = np.random.default_rng(0)
SCORES = GENERATOR.beta(0.5, 0.3, 400)
ROWS = [
    {"question": f"Q{at}?", "references": ["a", "b"], "prediction": f"It is {at}.", "score": score, "system": "x"}
    for at, score in enumerate(SCORES.tolist())
]


@pytest.fixture
def run(working_folder):
    write_rows("scored.parquet", ROWS)

    def run(*arguments, code=0, command="sample"):
        done = run_command(command, *arguments, code=code)
        return done.stderr if code else done.output

    return run


@pytest.mark.parametrize(("suffix", "stratified"), [("csv", False), ("jsonl", True)])
def test_filled_in_sample_gives_an_estimate(run, suffix, stratified):
    target = f"labels.{suffix}"
    options = ["--stratified"] * stratified
    output = run("--input", "scored.parquet", "--output", target, "--rows", 120, *options)
    assert "Wrote 120 of 400 rows" in output
    assert f"evaluate-qa estimate --scored scored.parquet --labels {target}" in output
    rows = [row for _, row in read_rows(target)]
    assert list(rows[0]) == ["question", "references", "prediction", "label", *["weight"] * stratified]
    assert not any(row["label"] for row in rows)
    for row in rows:
        row["label"] = int(GENERATOR.random() < SCORES[int(row["question"][1:-1])])
    write_rows(f"filled.{suffix}", rows)
    found = run("--scored", "scored.parquet", "--labels", f"filled.{suffix}", command="estimate")
    assert next(line for line in found.splitlines() if line.split()[:1] == ["all"]).split()[1:3] == ["400", "120"]
    assert ("random sample with the weights in 'weight'" in found) is stratified


def test_stratified_rows_are_near_the_threshold_of_the_verdicts(run):
    """Nearly all scores are sure; of 40 others, those near .8 are drawn if .8 is the threshold of the verdicts."""
    rows = [row | {"score": float(at % 2), "verdict": at % 2 == 1} for at, row in enumerate(ROWS)]
    for at in range(0, 40, 2):
        rows[at] |= {"score": 0.79 + at / 1e4, "verdict": at >= 20}
        rows[at + 1] |= {"score": 0.3, "verdict": False}
    write_rows("judged.jsonl", rows)
    run("-i", "judged.jsonl", "-o", "labels.jsonl", "--stratified", "--rows", 40)
    drawn = [int(row["question"][1:-1]) for _, row in read_rows("labels.jsonl")]
    assert sum(at < 40 and at % 2 == 0 for at in drawn) > sum(at < 40 and at % 2 == 1 for at in drawn)


def test_rows_with_disagreement_are_drawn_more_often(run):
    """A tenth of the rows has disagreement 1, the rest 0 or, decided by a matcher, none."""
    rows = [row | {"disagreement": 1.0 if at % 10 == 0 else [0.0, None][at % 2]} for at, row in enumerate(ROWS)]
    write_rows("judged.jsonl", rows)
    output = run("-i", "judged.jsonl", "-o", "labels.jsonl", "--by", "disagreement", "--rows", 40)
    assert "Wrote 40 of 400 rows (more of those with a large disagreement, with weights)" in output
    drawn = [row for _, row in read_rows("labels.jsonl")]
    doubtful = [row["weight"] for row in drawn if int(row["question"][1:-1]) % 10 == 0]
    assert len(doubtful) == 22, "a tenth and all, halved"
    assert sum(doubtful) == pytest.approx(40)
    assert sum(row["weight"] for row in drawn) == pytest.approx(400)
    write_rows("filled.jsonl", [row | {"label": at % 2} for at, row in enumerate(drawn)])
    assert "with the weights in 'weight'" in run(
        "--scored", "judged.jsonl", "--labels", "filled.jsonl", command="estimate"
    )
    assert "Leave one of them out" in run("-i", "judged.jsonl", "-o", "c.csv", "--by", "score", "--stratified", code=1)
    write_rows("bad.jsonl", [row | {"disagreement": 2} for row in rows])
    assert "expected a number from 0 to 1. Name another column with --by." in run(
        "-i", "bad.jsonl", "-o", "c.csv", "--by", "disagreement", code=1
    )


def test_show_adds_a_column_but_no_score(run):
    write_rows("id.jsonl", [row | {"id": at} for at, row in enumerate(ROWS)])
    run("-i", "id.jsonl", "-o", "labels.jsonl", "--show", "system", "--rows", 20)
    assert list(next(read_rows("labels.jsonl"))[1]) == ["id", "question", "references", "prediction", "system", "label"]


def test_sample_replaces_no_file(run):
    run("-i", "scored.parquet", "-o", "labels.csv")
    before = Path("labels.csv").read_bytes()
    message = "labels.csv already exists, and may hold labels. Name another file"
    assert message in run("-i", "scored.parquet", "-o", "labels.csv", code=1)
    assert Path("labels.csv").read_bytes() == before


def test_cells_in_csv_are_no_formulas(run):
    """A blank before a formula does not make it another answer."""
    rows = [row | {"prediction": f"=HYPERLINK({at})", "question": f"－{at}+1"} for at, row in enumerate(ROWS)]
    write_rows("formulas.jsonl", rows)
    run("-i", "formulas.jsonl", "-o", "labels.csv", "--rows", 40)
    asked = [row for _, row in read_rows("labels.csv")]
    assert {cell[0] for row in asked for cell in (row["prediction"], row["question"])} == {" "}
    write_rows("filled.csv", [row | {"label": at % 2} for at, row in enumerate(asked)])
    assert "40" in run("--scored", "formulas.jsonl", "--labels", "filled.csv", command="estimate")


def test_too_few_clusters_get_a_warning(run):
    """With four answers to each question, 20 rows cover fewer than 20 of 24 questions."""
    write_rows("few.jsonl", [row | {"question": f"Q{at % 24}?", "id": at} for at, row in enumerate(ROWS[:96])])
    output = run("-i", "few.jsonl", "-o", "labels.jsonl", "--rows", 20)
    assert "warning: these rows cover 1" in output
    assert "different values of 'question', and an interval needs at least 20. Remove labels.jsonl" in output
    assert "warning" not in run("-i", "few.jsonl", "-o", "more.jsonl", "--rows", 96)
    assert "warning" not in run("-i", "few.jsonl", "-o", "alone.jsonl", "--rows", 20, "--column", "cluster=id")
    write_rows("same.jsonl", [row | {"question": "Q?", "id": at} for at, row in enumerate(ROWS)])
    assert "1 different value of 'question', and an interval needs at least 20. Score more rows" in run(
        "-i", "same.jsonl", "-o", "same.csv"
    )


def test_rows_without_a_score_are_not_drawn(run):
    write_rows("some.jsonl", [row | {"score": None if at % 2 else row["score"]} for at, row in enumerate(ROWS)])
    assert "200 of 200 rows" in run("-i", "some.jsonl", "-o", "labels.jsonl", "--rows", 300)
    assert all(int(row["question"][1:-1]) % 2 == 0 for _, row in read_rows("labels.jsonl"))


def test_a_simple_sample_needs_no_scores(run):
    bare = [{name: value for name, value in row.items() if name != "score"} | {"correct": 1} for row in ROWS]
    write_rows("bare.jsonl", bare)
    assert "Wrote 200 of 400 rows (simple random sample)" in run("-i", "bare.jsonl", "-o", "labels.jsonl")
    for options in (["--stratified"], ["--plan"]):
        error = run("-i", "bare.jsonl", "-o", "more.jsonl", *options, code=1)
        assert "there is no column 'score'. Available: question, references, prediction, system, correct. Run" in error
    assert "there is no column 'mine'." in run("-i", "bare.jsonl", "-o", "m.csv", "--column", "score=mine", code=1)


def test_plan_prints_margins_and_draws_nothing(run):
    output = run("-i", "scored.parquet", "--plan")
    (first, *_) = plan_labels(SCORES)
    line = next(line for line in output.splitlines() if line.split()[:1] == ["50"])
    margins = first.labels_only, first.with_scores, first.stratified
    assert line.split() == ["50", *(f"±{margin:.3f}" for margin in margins)]
    assert not list(Path().glob("labels*"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "labels.parquet"], "labels.parquet: Parquet files cannot be labeled by hand. Use .csv or .jsonl."),
        (["-o", "labels.csv", "--show", "sistem"], "no column 'sistem'. Did you mean 'system'?"),
        (["-o", "labels.csv", "--seed", -1], "--seed is -1; expected 0 or more"),
        ([], "there is no file to write to. Name it with --output, or plan with --plan."),
    ],
)
def test_sample_reports_bad_input(run, options, message):
    assert message in run("-i", "scored.parquet", *options, code=1)
