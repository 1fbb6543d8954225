"""EVOUNA's builder, the rows of its published files, and this project's split."""

import dataclasses
import json
from pathlib import Path

import pytest
from toy_sets import evouna_question, write_evouna

from evaluate_qa.datasets_scripts.evouna.evouna import Evouna
from evaluate_qa.datasets_scripts.evouna.rows import SOURCES, SPLIT_FILE, SYSTEMS, read_rows, read_split, select

# Each question has one of the known defects of the two files.
QUESTIONS = [
    evouna_question(golden_answer=" Paris / City of Light//", judge_gpt4=False),
    evouna_question(golden_answer=None, improper=True),
    evouna_question(answer_newbing=None),
    evouna_question(answer_newbing="", judge_newbing=False),
    evouna_question(**{f"judge_{system}": "nan" for system in SYSTEMS}, answer_newbing="None", improper=True),
    evouna_question(judge_fid=float("nan"), answer_fid=float("nan")),
    evouna_question(golden_answer="None/None (disambiguation)", answer_fid="None"),
    evouna_question(judge_chatgpt=None),
    evouna_question(golden_answer=" / "),
]


@pytest.fixture
def data_dir(tmp_path):
    return write_evouna(tmp_path / "data", QUESTIONS, QUESTIONS[:2])


def test_each_question_and_system_is_a_row(data_dir):
    rows = list(read_rows(data_dir, "nq"))
    assert [(row["question_id"], row["system"]) for row in rows] == [
        (number, system) for number in range(9) for system in SYSTEMS
    ]
    assert rows[3] == {
        "question_id": 0,
        "question": "capital of france",
        "references": ["Paris", "City of Light"],
        "system": "gpt4",
        "answer": "Paris",
        "judgement": False,
        "improper": False,
        "usable": True,
    }


def test_unusable_rows_are_kept_and_flagged(data_dir):
    unusable = [(row["question_id"], row["system"]) for row in read_rows(data_dir, "nq") if not row["usable"]]
    assert unusable == [
        *((1, system) for system in SYSTEMS),  # improper, without a golden answer
        (2, "newbing"),  # no answer
        *((4, system) for system in SYSTEMS),  # improper, "nan" for verdicts
        (5, "fid"),  # NaN for answer and verdict
        (7, "chatgpt"),  # no verdict
        *((8, system) for system in SYSTEMS),  # only blank references
    ]


def test_missing_values_become_none(data_dir):
    rows = {(row["question_id"], row["system"]): row for row in read_rows(data_dir, "nq")}
    assert rows[1, "fid"]["references"] == []
    assert [rows[key]["answer"] for key in ((2, "newbing"), (4, "newbing"), (5, "fid"))] == [None] * 3
    assert [rows[key]["judgement"] for key in ((4, "fid"), (5, "fid"), (7, "chatgpt"))] == [None] * 3


def test_judged_answers_that_look_missing_are_kept(data_dir):
    rows = {(row["question_id"], row["system"]): row for row in read_rows(data_dir, "nq")}
    assert (rows[3, "newbing"]["answer"], rows[3, "newbing"]["usable"]) == ("", True)
    assert (rows[6, "fid"]["answer"], rows[6, "fid"]["usable"]) == ("None", True)


def test_unknown_configuration_is_named(data_dir):
    with pytest.raises(ValueError, match="no configuration 'webq'; expected one of nq, tq"):
        read_rows(data_dir, "webq")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"data": []}, "expected a JSON list of questions, found dict"),
        ([evouna_question(), {"question": "?"}], "question 1 is not in EVOUNA's format: KeyError.'judge_fid'"),
        ([evouna_question(judge_gpt4="maybe")], "question 0 is not in EVOUNA's format: .*verdict 'maybe'"),
        ([evouna_question(judge_gpt4=1)], "verdict 1; expected true, false, null or NaN"),
        ([evouna_question(answer_gpt4=8)], "answer 8; expected a string, null or NaN"),
        (["?"], "question 0 is not in EVOUNA's format: TypeError"),
    ],
)
def test_other_format_is_rejected_with_file_and_question(tmp_path, content, message):
    (tmp_path / "NQ.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match=message) as error:
        list(read_rows(tmp_path, "nq"))
    assert str(tmp_path / "NQ.json") in str(error.value)


def test_split_selects_whole_questions(tmp_path, data_dir):
    path = tmp_path / "split.json"
    path.write_text('{"NQ": {"train": [0, 2], "dev": [3], "test": []}}')
    train = select(read_rows(data_dir, "nq"), read_split(path, "nq", "train"))
    assert [(row["question_id"], row["system"]) for row in train] == [
        (number, system) for number in (0, 2) for system in SYSTEMS
    ]
    with pytest.raises(ValueError, match=r"no split 'tset' of nq; expected one of train, dev, test"):
        read_split(path, "nq", "tset")
    with pytest.raises(ValueError, match=r"no split 'dev' of tq; expected one of \(none\)"):
        read_split(path, "tq", "dev")


def test_builder_downloads_and_returns_the_same_rows(tmp_path, data_dir, served, sha256, monkeypatch):
    folder, address = served
    file = folder / "NQ.json"
    file.write_bytes((data_dir / "NQ.json").read_bytes())
    source = dataclasses.replace(SOURCES["nq"], url=f"{address}/NQ.json", sha256=sha256(file))
    monkeypatch.setitem(SOURCES, "nq", source)
    for options in ({}, {"data_dir": str(data_dir)}):
        builder = Evouna(config_name="nq", cache_dir=str(tmp_path / f"cache {len(options)}"), **options)
        builder.download_and_prepare()
        assert builder.as_dataset(split="test").to_list() == list(read_rows(data_dir, "nq"))


def test_sources_are_the_published_files(shared, sha256):
    folder = shared / "data" / "evouna"
    for source in SOURCES.values():
        assert sha256(folder / Path(source.path).name) == source.sha256


def test_known_defects_match_the_card(shared):
    folder = shared / "data" / "evouna"
    nq, tq = (list(read_rows(folder, config)) for config in ("nq", "tq"))

    def missing(rows, field):
        return sum(row[field] is None for row in rows)

    assert [missing(nq, "answer"), missing(tq, "answer")] == [500, 15]
    assert [missing(nq, "judgement"), missing(tq, "judgement")] == [2616, 75]
    assert {row["question_id"] for row in nq if not row["references"]} == {971}
    assert [sum(row["improper"] for row in rows) / 5 for rows in (nq, tq)] == [590, 62]
    lost = [(row["question_id"], row["system"]) for row in nq if not row["improper"] and not row["usable"]]
    assert lost == [(1986, "fid"), (2791, "newbing")]
    assert [row["answer"] for row in tq if (row["question_id"], row["system"]) == (667, "fid")] == ["None"]


@pytest.mark.parametrize(("config", "questions"), [("nq", 3610), ("tq", 2000)])
def test_split_covers_every_question_once(config, questions):
    splits = [read_split(SPLIT_FILE, config, name) for name in ("train", "dev", "test")]
    assert sorted(number for split in splits for number in split) == list(range(questions))


def test_split_equals_the_published_one(shared):
    assert json.loads(SPLIT_FILE.read_text()) == json.loads((shared / "data/evouna/split.json").read_text())
