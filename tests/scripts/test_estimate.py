"""`evaluate-qa estimate`."""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import run_command

from evaluate_qa import estimate
from evaluate_qa.files.writing import write_rows

GENERATOR = np.random.default_rng(0)
CHANCE = GENERATOR.beta(0.5, 0.3, 300)
RIGHT = GENERATOR.random(300) < CHANCE
ROWS = [
    {"id": at, "question": f"Q{at // 2}?", "prediction": f"It is {at}.", "score": chance, "system": "ab"[at % 2]}
    for at, chance in enumerate(CHANCE.tolist())
]
PLACES = GENERATOR.choice(300, 120, replace=False).tolist()


def labeled(places=PLACES, columns=("id",), **more):
    return [{**{name: ROWS[at][name] for name in columns}, "label": bool(RIGHT[at]), **more} for at in places]


@pytest.fixture
def run(working_folder):
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


def test_estimate_writes_the_figures_of_the_function(run):
    found = run(labeled(), "--by", "system")
    one = expected(groups=[row["system"] for row in ROWS])
    same(found["all"], one.all)
    for name in "ab":
        same(found["groups"][name], one.groups[name])
    assert found["clusters"] == 150
    assert found["columns"] == {"scores": "score", "labels": "label", "clusters": "question", "groups": "system"}


def test_estimate_prints_a_table_and_assumptions(run):
    run(labeled())
    done = run_command("estimate", "--scored", "scored.parquet", "--labels", "labels.csv")
    one = expected().all
    interval = f"{one.accuracy.value:.3f} [{one.accuracy.low:.3f}, {one.accuracy.high:.3f}]"
    line = next(line for line in done.output.splitlines() if line.strip().startswith("all"))
    assert interval in line
    assert line.split()[-2:] == [f"{one.metric:.3f}", f"{one.worth:.0f}"]
    assert "Rows with the same question are treated as one group (150 groups)." in done.output
    assert (
        "labeled rows are a random sample of all rows, and that the labels are correct.\nThe intervals" in done.output
    )
    assert "The intervals are for answers of the same kind, not only for these rows.\n" in done.output


def test_markup_in_names_is_printed(run):
    write_rows("odd.jsonl", [row | {"system": "[/b]"} for row in ROWS])
    run(labeled(), scored="odd.jsonl")
    done = run_command("estimate", "--scored", "odd.jsonl", "--labels", "labels.csv", "--by", "system")
    assert any(line.split()[:2] == ["[/b]", "300"] for line in done.output.splitlines())


def test_rows_are_found_by_question_and_prediction(run):
    """Other blanks, as spreadsheets write them, do not make another answer."""
    rows = labeled(columns=("question", "prediction"))
    for row in rows:
        row["prediction"] = f" {row['prediction'].replace(' ', '  ')}\n"
    same(run(rows)["all"], expected().all)


def test_columns_can_have_other_names(run):
    rows = [{"key": row["id"], "human": "right" if row["label"] else "WRONG"} for row in labeled()]
    write_rows("other.jsonl", [{"key": row["id"], "p": row["score"], "set": row["question"]} for row in ROWS])
    options = ["--column", "id=key", "--column", "label=human", "--column", "score=p", "--column", "cluster=set"]
    same(run(rows, *options, scored="other.jsonl")["all"], expected().all)
    options[-1] = "cluster=key"
    same(run(rows, *options, scored="other.jsonl")["all"], expected(clusters=None).all)


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_verdicts_can_be_scores_in_every_format(run, suffix):
    write_rows(f"other.{suffix}", [row | {"verdict": row["score"] > 0.5} for row in ROWS])
    found = run(labeled(), "--column", "score=verdict", scored=f"other.{suffix}")["all"]
    assert found["metric"] == np.mean([row["score"] > 0.5 for row in ROWS])


def test_weights_are_read_if_present(run):
    weights = np.where(np.arange(300) < 150, 1.5, 3.0)
    rows = [{**row, "weight": weights[row["id"]]} for row in labeled()]
    found = run(rows)
    same(found["all"], expected(weights=weights).all)
    assert found["columns"]["weights"] == "weight"
    rows[4]["weight"] = ""
    assert "labels.csv, row 5: the column 'weight' is ''; expected a number above 0" in run(rows, code=1)
    rows[4]["weight"] = -1
    assert "row 5: the column 'weight' is '-1'; expected a number above 0" in run(rows, code=1)


def test_rows_without_a_score_or_label_are_left_out_and_counted(run):
    rows = [dict(row) for row in ROWS]
    rows[PLACES[0]]["score"] = rows[PLACES[1]]["score"] = None
    write_rows("some.jsonl", rows)
    labels = labeled()
    labels[2]["label"], labels[3]["label"] = "", " Skip "
    found = run(labels, scored="some.jsonl")
    assert (found["all"]["rows"], found["all"]["labels"]) == (298, 116)
    assert (found["rows_without_score"], found["rows_without_label"]) == (2, 2)


def test_one_file_can_hold_scores_and_labels(run):
    write_rows("both.jsonl", [row | {"correct": bool(right)} for row, right in zip(ROWS, RIGHT, strict=True)])
    found = run("both.jsonl", scored="both.jsonl")
    assert found["all"]["accuracy"]["value"] == pytest.approx(RIGHT.mean())
    assert found["all"]["notes"] == ["Every row is labeled, so the scores add nothing."]


def replaced(place, **columns):
    rows = labeled(columns=("id", "prediction"))
    rows[place] |= columns
    return rows


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        (replaced(3, id=999), [], "labels.csv, row 4: id '999' is not in scored.parquet. Score all rows that"),
        (replaced(3, id=""), [], "labels.csv, row 4: there is no id"),
        (replaced(3, id=PLACES[0]), [], f"labels.csv, row 4: id '{PLACES[0]}' is in row 1, too. Drop one"),
        (replaced(3, prediction="No."), [], "row 4: the prediction is 'No.', but the prediction of the same row in "
         f"scored.parquet, row {PLACES[3] + 1} is 'It is {PLACES[3]}.'"),
        (replaced(3, label="maybe"), [], "labels.csv, row 4: the column 'label' is 'maybe'; expected 1 or 0"),
        (labeled(np.argsort(CHANCE)[:150].tolist()), [], "the labeled rows are not a random sample: they score 0."),
        ([{"label": 1}], [], "labels.csv has no column 'id', and labels.csv lacks 'question' and 'prediction'."),
        ([{"id": 1}], [], "labels.csv: there is no column 'label'. Available: id. Use --column label=NAME to "),
        (labeled(), ["--column", "id=name"], "scored.parquet: there is no column 'name'"),
        (labeled(), ["--by", "sistem"], "there is no column 'sistem'. Did you mean 'system'?"),
        (labeled(), ["--column", "score=id"], "row 3: the column 'id' is 2; expected a number from 0 to 1. Name"),
        (labeled(), ["--column", "score=question"], "row 1: the column 'question' is 'Q0?'; expected a number"),
        (labeled(), ["--json", "labels.csv"], "--labels and --json must be different files"),
    ],
)  # fmt: skip
def test_estimate_reports_bad_input_with_its_row(run, labels, options, message):
    assert message in run(labels, *options, code=1)


def test_estimate_reports_repeated_rows(run):
    rows = [{"question": "Q?", "prediction": "It.", "score": 1, "system": name} for name in "ab"]
    write_rows("twice.jsonl", rows)
    message = run(labeled(columns=("question", "prediction")), code=1, scored="twice.jsonl")
    assert "twice.jsonl, line 2: question 'Q?' and prediction 'It.' is in line 1, too." in message
    assert "name columns that together identify a row, each with --column id=NAME" in message


def test_rows_without_a_value_are_a_group(run):
    write_rows("gaps.jsonl", [row | {"system": row["system"] if row["system"] == "a" else None} for row in ROWS])
    groups = run(labeled(), "--by", "system", scored="gaps.jsonl")["groups"]
    same(groups["(none)"], expected(groups=[row["system"] for row in ROWS]).groups["b"])


def test_rows_without_a_question_stand_alone(run):
    write_rows("blank.jsonl", [row | {"question": ""} for row in ROWS])
    same(run(labeled(), scored="blank.jsonl")["all"], expected(clusters=None).all)
