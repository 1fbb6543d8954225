"""Tests of `evaluate-qa cascade`: figures by hand, error messages and files."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from commands import run_command

from evaluate_qa.cascading.curve import curve, point
from evaluate_qa.cascading.labeled_scores import LabeledScores
from evaluate_qa.files.writing import write_rows

NAN = float("nan")


def synthetic():
    """Return 1,000 rows: 600 with a clear score, 590 of them right; 400 with the score .5.

    300 rows have the score .02 and 300 the score .97, with 5 errors each. Of the 400, the metric has 220 right and the
    judge 360.
    """
    rows = []
    for number in range(1000):
        correct = number % 2 == 0
        if number < 600:
            score, judge = (0.97 if correct else 0.02), number % 10 < 8
            label = correct if number >= 10 else not correct
        else:
            score, label = 0.5, number >= 780  # "correct" by its threshold
            judge = label if number % 10 else not label
        rows.append({"id": number, "score": score, "correct": label, "judge": judge})
    return rows


@pytest.fixture
def run(working_folder):

    def run(rows, *arguments, code=0):
        source = rows
        if not isinstance(rows, str):
            source = "rows.jsonl"
            write_rows(source, rows)
        options = ["--input", source, "--json", "out.json", *arguments]
        done = run_command("cascade", *options, code=code)
        return done.stderr if code else (json.loads(Path("out.json").read_text()), done.stdout)

    return run


def test_figures_by_hand(run):
    """Metric alone (590 + 220)/1,000; asked 400; cascade (590 + 360)/1,000; cost 400 · (350 · 2.5 + 2 · 10)/10⁶.

    Both sides pass with 295 of 300 rows each, so the band ends next to the threshold.
    """
    found, printed = run(
        [row | {"judge_tokens_in": 350, "judge_tokens_out": 2} for row in synthetic()], "--prices", "2.5,10"
    )
    assert (found["below"]["rows"], found["below"]["agreeing"]) == (300, 295)
    assert (found["above"]["rows"], found["above"]["agreeing"]) == (300, 295)
    assert found["ask"] == [0.5, 0.51]
    assert found["chosen"]["asked"] == 0.4
    assert found["chosen"]["agreement"] == pytest.approx(0.95)
    assert found["chosen"]["decided"] == pytest.approx(590 / 600)
    assert found["chosen"]["cost"] == pytest.approx(400 * 895e-6)
    judge = sum(row["judge"] == row["correct"] for row in synthetic()) / 1000
    first = {"low": 0.5, "high": 0.5, "asked": 0.0, "agreement": 0.81, "decided": 0.81, "cost": 0.0}
    assert found["curve"][0] == pytest.approx(first)
    assert found["curve"][-1]["asked"] == 1
    assert found["curve"][-1]["agreement"] == pytest.approx(judge)
    assert found["curve"][-1]["cost"] == pytest.approx(0.895)
    assert "ask=(0.5, 0.51)" in printed
    assert "0.5 to 0.51" in printed
    assert "For scores below 0.5, people agree with 'incorrect' on 295 of 300 rows" in printed


def test_known_verdicts_stand_for_unknown_ones():
    """57 of 60 rows are right; 20 of 40 others have a verdict, 18 of them right: .6 · .95 + .4 · .9 = .93."""
    scores = np.array([0.99] * 60 + [0.5] * 40)
    labels = np.array([True] * 57 + [False] * 3 + [True] * 40)
    judged = np.array([NAN] * 60 + [1.0] * 18 + [0.0] * 2 + [NAN] * 20)
    found = point(LabeledScores(scores, labels, judged), 0.2, 0.9)
    assert (found.asked, found.decided, found.agreement) == (0.4, 0.95, pytest.approx(0.93))
    alone = point(LabeledScores(scores, labels, np.full(100, NAN)), 0.2, 0.9)
    assert (alone.asked, alone.decided, alone.agreement) == (0.4, 0.95, None)


def test_curve_goes_from_metric_to_judge():
    generator = np.random.default_rng(1)
    scores, labels = generator.random(500), generator.random(500) < 0.5
    points = curve(LabeledScores(scores, labels, labels.astype(float), 0.3))
    asked = [one.asked for one in points]
    assert asked == sorted(set(asked))
    assert (asked[0], asked[-1], points[-1].agreement) == (0, 1, 1)
    two = LabeledScores(np.array([0.2, 0.7]), np.array([False, True]), np.array([0.0, 1]))
    assert [one.asked for one in curve(two)] == [0, 0.5, 1]
    for one in points:
        within = (one.low <= scores) & (scores < one.high)
        right = np.where(within, True, (scores >= 0.3) == labels)
        assert one.agreement == pytest.approx(right.mean())


def test_the_metric_decides_as_its_verdicts(run):
    """Scores from .5 to .6 are wrong in a metric with the threshold .65, as in smile."""
    rows = [row | {"score": min(row["score"], 0.97) + 0.1 * (row["score"] == 0.5)} for row in synthetic()]
    judged = [row | {"verdict": row["score"] >= 0.65} for row in rows]
    found, printed = run(judged)
    assert found["threshold"] == pytest.approx((0.6 + 0.97) / 2)
    assert found["curve"][0]["decided"] == np.mean([row["verdict"] == row["correct"] for row in judged])
    assert "with a score of at least 0.785 correct" in printed
    named = [row | {"my_score": row.pop("score"), "my_verdict": row.pop("verdict")} for row in map(dict, judged)]
    assert run(named, "--column", "score=my_score")[0]["threshold"] == found["threshold"]
    assert run(rows)[0]["threshold"] == 0.5
    judged[0]["verdict"] = not judged[0]["verdict"]
    assert "no score separates the right and wrong answers in the column 'verdict'" in run(judged, code=1)
    assert run(judged, "--threshold", 0.7)[0]["threshold"] == 0.7


def test_tokens_are_means_over_rows_with_request(run):
    """Two rows with a request have 350 and 2 on average; a third row had no request."""
    rows = [row | {"judge_label": "incorrect"} for row in synthetic()]
    rows[0] |= {"judge_tokens_in": 300, "judge_tokens_out": 1}
    rows[1] |= {"judge_tokens_in": 400, "judge_tokens_out": 3}
    rows[2] |= {"judge_tokens_in": 0, "judge_tokens_out": 0}
    found, _ = run(rows, "--prices", "2.5,10")
    assert (found["tokens"], found["columns"]["label"]) == ([350, 2], "correct")
    assert found["chosen"]["cost"] == pytest.approx(400 * 895e-6)


def test_rows_without_label_or_score_are_left_out(run):
    rows = synthetic()
    rows += [{**rows[0], "correct": None}] * 3 + [{**rows[0], "score": None}]
    found, printed = run(rows)
    assert (found["rows"], found["rows_without_label"], found["rows_without_score"]) == (1000, 3, 1)
    assert found["rows_with_judge"] == 1000
    assert "The figures leave out 3 rows without a label." in printed
    assert "The figures leave out 1 row without a score." in printed


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"score": 1.5}, (), "rows.jsonl, line 3: the column 'score' is 1.5; expected a number from 0 to 1"),
        ({"correct": 0.5}, (), "rows.jsonl, line 3: the column 'correct' is 0.5; expected a verdict"),
        ({"judge": "perhaps"}, (), "rows.jsonl, line 3: the column 'judge' is 'perhaps'; expected 1 or 0"),
        ({}, ("--column", "score=scor"), "no column 'scor'. Did you mean 'score'?"),
        ({}, ("--prices", "2"), "--prices is '2'; expected two numbers of at least 0 with a comma between them"),
        ({}, ("--prices", "2,-1"), "--prices is '2,-1'; expected two numbers of at least 0"),
        ({}, ("--prices", "2,1"), "has no tokens in columns judge_tokens_in and judge_tokens_out"),
        ({}, ("--json", "rows.jsonl"), "must be different files"),
    ],
)
def test_error_messages(run, change, options, message):
    rows = synthetic()
    rows[2] |= change
    assert message in run(rows, *options, code=1)


def test_one_random_answer_to_each_question_finds_the_range(run):
    rows = [row | {"question": f"q{number // 5}"} for number, row in enumerate(synthetic())]
    found, printed = run(rows, "--target", "0.8")
    assert (found["rows"], found["rows_tested"], found["columns"]["cluster"]) == (1000, 200, "question")
    assert (found["below"] or found["above"])["rows"] <= 200
    assert "The band was found with 200 rows, one random row for each value of 'question'" in printed


def test_only_a_band_that_was_found_is_recommended(run):
    none = "With 95% confidence, no score limit reaches an agreement of 0.95"
    _, printed = run(synthetic()[:100:3])
    assert f"{none}, so no band of scores for the judge is recommended. Label more rows" in printed
    assert not re.search("Use it with|chosen", printed)
    _, printed = run([row for row in synthetic() if row["score"] < 0.6])
    assert f"{none} for 'correct', so the metric never decides 'correct'. Label more rows" in printed


def test_file_without_labels_is_rejected(run):
    assert "no row has both a score and a label." in run([{"score": 0.5, "label": None}], code=1)
