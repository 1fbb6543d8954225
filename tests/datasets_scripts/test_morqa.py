"""MORQA's builder, and the rows of the released formats and of DermaVQA's published files."""

import csv
import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from evaluate_qa.datasets_scripts.morqa import morqa
from evaluate_qa.datasets_scripts.morqa.morqa import Morqa
from evaluate_qa.datasets_scripts.morqa.queries import Author, reference_weight
from evaluate_qa.datasets_scripts.morqa.ratings import response_key
from evaluate_qa.datasets_scripts.morqa.release import DOWNLOADS, RATING_COLUMNS, Source, find_release
from evaluate_qa.datasets_scripts.morqa.rows import TABLES

# The order of the release's files, which differs from its description.
COLUMNS = ["dataset", "encounter_id", "lang", "candidate", "candidate_author_id", "metric", "rater_id", "value"]

DERMA_RESPONSES = [
    {"author_id": "U1", "content_zh": "跖疣", "content_en": "Wart.", "completeness": 0.5, "contains_freq_ans": 1.0},
    {"author_id": "U2", "content_zh": "湿疹", "content_en": "", "completeness": 1.0, "contains_freq_ans": 0.0},
]

DERMA = {
    "encounter_id": "ENC1",
    "author_id": "U9",
    "image_ids": ["IMG_ENC1_00001.jpg"],
    "query_title_zh": "",
    "query_content_zh": "这是什么？",
    "query_title_en": "",
    "query_content_en": "What is this?",
    "query_title_es": "",
    "query_content_es": "¿Qué es?",
    "responses": DERMA_RESPONSES,
}

WOUND = {
    "encounter_id": "ENC1",
    "image_ids": [],
    "query_title_en": "Help",
    "query_content_en": "It is swollen.",
    "query_title_zh": "求解",
    "query_content_zh": "不消肿。",
    "wound_type": "traumatic",
    "responses": [{"author_id": "D1", "content_en": "See a doctor.", "content_zh": "请就医。"}],
}

RATINGS = [
    ["iiyi", "ENC1", "en", "A plantar wart.", "SYSTEM001", "overall", "NM", "1.0"],
    ["iiyi", "ENC1", "en", "A plantar wart.", "SYSTEM001", "overall", "SG", "0.5"],
    ["iiyi", "ENC1", "en", "A plantar wart.", "SYSTEM001", "disagree_flag", "NM", "0"],
    ["iiyi", "ENC1", "en", "", "SYSTEM002", "overall", "NM", "0"],
    ["iiyi", "ENC1", "zh", "跖疣。", "SYSTEM001", "factual-consistency-wgold", "A1", "1"],
    ["woundcare", "ENC1", "en", 'Clean it.\n"Gently", see a doctor.', "SYSTEM001", "overall", "A1", ""],
]


def read(table: str, folder: Path):
    return list(TABLES[table](find_release(folder)))


def write_json(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def write_csv(path, lines, columns=COLUMNS):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *lines])


@pytest.fixture
def data_dir(tmp_path):
    """A validation query of DermaVQA, one of WoundcareVQA with the same identifier, and ratings of both."""
    folder = tmp_path / "data"
    write_json(folder / "data" / "iiyi" / "valid_ht.json", [DERMA])
    authors = [["U1", "md2_validated", "level_4"], ["U2", "", "unk"]]
    write_csv(folder / "data" / "iiyi" / "df_userinfo.csv", authors, ["author_id", "validation_level", "rank_level"])
    write_json(folder / "woundcare" / "valid.json", [WOUND])
    write_csv(folder / "mediqa-eval-2026-valid.csv", RATINGS)
    return folder


def test_each_query_and_language_is_a_row(data_dir):
    rows = read("queries", data_dir)
    assert [(row["subset"], row["split"], row["language"]) for row in rows] == [
        ("dermavqa", "valid", "en"),
        ("dermavqa", "valid", "zh"),
        ("woundcarevqa", "valid", "en"),
        ("woundcarevqa", "valid", "zh"),
    ]
    assert rows[0] == {
        "subset": "dermavqa",
        "split": "valid",
        "encounter_id": "ENC1",
        "language": "en",
        "author_id": "U9",
        "title": "",
        "content": "What is this?",
        "image_ids": ["IMG_ENC1_00001.jpg"],
    }
    assert rows[3]["title"] == "求解"
    assert rows[3]["author_id"] is None


def test_query_in_one_language_is_one_row(tmp_path):
    query = {"encounter_id": 7, "query_content_zh": "嘴唇。", "responses": [{"content_zh": "可以。"}]}
    write_json(tmp_path / "med_dialog_test.json", [query])
    (row,) = read("queries", tmp_path)
    (reference,) = read("references", tmp_path)
    assert (row["subset"], row["split"], row["encounter_id"], row["language"]) == ("meddialog", "test", "7", "zh")
    assert (row["title"], row["image_ids"]) == ("", [])
    assert (reference["author_id"], reference["weight"]) == (None, 1.0)


def test_references_with_their_authors_and_weights(data_dir):
    rows = [row for row in read("references", data_dir) if row["language"] == "en"]
    assert rows[0] == {
        "subset": "dermavqa",
        "split": "valid",
        "encounter_id": "ENC1",
        "language": "en",
        "position": 0,
        "author_id": "U1",
        "content": "Wart.",
        "completeness": 0.5,
        "contains_frequent_answer": True,
        "author_validation": "md2_validated",
        "author_rank": 4,
        "weight": 0.9,  # .6 incomplete, + .1 doctor, + .1 rank, + .1 frequent
    }
    # Complete (.7), by an author without validation or rank.
    assert (rows[1]["weight"], rows[1]["author_validation"], rows[1]["author_rank"]) == (0.7, None, None)
    assert rows[2]["weight"] == 1.0
    assert rows[2]["completeness"] is None


def test_later_gold_responses_are_appended_with_weight_one(data_dir):
    later = [{"author_id": f"D0000{number}", "content_zh": "疣", "content_en": f"Later {number}"} for number in (1, 2)]
    extension = {"encounter_id": "ENC1", "responses": [*DERMA_RESPONSES, *later]}
    write_json(data_dir / "data" / "iiyi" / "iiyi_valid_extension.json", [extension])
    rows = [row for row in read("references", data_dir) if row["subset"] == "dermavqa" and row["language"] == "en"]
    assert [(row["position"], row["author_id"], row["weight"]) for row in rows] == [
        (0, "U1", 0.9),
        (1, "U2", 0.7),
        (2, "D00001", 1.0),
        (3, "D00002", 1.0),
    ]


@pytest.mark.parametrize(
    ("validation", "rank", "completeness", "frequent", "weight"),
    [
        (None, None, 0.5, False, 0.6),
        ("realid_validated", 3, 0.0, False, 0.6),  # a validated identity is not a doctor's
        (None, None, 1.0, False, 0.7),
        ("md_validated", None, 0.5, False, 0.7),
        (None, 4, 0.5, False, 0.7),
        (None, 0, 0.5, True, 0.7),
        ("md4_validated", 7, 0.5, True, 0.9),
        ("md1_validated", 4, 1.0, True, 1.0),
    ],
)
def test_reference_weight(validation, rank, completeness, frequent, weight):
    assert reference_weight(Author(validation, rank), completeness, frequent) == weight


def test_responses_have_the_columns_of_metrics(data_dir):
    rows = read("responses", data_dir)
    assert [(*response_key(row), row["answer"]) for row in rows] == [
        ("dermavqa", "ENC1", "en", "SYSTEM001", "A plantar wart."),
        ("dermavqa", "ENC1", "en", "SYSTEM002", ""),
        ("dermavqa", "ENC1", "zh", "SYSTEM001", "跖疣。"),
        ("woundcarevqa", "ENC1", "en", "SYSTEM001", 'Clean it.\n"Gently", see a doctor.'),
    ]
    assert [row["question"] for row in rows] == ["What is this?", "What is this?", "这是什么？", "Help\nIt is swollen."]
    assert (rows[0]["references"], rows[0]["reference_weights"]) == (["Wart."], [0.9])  # the other is not in English
    assert (rows[2]["references"], rows[2]["reference_weights"]) == (["跖疣", "湿疹"], [0.9, 0.7])
    assert (rows[3]["references"], rows[3]["reference_weights"]) == (["See a doctor."], [1.0])


def test_each_rating_is_a_row(data_dir):
    rows = read("ratings", data_dir)
    assert [(row["system"], row["rater_id"], row["aspect"], row["value"]) for row in rows] == [
        ("SYSTEM001", "NM", "overall", 1.0),
        ("SYSTEM001", "SG", "overall", 0.5),
        ("SYSTEM001", "NM", "disagree_flag", 0.0),
        ("SYSTEM002", "NM", "overall", 0.0),
        ("SYSTEM001", "A1", "factual-consistency-wgold", 1.0),
        ("SYSTEM001", "A1", "overall", None),  # an empty cell
    ]
    assert {row["split"] for row in rows} == {"valid"}
    assert {response_key(row) for row in rows} == {response_key(row) for row in read("responses", data_dir)}


def test_split_of_the_query_takes_precedence_over_the_file_name(data_dir):
    (data_dir / "mediqa-eval-2026-valid.csv").rename(data_dir / "all-test-ratings.csv")
    assert {row["split"] for row in read("ratings", data_dir)} == {"valid"}


def test_without_queries_the_file_name_determines_the_split(tmp_path):
    line = ["liveqa", "T1", "en", "Drops.", "cmu", "overall", "N1", "4"]
    write_csv(tmp_path / "liveqa-Test_gold.csv", [line])
    (response,) = read("responses", tmp_path)
    assert response["split"] == "test"
    assert (response["question"], response["references"]) == (None, [])
    assert [row["value"] for row in read("ratings", tmp_path)] == [4.0]
    for name in ("contest.csv", "valid_and_test.csv"):
        folder = tmp_path / name.removesuffix(".csv")
        folder.mkdir()
        write_csv(folder / name, [line])
        with pytest.raises(ValueError, match=rf"{name}, line 2: encounter T1 of liveqa is not in its query files"):
            read("ratings", folder)


def test_rating_files_are_recognized_by_their_columns(data_dir):
    columns = ["", *RATING_COLUMNS]  # pandas writes row numbers into a column without a name
    line = dict(zip(COLUMNS, RATINGS[4], strict=True)) | {"": "0", "rater_id": "B2"}
    write_csv(data_dir / "more.csv", [[line[column] for column in columns]], columns)
    write_csv(data_dir / "notes.csv", [["iiyi", "not a rating"]], ["dataset", "note"])
    assert [row["rater_id"] for row in read("ratings", data_dir)].count("B2") == 1


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["reddit", *RATINGS[1][1:]], ": unknown dataset 'reddit'"),
        ([*RATINGS[1][:2], "es", *RATINGS[1][3:]], ": unknown lang 'es'; expected en or zh"),
        ([*RATINGS[1][:-1], "good"], ": value is 'good'; expected a number"),
        ([*RATINGS[1][:-1], "inf"], ": value is 'inf'; expected a number"),
        (RATINGS[1][:5], " has more or fewer cells than the header"),
        ([*RATINGS[1], "more"], " has more or fewer cells than the header"),
    ],
)
def test_bad_rating_is_reported_with_file_and_line(data_dir, cells, message):
    write_csv(data_dir / "mediqa-eval-2026-valid.csv", [RATINGS[0], cells])
    with pytest.raises(ValueError, match=f"mediqa-eval-2026-valid.csv, line 3{message}"):
        read("ratings", data_dir)


def test_two_texts_for_one_response_are_rejected(data_dir):
    other = list(RATINGS[1])
    other[COLUMNS.index("candidate")] = "Eczema."
    write_csv(data_dir / "mediqa-eval-2026-valid.csv", [RATINGS[0], other])
    with pytest.raises(ValueError, match="two texts for the response dermavqa ENC1 en SYSTEM001"):
        read("responses", data_dir)


def test_missing_authors_are_reported(data_dir):
    folder = data_dir / "data" / "iiyi"
    write_json(folder / "valid_ht.json", [DERMA | {"responses": [DERMA_RESPONSES[0] | {"author_id": "U7"}]}])
    with pytest.raises(ValueError, match="author U7 of a gold response is not in"):
        read("references", data_dir)
    (folder / "df_userinfo.csv").unlink()
    with pytest.raises(FileNotFoundError, match=r"df_userinfo\.csv is missing.*https://github.com/wyim/DermaVQA"):
        read("references", data_dir)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "expected a JSON list of queries, found dict"),
        ([DERMA, {"encounter_id": "ENC2"}], "query 1 has no 'responses'"),
        (["ENC1"], "query 0 has no 'encounter_id'"),
        ([{"encounter_id": "ENC2", "responses": []}], "query ENC2 has no query_content_en or query_content_zh"),
    ],
)
def test_query_file_of_another_format_is_rejected(tmp_path, content, message):
    write_json(tmp_path / "valid_ht.json", content)
    with pytest.raises(ValueError, match=message) as error:
        read("queries", tmp_path)
    assert str(tmp_path / "valid_ht.json") in str(error.value)


def test_two_copies_of_a_file_are_rejected(data_dir):
    write_json(data_dir / "copy" / "valid_ht.json", [DERMA])
    with pytest.raises(ValueError, match="copies of one file; keep one of them"):
        read("queries", data_dir)


def test_empty_folder_names_the_origins(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        read("queries", tmp_path)
    for origin in ("osf.io/72rp3", "osf.io/xsj5u", "osf.io/kcv2n", "github.com/wyim/DermaVQA"):
        assert origin in str(error.value)


@pytest.mark.parametrize("config", [config for config in TABLES if config != "questions"])
def test_builder_returns_the_same_rows(tmp_path, data_dir, config):
    builder = Morqa(config_name=config, data_dir=str(data_dir), cache_dir=str(tmp_path / "cache"))
    builder.download_and_prepare()
    built = builder.as_dataset()
    assert list(built) == ["validation"]
    assert built["validation"].to_list() == read(config, data_dir)


def test_questions_are_the_queries_without_images(tmp_path, data_dir):
    answers = [{"content_en": "Rest."}, {"content_en": " "}, {"content_en": "Drink."}]
    query = {"encounter_id": 1, "query_title_en": "Flu", "query_content_en": "What helps?", "responses": answers}
    write_json(data_dir / "liveqa_test.json", [query, query | {"encounter_id": 2, "responses": answers[1:2]}])
    builder = Morqa(config_name="questions", data_dir=str(data_dir), cache_dir=str(tmp_path / "cache"))
    builder.download_and_prepare()
    assert builder.as_dataset(split="test").to_list() == [
        {
            "subset": "liveqa",
            "split": "test",
            "encounter_id": "1",
            "language": "en",
            "question": "Flu\nWhat helps?",
            "references": ["Rest.", "Drink."],
            "target": "Rest. or Drink.",
        }
    ]


def test_builder_warns_about_missing_subsets(tmp_path, data_dir, monkeypatch):
    (data_dir / "woundcare" / "valid.json").unlink()
    warnings = []
    monkeypatch.setattr(morqa._logger, "warning", warnings.append)
    builder = Morqa(config_name="queries", data_dir=str(data_dir), cache_dir=str(tmp_path / "cache"))
    builder.download_and_prepare()
    assert builder.as_dataset(split="validation")["subset"][:] == ["dermavqa", "dermavqa"]
    (warning,) = warnings
    assert "dermavqa (test;" in warning
    assert "woundcarevqa (valid and test; get it from https://osf.io/xsj5u" in warning


def test_builder_downloads_dermavqa(tmp_path, data_dir, served, sha256, monkeypatch):
    folder, address = served
    for name, path in (
        ("valid", data_dir / "data" / "iiyi" / "valid_ht.json"),
        ("test", data_dir / "data" / "iiyi" / "valid_ht.json"),
        ("authors", data_dir / "data" / "iiyi" / "df_userinfo.csv"),
    ):
        (folder / name).write_bytes(path.read_bytes())
        source = Source(path=name, url=f"{address}/{name}", sha256=sha256(path))
        monkeypatch.setitem(DOWNLOADS, name, source)
    builder = Morqa(config_name="references", cache_dir=str(tmp_path / "cache"))
    builder.download_and_prepare()
    built = builder.as_dataset()
    assert built["validation"]["weight"][:] == built["test"]["weight"][:] == [0.9, 0.7, 0.9, 0.7]


def test_downloads_are_the_published_files(shared, sha256):
    for source in DOWNLOADS.values():
        assert sha256(shared / "data" / "dermavqa" / source.path.rpartition("/")[2]) == source.sha256


@pytest.mark.parametrize(("table", "valid", "test"), [("queries", 56, 100), ("references", 417, 926)])
def test_dermavqa_has_the_papers_queries_and_gold_responses(shared, table, valid, test):
    counts = Counter((row["split"], row["language"]) for row in read(table, shared / "data" / "dermavqa"))
    assert counts == {("valid", "en"): valid, ("valid", "zh"): valid, ("test", "en"): test, ("test", "zh"): test}


def test_some_gold_responses_of_dermavqa_are_not_translated(shared):
    rows = read("references", shared / "data" / "dermavqa")
    assert not [row for row in rows if row["author_id"].startswith("D")]  # authors of the later ones
    untranslated = [(row["encounter_id"], row["language"]) for row in rows if not row["content"].strip()]
    assert untranslated == [("ENC00860", "en")] * 5


def test_weights_equal_the_released_programs(shared):
    oracle = json.loads((shared / "oracles" / "deltableu_public.json").read_text(encoding="utf-8"))
    weights = defaultdict(list)
    for row in read("references", shared / "data" / "dermavqa"):
        if row["language"] == "zh":
            weights[f"{row['split']}_ht:{row['encounter_id']}"].append(row["weight"])
    assert len(oracle["items"]) == 104
    for item in oracle["items"]:
        # The oracle uses the first response as the candidate.
        assert weights[item["id"]][1:] == item["w"]["scheme"], item["id"]
