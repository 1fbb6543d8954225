"""MORQA: ratings, and metrics with all references or each alone."""

import json
from statistics import mean

import pytest
import sacrebleu
from commands import run_command
from scipy import stats

from evaluate_qa.agreement.data_sets import DATA
from evaluate_qa.labeled_data.rows import DataSelection

OVERALL = "woundcarevqa/en/overall"


def run(target, *arguments, code=0):
    arguments = ["agreement", "--data", "morqa", *map(str, arguments), "--json", str(target)]
    done = run_command(*arguments, code=code)
    return done.output, json.loads(target.read_text())["data_sets"]["morqa"] if code == 0 else None


def tables_of(found):
    return {table["group"]: table for table in found}


def test_label_is_mean_rating_of_subset_language_and_aspect(morqa_dir):
    data = DATA["morqa"](DataSelection(morqa_dir))
    assert data.groups == [OVERALL, "woundcarevqa/en/relevance", "woundcarevqa/zh/factual-consistency-wgold"]
    labels = {group: [data.rows[row].label for row in data.members(group)] for group in data.groups}
    assert labels == {
        OVERALL: [0.75, 0, 0.5, 0, 0.5, 1],  # (1 + .5) / 2 first
        "woundcarevqa/en/relevance": [1, 0.5],
        "woundcarevqa/zh/factual-consistency-wgold": [1, 0, 0.5],
    }
    assert data.dropped["woundcarevqa/zh"] == {"unrated": 1}
    assert data.dropped["liveqa/en"] == {"without a reference": 1}
    row = data.rows[0]
    assert (row.question_id, row.language, row.reference_weights) == ("woundcarevqa/E1/en", "en", (1.0, 1.0, 1.0))
    assert row.question == "Help\nWhat is E1?"


def test_answer_rated_on_two_aspects_is_scored_once(morqa_dir):
    data = DATA["morqa"](DataSelection(morqa_dir))
    rows, (positions,) = data.distinct_answers()
    assert (len(data.rows), len(rows)) == (11, 9)  # two English answers have a second aspect
    assert [rows[position].answer for position in positions] == [row.answer for row in data.rows]


def test_figures_equal_scipy(morqa_dir, tmp_path):
    printed, found = run(tmp_path / "out.json", "--data-dir", morqa_dir, "--bootstrap", 50)
    assert "mean rating 0.46" in printed  # 2.75 / 6
    table = tables_of(found["tables"])[OVERALL]["estimates"]["bleu"]
    data = DATA["morqa"](DataSelection(morqa_dir))
    rows = [data.rows[row] for row in data.members(OVERALL)]
    scores = [sacrebleu.sentence_bleu(row.answer, row.references, use_effective_order=True).score for row in rows]
    ratings = [row.label for row in rows]
    expected = {
        "kendall": stats.kendalltau(scores, ratings),
        "pearson": stats.pearsonr(scores, ratings),
        "spearman": stats.spearmanr(scores, ratings),
    }
    for figure, known in expected.items():
        assert table[figure]["value"] == pytest.approx(known.statistic, abs=1e-12)
    assert table["mean_correlation"]["value"] == pytest.approx(mean(known.statistic for known in expected.values()))
    # E1: .75 > 0, and the first is a reference, and "keep it clean" shares no word: right. E2: .5 > 0, and "dry it"
    # occurs, the other is empty: right. E3: .5 < 1; which scores higher decides.
    assert table["pairwise_accuracy"]["value"] == (2 + (scores[5] - scores[4] >= 5)) / 3


def test_metric_runs_with_all_references_and_each(morqa_dir, blend, tmp_path):
    """The toy metric uses the best reference, so all references together give the maximum."""
    _, found = run(tmp_path / "out.json", "--data-dir", morqa_dir, "--metric", blend, "--bootstrap", 0)
    table = tables_of(found["tables"])[OVERALL]["estimates"]
    assert list(table) == ["blend", "blend-max", "blend-mean", "bleu", "rouge_1", "rouge_2", "rouge_l"]
    assert table["blend-mean"]["pearson"]["value"] != table["blend-max"]["pearson"]["value"]


def test_deltableu_uses_language_and_scale(morqa_dir, tmp_path):
    target = tmp_path / "out.json"
    _, found = run(target, "--data-dir", morqa_dir, "--metric", "deltableu", "--compute", "effective_order=True")
    assert "tok:13a" in found["signatures"]["deltableu"]
    assert "tok:zh" in found["signatures"]["deltableu"]
    for table in found["tables"]:
        # All weights are 1 here, so it equals BLEU. Its scores go to 100, and ties are wider accordingly.
        together, bleu = table["estimates"]["deltableu"], table["estimates"]["bleu"]
        for figure, known in bleu.items():
            assert together[figure]["value"] == pytest.approx(known["value"], abs=1e-9)


def test_selections(morqa_dir):
    first = DATA["morqa"](DataSelection(morqa_dir, systems=("S2",), limit=1))
    assert [row.answer for row in first.rows] == ["keep it clean", "keep it clean", "湿疹"]
    with pytest.raises(ValueError, match="no rated answer with a reference is left"):
        DATA["morqa"](DataSelection(morqa_dir, split="valid"))
    with pytest.raises(ValueError, match="valid and test"):
        DATA["morqa"](DataSelection(morqa_dir, split="dev"))
    with pytest.raises(ValueError, match="no system 'S9'; expected some of S1, S2"):
        DATA["morqa"](DataSelection(morqa_dir, systems=("S9",)))


def test_missing_files_are_reported_with_source(morqa_dir, tmp_path):
    target = tmp_path / "out.json"
    assert "https://osf.io" in run(target, code=1)[0]
    (morqa_dir / "ratings-test.csv").unlink()
    assert "https://osf.io" in run(target, "--data-dir", morqa_dir, code=1)[0]
