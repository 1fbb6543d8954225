import csv
import json
import logging
from collections import Counter, defaultdict

import datasets
import pytest

from evaluate_qa.datasets_scripts.morqa import morqa, release
from evaluate_qa.datasets_scripts.morqa.morqa import (
    Morqa,
    is_usable,
    read_queries,
    read_ratings,
    read_references,
    read_responses,
    response_key,
)
from evaluate_qa.datasets_scripts.morqa.ratings import split_in_name
from evaluate_qa.datasets_scripts.morqa.release import DOWNLOADS, RATING_COLUMNS
from evaluate_qa.datasets_scripts.morqa.weights import Author, reference_weight

# In the order of the release's own files, which differs from that of its description.
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


def write_json(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def write_csv(path, lines, columns=COLUMNS):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *lines])


@pytest.fixture
def data_dir(tmp_path):
    """A valid query of DermaVQA and one of WoundcareVQA with the same identifier, and ratings of both."""
    folder = tmp_path / "data"
    write_json(folder / "data" / "iiyi" / "valid_ht.json", [DERMA])
    authors = [["U1", "md2_validated", "level_4"], ["U2", "", "unk"]]
    write_csv(folder / "data" / "iiyi" / "df_userinfo.csv", authors, ["author_id", "validation_level", "rank_level"])
    write_json(folder / "woundcare" / "valid.json", [WOUND])
    write_csv(folder / "mediqa-eval-2026-valid.csv", RATINGS)
    return folder


def test_queries(data_dir):
    rows = list(read_queries(data_dir))

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


def test_query_in_one_language_has_one_row(tmp_path):
    query = {"encounter_id": 7, "query_content_zh": "嘴唇。", "responses": [{"content_zh": "可以。"}]}
    write_json(tmp_path / "med_dialog_test.json", [query])

    (row,) = read_queries(tmp_path)
    (reference,) = read_references(tmp_path)

    assert (row["subset"], row["split"], row["encounter_id"], row["language"]) == ("meddialog", "test", "7", "zh")
    assert (row["title"], row["image_ids"]) == ("", [])
    assert (reference["author_id"], reference["weight"]) == (None, 1.0)


def test_references_with_their_authors_and_weights(data_dir):
    rows = [row for row in read_references(data_dir) if row["language"] == "en"]

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
    # Complete (.7), by an author who is neither validated nor ranked; without a text in English.
    assert (rows[1]["weight"], rows[1]["author_validation"], rows[1]["author_rank"]) == (0.7, None, None)
    assert [is_usable(row) for row in rows] == [True, False, True]
    assert rows[2]["weight"] == 1.0
    assert rows[2]["completeness"] is None


def test_later_gold_responses_come_last_and_weigh_one(data_dir):
    later = [{"author_id": f"D0000{number}", "content_zh": "疣", "content_en": f"Later {number}"} for number in (1, 2)]
    extension = {"encounter_id": "ENC1", "responses": [*DERMA_RESPONSES, *later]}
    write_json(data_dir / "data" / "iiyi" / "iiyi_valid_extension.json", [extension])

    rows = [row for row in read_references(data_dir) if row["subset"] == "dermavqa" and row["language"] == "en"]

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
        ("realid_validated", 3, 0.0, False, 0.6),  # a validated identity is no doctor's certificate
        (None, None, 1.0, False, 0.7),
        ("md_validated", None, 0.5, False, 0.7),
        (None, 4, 0.5, False, 0.7),
        (None, 0, 0.5, True, 0.7),
        ("md4_validated", 7, 0.5, True, 0.9),
        ("md1_validated", 4, 1.0, True, 1.0),
    ],
)
def test_weight(validation, rank, completeness, frequent, weight):
    assert reference_weight(Author(validation, rank), completeness, frequent) == weight


def test_responses_carry_what_a_metric_takes(data_dir):
    rows = list(read_responses(data_dir))

    assert [(*response_key(row), row["answer"]) for row in rows] == [
        ("dermavqa", "ENC1", "en", "SYSTEM001", "A plantar wart."),
        ("dermavqa", "ENC1", "en", "SYSTEM002", ""),
        ("dermavqa", "ENC1", "zh", "SYSTEM001", "跖疣。"),
        ("woundcarevqa", "ENC1", "en", "SYSTEM001", 'Clean it.\n"Gently", see a doctor.'),
    ]
    assert [row["question"] for row in rows] == [
        "What is this?",
        "What is this?",
        "这是什么？",
        "Help\nIt is swollen.",
    ]
    assert (rows[0]["references"], rows[0]["reference_weights"]) == (["Wart."], [0.9])  # the other has no English
    assert (rows[2]["references"], rows[2]["reference_weights"]) == (["跖疣", "湿疹"], [0.9, 0.7])
    assert (rows[3]["references"], rows[3]["reference_weights"]) == (["See a doctor."], [1.0])


def test_one_row_for_each_rating(data_dir):
    rows = list(read_ratings(data_dir))

    assert [(row["system"], row["rater_id"], row["aspect"], row["value"]) for row in rows] == [
        ("SYSTEM001", "NM", "overall", 1.0),
        ("SYSTEM001", "SG", "overall", 0.5),
        ("SYSTEM001", "NM", "disagree_flag", 0.0),
        ("SYSTEM002", "NM", "overall", 0.0),
        ("SYSTEM001", "A1", "factual-consistency-wgold", 1.0),
        ("SYSTEM001", "A1", "overall", None),  # an empty cell
    ]
    assert {row["split"] for row in rows} == {"valid"}
    assert {response_key(row) for row in rows} == {response_key(row) for row in read_responses(data_dir)}


def test_split_is_that_of_the_query_whatever_the_file_is_called(data_dir):
    (data_dir / "mediqa-eval-2026-valid.csv").rename(data_dir / "all-test-ratings.csv")

    assert {row["split"] for row in read_ratings(data_dir)} == {"valid"}


def test_ratings_without_queries_take_the_split_from_their_files_name(tmp_path):
    write_csv(tmp_path / "liveqa-test.csv", [["liveqa", "T1", "en", "Drops.", "cmu", "overall", "N1", "4"]])

    (response,) = read_responses(tmp_path)

    assert response["split"] == "test"
    assert (response["question"], response["references"]) == (None, [])
    assert [row["value"] for row in read_ratings(tmp_path)] == [4.0]


def test_ratings_of_an_unknown_query_in_a_file_of_no_split_are_an_error(tmp_path):
    write_csv(tmp_path / "ratings.csv", [["liveqa", "T1", "en", "Drops.", "cmu", "overall", "N1", "4"]])

    with pytest.raises(ValueError, match=r"ratings\.csv, line 2: encounter T1 of liveqa is in none of its query files"):
        list(read_ratings(tmp_path))


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("mediqa-eval-2026-valid.csv", "valid"),
        ("Test_gold.csv", "test"),
        ("contest.csv", None),
        ("valid_and_test.csv", None),
    ],
)
def test_split_in_the_name_of_a_file(tmp_path, name, split):
    assert split_in_name(tmp_path / name) == split


def test_rating_file_is_known_by_its_columns(data_dir):
    columns = ["", *RATING_COLUMNS]  # pandas writes a column of row numbers without a name
    line = dict(zip(COLUMNS, RATINGS[4], strict=True)) | {"": "0", "rater_id": "B2"}
    write_csv(data_dir / "more.csv", [[line[column] for column in columns]], columns)
    write_csv(data_dir / "notes.csv", [["iiyi", "not a rating"]], ["dataset", "note"])

    assert [row["rater_id"] for row in read_ratings(data_dir)].count("B2") == 1


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("dataset", "reddit", "unknown dataset 'reddit'"),
        ("lang", "es", "unknown lang 'es'; expected en or zh"),
        ("value", "good", "value is 'good'; expected a number"),
        ("value", "inf", "value is 'inf'; expected a number"),
    ],
)
def test_broken_rating_names_file_and_line(data_dir, column, value, message):
    broken = list(RATINGS[1])
    broken[COLUMNS.index(column)] = value
    write_csv(data_dir / "mediqa-eval-2026-valid.csv", [RATINGS[0], broken])

    with pytest.raises(ValueError, match=f"mediqa-eval-2026-valid.csv, line 3: {message}"):
        list(read_ratings(data_dir))


@pytest.mark.parametrize("cells", [RATINGS[0][:5], [*RATINGS[0], "more"]])
def test_line_of_another_length_names_file_and_line(data_dir, cells):
    write_csv(data_dir / "mediqa-eval-2026-valid.csv", [cells])

    with pytest.raises(ValueError, match="line 2 has more or fewer cells than the header"):
        list(read_ratings(data_dir))


def test_two_texts_for_one_response_are_an_error(data_dir):
    other = list(RATINGS[1])
    other[COLUMNS.index("candidate")] = "Eczema."
    write_csv(data_dir / "mediqa-eval-2026-valid.csv", [RATINGS[0], other])

    with pytest.raises(ValueError, match="two texts for the response dermavqa ENC1 en SYSTEM001"):
        list(read_responses(data_dir))


def test_weights_need_the_authors(data_dir):
    (data_dir / "data" / "iiyi" / "df_userinfo.csv").unlink()

    with pytest.raises(FileNotFoundError, match=r"df_userinfo\.csv is missing.*https://github.com/wyim/DermaVQA"):
        list(read_references(data_dir))


def test_unknown_author_is_named(data_dir):
    write_json(
        data_dir / "data" / "iiyi" / "valid_ht.json",
        [DERMA | {"responses": [DERMA_RESPONSES[0] | {"author_id": "U7"}]}],
    )

    with pytest.raises(ValueError, match="author U7 of a gold response is not in"):
        list(read_references(data_dir))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "expected a JSON list of queries, found dict"),
        ([DERMA, {"encounter_id": "ENC2"}], "query 1 has no 'responses'"),
        (["ENC1"], "query 0 has no 'encounter_id'"),
        ([{"encounter_id": "ENC2", "responses": []}], "query ENC2 has no query_content_en or query_content_zh"),
    ],
)
def test_query_file_of_another_format_is_named(tmp_path, content, message):
    write_json(tmp_path / "valid_ht.json", content)

    with pytest.raises(ValueError, match=message) as error:
        list(read_queries(tmp_path))
    assert str(tmp_path / "valid_ht.json") in str(error.value)


def test_two_copies_of_a_file_are_an_error(data_dir):
    write_json(data_dir / "copy" / "valid_ht.json", [DERMA])

    with pytest.raises(ValueError, match="copies of one file; keep one of them"):
        read_queries(data_dir)


def test_folder_without_any_file_says_where_to_get_them(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        read_queries(tmp_path)

    for origin in ("osf.io/72rp3", "osf.io/xsj5u", "osf.io/kcv2n", "github.com/wyim/DermaVQA"):
        assert origin in str(error.value)


@pytest.mark.parametrize(
    ("config", "read"),
    [
        ("queries", read_queries),
        ("references", read_references),
        ("responses", read_responses),
        ("ratings", read_ratings),
    ],
)
def test_builder_gives_the_same_rows_typed(tmp_path, data_dir, config, read):
    builder = Morqa(config_name=config, data_dir=str(data_dir), cache_dir=str(tmp_path / "cache"))
    builder.download_and_prepare()
    built = builder.as_dataset()

    assert list(built) == ["validation"]
    assert built["validation"].to_list() == list(read(data_dir))


def test_builder_names_the_missing_subsets_and_builds_the_others(tmp_path, data_dir, caplog):
    (data_dir / "woundcare" / "valid.json").unlink()
    caplog.set_level(logging.WARNING)
    # The library's loggers do not pass their records on to the root logger, where caplog listens.
    datasets.logging.enable_propagation()
    try:
        builder = Morqa(config_name="queries", data_dir=str(data_dir), cache_dir=str(tmp_path / "cache"))
        builder.download_and_prepare()
    finally:
        datasets.logging.disable_propagation()

    assert builder.as_dataset(split="validation")["subset"][:] == ["dermavqa", "dermavqa"]
    (warning,) = [record.getMessage() for record in caplog.records if "MORQA" in record.getMessage()]
    assert "dermavqa (test;" in warning
    assert "woundcarevqa (valid and test; get it from https://osf.io/xsj5u" in warning


def test_builder_without_ratings_says_where_to_get_them(tmp_path, data_dir):
    (data_dir / "mediqa-eval-2026-valid.csv").unlink()
    builder = Morqa(config_name="ratings", data_dir=str(data_dir), cache_dir=str(tmp_path / "cache"))

    with pytest.raises(FileNotFoundError, match=r"MORQA's ratings lack .*https://osf.io/kcv2n"):
        builder.download_and_prepare()


def test_builder_downloads_dermavqa(tmp_path, data_dir, served, sha256, monkeypatch):
    folder, address = served
    for name, path in (
        ("valid", data_dir / "data" / "iiyi" / "valid_ht.json"),
        ("test", data_dir / "data" / "iiyi" / "valid_ht.json"),
        ("authors", data_dir / "data" / "iiyi" / "df_userinfo.csv"),
    ):
        (folder / name).write_bytes(path.read_bytes())
        source = release.Source(path=name, url=f"{address}/{name}", sha256=sha256(path))
        monkeypatch.setitem(DOWNLOADS, name, source)
    builder = morqa.Morqa(config_name="references", cache_dir=str(tmp_path / "cache"))
    builder.download_and_prepare()

    built = builder.as_dataset()
    assert built["validation"]["weight"][:] == built["test"]["weight"][:] == [0.9, 0.7, 0.9, 0.7]


def test_downloads_are_the_published_files(shared, sha256):
    for source in DOWNLOADS.values():
        assert sha256(shared / "data" / "dermavqa" / source.path.rpartition("/")[2]) == source.sha256


def counts(rows):
    """How many rows there are in each split and language."""
    return dict(Counter((row["split"], row["language"]) for row in rows))


def in_both_languages(**by_split):
    return {(split, language): count for split, count in by_split.items() for language in ("en", "zh")}


def test_dermavqa_has_the_papers_queries(shared):
    rows = list(read_queries(shared / "data" / "dermavqa"))

    assert counts(rows) == in_both_languages(valid=56, test=100)
    untitled = [row for row in rows if row["language"] == "en" and not row["title"]]
    assert counts(untitled) == {("valid", "en"): 2, ("test", "en"): 6}


def test_dermavqa_has_the_papers_gold_responses_without_the_later_ones(shared):
    rows = list(read_references(shared / "data" / "dermavqa"))

    assert counts(rows) == in_both_languages(valid=417, test=926)
    assert not [row for row in rows if row["author_id"].startswith("D")]  # the later ones' authors
    untranslated = [(row["encounter_id"], row["language"]) for row in rows if not is_usable(row)]
    assert untranslated == [("ENC00860", "en")] * 5


def test_weights_are_those_of_the_released_program(shared):
    oracle = json.loads((shared / "oracles" / "deltableu_public.json").read_text(encoding="utf-8"))
    weights = defaultdict(list)
    for row in read_references(shared / "data" / "dermavqa"):
        if row["language"] == "zh":
            weights[f"{row['split']}_ht:{row['encounter_id']}"].append(row["weight"])

    assert len(oracle["items"]) == 104
    for item in oracle["items"]:
        assert weights[item["id"]][1:] == item["w"]["scheme"], item["id"]  # there the first response is the candidate
