"""`evaluate-qa compare`: rows of several systems are joined and checked, and the figures are told."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from commands import run_command
from typer.testing import CliRunner

from evaluate_qa import compare, estimate
from evaluate_qa.cli import app
from evaluate_qa.files.rows import read_rows
from evaluate_qa.files.writing import write_rows

COUNT = 120
GENERATOR = np.random.default_rng(0)
SCORES = {name: GENERATOR.beta(shape, 1, COUNT) for name, shape in (("base", 1), ("new", 1.3), ("other", 1.1))}
LABELS = {name: GENERATOR.random(COUNT) < scores for name, scores in SCORES.items()}


def rows(name, order=None, **more):
    """Scored rows of a system; each question has two."""
    return [
        {"id": f"r{at}", "question": f"Q{at // 2}?", "prediction": f"{name} says {at}", "score": SCORES[name][at]}
        | {"verdict": bool(SCORES[name][at] > 0.5), **more}
        for at in (range(COUNT) if order is None else order)
    ]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the command in a folder with the systems' rows, each file in another order and format."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    write_rows("base.parquet", rows("base"))
    write_rows("new.jsonl", rows("new", GENERATOR.permutation(COUNT).tolist()))
    write_rows("other.csv", rows("other", reversed(range(COUNT))))

    def run(*arguments, code=0):
        done = run_command("compare", *arguments, "--json", "out.json", code=code)
        return done.stderr if code else json.loads(Path("out.json").read_text())

    return run


QUESTIONS = np.arange(COUNT) // 2


def test_the_figures_are_those_of_the_function(run):
    found = run("base.parquet", "new.jsonl", "other.csv")
    verdicts = {name: scores > 0.5 for name, scores in SCORES.items()}
    expected = compare(SCORES, verdicts=verdicts, clusters=QUESTIONS)
    assert (found["baseline"], found["rows"], found["clusters"], found["rows_left_out"]) == ("base", COUNT, 60, 0)
    for told, pair in zip(found["systems"], expected, strict=True):
        assert (told["system"], told["wins"], told["losses"]) == (pair.system, pair.wins, pair.losses)
        for kind in ("scores", "verdicts"):
            change = getattr(pair, kind)
            assert list(told[kind]["difference"].values()) == pytest.approx(list(vars(change.difference).values()))
            for name in ("p_value", "adjusted", "detectable"):
                assert told[kind][name] == pytest.approx(getattr(change, name))
        assert told["powered"] is None


def test_what_is_printed(run):
    run("base.parquet", "new.jsonl")
    done = CliRunner().invoke(app, ["compare", "base.parquet", "new.jsonl", "--column", "cluster=id"])
    (pair,) = compare({name: SCORES[name] for name in ("base", "new")}, verdicts={
        name: SCORES[name] > 0.5 for name in ("base", "new")})  # fmt: skip
    line = next(line for line in done.output.splitlines() if line.strip().startswith("new − base"))
    assert line.split()[3:5] == [str(pair.wins), str(pair.losses)]
    assert line.split()[-3] == f"{pair.verdicts.p_value:.4f}"
    assert done.stdout.startswith(f"new vs base: judged correct {(SCORES['base'] > 0.5).mean():.1%} → ")
    size = f"{100 * pair.verdicts.detectable:.1f} points or more."
    assert f"These 120 rows reliably (80%) detect only differences of {size}" in done.output
    assert "McNemar's exact test for verdicts, sign flips for scores" in " ".join(done.output.split())
    assert "Add --labels to correct for its errors." in done.output


def test_changed_rows_are_written(run):
    found = run("base.parquet", "new.jsonl", "--changed", "changed.jsonl")["systems"][0]
    written = [row for _, row in read_rows("changed.jsonl")]
    changes = {row["id"]: row["change"] for row in written}
    before, after = (SCORES[name] > 0.5 for name in ("base", "new"))
    assert changes == {f"r{at}": "win" if after[at] else "loss" for at in np.flatnonzero(before != after)}
    assert sorted(changes.values()).count("win") == found["wins"]
    sizes = [abs(row["score"] - row["score_before"]) for row in written]
    assert sizes == sorted(sizes, reverse=True)
    at = int(written[0]["id"][1:])
    assert written[0] == {
        "id": f"r{at}", "question": f"Q{at // 2}?", "baseline": "base", "system": "new", "change": changes[f"r{at}"],
        "prediction_before": f"base says {at}", "prediction": f"new says {at}",
        "score_before": SCORES["base"][at], "score": SCORES["new"][at],
    }  # fmt: skip


def test_labels_make_it_what_people_would_see(run):
    places = {name: GENERATOR.choice(COUNT, 60, replace=False).tolist() for name in ("base", "new")}
    for name, chosen in places.items():
        write_rows(f"{name}.labels.csv", [
            {"id": f"r{at}", "prediction": f"{name} says {at}", "label": bool(LABELS[name][at])} for at in chosen
        ])  # fmt: skip
    found = run("base.parquet", "new.jsonl", "--labels", "base.labels.csv", "--labels", "new.labels.csv")
    labels = np.full((2, COUNT), np.nan)
    for row, name in zip(labels, places, strict=True):
        row[places[name]] = LABELS[name][places[name]]
    expected = estimate(
        np.concatenate([SCORES["base"], SCORES["new"]]), labels.ravel(), clusters=np.tile(QUESTIONS, 2),
        groups=np.repeat(["base", "new"], COUNT), differences=[("new", "base")],
    )  # fmt: skip
    assert found["systems"][0]["powered"] == pytest.approx(vars(expected.differences["new", "base"]))
    told = run("base.parquet", "new.jsonl", "--labels", "base.labels.csv", code=1)
    assert "--labels was given once. Give one label file for each system, in order: base, new." in told
    told = run("base.parquet", "new.jsonl", "--labels", "new.labels.csv", "--labels", "base.labels.csv", code=1)
    assert "new.labels.csv, row 1: the label is of the answer 'new says" in told


def test_how_many_labels_each_system_has_does_not_matter(run):
    """Of the better system all answers are labelled and of the other a few: that is no bias, as each stands alone."""
    write_rows("high.jsonl", [row | {"score": 0.9 + at % 2 / 10} for at, row in enumerate(rows("new"))])
    write_rows("low.jsonl", [row | {"score": at % 2 / 10} for at, row in enumerate(rows("base"))])
    for name, file, most in (("new", "high", COUNT), ("base", "low", 50)):
        kept = [row | {"label": bool(LABELS[name][at])} for at, row in enumerate(rows(name))][:most]
        write_rows(f"{file}.labels.jsonl", kept)
    found = run("low.jsonl", "high.jsonl", "--labels", "low.labels.jsonl", "--labels", "high.labels.jsonl")
    difference = found["systems"][0]["powered"]["value"]
    assert difference == pytest.approx(LABELS["new"].mean() - LABELS["base"][:50].mean(), abs=0.01)


def test_without_verdicts_scores_are_compared_of_any_scale(run):
    for name in ("base", "new"):
        write_rows(f"{name}.s.jsonl", [{"question": f"Q{at}", "bleu": SCORES[name][at] * 100} for at in range(COUNT)])
    found = run("base.s.jsonl", "new.s.jsonl", "--column", "score=bleu", "--changed", "changed.csv")["systems"][0]
    assert found["verdicts"] is None
    assert found["scores"]["difference"]["value"] == pytest.approx(100 * (SCORES["new"] - SCORES["base"]).mean())
    assert len(list(read_rows("changed.csv"))) == COUNT


def test_rows_without_a_score_are_left_out_of_all(run):
    some = rows("new")
    some[3]["score"] = None
    some[5]["verdict"] = None
    write_rows("some.jsonl", some)
    found = run("base.parquet", "some.jsonl", "other.csv")
    assert (found["rows"], found["rows_left_out"]) == (COUNT - 2, 2)
    there = [at for at in range(COUNT) if at not in (3, 5)]
    expected = (SCORES["other"] - SCORES["base"])[there].mean()
    assert found["systems"][1]["scores"]["difference"]["value"] == pytest.approx(expected)


def replaced(place, **columns):
    found = rows("new")
    found[place] |= columns
    return found


@pytest.mark.parametrize(
    ("second", "options", "told"),
    [
        (replaced(3, id="r999"), [], "b.jsonl, line 4: id 'r999' is no row of base.parquet (1 such rows, and 1 of"),
        (rows("new")[:-2], [], "b.jsonl lacks 2 rows of base.parquet, the first of them in base.parquet, row 119: id"),
        (replaced(3, id="r2"), [], "b.jsonl, line 4: id 'r2' is in line 3, too. Drop one of the rows"),
        (replaced(3, question="Why?"), [], "b.jsonl, line 4: the question is 'Why?', but that of the same row in base"),
        (replaced(3, score="high"), [], "b.jsonl, line 4: the column 'score' is 'high'; expected a number"),
        (replaced(3, score=-math.inf), [], "b.jsonl, line 4: the column 'score' is -inf; expected a number"),
        (replaced(3, score=float("nan")), [], "b.jsonl, line 4: the column 'score' is nan; expected a number"),
        (replaced(3, verdict=0.5), [], "b.jsonl, line 4: the column 'verdict' is 0.5; expected true or false"),
        (rows("new"), ["--column", "score=sore"], "base.parquet: there is no column 'sore'. Did you mean 'score'?"),
        (rows("new"), ["--column", "verdict=right"], "base.parquet: there is no column 'right'"),
        (rows("new"), ["--column", "cluster=topic"], "base.parquet: there is no column 'topic'"),
        (rows("new"), ["--column", "id=question"], "row 2: question 'Q0?' is in row 1, too."),
        ([row | {"score": None} for row in rows("new")], [], "no row has a score from every system"),
        ([{"score": 1}], [], "b.jsonl has no column 'id', and this file lacks 'question'."),
        (rows("new"), ["--changed", "-"], "Name a file in place of -."),
        (replaced(3, score=10**400), [], "b.jsonl, line 4: the column 'score' is 1000"),
        (rows("new"), ["--changed", "b.jsonl"], "system 2 and --changed must be different files"),
        (rows("new"), ["--column", "score"], "--column score: the new name is missing."),
        (rows("new"), ["--column", "skore=a"], "there is no column 'skore' to rename. Did you mean 'score'?"),
        (rows("new"), ["--column", "score=a", "--column", "score=b"], "--column score=… is given 2 times."),
    ],
)
def test_what_is_wrong_is_told_with_its_row(run, second, options, told):
    write_rows("b.jsonl", second)
    assert told in run("base.parquet", "b.jsonl", *options, code=1)


def test_systems_must_be_two_and_different(run):
    assert "base.parquet is the only file. Give at least two files to compare." in run("base.parquet", code=1)
    assert "base.parquet was given twice" in run("base.parquet", "base.parquet", code=1)
    Path("more").mkdir()
    write_rows("more/base.jsonl", rows("new"))
    assert run("base.parquet", "more/base.jsonl")["systems"][0]["system"] == "more/base.jsonl"
    write_rows("[bold].jsonl", rows("new"))
    done = CliRunner().invoke(app, ["compare", "base.parquet", "[bold].jsonl"])
    assert "[bold] − base" in done.output
