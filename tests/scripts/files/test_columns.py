"""Some columns of a file are read in the same way from every format."""

import io
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluate_qa.files.columns import read_columns
from evaluate_qa.files.rows import RowsError
from evaluate_qa.files.writing import write_rows

ROWS = [{"id": "a", "score": 0.5, "other": 1}, {"id": "b", "score": None, "other": 2}]


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_only_requested_columns_are_read(tmp_path, suffix):
    path = tmp_path / f"rows.{suffix}"
    write_rows(path, ROWS)
    found = read_columns(path, ["score", "id", "label"])
    nothing = "" if suffix == "csv" else None
    assert found.values == {"id": ["a", "b"], "score": ["0.5" if suffix == "csv" else 0.5, nothing]}
    assert found.present == ["id", "score", "other"]
    assert len(found) == 2
    assert found.place(1).endswith("line 2" if suffix == "jsonl" else "row 2")
    assert found.first_of(["question", "id", "score"]) == "id"
    assert found.first_of(["question"]) is None
    with pytest.raises(RowsError, match=r"no column 'sore'\. Did you mean 'score'"):
        found.named("sore")


def test_columns_of_later_rows_and_lines(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n\n{"b": [2]}\n')
    found = read_columns(path, ["a", "b"])
    assert found.values == {"a": [1, None], "b": [None, [2]]}
    assert found.place(1) == f"{path}, line 3"


def test_unusable_files_are_reported(tmp_path):
    with pytest.raises(RowsError, match="there is no such file"):
        read_columns(tmp_path / "a.parquet", ["a"])
    with pytest.raises(RowsError, match=r"^'': unknown file type"):  # the shell's "$FILE" of an unset variable
        read_columns("", ["a"])
    (tmp_path / "b.jsonl").mkdir()
    with pytest.raises(RowsError, match="is a folder"):
        read_columns(tmp_path / "b.jsonl", ["a"])
    (tmp_path / "a.parquet").write_bytes(b"nothing")
    with pytest.raises(RowsError, match="not a complete Parquet file"):
        read_columns(tmp_path / "a.parquet", ["a"])
    (tmp_path / "a.jsonl").touch()
    with pytest.raises(RowsError, match="there are no rows"):
        read_columns(tmp_path / "a.jsonl", ["a"])
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), tmp_path / "two.parquet")
    with pytest.raises(RowsError, match="two columns are named 'a'"):
        read_columns(tmp_path / "two.parquet", ["a"])


def test_errors_about_standard_input_name_it(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1}\n')))
    found = read_columns("-", ["a"])
    with pytest.raises(RowsError, match=r"^standard input: there is no column 'b'"):
        found.named("b")
    with pytest.raises(RowsError, match=r"^standard input: there are no rows"):
        read_columns("-", ["a"])


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_reading_thousands_of_columns_takes_linear_time(tmp_path, suffix):
    """Once, every column was compared with every other one, which took minutes."""
    began = time.process_time()
    row = {f"c{number}": float(number) for number in range(3000)}
    write_rows(tmp_path / f"wide.{suffix}", [row])
    assert len(read_columns(tmp_path / f"wide.{suffix}", ["c7"]).present) == 3000
    assert time.process_time() - began < 5
