"""Users' files and the package's own rows as labeled answers."""

import json
from pathlib import Path

import pytest
from commands import run_command

from evaluate_qa.agreement.data_sets import DATA, own_file
from evaluate_qa.files.writing import write_rows
from evaluate_qa.labeled_data.rows import DataSelection

ROWS = [
    {"question": "Q1?", "references": ["Paris"], "prediction": "Paris", "correct": True, "kind": "short"},
    {"question": "Q1?", "references": ["Paris"], "prediction": "Rome", "correct": False, "kind": "short"},
    {"question": "Q2?", "references": ["Oslo"], "prediction": "", "correct": False, "kind": "empty"},
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return file


def test_an_unknown_group_is_reported_with_the_known_ones(path):
    done = run_command("agreement", "--data", path, "--group", "shrt", code=1)
    assert "--group is 'shrt', but there is no such group." in done.stderr
    assert "kind short" in done.stderr


def test_rows_are_grouped_by_kind_and_question(path):
    assert len(own_file(path, DataSelection(limit=1)).rows) == 2
    data = own_file(path, DataSelection())
    assert data.name == "mine"
    assert data.groups == ["all", "kind short", "kind empty"]
    assert [row.question_id for row in data.rows] == ["Q1?", "Q1?", "Q2?"]
    assert [row.label for row in data.rows] == [1.0, 0.0, 0.0]


def test_own_file_command(path, tmp_path):
    """Word recall is always right here."""
    done = run_command("agreement", "--data", path, "--json", tmp_path / "out.json", "--bootstrap", 0)
    assert "mine: 3 labeled answers to 2 questions" in done.output
    (table, *_) = json.loads((tmp_path / "out.json").read_text())["data_sets"]["mine"]["tables"]
    assert table["group"] == "all"
    assert table["estimates"]["token_recall"]["mcc"]["value"] == 1


@pytest.mark.parametrize(
    "names", [("question", "reference", "prediction", "label"), ("questions", "references", "predictions", "verdict")]
)
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_column_names_of_other_commands(tmp_path, names, suffix):
    """Kinds are optional, and rows without a label are left out."""
    values = [
        ("Q1?", ["a", "A"], "a", "correct"),
        ("Q2?", "b", "c", "0.0"),
        ("Q3?", "d", "e", "Skip"),
        ("Q4?", "f", "g"),
    ]
    write_rows(tmp_path / f"mine.{suffix}", [dict(zip(names, row, strict=False)) for row in values])
    data = own_file(tmp_path / f"mine.{suffix}", DataSelection())
    assert [(row.question, row.references, row.answer, row.label) for row in data.rows] == [
        ("Q1?", ["a", "A"], "a", 1.0),
        ("Q2?", ["b"], "c", 0.0),
    ]
    assert data.groups == ["all"]
    assert data.dropped == {"mine": {"without a label": 2}}


@pytest.mark.parametrize("file", ["mine.csv", "mine.jsonl"])
def test_verdict_of_a_metric_is_no_label_next_to_a_column_of_labels(tmp_path, file):
    """In JSONL, the first row may lack the column."""
    row = {"question": "Q1?", "references": "a", "prediction": "a", "score": 0.9, "verdict": True}
    write_rows(tmp_path / file, [row | ({"label": ""} if file == "mine.csv" else {}), row | {"label": "wrong"}])
    data = own_file(tmp_path / file, DataSelection())
    assert [row.label for row in data.rows] == [0.0]
    assert data.dropped == {"mine": {"without a label": 1}}
    write_rows(tmp_path / file, [row | {"judge_label": "correct", "correct": False}])
    assert [row.label for row in own_file(tmp_path / file, DataSelection()).rows] == [0.0]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"score": 0.3}, "line 2: the column verdict belongs to a metric, like score"),
        ({"prediction": None}, "line 2: prediction has None; expected a string"),
        ({"question": " "}, "line 2: a question or a reference is blank"),
        ({"references": []}, "line 2: a question or a reference is blank"),
        ({"references": None}, "line 2: references has None; expected a string or a list of strings"),
        ({"verdict": "perhaps"}, "line 2: verdict is 'perhaps'; expected true or false"),
    ],
)
def test_bad_row_is_reported(tmp_path, changed, message):
    row = {"question": "Q1?", "references": ["a"], "prediction": "a", "verdict": True}
    write_rows(tmp_path / "mine.jsonl", [row, row | changed])
    assert message in run_command("agreement", "--data", tmp_path / "mine.jsonl", code=1).output.replace("\n", " ")


def test_a_column_answer_is_not_read_as_the_prediction(tmp_path):
    """In many data sets, it is the right answer."""
    write_rows(tmp_path / "mine.jsonl", [{"question": "Q1?", "references": ["a"], "answer": "a", "label": True}])
    message = run_command("agreement", "--data", tmp_path / "mine.jsonl", code=1).stderr
    assert "there is no column 'predictions'" in message
    assert "Rename the column that holds the model's answers to prediction." in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evuna"], "--data evuna: there is no such data set. Did you mean 'evouna'?"),
        (["mine.txt"], "mine.txt: unknown file type. Use .jsonl, .csv or .parquet."),
        (["empty.jsonl"], "empty.jsonl: there are no rows"),
        (["skipped.jsonl"], "skipped.jsonl: no row has a label. Label some rows with 1 or 0, or with right or wrong."),
        (["unlabeled.jsonl"], "unlabeled.jsonl: there is no column 'label'. Available: question, references, "),
        (["mine.jsonl", "--json", "mine.jsonl"], "--data mine.jsonl and --json must be different files"),
        (["mine.jsonl", "--data", "mine.csv"], "two of the data sets are named 'mine'. Rename one of the files."),
    ],
)
def test_wrong_name_is_reported(path, monkeypatch, arguments, message):
    monkeypatch.chdir(path.parent)
    write_rows("mine.csv", ROWS)
    write_rows("empty.jsonl", [])
    write_rows("skipped.jsonl", [{"question": "Q?", "references": "a", "prediction": "b", "label": "skip"}])
    write_rows("unlabeled.jsonl", [{"question": "Q?", "references": "a", "prediction": "b"}])
    assert message in run_command("agreement", "--data", *arguments, code=1).output.replace("\n", " ")


@pytest.mark.parametrize(("name", "rows"), [("sample", 138), ("near_names", 85)])
def test_built_in_set_has_no_splits(name, rows):
    assert len(DATA[name](DataSelection()).rows) == rows
    with pytest.raises(ValueError, match=f"{name} has neither splits nor systems"):
        DATA[name](DataSelection(split="dev"))


@pytest.mark.parametrize(
    ("name", "other", "split", "rows"),
    [
        ("traps", "train", None, 142),
        ("traps", "train", "train", 240),
        ("values", "dev", None, 418),
        ("values", "dev", "dev", 961),
    ],
)
def test_parts_of_own_sets_are_disjoint(name, other, split, rows):
    data = DATA[name](DataSelection(split=split))
    assert len(data.rows) == rows
    assert len(data.groups) == 1 + 10  # all, and each kind
    assert DATA[name](DataSelection(split=split, limit=1)).groups == data.groups
    others = DATA[name](DataSelection(split=None if split else other))
    assert not {row.question for row in data.rows} & {row.question for row in others.rows}


@pytest.mark.parametrize("given", [{"split": "dev"}, {"systems": ("gpt4",)}])
def test_parts_reject_other_selections(given):
    with pytest.raises(ValueError, match="traps has the splits train and test"):
        DATA["traps"](DataSelection(**given))
