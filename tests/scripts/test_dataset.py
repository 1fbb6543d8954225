"""Tests of `evaluate-qa dataset`."""

import csv
import json

import datasets
import pytest
import yaml
from commands import run_command
from huggingface_hub import DatasetCard
from toy_sets import evouna_question, write_evouna

from evaluate_qa.datasets_scripts.evouna.evouna import Evouna
from evaluate_qa.datasets_scripts.evouna.rows import read_rows
from evaluate_qa.publishing.dataset import DATA_SETS, build, builder
from evaluate_qa.publishing.sources import data_set_names


@pytest.fixture
def data_dir(tmp_path):
    """Two questions of each EVOUNA configuration, one of them without a golden answer, and one DIVER-QA answer."""
    questions = [evouna_question(), evouna_question(golden_answer=None, improper=True, judge_fid="nan")]
    folder = write_evouna(tmp_path / "data", questions, questions * 2)
    with (folder / "diver_qa.csv").open("w", newline="") as file:
        columns = ["questions", "answers", "dataset", "prediction", "model", "eval"]
        csv.writer(file).writerows([columns, ["Where?", "Town Moor", "aqa", "Town Moor.", "phi", "1"]])
    return folder


def run(name, output, data_dir, code=0):
    return run_command("dataset", name, "--output", output, "--data-dir", data_dir, code=code)


def test_datasets_loads_written_files(tmp_path, data_dir):
    result = run("evouna", tmp_path / "out", data_dir)
    assert f'datasets.load_dataset("{tmp_path / "out"}", "tq")' in result.output
    assert "nq: 10 rows in split test" in result.output
    assert sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.*")) == [
        "README.md",
        "eval.yaml",
        *(f"{name}/test-00000-of-00001.parquet" for name in ("nq", "nq_questions", "tq", "tq_questions")),
    ]
    for config in ("nq", "tq"):
        rows = list(read_rows(data_dir, config))
        whole = datasets.load_dataset(str(tmp_path / "out"), config, split="test", cache_dir=str(tmp_path / "hub"))
        streamed = datasets.load_dataset(str(tmp_path / "out"), config, split="test", streaming=True)
        assert whole.to_list() == rows
        assert list(streamed) == rows
        assert whole.features == Evouna(config_name=config).info.features


def test_one_configuration_needs_no_name(tmp_path, data_dir):
    build("diver_qa", tmp_path / "out", data_dir)
    (row,) = datasets.load_dataset(str(tmp_path / "out"), split="test", cache_dir=str(tmp_path / "hub"))
    assert (row["answer"], row["source"], row["judgement"]) == ("Town Moor.", "aqa", True)


def test_card_describes_the_files(tmp_path, data_dir):
    out = tmp_path / "out"
    build("evouna", out, data_dir)
    card = DatasetCard.load(out / "README.md").data.to_dict()
    assert card["size_categories"] == ["n<1K"]
    assert card["configs"] == [
        {"config_name": name, "data_files": [{"split": "test", "path": f"{name}/test-00000-of-00001.parquet"}]}
        for name in ("nq", "tq", "nq_questions", "tq_questions")
    ]
    nq, tq = (next(one for one in card["dataset_info"] if one["config_name"] == name) for name in ("nq", "tq"))
    assert (nq["config_name"], nq["splits"][0]["num_examples"]) == ("nq", 10)  # two questions, five systems
    assert (tq["config_name"], tq["splits"][0]["num_examples"]) == ("tq", 20)
    assert nq["download_size"] == (out / "nq" / "test-00000-of-00001.parquet").stat().st_size
    assert {feature["name"] for feature in nq["features"]} == set(Evouna(config_name="nq").info.features)


@pytest.mark.parametrize("name", data_set_names())
def test_cards_are_complete(name):
    card = DatasetCard.load(DATA_SETS / name / "README.md")
    data_set = builder(name)
    for field in ("pretty_name", "license", "language", "task_categories"):
        assert card.data.get(field), field
    for section in ("Uses", "Dataset Structure", "Dataset Creation", "Bias, Risks, and Limitations", "Citation"):
        assert f"\n## {section}\n" in card.text
    assert "```bibtex\n@" in card.text
    for placeholder in ("More Information Needed", "TODO", "TBD", "[["):
        assert placeholder not in card.text
    fields = card.text.split("\n## Dataset Structure\n")[1].split("\n## ")[0]
    for config in data_set.builder_configs:
        info = data_set(config_name=config).info
        assert info.license == card.data.license
        assert info.homepage in card.text
        for field in info.features:
            assert f"`{field}`" in fields, field


def test_changed_source_file_is_read_again(tmp_path, data_dir):
    out = tmp_path / "out"
    build("evouna", out, data_dir)
    (data_dir / "NQ.json").write_bytes((data_dir / "TQ.json").read_bytes())
    built = build("evouna", out, data_dir)
    assert built.infos["nq"].splits["test"].num_examples == 20


def test_missing_configuration_is_skipped(tmp_path, data_dir):
    (data_dir / "NQ.json").unlink()
    result = run("evouna", tmp_path / "out", data_dir)
    places = f"{data_dir / 'EVOUNA' / 'NQ.json'} and no {data_dir / 'NQ.json'}"
    assert f"nq was skipped: there is no {places}; get it from https://raw.githubusercontent.com/" in result.stderr
    assert [found["config_name"] for found in DatasetCard.load(tmp_path / "out" / "README.md").data["configs"]] == [
        "tq",
        "tq_questions",
    ]
    tasks = yaml.safe_load((tmp_path / "out" / "eval.yaml").read_text("utf-8"))["tasks"]
    assert [task["id"] for task in tasks] == ["tq_questions"]


def test_evaluations_have_each_question_with_references_once(tmp_path, data_dir):
    """tests/scripts/test_hub_evaluations.py runs them in inspect_ai."""
    build("evouna", tmp_path / "out", data_dir)
    written = yaml.safe_load((tmp_path / "out" / "eval.yaml").read_text("utf-8"))
    assert (written["name"], written["evaluation_framework"]) == ("EVOUNA", "inspect-ai")
    assert written["description"].startswith("Five systems answered 5,610 open questions, and a person judged")
    assert [task["id"] for task in written["tasks"]] == ["nq_questions", "tq_questions"]
    task = written["tasks"][0]
    rows = datasets.load_dataset(str(tmp_path / "out"), task["config"], split=task["split"])
    assert rows.to_list() == [
        {"question": "capital of france", "references": ["Paris", "the capital"], "target": "Paris or the capital"}
    ]
    fields = task["field_spec"]
    assert {fields["input"], fields["target"], *fields["metadata"]} == set(rows.column_names)


def test_morqa_is_built_from_available_subsets(tmp_path):
    folder = tmp_path / "data" / "woundcare"
    folder.mkdir(parents=True)
    responses = [{"author_id": "D1", "content_en": "See a doctor.", "content_zh": "请就医。"}]
    query = {"encounter_id": "ENC1", "query_content_en": "Swollen.", "query_content_zh": "不消肿。"}
    for split, queries in (("valid", 1), ("test", 2)):
        (folder / f"{split}.json").write_text(json.dumps([query | {"responses": responses}] * queries))
    result = run("morqa", tmp_path / "out", tmp_path / "data")
    assert "ratings was skipped: MORQA's ratings lack dermavqa (valid and test; get it from https://osf.io/kcv2n)" in (
        result.stderr
    )
    references = datasets.load_dataset(str(tmp_path / "out"), "references", cache_dir=str(tmp_path / "hub"))
    assert {split: rows.num_rows for split, rows in references.items()} == {"validation": 2, "test": 4}
    assert references["test"]["content"][:] == ["See a doctor.", "请就医。"] * 2
    assert set(references["test"]["subset"]) == {"woundcarevqa"}


def test_nothing_to_build_is_an_error(tmp_path):
    (tmp_path / "empty").mkdir()
    result = run("evouna", tmp_path / "out", tmp_path / "empty", code=1)
    assert result.stderr.count("NQ.json; get it from") == 1, "two configurations lack it"
    assert result.stderr.count("TQ.json; get it from") == 1
    assert not (tmp_path / "out").exists()


def test_broken_source_file_is_named(tmp_path, data_dir):
    (data_dir / "NQ.json").write_text('[{"question": "?"}]')
    result = run("evouna", tmp_path / "out", data_dir, code=1)
    assert f"{data_dir / 'NQ.json'}: question 0 is not in EVOUNA's format" in result.stderr


@pytest.mark.parametrize("file", ["README.md", "notes.txt"])
def test_folder_with_other_files_is_not_changed(tmp_path, data_dir, file):
    out = tmp_path / "out"
    out.mkdir()
    (out / file).write_text("mine")
    result = run("evouna", out, data_dir, code=1)
    assert f"{file}, which is not part of EVOUNA. Name an empty folder" in result.stderr
    assert [path.name for path in out.iterdir()] == [file]
    assert (out / file).read_text() == "mine"


def test_interrupted_build_is_repeated(tmp_path, data_dir):
    unfinished = tmp_path / "out" / "nq" / "test-00000-of-00001.unfinished"
    unfinished.parent.mkdir(parents=True)
    unfinished.write_bytes(b"PAR1")
    run("evouna", tmp_path / "out", data_dir)
    assert [path.name for path in unfinished.parent.iterdir()] == ["test-00000-of-00001.parquet"]
