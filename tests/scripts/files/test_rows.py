"""Rows are read one at a time from every format, and errors name the place and the fix."""

import io
import itertools
import json
import sys
import tracemalloc
from functools import partial
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluate_qa.files.columns import read_columns
from evaluate_qa.files.rows import Broken, RowsError, place, read_records, read_rows


def _file(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_jsonl_numbers_are_lines_and_blank_lines_are_skipped(tmp_path):
    path = _file(tmp_path, "a.jsonl", '{"a": 1}\n\n{"a": ["x", null]}\n\n')
    assert list(read_rows(path)) == [(1, {"a": 1}), (3, {"a": ["x", None]})]


def test_csv_cells_are_strings_or_lists(tmp_path):
    path = _file(
        tmp_path, "a.csv", 'predictions,references,n\r\n"a ""b"", c\nd","[""x"", ""y""]",08\r\n[so],plain,\r\n'
    )
    assert list(read_rows(path)) == [
        (1, {"predictions": 'a "b", c\nd', "references": ["x", "y"], "n": "08"}),
        (2, {"predictions": "[so]", "references": "plain", "n": ""}),
    ]


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_csv_of_a_spreadsheet_may_have_semicolons_or_tabs(tmp_path, delimiter):
    content = 'id;references;score\r\n1;"[""x"", ""y; z""]";0,5\r\n'.replace(";", delimiter)
    expected = {"id": "1", "references": ["x", f"y{delimiter} z"], "score": "0,5"}
    if delimiter == "\t":
        content, expected = content.replace("y\t z", "y z"), {**expected, "references": ["x", "y z"]}
    assert list(read_rows(_file(tmp_path, "a.csv", content))) == [(1, expected)]


def test_semicolons_in_a_csv_with_commas_are_text(tmp_path):
    assert list(read_rows(_file(tmp_path, "a.csv", "a,b;c\n1;2,3\n"))) == [(1, {"a": "1;2", "b;c": "3"})]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_list_written_as_text_is_the_same_list_in_every_format(tmp_path, suffix):
    """As pandas writes a column of json.dumps([…])."""
    path = tmp_path / f"a.{suffix}"
    texts = ['["Paris", "paris"]', "Paris", "[0, 1]"] if suffix != "csv" else ['["Paris", "paris"]', "Paris"]
    frame = pd.DataFrame({"references": texts, "note": ['["x"]'] * len(texts)})
    saved = {
        "csv": frame.to_csv,
        "jsonl": partial(frame.to_json, orient="records", lines=True),
        "parquet": frame.to_parquet,
    }
    saved[suffix](path, **({"index": False} if suffix == "csv" else {}))
    expected = [["Paris", "paris"], *texts[1:]]
    assert [row["references"] for _, row in read_rows(path)] == expected
    assert read_columns(path, ["references", "note"]).values == {"references": expected, "note": frame["note"].tolist()}


def test_csv_list_columns_can_be_named(tmp_path):
    path = _file(tmp_path, "a.csv", 'gold,references\n"[""x""]","[1]"\n')
    assert list(read_rows(path, lists=["gold"])) == [(1, {"gold": ["x"], "references": "[1]"})]


def test_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": list(range(3000)), "b": [["x"]] * 3000}), path)
    rows = list(read_rows(path))
    assert rows[0] == (1, {"a": 0, "b": ["x"]})
    assert rows[-1] == (3000, {"a": 2999, "b": ["x"]})


def test_standard_input_is_jsonl(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO('{"a": "é"}\n'.encode())))
    assert list(read_rows("-")) == [(1, {"a": "é"})]


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_byte_order_mark_is_ignored(tmp_path, name):
    content = '{"a": "1"}' if name == "a.jsonl" else "a\n1\n"
    assert list(read_rows(_file(tmp_path, name, b"\xef\xbb\xbf" + content.encode()))) == [(1, {"a": "1"})]


def test_a_csv_cell_may_hold_a_megabyte(tmp_path):
    path = _file(tmp_path, "a.csv", f"a\n{'x' * 1_000_000}\n")
    assert len(next(read_rows(path))[1]["a"]) == 1_000_000


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '{"a": 1}\n{"a": \n', "line 2: not JSON"),
        ("a.jsonl", '{"a": 1}\n[1]\n', "line 2: a JSON list; expected one object per line, such as {"),
        ("a.jsonl", "\n" + "[" * 100_000, "line 2: not JSON"),
        ("a.jsonl", '{"a": \n', r"Expected one JSON object per line\.$"),
        ("a.jsonl", '\ufeff[{"a": 1}]', "line 1: a JSON list; expected one object per line, such as {"),
        ("a.jsonl", '[{"a": 1},\n{"a": 2}]', " is a JSON document, but JSONL has one object per line. Write each row"),
        ("a.jsonl", '{\n  "a": 1\n}\n', " is a JSON document, but JSONL has one object per line. Write each row"),
        ("a.jsonl", b'{"a": 1}\n{"a": "\xff"}\n', r"line 2: not UTF-8 .*Save the file as UTF-8"),
        (
            "a.jsonl",
            '{"a": 1}\n{"a": [' + "7" * 5000 + "]}\n",
            "line 2: a number has thousands of digits. Write it as a",
        ),
        ("a.csv", b"a\nb\n\xff\n", "line 3: not UTF-8"),
        ("a.csv", "", "line 1: there is no header"),
        ("a.csv", "a,b,a\n", "two columns are named 'a'"),
        ("a.csv", "a,b\n1,2\n1,2,3\n", "row 2: 3 cells under a header of 2. Put cells with commas in quotes."),
        ("a.csv", 'a\n"x"y\n', "line 2: not CSV"),
        ("a.csv", 'a\n"x\n', "line 2: not CSV .*unexpected end"),
        ("a.csv", "references\n['x']\n", r"row 1, column 'references': not a JSON list .*double quotes"),
        ("a.csv", "references\n" + "[" * 100_000 + "\n", "row 1, column 'references': not a JSON list"),
        ("a.csv", "references\n[" + "7" * 5000 + "]\n", "row 1, column 'references': not a JSON list"),
        ("a.parquet", "PAR1", "not a complete Parquet file"),
    ],
)
def test_broken_rows_are_reported_with_place_and_fix(tmp_path, name, content, message):
    with pytest.raises(RowsError, match=rf"{name}.*{message}"):
        list(read_rows(_file(tmp_path, name, content)))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
            "two columns are named 'a'. Rename one",
        ),
        (
            pa.table({"a": pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"])}),
            "cannot be read .*duplicate field names",
        ),
        (pa.table({"a": pa.array([10**7]).cast(pa.int32()).cast(pa.date32())}), "cannot be read .*out of range"),
    ],
)
def test_parquet_values_that_python_cannot_hold_are_reported(tmp_path, table, message):
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(RowsError, match=rf"a\.parquet: .*{message}"):
        list(read_rows(tmp_path / "a.parquet"))


def test_a_missing_file_is_reported_with_the_most_similar_one(tmp_path):
    _file(tmp_path, "answers.jsonl", "")
    with pytest.raises(RowsError, match=r"no such file\. Did you mean .*/answers\.jsonl\?"):
        read_rows(tmp_path / "anwsers.jsonl")
    with pytest.raises(RowsError, match=r"no such file\. Check the path\."):
        read_rows(tmp_path / "questions.jsonl")  # the suffix alone does not make names similar
    _file(tmp_path, "up40.jsonl", "")
    with pytest.raises(RowsError, match=r"no such file\. Check the path\."):
        read_rows(tmp_path / "nope.jsonl")
    with pytest.raises(RowsError, match=r"no such file\. The folder .*/nowhere does not exist\."):
        read_rows(tmp_path / "nowhere" / "a.csv")


def test_an_unknown_suffix_is_refused(tmp_path):
    with pytest.raises(RowsError, match=r"unknown file type\. Use \.jsonl, \.csv or \.parquet\."):
        read_rows(_file(tmp_path, "a.xlsx", ""))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_memory_does_not_grow_with_the_file(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    line = json.dumps({"a": "x" * 100}) + "\n" if suffix == "jsonl" else "x" * 100 + "\n"
    with path.open("w") as file:
        file.writelines(itertools.chain(["a\n"] if suffix == "csv" else [], itertools.repeat(line, 50_000)))
    tracemalloc.start()
    assert sum(1 for _ in read_rows(path)) == 50_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500_000  # the file has over 5 million bytes


@pytest.mark.parametrize(
    ("name", "content", "broken"),
    [
        ("a.jsonl", b'{"a": "1"}\n{"a":\r\n\xff\n[]\n{"a": "2"}', [(2, '{"a":'), (3, "\ufffd"), (4, "[]")]),
        ("a.jsonl", b'[{"a": "0"}]\n{"a": "1"}\n{"a": "2"}', [(1, '[{"a": "0"}]')]),
        ("a.jsonl", b'{"a": "1"}\n' + b"7" * 4301 + b'\n{"a": "2"}', [(2, "7" * 4301)]),
        ("a.csv", b"a\n1\n2,\xc3\xa9\n2\n", [(2, '["2", "é"]')]),
    ],
)
def test_rows_after_a_broken_one_are_read(tmp_path, name, content, broken):
    records = list(read_records(_file(tmp_path, name, content)))
    assert [row["a"] for _, row in records if not isinstance(row, Broken)] == ["1", "2"]
    found = [(number, row) for number, row in records if isinstance(row, Broken)]
    assert [(number, row.text) for number, row in found] == broken
    assert all(place(tmp_path / name, number) in row.message for number, row in found)
