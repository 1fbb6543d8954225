"""MORQA: ratings, references by themselves, fewer references, gold held out."""

import json
from statistics import mean

import pytest
import sacrebleu
from commands import run_command
from scipy import stats

from evaluate_qa.agreement.data_sets import DATA, HOLDOUTS
from evaluate_qa.labeled_data.rows import DataSelection

OVERALL = "woundcarevqa/en/overall"


def run(target, *arguments, code=0):
    """Run the command on MORQA; return what it printed and wrote."""
    arguments = ["agreement", "--data", "morqa", *map(str, arguments), "--json", str(target)]
    done = run_command(*arguments, code=code)
    return done.output, json.loads(target.read_text())["data_sets"]["morqa"] if code == 0 else None


def tables_of(found):
    return {table["group"]: table for table in found}


def test_ratings_are_means_over_raters_in_groups_by_subset_language_and_aspect(morqa_dir):
    data = DATA["morqa"](DataSelection(morqa_dir))
    assert data.groups == [OVERALL, "woundcarevqa/en/relevance", "woundcarevqa/zh/factual-consistency-wgold"]
    assert data.overview == [OVERALL, "woundcarevqa/zh/factual-consistency-wgold"]
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


def test_an_answer_rated_on_two_aspects_is_scored_once(morqa_dir):
    data = DATA["morqa"](DataSelection(morqa_dir))
    rows, (positions,) = data.distinct()
    assert (len(data.rows), len(rows)) == (11, 9)  # two English answers have a second aspect
    assert [rows[position].answer for position in positions] == [row.answer for row in data.rows]


def test_figures_equal_scipy_on_the_same_columns(morqa_dir, tmp_path):
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
        assert table[figure]["p_value"] == pytest.approx(known.pvalue, abs=1e-12)
    assert table["mean_correlation"]["value"] == pytest.approx(mean(known.statistic for known in expected.values()))
    # E1: .75 > 0, and the first is a reference while "keep it clean" shares no word: right. E2: .5 > 0, and "dry it"
    # occurs, the other is empty: right. E3: .5 < 1; which scores higher decides.
    assert table["pairwise_accuracy"]["value"] == (2 + (scores[5] - scores[4] >= 5)) / 3


def test_references_together_and_each_by_itself(morqa_dir, blend, tmp_path):
    """The toy metric takes the best reference, so that together and maximum are one."""
    _, found = run(tmp_path / "out.json", "--data-dir", morqa_dir, "--metric", blend, "--bootstrap", 0)
    table = tables_of(found["tables"])[OVERALL]["estimates"]
    assert list(table) == ["blend", "blend-max", "blend-mean", "bleu", "rouge_1", "rouge_2", "rouge_l"]
    assert table["blend-mean"]["pearson"]["value"] != table["blend-max"]["pearson"]["value"]


def test_deltableu_takes_weights_and_the_language_and_its_scale(morqa_dir, tmp_path):
    target = tmp_path / "out.json"
    _, found = run(target, "--data-dir", morqa_dir, "--metric", "deltableu", "--compute", "effective_order=True")
    assert "tok:13a" in found["signatures"]["deltableu"]
    assert "tok:zh" in found["signatures"]["deltableu"]
    for table in found["tables"]:
        # All weights are 1 here, so that it is BLEU; its scores go to 100, and so must a tie's width.
        together, bleu = table["estimates"]["deltableu"], table["estimates"]["bleu"]
        for figure, known in bleu.items():
            assert together[figure]["value"] == pytest.approx(known["value"], abs=1e-9)


def test_fewer_references(morqa_dir, tmp_path):
    _, found = run(tmp_path / "out.json", "--data-dir", morqa_dir, "--reference-counts", "3,1", "--bootstrap", 0)
    (experiment,) = found["experiments"]
    assert experiment["kind"] == "reference counts"
    runs = tables_of(experiment["tables"])[OVERALL]["estimates"]
    assert [name for name in runs if name.startswith("bleu")] == ["bleu, 3 references", "bleu, 1 reference"]
    # No query has more than three, so that three are all.
    whole = tables_of(found["tables"])[OVERALL]["estimates"]["bleu"]
    assert runs["bleu, 3 references"] == whole
    data = DATA["morqa"](DataSelection(morqa_dir))
    rows = [data.rows[row] for row in data.members(OVERALL)]
    first = [sacrebleu.sentence_bleu(row.answer, row.references[:1], use_effective_order=True).score for row in rows]
    expected = stats.pearsonr(first, [row.label for row in rows]).statistic
    assert runs["bleu, 1 reference"]["pearson"]["value"] == pytest.approx(expected, abs=1e-12)


def test_gold_answers_are_held_out_one_by_one(morqa_dir):
    data = HOLDOUTS["morqa"](DataSelection(morqa_dir))
    gold = [(row.answer, row.references) for row in data.rows if "woundcarevqa/en gold" in row.groups]
    assert gold == [
        ("a plantar wart", ["it is a wart on the foot", "see a doctor"]),
        ("it is a wart on the foot", ["a plantar wart", "see a doctor"]),
        ("see a doctor", ["a plantar wart", "it is a wart on the foot"]),
        ("keep it dry", ["dry it and wait"]),
        ("dry it and wait", ["keep it dry"]),
    ]  # E3 has one gold answer only
    # The third gold answer to E1 has no Chinese text.
    assert len(data.members("woundcarevqa/zh gold")) == 4
    assert [data.rows[row].answer for row in data.members("woundcarevqa/en S2")] == ["keep it clean", ""]


def test_gold_holdout_table(morqa_dir, tmp_path):
    printed, found = run(tmp_path / "out.json", "--data-dir", morqa_dir, "--gold-holdout", "--bootstrap", 20)
    assert "gold holdout" in printed.lower()
    (experiment,) = found["experiments"]
    tables = tables_of(experiment["tables"])
    assert list(tables) == [f"woundcarevqa/{lang} {who}" for lang in ("en", "zh") for who in ("S1", "S2", "gold")]
    gold = [["keep it dry", "dry it and wait"], ["dry it and wait", "keep it dry"]]
    gold += [
        ["a plantar wart", "it is a wart on the foot", "see a doctor"],
        ["it is a wart on the foot", "a plantar wart", "see a doctor"],
        ["see a doctor", "a plantar wart", "it is a wart on the foot"],
    ]
    scores = [sacrebleu.sentence_bleu(text, others, use_effective_order=True).score for text, *others in gold]
    found_mean = tables["woundcarevqa/en gold"]["estimates"]["bleu"]["mean_score"]
    assert found_mean["value"] == pytest.approx(mean(scores) / 100, abs=1e-12)
    assert found_mean["low"] <= found_mean["value"] <= found_mean["high"]


def test_repeated_gold_answers_are_not_held_out(morqa_dir):
    path = morqa_dir / "woundcare" / "test.json"
    queries = json.loads(path.read_text())
    queries[1]["responses"].append(queries[1]["responses"][0])
    path.write_text(json.dumps(queries))
    data = HOLDOUTS["morqa"](DataSelection(morqa_dir))
    answers = [data.rows[row].answer for row in data.members("woundcarevqa/en gold")]
    assert answers.count("keep it dry") == 0
    assert answers.count("dry it and wait") == 1


def test_metrics_without_row_scores_are_run_row_by_row(morqa_dir, corpus_only, tmp_path):
    target = tmp_path / "out.json"
    printed, _ = run(target, "--data-dir", morqa_dir, "--metric", corpus_only, code=1)
    assert "has the numbers words, letters, mean; name one of them, for example corpus_only:words" in printed
    _, found = run(target, "--data-dir", morqa_dir, "--metric", f"{corpus_only}:words", "--bootstrap", 0)
    table = tables_of(found["tables"])[OVERALL]["estimates"]["corpus_only:words"]
    # Words of the answers of each row: 3 3 2 0 1 5, one divided by the other; ratings .75 0 .5 0 .5 1
    expected = stats.pearsonr([3, 3, 2, 0, 1, 5], [0.75, 0, 0.5, 0, 0.5, 1]).statistic
    assert table["pearson"]["value"] == pytest.approx(expected, abs=1e-12)


def test_selections(morqa_dir):
    first = DATA["morqa"](DataSelection(morqa_dir, systems=("S2",), limit=1))
    assert [row.answer for row in first.rows] == ["keep it clean", "keep it clean", "湿疹"]
    with pytest.raises(ValueError, match="no rated answer with a reference is left"):
        DATA["morqa"](DataSelection(morqa_dir, split="valid"))
    with pytest.raises(ValueError, match="valid and test"):
        DATA["morqa"](DataSelection(morqa_dir, split="dev"))
    with pytest.raises(ValueError, match="no system 'S9'; expected some of S1, S2"):
        DATA["morqa"](DataSelection(morqa_dir, systems=("S9",)))


def test_what_is_missing_is_told_with_where_to_get_it(morqa_dir, tmp_path):
    target = tmp_path / "out.json"
    assert "https://osf.io" in run(target, code=1)[0]
    (morqa_dir / "ratings-test.csv").unlink()
    assert "https://osf.io" in run(target, "--data-dir", morqa_dir, code=1)[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--reference-counts", "3,0"], "at least 1"),
        (["--reference-counts", "three"], "invalid literal"),
        (["--split-file", "x.json", "--split", "test"], "leave out --split-file"),
        (["--data", "sample", "--gold-holdout"], "sample has no gold answers to hold out"),
    ],
)
def test_errors_are_told_in_a_line(morqa_dir, tmp_path, arguments, message):
    assert message in run(tmp_path / "out.json", "--data-dir", morqa_dir, *arguments, code=1)[0]


def test_dermatologys_real_gold_answers_by_each_other(shared, tmp_path):
    """Its queries and gold answers are there; a rating file of one line makes up for the systems' answers."""
    folder = tmp_path / "derma"
    folder.mkdir()
    for source in (shared / "data" / "dermavqa").iterdir():
        (folder / source.name).symlink_to(source)
    encounter = json.loads((folder / "test_ht.json").read_text())[0]["encounter_id"]
    header = "dataset,encounter_id,lang,candidate_author_id,candidate,metric,rater_id,value"
    (folder / "ratings.csv").write_text(f"{header}\niiyi,{encounter},en,S1,Consider eczema.,overall,A,1\n")
    data = HOLDOUTS["morqa"](DataSelection(folder))
    gold = [data.rows[row] for row in data.members("dermavqa/en gold")]
    assert len({row.question_id for row in gold}) > 90
    assert all(row.references and row.answer not in row.references for row in gold)
    assert all(0.6 <= weight <= 1 for row in gold for weight in row.reference_weights)
