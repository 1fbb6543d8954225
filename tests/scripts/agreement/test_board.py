"""The board: data sets side by side, and their means."""

import gzip
import json
import math

import numpy as np
import pytest
import sklearn.metrics
from commands import run_command

from evaluate_qa.agreement.benchmark import Benchmark
from evaluate_qa.agreement.bootstrap import Bootstrap, draws
from evaluate_qa.agreement.data_sets import DATA
from evaluate_qa.agreement.metric_runs import RowScores
from evaluate_qa.agreement.tables import compare
from evaluate_qa.labeled_data.rows import DataSelection, LabeledRow

COLUMNS = ["EVOUNA", "DIVER-QA", "EfficientQA", "Beetle unseen answers", "Beetle unseen questions"]
COLUMNS += ["SciEntsBank unseen answers", "SciEntsBank unseen questions", "SAF English", "SAF German"]


@pytest.fixture
def board_dir(evouna_dir, diver_qa_dir, efficientqa_dir, semeval2013_dir, saf_dir):
    """The folder with all small data sets; EVOUNA's test has one question of NQ and one of TQ."""
    (evouna_dir / "split.json").write_text(json.dumps({"NQ": {"test": [3]}, "TQ": {"test": [0]}}))
    return evouna_dir.parent


def read(folder, **selection):
    return DATA["board"](DataSelection(folder, **selection))


def test_board_has_column_for_each_set(board_dir):
    data = read(board_dir)
    assert data.groups == COLUMNS
    # EVOUNA: two questions with 5 answers, one of them missing. EfficientQA: definite answers to one question.
    assert [len(data.members(column)) for column in COLUMNS] == [9, 6, 3, 2, 4, 1, 1, 1, 1]
    assert all(len(row.groups) == 1 for row in data.rows)
    assert data.dropped["EfficientQA"] == {"possibly correct": 3}
    assert [baseline.name for baseline in data.baselines] == ["lexical_match", "token_recall", "token_f1"]


def test_a_limit_chooses_the_same_random_answers_of_each_column(board_dir):
    everything, chosen = read(board_dir).rows, read(board_dir, limit=3)
    assert [len(chosen.members(column)) for column in COLUMNS] == [3, 3, 3, 2, 3, 1, 1, 1, 1]
    assert chosen.rows == read(board_dir, limit=3).rows
    assert all(row in everything for row in chosen.rows)
    assert {row.question_id for row in chosen.rows[:3]} == {"evouna/NQ/3", "evouna/TQ/0"}  # not the first question only


def judged(question, answer, label, group, **more):
    return {"question": question, "references": ["a"], "prediction": answer, "label": label, "group": group} | more


JUDGED = {
    "kqa_statements": [judged("k?", "a", 1, "k"), judged("k?", "b", 0, "k"), judged("k?", " ", 0, "k")],
    # Of two questions, one is reported.
    "summhay_insights": [judged("s?", "a", 1, "s"), judged("t?", "b", 0, "t")],
    "truthfulqa_human": [judged("h?", "a", 1, "h", source="model"), judged("h?", "a", 1, "h", source="reference")],
    "truthfulqa_multi_human": [judged("m?", "a", 1, "m", language="en"), judged("m?", "b", 0, "m", language="eu")],
}


@pytest.fixture
def judged_dir(board_dir):
    folder = board_dir / "verdicts"
    folder.mkdir()
    for name, rows in JUDGED.items():
        with gzip.open(folder / f"{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return board_dir


def test_judged_answers_add_unseen_columns(judged_dir):
    data = read(judged_dir)
    unseen = ["K-QA", "SummHay", "TruthfulQA", "TruthfulQA English", "TruthfulQA Basque"]
    assert data.groups == COLUMNS + unseen
    assert data.means == {"mean": COLUMNS, "mean of unseen sets": ["DIVER-QA", *unseen]}
    assert [len(data.members(column)) for column in unseen] == [2, 1, 1, 1, 1]
    assert {row.language for row in data.rows if row.groups == {"TruthfulQA Basque"}} == {"eu"}


def test_command_shows_unseen_columns_apart(judged_dir, blend):
    arguments = ["--data", "board", "--data-dir", judged_dir, "--metric", blend, "--bootstrap", 0]
    assert run_command("agreement", *arguments).output.count("Matthews correlation") == 2
    assert run_command("agreement", *arguments, "--group", "EVOUNA").output.count("Matthews correlation") == 1


def test_bad_label_of_a_judged_answer_is_named(judged_dir):
    """tests/scripts/test_accelerator.py has the other errors of such files."""
    content = gzip.compress(json.dumps(judged("k?", "a", "yes", "k")).encode())
    (judged_dir / "verdicts" / "kqa_statements.jsonl.gz").write_bytes(content)
    with pytest.raises(ValueError, match=r"kqa_statements\.jsonl\.gz, line 1: label or score is 'yes'; expected"):
        read(judged_dir)


@pytest.mark.parametrize("selection", [{"split": "train"}, {"systems": ("gpt4",)}])
def test_board_rejects_split_and_systems(board_dir, selection):
    with pytest.raises(ValueError, match=r"the board has its own splits and all systems\. Leave out"):
        read(board_dir, **selection)


def row(number, label, group):
    return LabeledRow(f"q{number}", "", ["r"], "a", float(label), frozenset({group}))


def mean_statistics(rows, scores, bootstrap):
    """Return the statistics of both sets' mean, and of the mean of set B alone."""
    statistics, means = ["mcc", "auc", "calibration_error"], {"mean": ["A", "B"], "one": ["B"]}
    data = Benchmark("two", rows, ["A", "B"], statistics, baselines=(), means=means)
    *_, both, one = compare(data, scores, bootstrap)
    assert (both.rows, one.rows) == (len(rows), len(data.members("B")))
    return both.estimates, one.estimates


def test_means_by_hand():
    """Set A has 3 right and 2 wrong answers, set B one of each, every answer with its own question."""
    labels = [1, 1, 1, 0, 0, 1, 0]
    rows = [row(number, label, "A" if number < 5 else "B") for number, label in enumerate(labels)]
    verdicts = np.array([True, True, False, False, False, True, False])
    good = RowScores("good", np.array([0.9, 0.8, 0.2, 0.1, 0.3, 0.9, 0.1]), verdicts)
    silent = RowScores("silent", np.array([5.0, 4, 3, 2, 1, 2, 1]), None)
    found, of_one = mean_statistics(rows, [good, silent], Bootstrap(0))
    # A: TP 2, FN 1, TN 2: 4 / √(2·3·2·3) = 2/3. B: 1.
    assert of_one["good"]["mcc"].value == 1
    assert found["good"]["mcc"].value == pytest.approx((2 / 3 + 1) / 2)
    # A: .9 .8 .2 for right and .1 .3 for wrong answers: 2 + 2 + 1 of 6 pairs. B: 1 of 1.
    assert found["good"]["auc"].value == pytest.approx((5 / 6 + 1) / 2)
    # |mean score − share right| of each bin, here of each answer: A (.1 + .2 + .8 + .1 + .3) / 5, B (.1 + .1) / 2.
    assert found["good"]["calibration_error"].value == pytest.approx((0.3 + 0.1) / 2)
    assert {name: statistic.value for name, statistic in found["silent"].items()} == {
        "mcc": None,
        "auc": 1,
        "calibration_error": None,
    }


def test_interval_of_mean_covers_means_of_resamples():
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
    found = mean_statistics(rows, scores, Bootstrap(40, seed=5))[0]["m"]["mcc"]

    def resampled(group, seed):
        start = 0 if group == "A" else 30
        for chunk in draws(sizes[group] // 2, Bootstrap(40, seed=seed)):
            for weights in chunk.astype(int):
                drawn = np.repeat(np.arange(sizes[group]), weights[np.arange(sizes[group]) // 2]) + start
                yield sklearn.metrics.matthews_corrcoef(labels[drawn], verdicts[drawn])

    means = [np.mean(pair) for pair in zip(resampled("A", 5), resampled("B", 6), strict=True)]
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(means, [2.5, 97.5])))
    assert found.low < found.value < found.high


def test_board_command(board_dir, blend, tmp_path):
    target = tmp_path / "out.json"
    arguments = ["--data", "board", "--data-dir", board_dir, "--metric", blend, "--bootstrap", 20]
    done = run_command("agreement", *arguments, "--json", target)
    for printed in ("Matthews correlation", "Area under", "calibration error", "EfficientQA: 3 answers"):
        assert printed in done.output
    assert "another person: Wang et al. 2023 (EVOUNA)" in done.output
    parts = json.loads(target.read_text())["data_sets"]
    assert list(parts) == ["board", "traps", "values"]
    found = parts["board"]
    assert found["selection"] == {"systems": [], "limit": None, "split": None}  # no path of this machine
    tables = {table["group"]: table["estimates"] for table in found["tables"]}
    assert list(tables) == [*COLUMNS, "mean"]
    columns = [tables[column]["token_recall"]["mcc"]["value"] for column in COLUMNS]
    assert columns.count(None) == 4  # sets with one answer have no MCC
    assert tables["mean"]["token_recall"]["mcc"]["value"] == pytest.approx(math.fsum(filter(None, columns)) / 5)
    effort = found["efforts"][blend.name]
    assert (effort["rows"], effort["cost"]) == (len(read(board_dir).distinct_answers()[0]), None)
    assert effort["seconds"] > 0
    # Only our own answers are in the file, those first on which metric and people disagree.
    assert [table["examples"] for table in found["tables"]] == [{}] * len(found["tables"])
    shown = parts["traps"]["tables"][1]["examples"][blend.name]
    assert len(shown) == 4
    wrong = [row["verdict"] != bool(row["label"]) for row in shown]
    assert wrong == sorted(wrong, reverse=True)
    assert True in wrong
