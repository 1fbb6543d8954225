"""Written rows are read back equal, and a file appears once it is complete."""

import csv
import io
import json
import os
import sys
import tracemalloc
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_qa.files import writing
from evaluate_qa.files.rows import RowsError, read_rows
from evaluate_qa.files.writing import check_different, check_target, join_parts, replacing, write_part, write_rows

FORMATS = ["jsonl", "csv", "parquet"]

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


def _round_trip(path, rows):
    assert write_rows(path, iter(rows)) == len(rows)
    return [row for _, row in read_rows(path)]


@pytest.mark.parametrize("suffix", FORMATS)
def test_strings_and_lists_are_read_back(tmp_path, suffix):
    rows = [{"predictions": 'é "x",\n\r\n\ty', "references": ["[a", 'b"']}, {"predictions": "", "references": ["c"]}]
    assert _round_trip(tmp_path / f"a.{suffix}", rows) == rows


@given(
    rows=st.lists(
        st.dictionaries(
            st.sampled_from("abc"), st.none() | st.integers() | st.booleans() | TEXTS | st.lists(TEXTS, max_size=2)
        ),
        max_size=5,
    )
)
def test_any_rows_can_be_written_and_jsonl_keeps_them(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("rows")
    assert _round_trip(folder / "a.jsonl", rows) == rows
    if any(rows):  # otherwise, there is no column
        assert len(_round_trip(folder / "a.parquet", rows)) == len(rows)
        assert len(_round_trip(folder / "a.csv", rows)) == len(rows)


@pytest.mark.parametrize("part", [1, 100])
def test_parquet_columns_have_a_type_for_the_rows_of_all_parts(tmp_path, monkeypatch, part):
    monkeypatch.setattr(writing, "_PART", part)
    rows = [
        {"id": 1, "references": "a", "score": 1, "late": None},
        {"id": "b", "references": ["b", "c"], "score": 0.5, "late": None, "new": {"x": 1}},
        {"id": None, "references": None, "score": None, "late": [1], "new": {"y": 2}},
    ]
    assert _round_trip(tmp_path / "a.parquet", rows) == [
        {"id": "1", "references": ["a"], "score": 1.0, "late": None, "new": None},
        {"id": "b", "references": ["b", "c"], "score": 0.5, "late": None, "new": {"x": 1, "y": None}},
        {"id": None, "references": None, "score": None, "late": [1], "new": {"x": None, "y": 2}},
    ]


def test_parquet_keeps_types_that_json_lacks(tmp_path):
    rows = [{"day": date(2024, 2, 29), "bytes": b"\x00\xff"}]
    assert _round_trip(tmp_path / "a.parquet", rows) == rows


@pytest.mark.parametrize("part", [1, 100])
def test_csv_has_the_columns_of_all_rows(tmp_path, monkeypatch, part):
    monkeypatch.setattr(writing, "_PART", part)
    write_rows(tmp_path / "a.csv", [{"a": 1}, {"b": ["x"], "a": None}, {"c": {"k": 2.5}, "b": np.array([1])}])
    with (tmp_path / "a.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["a", "b", "c"], ["1", "", ""], ["", '["x"]', ""], ["", "[1]", '{"k": 2.5}']]


@pytest.mark.parametrize("suffix", FORMATS)
def test_lone_surrogates_are_written(tmp_path, suffix):
    expected = {"jsonl": "\ud800", "csv": "\ufffd", "parquet": "\ufffd"}  # JSON can escape it, UTF-8 cannot encode it
    assert _round_trip(tmp_path / f"a.{suffix}", [{"a": "\ud800"}]) == [{"a": expected[suffix]}]


def test_jsonl_is_readable_and_dates_and_arrays_become_json(tmp_path):
    write_rows(tmp_path / "a.jsonl", [{"a": "é", "b": date(2024, 2, 29), "c": np.arange(2), "d": np.float32(0.5)}])
    assert (tmp_path / "a.jsonl").read_text() == '{"a": "é", "b": "2024-02-29", "c": [0, 1], "d": 0.5}\n'


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
@pytest.mark.parametrize("value", [b"x", [b"x"], {"bytes": b"x"}])
def test_bytes_in_text_formats_are_refused(tmp_path, suffix, value):
    with pytest.raises(RowsError, match=r"^the column 'image' holds a value of type bytes.*; write Parquet, or leave"):
        write_rows(tmp_path / f"a.{suffix}", [{"id": 1, "image": value}])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    write_rows(path, [{"a": "old"}])

    def rows():
        yield {"a": "new"}
        raise OSError("the source broke")

    with pytest.raises(OSError, match="the source broke"):
        write_rows(path, rows())
    assert [row for _, row in read_rows(path)] == [{"a": "old"}]
    assert list(tmp_path.iterdir()) == [path]


def test_standard_output_is_jsonl(monkeypatch):
    stream = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(stream))
    assert write_rows("-", [{"a": "é"}, {"b": 2}]) == 2
    assert [json.loads(line) for line in stream.getvalue().splitlines()] == [{"a": "é"}, {"b": 2}]


def test_a_missing_folder_is_reported_before_the_first_row_is_read(tmp_path):
    def rows():
        pytest.fail("a row was read")
        yield {}

    with pytest.raises(RowsError, match=r"no folder .*/new\. Create it first, or name another file\.$"):
        write_rows(tmp_path / "new" / "a.csv", rows())
    with pytest.raises(RowsError, match=r"unknown file type"):
        write_rows(tmp_path / "a.txt", rows())


@pytest.mark.slow
@pytest.mark.parametrize("suffix", FORMATS)
def test_memory_does_not_grow_with_the_rows(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(writing, "_PART", 100)
    before = pa.default_memory_pool().bytes_allocated()
    tracemalloc.start()
    write_rows(tmp_path / f"a.{suffix}", ({"a": "x" * 1000} for _ in range(5_000)))
    peak = tracemalloc.get_traced_memory()[1] + pa.default_memory_pool().bytes_allocated() - before
    tracemalloc.stop()
    assert peak < 2_500_000  # the rows have 5 million bytes


@pytest.mark.parametrize("exists", [True, False])
def test_writing_to_a_symbolic_link_replaces_its_target(tmp_path, exists):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "real.jsonl", tmp_path / "link.jsonl"
    if exists:
        target.write_text("old")
    link.symlink_to(target)
    assert _round_trip(link, [{"a": "new"}]) == [{"a": "new"}]
    assert link.readlink() == target
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["far", link.name, target.name]


def test_permissions_of_a_file_are_kept_and_a_new_file_has_the_default(tmp_path):
    target, plain = tmp_path / "a.jsonl", tmp_path / "plain"
    target.touch(mode=0o600)
    write_rows(target, [{"a": 1}])
    assert target.stat().st_mode & 0o777 == 0o600
    plain.touch()
    with replacing(tmp_path / "new") as path:
        path.touch(mode=0o600)  # as some libraries do
    assert (tmp_path / "new").stat().st_mode == plain.stat().st_mode


def test_folders_and_pipes_are_not_replaced(tmp_path):
    (tmp_path / "a.jsonl").mkdir()
    with pytest.raises(RowsError, match=r"a\.jsonl is a folder. Name a file to write to"):
        check_target(tmp_path / "a.jsonl")
    os.mkfifo(tmp_path / "b.jsonl")
    with pytest.raises(RowsError, match=r"b\.jsonl is not a regular file"):
        check_target(tmp_path / "b.jsonl")
    (tmp_path / "c.jsonl").symlink_to(tmp_path / "no" / "c.jsonl")
    with pytest.raises(RowsError, match=r"there is no folder .*/no\. Create it first"):
        check_target(tmp_path / "c.jsonl")


def test_a_folder_without_permission_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    with pytest.raises(RowsError, match=r"a\.jsonl cannot be written: no permission in its folder. Name another file"):
        check_target(tmp_path / "a.jsonl")


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_protected_file_is_not_replaced(tmp_path):
    (tmp_path / "a.jsonl").touch(mode=0o400)
    with pytest.raises(RowsError, match=r"a\.jsonl is write-protected"):
        check_target(tmp_path / "a.jsonl")


@pytest.mark.parametrize("name", ["a.JSONL", "a.CSV", "a.Parquet"])
def test_the_case_of_a_suffix_does_not_matter(tmp_path, name):
    rows = [{"id": "1", "label": "x"}]
    write_part(tmp_path / name, rows)
    assert [row for _, row in read_rows(tmp_path / name)] == rows
    write_rows(tmp_path / name, rows)
    assert [row for _, row in read_rows(tmp_path / name)] == rows


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_string_that_looks_like_a_list_is_read_back(tmp_path, suffix):
    """In CSV, a cell in a column of lists that starts with a bracket is read as JSON."""
    rows = [{"references": "[0, 1)", "note": "[so]"}, {"references": ["[a]", "b"], "note": '["x"]'}]
    write_rows(tmp_path / f"a.{suffix}", rows)
    write_part(tmp_path / f"0.{suffix}", rows)
    join_parts([tmp_path / f"0.{suffix}"], tmp_path / f"b.{suffix}")
    for name in ("a", "b"):
        found = [row for _, row in read_rows(tmp_path / f"{name}.{suffix}")]
        assert [(row["references"], row["note"]) for row in found] == [
            ("[0, 1)" if suffix == "jsonl" else ["[0, 1)"], "[so]"),
            (["[a]", "b"], '["x"]'),
        ]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([1], ["x"], [["1"], ["x"]]),
        ({"a": 1}, [1], [['{"a": 1}'], ["1"]]),
        (1, [[1]], [[[1]], [[1]]]),
        ("ok", [["a", "b"]], [[["ok"]], [["a", "b"]]]),
        (2**60 + 1, 2.5, [str(2**60 + 1), "2.5"]),
        ("s", [1], [["s"], ["1"]]),
        (True, "x", ["True", "x"]),
        (None, [1], [None, [1]]),
    ],
)
def test_parts_with_any_types_are_joined_to_one_parquet_file(tmp_path, one, other, expected):
    """Values without a common type become text."""
    for number, value in enumerate((one, other)):
        write_part(tmp_path / f"{number}.parquet", [{"v": value, "w": number}])
    join_parts([tmp_path / "0.parquet", tmp_path / "1.parquet"], tmp_path / "all.parquet")
    rows = [row for _, row in read_rows(tmp_path / "all.parquet")]
    assert [row["v"] for row in rows] == expected
    assert [row["w"] for row in rows] == [0, 1]


def test_objects_with_bytes_cannot_become_text(tmp_path):
    for number, value in enumerate(({"bytes": b"x"}, "none")):
        write_part(tmp_path / f"{number}.parquet", [{"image": value}])
    with pytest.raises(RowsError, match="The column 'image' mixes objects with other values"):
        join_parts([tmp_path / "0.parquet", tmp_path / "1.parquet"], tmp_path / "all.parquet")


def test_the_same_file_under_two_names_is_refused(working_folder, tmp_path):
    Path("a").write_text("a")
    Path("hard").hardlink_to("a")
    Path("soft").symlink_to("a")
    Path("later").symlink_to("b")
    Path("folder").mkdir()
    for one, other in [("a", "folder/../a"), ("a", "hard"), ("soft", "a"), ("later", "b"), ("b", tmp_path / "b")]:
        with pytest.raises(RowsError, match="--input and --errors must be different files"):
            check_different({"--input": one, "--output": "c", "--errors": other})
    check_different({"--input": "a", "--output": "b", "--errors": None})
    check_different({"--input": "-", "--output": "-", "--errors": "a"})
    check_different({"--scored": "-", "--output": "-", "--json": "a"})


def test_the_file_of_a_standard_stream_is_refused_as_another_file(processes, tmp_path):
    code = (
        "from evaluate_qa.files.writing import *; check_different({'--input': 'a', '--output': '-', '--errors': 'b'})"
    )
    with (tmp_path / "b").open("w") as file:
        done = processes.run("-c", code, cwd=tmp_path, stdout=file)
    assert "--output and --errors must be different files, but both are b" in done.stderr
