"""Tests of the command `evaluate-qa agreement`."""

import json

import pytest
from commands import run_command

import evaluate_qa
from evaluate_qa.datasets_scripts.evouna.rows import SYSTEMS
from evaluate_qa.files.writing import write_rows


@pytest.fixture
def labeled_dir(evouna_dir, diver_qa_dir):
    return evouna_dir.parent


def agreement(*arguments, code=0):
    return run_command("agreement", *arguments, code=code).output


def figures(path, data):
    """Return {group: {metric: {figure: …}}} of a JSON file, and all of it."""
    found = json.loads(path.read_text())["data_sets"][data]
    return {table["group"]: table["estimates"] for table in found["tables"]}, found


def test_tables_and_json(labeled_dir, blend, tmp_path):
    target = tmp_path / "out.json"
    printed = agreement(
        *("--data", "evouna", "--data", "diver_qa", "--data-dir", labeled_dir, "--metric", blend),
        *("--bootstrap", 50, "--json", target),
    )
    assert "Rows dropped from NQ: 5 improper" in printed
    assert "blend|w:0.5" in printed
    tables, found = figures(target, "evouna")
    assert list(tables) == ["all", "NQ", "TQ", *(f"{name}/{system}" for name in ("NQ", "TQ") for system in SYSTEMS)]
    assert list(tables["all"]) == ["blend", "lexical_match", "token_recall", "token_f1", "rouge_l", "always_correct"]
    assert list(tables["all"]["blend"]) == ["accuracy", "f1", "macro_f1", "precision", "recall", "pearson", "kendall"]
    assert found["bootstrap"] == {"resamples": 50, "seed": 0, "confidence": 0.95}
    assert found["counts"] == {
        "labels": 22,
        "questions": 5,
        "dropped": {
            "NQ": {"improper": 5, "unlabeled": 1, "unanswered": 1},
            "TQ": {"without a reference": 5, "unlabeled": 1},
        },
    }
    assert found["signatures"] == {"blend": "blend|w:0.5|questions:8"}  # 4 questions with 2 distinct answers each
    # An answer of the small data is right if it contains "Paris", so lexical match is always right.
    assert tables["all"]["lexical_match"]["accuracy"] == {"value": 1, "low": 1, "high": 1}
    assert set(tables["all"]["always_correct"]["pearson"].values()) == {None}
    assert list(figures(target, "diver_qa")[0]["all"]["blend"]) == ["accuracy", "f1", "mcc"]


def test_figures_by_hand(labeled_dir, blend, tmp_path):
    """With w = 0 the score is the share of the reference's words in the answer."""
    target = tmp_path / "out.json"
    agreement("--data", "diver_qa", "--data-dir", labeled_dir, "--metric", blend, "--compute", "w=0", "--json", target)
    tables, found = figures(target, "diver_qa")
    # The references occur as words in the third answer (right) and the fifth (wrong); 3 of 6 are right.
    assert tables["all"]["blend"]["accuracy"]["value"] == 3 / 6
    assert tables["all"]["blend"]["f1"]["value"] == pytest.approx(2 / 5)  # 2·1 / (2·1 + 1 + 2)
    assert tables["all"]["blend"]["mcc"]["value"] == pytest.approx(0)  # 1·2 − 1·2
    assert tables["source squad"]["blend"]["accuracy"]["value"] == 1 / 2
    assert tables["model claude"]["blend"]["accuracy"]["value"] == 2 / 3
    assert found["metrics"][0]["compute"] == {"w": 0}
    assert [table["mean_label"] for table in found["tables"]] == [3 / 6, 1 / 4, 1, 2 / 3, 1 / 3]
    assert [(table["rows"], table["questions"]) for table in found["tables"]] == [
        (6, 3),
        (4, 2),
        (2, 1),
        (3, 3),
        (3, 3),
    ]


def test_row_without_score_of_one_metric_is_dropped_for_all(labeled_dir, tmp_path):
    """The wrong answer to question 0, in four rows, has no recorded verdict; one other verdict is wrong."""
    verdicts, cache, target = tmp_path / "verdicts.jsonl", tmp_path / "cache", tmp_path / "out.json"
    cities = {"Paris": "correct", "Rome": "incorrect"}
    labels = {(number, city): label for number in range(4) for city, label in cities.items()}
    del labels[0, "Rome"]
    labels[2, "Rome"] = "correct"  # two rows
    write_rows(
        verdicts,
        [
            {
                "question": f"question {number}?",
                "references": ["Paris", "City of Light"],
                "prediction": f"It is {city}, I think {'so ' * number}",
                "label": label,
                "model": "gpt",
            }
            for (number, city), label in labels.items()
        ],
    )
    run_command("verdicts", "import", "--input", verdicts, "--cache-dir", cache)
    printed = agreement(
        *("--data", "evouna", "--data-dir", labeled_dir, "--metric", evaluate_qa.path("judge"), "--bootstrap", 0),
        *("--load", "model=gpt", "--load", f"cache_dir={cache}", "--json", target),
    )
    assert "Rows dropped from evouna: 4 no score of judge" in printed
    tables, found = figures(target, "evouna")
    assert found["counts"]["labels"] == 22 - 4
    assert tables["all"]["judge"]["accuracy"]["value"] == pytest.approx(16 / 18)
    assert tables["all"]["lexical_match"]["accuracy"]["value"] == 1


def test_a_judge_that_only_scores_empty_answers_is_an_error(tmp_path):
    rows = [{"question": "Where?", "references": ["Oslo"], "prediction": text, "label": False} for text in ("", "Rome")]
    write_rows(tmp_path / "own.jsonl", rows)
    given = ["--load", "model=m", "--load", "endpoint=http://127.0.0.1:9/v1", "--load", "max_retries=0"]
    printed = agreement("--data", tmp_path / "own.jsonl", "--metric", "judge", *given, code=1)
    assert "no answer in own has a score from every metric (no score of judge)." in printed


def test_published_figures_are_shown(labeled_dir, tmp_path):
    target = tmp_path / "out.json"
    printed = agreement("--data", "evouna", "--data", "diver_qa", "--data-dir", labeled_dir, "--json", target)
    assert "another person" in printed
    _, evouna = figures(target, "evouna")
    (nq_fid,) = (table for table in evouna["tables"] if table["group"] == "NQ/fid")
    assert nq_fid["published"][0]["figures"] == {"accuracy": 0.897, "precision": 0.998, "recall": 0.812}
    (nli,) = figures(target, "diver_qa")[1]["tables"][0]["published"]
    assert nli["figures"] == {"accuracy": 0.845, "f1": 0.8865, "mcc": 0.6603}


def test_metric_without_verdicts(labeled_dir, plain, tmp_path):
    target = tmp_path / "out.json"
    command = ["--data", "evouna", "--data-dir", labeled_dir, "--bootstrap", 0, "--json", target]
    agreement(*command, "--metric", plain)
    tables, _ = figures(target, "evouna")
    assert tables["all"]["plain"]["accuracy"]["value"] is None
    assert tables["all"]["plain"]["pearson"]["value"] is not None
    agreement(*command, "--metric", f"{plain}:nearness", "--threshold", -15)
    tables, _ = figures(target, "evouna")
    assert tables["all"]["plain:nearness"]["accuracy"]["value"] is not None


def test_selections(labeled_dir, tmp_path):
    target = tmp_path / "out.json"
    agreement(
        *("--data", "evouna", "--data-dir", labeled_dir, "--split", "dev", "--systems", "gpt4,fid", "--limit", 1),
        *("--json", target),
    )
    tables, found = figures(target, "evouna")
    assert list(tables) == ["all", "NQ", "NQ/fid"]  # question 1 of NQ; gpt4 has no verdict there, and TQ no reference
    assert found["selection"]["systems"] == ["gpt4", "fid"]
    assert found["counts"]["dropped"] == {"NQ": {"unlabeled": 1}, "TQ": {"without a reference": 2}}


def test_synthetic_answers_from_a_file(labeled_dir, blend, tmp_path):
    rows = [
        {
            "question": f"question {number}?",
            "references": ["Paris", "City of Light"],
            "synthetic_answers": ["It is Paris", "!"],
        }
        for number in range(4)
    ]
    source, target = tmp_path / "rows.syn.jsonl", tmp_path / "out.json"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["--data", "evouna", "--data-dir", labeled_dir, "--metric", blend, "--json", target, "--bootstrap", 0]
    agreement(*command, "--compute", "w=1")
    without = figures(target, "evouna")[0]["all"]["blend"]
    agreement(*command, "--compute", "w=1", "--synthetic-answers", source)
    assert figures(target, "evouna")[0]["all"]["blend"] != without
    source.write_text(json.dumps(rows[0]) + "\n")
    printed = agreement(*command, "--synthetic-answers", source, code=1)
    assert "no synthetic answer for 'Paris' to the question 'question 1?'" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "evouna", "--bootstrap", -1], "at least 0"),
        (["--data", "evouna", "--json", "nowhere/out.json"], "no folder nowhere. Create it first"),
        (["--data", "evouna", "--metric", "smile", "--load", "device"], "Write name=value"),
        (
            ["--data", "evouna", "--metric", "smile", "--metric", "smile"],
            "two metrics have the same name: smile, smile.",
        ),
        (["--data", "evouna", "--metric", "smile", "--compute", "weight=1"], "unknown keyword 'weight'"),
    ],
)
def test_error_messages(labeled_dir, arguments, message):
    printed = agreement("--data-dir", labeled_dir, *arguments, code=1)
    assert printed.startswith("evaluate-qa agreement: ")
    assert message in printed


def test_baselines_on_diver_qa_match_oracle(shared, tmp_path):
    oracle = json.loads((shared / "oracles" / "diverqa_lexical.json").read_text())
    target = tmp_path / "out.json"
    agreement("--data", "diver_qa", "--data-dir", shared / "data", "--bootstrap", 0, "--json", target)
    tables, _ = figures(target, "diver_qa")
    for name, key in (("lexical_match", "squad_norm"), ("token_f1", "token_f1_gt_0.5")):
        expected = {"all": oracle[key]["overall"]}
        expected |= {f"source {source}": found for source, found in oracle[key]["by_dataset"].items()}
        expected |= {f"model {model}": found for model, found in oracle[key]["by_model"].items()}
        assert expected.keys() == tables.keys()
        for group, known in expected.items():
            found = [tables[group][name][figure]["value"] for figure in ("accuracy", "f1", "mcc")]
            assert found == pytest.approx([known["acc"], known["f1"], known["mcc"]], abs=1e-12)
    rounded = [round(tables["all"]["token_recall"][figure]["value"], 3) for figure in ("accuracy", "f1", "mcc")]
    assert rounded == [0.845, 0.892, 0.613]
    always = [tables["all"]["always_correct"][figure]["value"] for figure in ("accuracy", "f1", "mcc")]
    assert always == pytest.approx([0.7287, 0.8430, 0], abs=5e-5)
