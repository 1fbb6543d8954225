"""The demo of the Space of judge: what it says of a band is what the metric makes of it, on recorded verdicts."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from evaluate_qa.cli import app as command
from evaluate_qa.metrics.judge.options import DEFAULT_BAND
from evaluate_qa.metrics.judge.protocols import PROTOCOLS, protocol
from evaluate_qa.metrics.judge.scoring import unsure
from evaluate_qa.spaces._shared.drawing.cascade import Opinion, drawn
from evaluate_qa.spaces._shared.drawing.figures import cards
from evaluate_qa.spaces._shared.scoring import batch
from evaluate_qa.spaces._shared.scoring.answering import analyse, as_record, explain
from evaluate_qa.spaces._shared.scoring.files import UploadedTable, collect


@pytest.fixture
def app(specification_of):
    """What the Space's app.py holds."""
    return specification_of("judge").explain.__globals__


OPINIONS = [
    Opinion("Who?", ["Ann"], "Bob", 0.02, False, "incorrect", False, "Another."),
    Opinion("Who?", ["Ann"], "Her <name>", 0.30, False, "correct", True, "The same."),
    Opinion("Who?", ["Ann"], "Not Ann", 0.95, True, "incorrect", False, "It denies it."),
    Opinion("Who?", ["Ann", "Anna"], "Ann", 0.99, True, "correct", True, "She."),
]


def test_figures_and_groups():
    """Of four the matcher alone has two right; the judge, asked about the second, makes it three."""
    shown = drawn(OPINIONS, [False, True, False, False], (0.05, 0.9))
    for name, value in {
        "Answers sent to the judge": "1 of 4",
        "Requests per 1,000 answers": "250",
        "Correct verdicts: bem alone": "2 of 4",
        "Correct verdicts: bem and judge": "3 of 4",
    }.items():
        assert f"<dt>{name}</dt><dd>{value}</dd>" in shown
    for title in ("bem decides: below 0.05 (1)", "The judge decides: 0.05 to 0.9 (1)", "bem decides: 0.9 or more (2)"):
        assert f"{title}</h3>" in shown
    assert "Her &lt;name&gt;" in shown
    assert "Judge: correct. The same." in shown
    assert "bem is wrong: this answer is incorrect. It denies it." in shown
    assert shown.count("qa-low") == 2  # a dot, and the key
    assert "Who? Reference: Ann or Anna" in shown
    assert ">No answers<" in drawn(OPINIONS, [False] * 4, (0.0, 0.0))


@pytest.mark.parametrize("band", [(0.05, 0.9), (0.0, 1.0), (0.0, 0.0), (0.3, 0.7)])
def test_it_shows_what_the_metric_makes_of_the_recorded_verdicts(app, scorer_of, band):
    scorer = scorer_of("judge")
    opinions = app["opinions"](scorer)
    rows = [{"questions": o.question, "references": o.references, "predictions": o.answer} for o in opinions]
    found = scorer.compute(rows, {"ask": band})
    asked = unsure([opinion.score for opinion in opinions], band)
    assert found["per_example"]["asked"] == asked
    assert found["per_example"]["verdict"] == [o.verdict(a) for o, a in zip(opinions, asked, strict=True)]
    assert found["unscored"] == 0
    assert f"<dd>{sum(asked)} of {len(rows)}</dd>" in drawn(opinions, asked, band)


def test_the_demo_shows_every_case(app, scorer_of):
    """Sure and right, sure and wrong, unsure and mended, on either side."""
    opinions = app["opinions"](scorer_of("judge"))
    low, high = DEFAULT_BAND
    below, above = ([o for o in opinions if o.score < low], [o for o in opinions if o.score >= high])
    between = [o for o in opinions if low <= o.score < high]
    for group in (below, between, above):
        assert {o.matched == o.correct for o in group} == {True, False}
    assert {o.label for o in opinions} == {"correct", "incorrect", "not attempted"}


def test_the_file_is_one_that_the_command_imports(root, tmp_path):
    file = root / "spaces" / "judge" / "verdicts.jsonl"
    done = CliRunner().invoke(command, ["verdicts", "import", "-i", str(file), "--cache-dir", str(tmp_path / "kept")])
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert f"Imported {len(rows)} verdicts" in done.output
    assert all(row["label"] in protocol("default").labels and row["model"] == "by-hand" for row in rows)
    assert {row["protocol"] for row in rows} <= {*PROTOCOLS}


NEW = {
    "questions": "In which city is the Louvre?",
    "references": ["Paris"],
    "predictions": "In the capital of France, Lyon.",  # .26
}


def test_for_an_own_text_there_is_no_verdict_where_the_matcher_is_unsure(specification_of, scorer_of):
    specification, scorer = specification_of("judge"), scorer_of("judge")
    analysed = analyse(specification, scorer, NEW)
    outcome = explain(specification, scorer, analysed, specification.options())
    assert (outcome.score, outcome.verdict) == (None, None)
    assert "The judge is asked, but there is no verdict." in outcome.why
    assert as_record(outcome)["score"] is None
    decided = explain(specification, scorer, analysed, specification.options(["(0, 0)"]))
    assert decided.score == analysed.parts.matcher["score"][0]


def test_rows_without_a_verdict_are_counted_and_the_columns_stay_in_step(specification_of, scorer_of):
    """The first row is decided, the second has an error and no score, the third is decided again."""
    specification, scorer = specification_of("judge"), scorer_of("judge")
    sure = specification.examples["Right"].row
    table = collect(UploadedTable("rows", ""), enumerate([sure, NEW, sure], 1), specification.file_fields)
    *_, whole = batch.score(specification, scorer, table, specification.options())
    *_, scored = batch.score(replace(specification, chunk=1), scorer, table, specification.options())
    assert {len(column) for column in scored.columns.values()} == {3}
    assert [score is None for score in scored.columns["score"]] == [False, True, False]
    assert [error is None for error in scored.columns["error"]] == [True, False, True]
    assert scored.score == pytest.approx(scored.columns["score"][0]) == pytest.approx(whole.score)
    shown = {name: figure for name, (figure, _) in cards(scored, None, specification).items()}
    assert (shown["Rows scored"], shown["Judged correct"], shown["No verdict"]) == ("2", "100.0%", "1")
    assert "Tokens" not in shown
    for column in ("score", "verdict"):
        scored.columns[column] = [None] * 3
    shown = {name: figure for name, (figure, _) in cards(scored, None, specification).items()}
    assert (shown["Rows scored"], shown["Score"], shown["Judged correct"], shown["No verdict"]) == ("0", "–", "–", "3")
