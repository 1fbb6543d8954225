"""`evaluate-qa compare`."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from commands import run_command
from markdown_it import MarkdownIt

from evaluate_qa import compare, estimate
from evaluate_qa.files.rows import read_rows
from evaluate_qa.files.writing import write_rows
from evaluate_qa.uncertainty.intervals import format_interval, mean

COUNT = 120
GENERATOR = np.random.default_rng(0)
SCORES = {name: GENERATOR.beta(shape, 1, COUNT) for name, shape in (("base", 1), ("new", 1.3), ("other", 1.1))}
LABELS = {name: GENERATOR.random(COUNT) < scores for name, scores in SCORES.items()}


def rows(name, order=None, **more):
    return [
        {"id": f"r{at}", "question": f"Q{at // 2}?", "prediction": f"{name} says {at}", "score": SCORES[name][at]}
        | {"verdict": bool(SCORES[name][at] > 0.5), **more}
        for at in (range(COUNT) if order is None else order)
    ]


@pytest.fixture
def run(working_folder):
    write_rows("base.parquet", rows("base"))
    write_rows("new.jsonl", rows("new", GENERATOR.permutation(COUNT).tolist()))
    write_rows("other.csv", rows("other", reversed(range(COUNT))))

    def run(*arguments, code=0):
        done = run_command("compare", *arguments, "--json", "out.json", code=code)
        return done.stderr if code else json.loads(Path("out.json").read_text())

    return run


QUESTIONS = np.arange(COUNT) // 2


def test_compare_writes_the_figures_of_the_function(run):
    found = run("base.parquet", "new.jsonl", "other.csv")
    verdicts = {name: scores > 0.5 for name, scores in SCORES.items()}
    expected = compare(SCORES, verdicts=verdicts, clusters=QUESTIONS)
    assert (found["baseline"], found["rows"], found["clusters"], found["rows_left_out"]) == ("base", COUNT, 60, 0)
    for written, pair in zip(found["systems"], expected, strict=True):
        assert (written["system"], written["wins"], written["losses"]) == (pair.system, pair.wins, pair.losses)
        for kind in ("scores", "verdicts"):
            change = getattr(pair, kind)
            assert list(written[kind]["difference"].values()) == pytest.approx(list(vars(change.difference).values()))
            for name in ("p_value", "adjusted", "detectable"):
                assert written[kind][name] == pytest.approx(getattr(change, name))
        assert written["powered"] is None


def test_first_line_reports_the_detectable_difference(run):
    run("base.parquet", "new.jsonl")
    done = run_command("compare", "base.parquet", "new.jsonl", "--column", "cluster=id")
    (pair,) = compare({name: SCORES[name] for name in ("base", "new")}, verdicts={
        name: SCORES[name] > 0.5 for name in ("base", "new")})  # fmt: skip
    line = next(line for line in done.output.splitlines() if line.strip().startswith("new − base"))
    assert line.split()[3:5] == [str(pair.wins), str(pair.losses)]
    assert line.split()[-3] == f"{pair.verdicts.p_value:.4f}"
    assert done.stdout.startswith(
        "new vs base: no difference in verdicts was detected; with these 120 rows, only differences of "
        f"{100 * pair.verdicts.detectable:.1f} points or more can be detected reliably (80% power). "
        f"Judged correct: {(SCORES['base'] > 0.5).mean():.1%} → "
    )
    assert "McNemar's exact test for verdicts and sign flips for scores" in " ".join(done.output.split())
    assert "Add --labels to correct for its errors." in done.output
    write_rows("close.jsonl", [row | {"score": 0.98 * row["score"]} for row in rows("base")])
    done = run_command("compare", "base.parquet", "close.jsonl")
    lines = [line.partition(" detected")[0] for line in done.stdout.splitlines()[:2]]
    assert lines == [f"close vs base: {found} was" for found in ("no difference in verdicts", "a difference in scores")]


def test_the_figures_of_each_system_are_in_tables_and_json(run):
    found = run("base.parquet", "new.jsonl", "other.csv", "--markdown", "table.md")["figures"]
    assert [one["name"] for one in found] == list(SCORES)
    for one, scores in zip(found, SCORES.values(), strict=True):
        for name, values in (("mean_score", scores), ("judged_correct", scores > 0.5)):
            expected = mean(values.astype(float), QUESTIONS)
            assert list(one[name].values()) == pytest.approx(list(vars(expected).values()))
    cells = [line.split(" | ") for line in Path("table.md").read_text().splitlines() if line.startswith("| other |")]
    assert cells == [["| other", format_interval(expected), format_interval(mean(scores, QUESTIONS)), "– |"]]
    write_rows("a|b.jsonl", rows("new"))
    run("base.parquet", "a|b.jsonl", "--markdown", "table.md")
    tables = MarkdownIt("commonmark").enable("table").parse(Path("table.md").read_text())
    assert "a|b" in [child.content for token in tables for child in token.children or ()]


def test_changed_writes_rows_with_the_largest_change_first(run):
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


@pytest.mark.parametrize("target", ["changed.csv", "changed.parquet"])
def test_without_a_change_a_table_has_only_its_columns(run, target):
    write_rows("same.jsonl", rows("base"))
    run("base.parquet", "same.jsonl", "--changed", target)
    assert list(read_rows(target)) == []
    assert (pq.read_schema(target).names if "parquet" in target else Path(target).read_text().strip().split(",")) == [
        *("id", "question", "baseline", "system", "change", "prediction_before", "prediction", "score_before", "score")
    ]


def test_a_table_without_a_change_has_each_column_once(run):
    for name in ("one.jsonl", "other.jsonl"):
        write_rows(name, [{"question": f"Q{at}?", "system": "both", "score": at / COUNT} for at in range(COUNT)])
    run("one.jsonl", "other.jsonl", "--column", "id=question", "--column", "id=system", "--changed", "same.parquet")
    names = pq.read_schema("same.parquet").names
    assert names.count("system") == 1, names


def test_labels_give_the_difference_of_accuracies(run):
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
    write_rows("ids.csv", [{"id": f"r{at}", "label": bool(LABELS["new"][at])} for at in range(60)])
    message = run("base.parquet", "new.jsonl", "--labels", "ids.csv", "--labels", "./ids.csv", code=1)
    assert "the labels of base and the labels of new must be different files, but both are ./ids.csv" in message
    message = run("base.parquet", "new.jsonl", "--labels", "base.labels.csv", code=1)
    assert "--labels was given once. Give one label file for each system, in order: base, new." in message
    message = run("base.parquet", "new.jsonl", "--labels", "new.labels.csv", "--labels", "base.labels.csv", code=1)
    assert "new.labels.csv, row 1: the prediction is 'new says" in message


def test_number_of_labels_of_each_system_does_not_matter(run):
    """All answers of the better system are labeled, and a few of the other system: this is not bias."""
    write_rows("high.jsonl", [row | {"score": 0.9 + at % 2 / 10} for at, row in enumerate(rows("new"))])
    write_rows("low.jsonl", [row | {"score": at % 2 / 10} for at, row in enumerate(rows("base"))])
    for name, file, most in (("new", "high", COUNT), ("base", "low", 50)):
        kept = [row | {"label": bool(LABELS[name][at])} for at, row in enumerate(rows(name))][:most]
        write_rows(f"{file}.labels.jsonl", kept)
    found = run("low.jsonl", "high.jsonl", "--labels", "low.labels.jsonl", "--labels", "high.labels.jsonl")
    difference = found["systems"][0]["powered"]["value"]
    assert difference == pytest.approx(LABELS["new"].mean() - LABELS["base"][:50].mean(), abs=0.01)


def test_scores_of_any_scale_are_compared_without_verdicts(run):
    for name in ("base", "new"):
        write_rows(f"{name}.s.jsonl", [{"question": f"Q{at}", "bleu": SCORES[name][at] * 100} for at in range(COUNT)])
    found = run("base.s.jsonl", "new.s.jsonl", "--column", "score=bleu", "--changed", "changed.csv")["systems"][0]
    assert found["verdicts"] is None
    assert found["scores"]["difference"]["value"] == pytest.approx(100 * (SCORES["new"] - SCORES["base"]).mean())
    assert len(list(read_rows("changed.csv"))) == COUNT


def test_whole_floats_are_the_ids_that_pandas_read(run):
    """A column with a gap becomes a column of floats."""
    for name in ("base", "new"):
        numbers = [float(at) if name == "new" else at for at in range(COUNT)]
        write_rows(f"{name}.n.parquet", [row | {"id": at} for row, at in zip(rows(name), numbers, strict=True)])
    assert run("base.n.parquet", "new.n.parquet")["rows"] == COUNT


def test_rows_without_a_score_are_left_out_of_all_systems(run):
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
    ("second", "options", "message"),
    [
        (replaced(3, id="r999"), [], "1 row only in one of the files, such as b.jsonl, line 4: id 'r999'; 1 row only"),
        (rows("new")[:-2], [], "2 rows only in one of the files, such as base.parquet, row 119: id 'r118'. Score"),
        (replaced(3, id="r2"), [], "b.jsonl, line 4: id 'r2' is in line 3, too. Drop one of the rows"),
        (replaced(3, question="Why?"), [], "line 4: the question is 'Why?', but the question of the same row in base"),
        (replaced(3, score="high"), [], "b.jsonl, line 4: the column 'score' is 'high'; expected a number"),
        (replaced(3, score=float("nan")), [], "b.jsonl, line 4: the column 'score' is nan; expected a number"),
        (replaced(3, verdict=0.5), [], "b.jsonl, line 4: the column 'verdict' is 0.5; expected a verdict: 1 or 0"),
        (rows("new"), ["--column", "score=sore"], "base.parquet: there is no column 'sore'. Did you mean 'score'?"),
        (rows("new"), ["--column", "id=question"], "row 2: question 'Q0?' is in row 1, too."),
        ([row | {"score": None} for row in rows("new")], [], "no row has a score from every system"),
        ([{"score": 1}], [], "b.jsonl has no column 'id', and b.jsonl lacks 'question'."),
        (rows("new"), ["--changed", "-"], "Name a file instead of -."),
        (replaced(3, score=10**400), [], "b.jsonl, line 4: the column 'score' is 1000"),
        (rows("new"), ["--changed", "b.jsonl"], "system 2 and --changed must be different files"),
    ],
)
def test_compare_reports_bad_input_with_its_row(run, second, options, message):
    write_rows("b.jsonl", second)
    assert message in run("base.parquet", "b.jsonl", *options, code=1)


def test_compare_needs_two_different_systems(run):
    assert "base.parquet is the only file. Give at least two files to compare." in run("base.parquet", code=1)
    assert "base.parquet was given twice" in run("base.parquet", "base.parquet", code=1)
    Path("more").mkdir()
    write_rows("more/base.jsonl", rows("new"))
    assert run("base.parquet", "more/base.jsonl")["systems"][0]["system"] == "more/base.jsonl"
    write_rows("[bold].jsonl", rows("new"))
    done = run_command("compare", "base.parquet", "[bold].jsonl")
    assert "[bold] − base" in done.output
