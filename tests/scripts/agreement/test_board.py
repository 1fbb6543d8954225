"""The board: data sets side by side, means and ranks."""

import json
import math
from collections import Counter

import numpy as np
import pytest
import sklearn.metrics
from commands import run_command

from evaluate_qa.agreement.benchmark import Benchmark
from evaluate_qa.agreement.data_sets import DATA
from evaluate_qa.agreement.means import ranks, with_mean
from evaluate_qa.agreement.row_scores import RowScores
from evaluate_qa.agreement.tables import compare
from evaluate_qa.labeled_data.rows import DataSelection, LabeledRow
from evaluate_qa.uncertainty.resampling import Bootstrap, draws

COLUMNS = [
    "EVOUNA",
    "DIVER-QA",
    "EfficientQA",
    "Beetle unseen answers",
    "Beetle unseen questions",
    "SciEntsBank unseen answers",
    "SciEntsBank unseen questions",
    "SAF English",
    "SAF German",
]


@pytest.fixture
def board_dir(evouna_dir, diver_qa_dir, efficientqa_dir, semeval2013_dir, saf_dir):
    """The folder with all small data sets; EVOUNA's test has one question of NQ and one of TQ."""
    (evouna_dir / "split.json").write_text(json.dumps({"NQ": {"test": [3]}, "TQ": {"test": [0]}}))
    return evouna_dir.parent


def read(folder, **selection):
    return DATA["board"](DataSelection(folder, **selection))


def test_a_column_for_each_set_of_what_is_reported(board_dir):
    data = read(board_dir)
    assert data.groups == COLUMNS
    # of EVOUNA 5 answers each, less one that is missing; of EfficientQA the definite ones to one question of dev
    assert [len(data.members(column)) for column in COLUMNS] == [9, 6, 3, 2, 4, 1, 1, 1, 1]
    assert Counter(group for row in data.rows for group in row.groups if ": " not in group).total() == len(data.rows)
    assert len(data.members("Beetle unseen questions: contradictory")) == 3  # a right one and two that contradict
    assert set(data.kinds) == {group for row in data.rows for group in row.groups if ": " in group}
    assert data.dropped["EfficientQA"] == {"possibly correct": 3}
    assert [baseline.name for baseline in data.baselines] == ["lexical_match", "token_recall", "token_f1"]


def test_questions_of_two_sets_are_two_questions(board_dir):
    of_column = {row.question_id: {group for group in row.groups if group in COLUMNS} for row in read(board_dir).rows}
    assert all(len(columns) == 1 for columns in of_column.values())


def test_the_limit_holds_for_each_set(board_dir):
    data = read(board_dir, limit=1)
    assert [len(data.members(column)) for column in COLUMNS] == [9, 4, 3, 2, 4, 1, 1, 1, 1]  # DIVER-QA: 2 questions


@pytest.mark.parametrize("selection", [{"split": "train"}, {"systems": ("gpt4",)}])
def test_the_board_has_splits_of_its_own(board_dir, selection):
    with pytest.raises(ValueError, match=r"the board has its own splits and all systems\. Leave out"):
        read(board_dir, **selection)


def row(number, label, group):
    return LabeledRow(f"q{number}", "", ["r"], "a", float(label), frozenset({group}))


def two_sets():
    """Set A has 3 right and 2 wrong answers, set B one of each, every answer with a question of its own."""
    labels = [1, 1, 1, 0, 0, 1, 0]
    rows = [row(number, label, "A" if number < 5 else "B") for number, label in enumerate(labels)]
    scores = [
        RowScores(
            "good",
            np.array([0.9, 0.8, 0.2, 0.1, 0.3, 0.9, 0.1]),
            np.array([True, True, False, False, False, True, False]),
        ),
        RowScores(
            "bad",
            np.array([0.9, 0.1, 0.8, 0.7, 0.2, 0.2, 0.4]),
            np.array([True, False, True, True, False, False, True]),
        ),
        RowScores(
            "same",
            np.array([0.9, 0.8, 0.2, 0.1, 0.3, 0.9, 0.1]),
            np.array([True, True, False, False, False, True, False]),
        ),
        RowScores("silent", np.array([5.0, 4, 3, 2, 1, 2, 1]), None),
    ]
    data = Benchmark("two", rows, ["A", "B"], ["A", "B"], ["mcc", "auc"], "mcc", baselines=(), board=True)
    return data, scores


def figures(data, scores, bootstrap, probable=()):
    tables = with_mean(data, scores, probable, compare(data, scores, bootstrap), bootstrap)
    return {table.group: table.estimates for table in tables}


def test_means_and_ranks_by_hand():
    found = figures(*two_sets(), Bootstrap(0), probable=["good", "silent"])
    # A: "good" has TP 2, FN 1, TN 2: 4 / √(2·3·2·3) = 2/3; "bad" TP 2, FN 1, FP 1, TN 1: (2 − 1) / √(3·3·2·2) = 1/6.
    # B: "good" is right, 1, "bad" is wrong, −1.
    mcc = {metric: [found[group][metric]["mcc"].value for group in ("A", "B", "mean")] for metric in found["A"]}
    assert mcc["good"] == pytest.approx([2 / 3, 1, (2 / 3 + 1) / 2])
    assert mcc["bad"] == pytest.approx([1 / 6, -1, (1 / 6 - 1) / 2])
    assert mcc["silent"] == [None, None, None]
    # "good" and "same" share ranks 1 and 2
    rank = {metric: [found[group][metric]["rank"].value for group in ("A", "B", "mean")] for metric in found["A"]}
    assert rank == {"good": [1.5] * 3, "same": [1.5] * 3, "bad": [3.0] * 3, "silent": [None] * 3}
    # A: "good" has .9 .8 .2 for right and .1 .3 for wrong answers: 2 + 2 + 1 of 6 pairs; B: 1 of 1
    assert found["mean"]["good"]["auc"].value == pytest.approx((5 / 6 + 1) / 2)
    # "silent": 5 4 3 above 2 1 in A, 2 above 1 in B
    assert found["mean"]["silent"]["auc"].value == 1
    # "good" as a probability: |mean score − share right| of each bin, here of each answer:
    # A (.1 + .2 + .8 + .1 + .3) / 5, B (.1 + .1) / 2; what lies above 1 is no probability, and "bad" is not asked for
    errors = [found[group]["good"]["calibration_error"].value for group in ("A", "B", "mean")]
    assert errors == pytest.approx([0.3, 0.1, 0.2])
    assert {found["mean"][metric]["calibration_error"].value for metric in ("bad", "silent")} == {None}


def test_ranks():
    assert ranks([0.2, None, 0.9, 0.2]) == [2.5, None, 1.0, 2.5]
    assert ranks([None]) == [None]


def test_the_interval_of_a_mean_is_that_of_means_of_resamples():
    """Against scikit-learn on rows that are copied as often as their question is drawn."""
    generator = np.random.default_rng(3)
    sizes = {"A": 30, "B": 20}
    rows = [
        row(f"{group}{number // 2}", generator.integers(2), group)
        for group, size in sizes.items()
        for number in range(size)
    ]
    labels = np.array([found.label for found in rows], dtype=bool)
    verdicts = labels ^ (generator.random(50) < 0.3)
    scores = [RowScores("m", verdicts.astype(float), verdicts)]
    data = Benchmark("two", rows, ["A", "B"], ["A", "B"], ["mcc", "auc"], "mcc", baselines=(), board=True)
    bootstrap = Bootstrap(40, seed=5)
    found = figures(data, scores, bootstrap)["mean"]["m"]["mcc"]

    def resampled(group, seed):
        start = 0 if group == "A" else 30
        for chunk in draws(sizes[group] // 2, Bootstrap(40, seed=seed)):
            for weights in chunk.astype(int):
                drawn = np.repeat(np.arange(sizes[group]), weights[np.arange(sizes[group]) // 2]) + start
                yield sklearn.metrics.matthews_corrcoef(labels[drawn], verdicts[drawn])

    means = [np.mean(pair) for pair in zip(resampled("A", 5), resampled("B", 6), strict=True)]
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(means, [2.5, 97.5])))
    assert found.low < found.value < found.high


def test_the_board_through_the_command(board_dir, blend, tmp_path):
    target, plot = tmp_path / "out.json", tmp_path / "out.svg"
    arguments = ["--data", "board", "--data-dir", board_dir, "--metric", blend, "--bootstrap", 20]
    done = run_command("agreement", *arguments, "--json", target, "--plot", plot)
    for told in (
        "Matthews correlation",
        "Rank by",
        "Area under",
        "calibration error",
        "EfficientQA: 3 answers",
        "specificity",
    ):
        assert told in done.output
    assert "another person: Wang et al. 2023 (EVOUNA)" in done.output
    found = json.loads(target.read_text())["data_sets"]["board"]
    tables = {table["group"]: table["estimates"] for table in found["tables"]}
    assert list(tables) == [*COLUMNS, "mean"]
    columns = [tables[column]["token_recall"]["mcc"]["value"] for column in COLUMNS]
    # Four sets have one answer, of which there is no MCC.
    assert columns.count(None) == 4
    assert tables["mean"]["token_recall"]["mcc"]["value"] == pytest.approx(math.fsum(filter(None, columns)) / 5)
    assert all(tables["mean"][name]["rank"]["value"] >= 1 for name in ("blend", "lexical_match", "token_f1"))
    (kinds,) = found["experiments"]
    # of two answers that contradict the reference, "never" and "always", none has its words
    (contradictory,) = (t for t in kinds["tables"] if t["group"] == "Beetle unseen questions: contradictory")
    assert contradictory["estimates"]["token_recall"]["specificity"]["value"] == 1
    assert "mean" in plot.read_text()


def test_a_missing_set_is_named(board_dir):
    (board_dir / "efficientqa").rename(board_dir / "elsewhere")
    done = run_command("agreement", "--data", "board", "--data-dir", board_dir, code=1)
    assert "NQ-open.efficientqa.test.1.1.jsonl; get it from https://" in done.output


def test_the_whole_board(shared):
    """The numbers of answers are those of the tests of each set."""
    data = read(shared / "data")
    sizes = {column: len(data.members(column)) for column in COLUMNS}
    assert {**sizes, "EVOUNA": None, "EfficientQA": None} == {
        "EVOUNA": None,
        "DIVER-QA": 5 * 60 * 5,  # sources, questions, models
        "EfficientQA": None,
        "Beetle unseen answers": 439,
        "Beetle unseen questions": 819,
        "SciEntsBank unseen answers": 540,
        "SciEntsBank unseen questions": 733,
        "SAF English": 136 + 41,
        "SAF German": 103 + 47,
    }
    assert len({row.question_id for row in data.rows if "EVOUNA" in row.groups}) <= 2 * 100
