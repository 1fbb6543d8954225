"""`evaluate-qa estimate`: scored rows and labels are joined, wrong ones are named with their rows, figures are told."""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import run_command
from typer.testing import CliRunner

from evaluate_qa import estimate
from evaluate_qa.cli import app
from evaluate_qa.files.writing import write_rows

GENERATOR = np.random.default_rng(0)
CHANCE = GENERATOR.beta(0.5, 0.3, 300)
RIGHT = GENERATOR.random(300) < CHANCE
ROWS = [
    {"id": at, "question": f"Q{at // 2}?", "prediction": f"It is {at}.", "score": chance, "system": "ab"[at % 2]}
    for at, chance in enumerate(CHANCE.tolist())
]
PLACES = GENERATOR.choice(300, 120, replace=False).tolist()


def labelled(places=PLACES, columns=("id",), **more):
    """Rows of a file of labels."""
    return [{**{name: ROWS[at][name] for name in columns}, "label": bool(RIGHT[at]), **more} for at in places]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the command in a folder with scored rows and the rows of labels that are given."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    write_rows("scored.parquet", ROWS)

    def run(labels, *arguments, code=0, scored="scored.parquet"):
        if not isinstance(labels, str):
            write_rows("labels.csv", labels)
            labels = "labels.csv"
        options = ["--scored", scored, "--labels", labels, "--json", "out.json", *arguments]
        done = run_command("estimate", *options, code=code)
        return done.stderr if code else json.loads(Path("out.json").read_text())

    return run


def expected(**options):
    labels = np.full(300, np.nan)
    labels[PLACES] = RIGHT[PLACES]
    clusters = options.pop("clusters", [row["question"] for row in ROWS])
    return estimate([row["score"] for row in ROWS], labels, clusters=clusters, **options)


def same(found, one):
    assert [found["accuracy"][name] for name in ("value", "low", "high")] == pytest.approx(
        [one.accuracy.value, one.accuracy.low, one.accuracy.high]
    )
    assert found["worth"] == pytest.approx(one.worth)


def test_the_figures_are_those_of_the_function(run):
    found = run(labelled(), "--by", "system", "--difference", "a,b")
    one = expected(groups=[row["system"] for row in ROWS], differences=[("a", "b")])
    same(found["all"], one.all)
    for name in "ab":
        same(found["groups"][name], one.groups[name])
    assert found["differences"] == [{"groups": ["a", "b"], **vars(one.differences["a", "b"])}]
    assert found["clusters"] == 150
    assert found["columns"] == {"scores": "score", "labels": "label", "clusters": "question", "groups": "system"}


def test_what_is_printed(tmp_path, monkeypatch, run):
    run(labelled())
    done = CliRunner().invoke(app, ["estimate", "--scored", "scored.parquet", "--labels", "labels.csv"])
    one = expected().all
    told = f"{one.accuracy.value:.3f} [{one.accuracy.low:.3f}, {one.accuracy.high:.3f}]"
    line = next(line for line in done.output.splitlines() if line.strip().startswith("all"))
    assert told in line
    assert line.split()[-2:] == [f"{one.metric:.3f}", f"{one.worth:.0f}"]
    assert "Rows with the same question are treated as one group (150 groups)." in done.output
    assert (
        "Assumes that the labeled rows are a random sample of all rows, and that the labels are correct." in done.output
    )


def test_names_are_no_markup(run):
    write_rows("odd.jsonl", [row | {"system": "[/b]"} for row in ROWS])
    run(labelled(), scored="odd.jsonl")
    done = CliRunner().invoke(app, ["estimate", "--scored", "odd.jsonl", "--labels", "labels.csv", "--by", "system"])
    assert any(line.split()[:2] == ["[/b]", "300"] for line in done.output.splitlines())


def test_rows_are_found_by_question_and_prediction(run):
    """Spreadsheets change blanks; they do not make another answer of it."""
    rows = labelled(columns=("question", "prediction"))
    for row in rows:
        row["prediction"] = f" {row['prediction'].replace(' ', '  ')}\n"
    same(run(rows)["all"], expected().all)


def test_columns_with_other_names(run):
    rows = [{"key": row["id"], "human": "right" if row["label"] else "WRONG"} for row in labelled()]
    write_rows("other.jsonl", [{"key": row["id"], "p": row["score"], "set": row["question"]} for row in ROWS])
    options = ["--column", "id=key", "--column", "label=human", "--column", "score=p", "--column", "cluster=set"]
    same(run(rows, *options, scored="other.jsonl")["all"], expected().all)
    options[-1] = "cluster=key"
    same(run(rows, *options, scored="other.jsonl")["all"], expected(clusters=None).all)


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_verdicts_are_scores_whatever_the_format(run, suffix):
    write_rows(f"other.{suffix}", [row | {"verdict": row["score"] > 0.5} for row in ROWS])
    found = run(labelled(), "--column", "score=verdict", scored=f"other.{suffix}")["all"]
    assert found["metric"] == np.mean([row["score"] > 0.5 for row in ROWS])


def test_weights_are_read_where_they_are(run):
    weights = np.where(np.arange(300) < 150, 1.5, 3.0)
    rows = [{**row, "weight": weights[row["id"]]} for row in labelled()]
    found = run(rows)
    same(found["all"], expected(weights=weights).all)
    assert found["columns"]["weights"] == "weight"
    rows[4]["weight"] = ""
    assert "labels.csv, row 5: a label without a weight in the column 'weight'" in run(rows, code=1)
    rows[4]["weight"] = -1
    assert "row 5: the column 'weight' is '-1'; expected a number from 0 on" in run(rows, code=1)


def test_rows_without_a_score_or_a_label_are_left_out_and_counted(run):
    rows = [dict(row) for row in ROWS]
    rows[PLACES[0]]["score"] = rows[PLACES[1]]["score"] = None
    write_rows("some.jsonl", rows)
    labels = labelled()
    labels[2]["label"], labels[3]["label"] = "", " Skip "
    found = run(labels, scored="some.jsonl")
    assert (found["all"]["rows"], found["all"]["labels"]) == (298, 116)
    assert (found["rows_without_score"], found["rows_without_label"]) == (2, 2)


def test_a_file_may_hold_both(run):
    write_rows("both.jsonl", [row | {"correct": bool(right)} for row, right in zip(ROWS, RIGHT, strict=True)])
    found = run("both.jsonl", scored="both.jsonl")
    assert found["all"]["accuracy"]["value"] == pytest.approx(RIGHT.mean())
    assert found["all"]["notes"] == ["every row is labelled: the scores add nothing"]


def replaced(place, **columns):
    rows = labelled(columns=("id", "prediction"))
    rows[place] |= columns
    return rows


@pytest.mark.parametrize(
    ("labels", "options", "told"),
    [
        (replaced(3, id=999), [], "labels.csv, row 4: id '999' is no row of scored.parquet; labels must be of scored"),
        (replaced(3, id=""), [], "labels.csv, row 4: there is no id"),
        (replaced(3, id=PLACES[0]), [], f"labels.csv, row 4: id '{PLACES[0]}' is in row 1, too. Drop one"),
        (replaced(3, prediction="No."), [], f"row 4: the label is of the answer 'No.', but the one in scored.parquet, "
         f"row {PLACES[3] + 1} is 'It is {PLACES[3]}.'"),
        (replaced(3, label="maybe"), [], "labels.csv, row 4: the column 'label' is 'maybe'; expected 1 or 0"),
        (replaced(3, label="nan"), [], "labels.csv, row 4: the column 'label' is 'nan'; expected 1 or 0"),
        (replaced(3, label=2), [], "row 4: the column 'label' is '2'"),
        (labelled(PLACES[:5]), [], "5 of 300 rows are labeled, and an interval needs at least 20. Label more rows."),
        (labelled([at for at in PLACES if RIGHT[at]]), [], "labels are 1, so their variation is unknown"),
        (labelled(np.argsort(CHANCE)[:150].tolist()), [], "the labelled rows are no random sample: they score 0."),
        ([{"label": 1}], [], "labels.csv has no column 'id', and this file lacks 'question' and 'prediction'."),
        ([{"id": 1}], [], "labels.csv: there is no column 'label'"),
        (labelled(), ["--column", "label=verdict"], "labels.csv: there is no column 'verdict'"),
        (labelled(), ["--column", "id=name"], "scored.parquet: there is no column 'name'"),
        (labelled(), ["--by", "sistem"], "there is no column 'sistem'. Did you mean 'system'?"),
        (labelled(), ["--by", "system", "--difference", "a"], "--difference is 'a'. Expected two values with a comma"),
        (labelled(), ["--by", "system", "--difference", "a,c"], "no difference with group 'c': there is no such group"),
        (labelled(), ["--difference", "a,b"], "no difference with group 'a': there is no such group, but none at all"),
        (labelled(), ["--column", "score=id"], "row 3: the column 'id' is 2; expected a number from 0 to 1: name"),
        (labelled(), ["--column", "score=question"], "row 1: the column 'question' is 'Q0?'; expected a number"),
        (labelled(), ["--confidence", "95"], "confidence is 95"),
        (labelled(), ["--json", "labels.csv"], "--labels and --json must be different files"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_row(run, labels, options, told):
    assert told in run(labels, *options, code=1)


def test_nan_and_twice_the_same_answer_are_told(run):
    write_rows("nan.jsonl", [*ROWS[:5], ROWS[5] | {"score": float("nan")}])
    assert "nan.jsonl, line 6: the column 'score' is nan; expected a number" in run(
        labelled(), code=1, scored="nan.jsonl"
    )
    rows = [{"question": "Q?", "prediction": "It.", "score": 1, "system": name} for name in "ab"]
    write_rows("twice.jsonl", rows)
    told = run(labelled(columns=("question", "prediction")), code=1, scored="twice.jsonl")
    assert "twice.jsonl, line 2: question 'Q?' and prediction 'It.' is in line 1, too." in told
    assert "--column id=question --column id=system" in told
    write_rows("blank.jsonl", [row | {"question": ""} for row in ROWS])
    assert "blank.jsonl, line 1: there is nothing in the column 'question'" in run(
        labelled(), "--column", "cluster=question", code=1, scored="blank.jsonl"
    )


def test_a_row_without_a_question_stands_alone(run):
    """As long as nobody says that questions are clusters."""
    write_rows("blank.jsonl", [row | {"question": ""} for row in ROWS])
    same(run(labelled(), scored="blank.jsonl")["all"], expected(clusters=None).all)
