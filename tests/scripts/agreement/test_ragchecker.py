"""RAGChecker: compared pairs as labeled rows, and their figures."""

import json

import pytest
from commands import run_command

from evaluate_qa.agreement.bootstrap import Bootstrap
from evaluate_qa.agreement.data_sets import DATA
from evaluate_qa.agreement.run import Plan, read, run
from evaluate_qa.labeled_data.rows import DataSelection

# query, answers of models 1 and 2, preferences of the first and the second person; the reference is "a b c d"
PAIRS = [
    ("q1", ("s1", "a"), ("s2", "a b c"), (2, 1)),
    ("q2", ("s1", "a b"), ("s3", "a"), (-1, 0)),
    ("q3", ("s2", "a b c d"), ("s3", ""), (1, -2)),
]


def pairs():
    return [
        {
            "dataset": "kiwi",
            "query": query,
            "gt_answer": "a b c d",
            "model1": {"model_name": one[0], "response": one[1]},
            "model2": {"model_name": other[0], "response": other[1]},
            "correctness_label": 0,
            "completeness_label": preference,
            "overall_label": preference,
        }
        for query, one, other, preferences in PAIRS
        for preference in preferences
    ]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "human_labeled_data.json").write_text(json.dumps(pairs()))
    return tmp_path


def read_all(folder, **selection):
    return DATA["ragchecker"](DataSelection(folder, **selection))


def test_each_label_of_each_aspect_is_a_row(folder):
    data = read_all(folder)
    assert data.groups == ["overall", "correctness", "completeness"]
    assert [len(data.members(group)) for group in data.groups] == [6, 6, 6]
    first = data.rows[0]
    assert (first.answer, first.other, first.label, first.references) == ("a b c", "a", 2.0, ["a b c d"])
    assert [reasons.total() for reasons in data.dropped.values()] == [1, 6, 1]


def test_answer_in_several_pairs_is_scored_once(folder):
    answers, places = read_all(folder).distinct_answers()
    assert sorted((row.question, row.answer) for row in answers) == sorted(
        (query, answer) for query, one, other, _ in PAIRS for answer in (one[1], other[1])
    )
    assert [len(side) for side in places] == [18, 18]
    assert all(row.other is None for row in answers)


def test_selections(folder):
    assert {row.question for row in read_all(folder, limit=2).rows} == {"q1", "q2"}
    assert {row.question for row in read_all(folder, systems=("s1", "s3")).rows} == {"q2"}
    with pytest.raises(ValueError, match="no splits"):
        read_all(folder, split="dev")


def test_figures_by_hand(folder):
    plan = Plan(DataSelection(folder))
    (overall, *_) = run(read("ragchecker", plan), plan, []).tables
    figures = overall.estimates["token_recall"]
    # SQuAD's tokens leave out the article "a": recall 0, 2/3; 1/3, 0; 1, 0, so the differences are
    # 2/3, 2/3, -1/3, -1/3, -1, -1 against 2, 1, -1, 0, 1, -2. One is 0; of the other five one (-1 against 1) is wrong.
    assert figures["preference_accuracy"].value == 4 / 5
    # in thirds 2 2 -1 -1 -3 -3, mean -2/3: squares 28 - 4·4/6; labels' mean 1/6: squares 11 - 1/6;
    # products 4 + 2 + 1 + 0 - 3 + 6 = 10, less -4 · 1 / 6
    assert figures["pearson"].value == pytest.approx((10 + 4 / 6) / ((28 - 16 / 6) * (11 - 1 / 6)) ** 0.5)
    assert overall.mean_label == pytest.approx(1 / 6)


def test_command_prints_pairs_and_preferences(folder):
    done = run_command(
        "agreement", "--data", "ragchecker", "--data-dir", folder, "--bootstrap", "20", "--group", "overall"
    )
    assert "6 pairs of answers to 3 questions, mean preference 0.17" in done.output
    assert "Rows dropped from preference accuracy, overall: 1 that people call equal" in done.output


@pytest.mark.parametrize("text", ["[{", '[{"dataset": "kiwi"}]'])
def test_file_in_other_format_is_reported(tmp_path, text):
    (tmp_path / "human_labeled_data.json").write_text(text)
    with pytest.raises(ValueError, match=r"is not in RAGChecker's format \(.*Download it again from https://"):
        read_all(tmp_path)


def test_missing_file_is_reported(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there are 0 files human_labeled.* Download it from https://"):
        read_all(tmp_path)


def test_token_f1_equals_published_correlation(shared):
    """The shared half of the data has 312 labels."""
    plan = Plan(DataSelection(shared / "data"), bootstrap=Bootstrap(0))
    overall = run(read("ragchecker", plan), plan, []).tables[0]
    assert (overall.rows, overall.questions) == (312, 156)
    found = overall.estimates["token_f1"]
    assert (found["pearson"].value, found["spearman"].value) == pytest.approx((0.515, 0.527), abs=5e-4)
