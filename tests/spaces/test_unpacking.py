"""Parquet files: only what is needed is read, what cannot be read is said, and none takes the server's memory."""

import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from evaluate_qa.spaces._shared.metric import QUESTION, REFERENCES
from evaluate_qa.spaces._shared.metric.specification import ANSWER
from evaluate_qa.spaces._shared.scoring import unpacking
from evaluate_qa.spaces._shared.scoring.files import OTHER, read
from evaluate_qa.spaces._shared.visitors.limits import Limits, Refusal

FIELDS = (QUESTION, REFERENCES, ANSWER)
GOOD = {"prediction": pa.array(["a"]), "references": pa.array(["b"])}
pytestmark = pytest.mark.usefixtures("processes")  # that unpacks is one

ROW = {"predictions": "a", "references": ["b"]}


def texts(*contents):
    """Texts of these bytes, which need not be UTF-8."""
    return pa.array(contents, pa.binary()).view(pa.string())


def write(path, columns, **options):
    """Write columns as a file."""
    parquet.write_table(pa.table(columns), path, **options)
    return path


def with_a_footer_that_lies(path):
    """Have the footer say that the first group of rows is small."""
    said = parquet.read_metadata(path).row_group(0).total_byte_size
    number, content = _varint(said), path.read_bytes()
    at = content.rfind(number)
    small = b"\x82" + b"\x80" * (len(number) - 2) + b"\x00"
    path.write_bytes(content[:at] + small + content[at + len(number) :])
    assert parquet.read_metadata(path).row_group(0).total_byte_size == 1
    return path


def _varint(number):
    number, written = number << 1, b""
    while number > 127:
        written, number = written + bytes([number & 127 | 128]), number >> 7
    return written + bytes([number])


@pytest.mark.parametrize(
    "column",
    [
        pa.array([2**30], pa.date32()),
        pa.array([2**62], pa.timestamp("us")),
        pa.array([0], pa.timestamp("us", tz="Mars/Phobos")),
        pa.array([2**62], pa.duration("us")),
        texts(b"\xff\xfe"),
        pa.array(["x" * 20_000_000]),
    ],
    ids=["date", "time", "zone", "duration", "text", "size"],
)
def test_what_nobody_needs_is_not_read(tmp_path, column):
    table = read(write(tmp_path / "a.parquet", {**GOOD, "other": column}, compression="zstd"), FIELDS)
    assert (table.rows, table.problems) == ([ROW], [])


def test_of_two_systems_both_are_read(tmp_path):
    table = read(write(tmp_path / "a.parquet", {**GOOD, OTHER: ["c"]}), FIELDS)
    assert table.others == ["c"]


def test_a_row_that_cannot_be_read_is_named_and_the_rest_is_kept(tmp_path):
    path = write(
        tmp_path / "a.parquet",
        {
            "prediction": texts(b"a", b"\xff\xfe", b"a", b"a"),
            "references": ["b"] * 4,
            "question": pa.array([None, None, "Who?", None]),
        },
    )
    table = read(path, FIELDS)
    assert table.problems == ["row 2: prediction: this cannot be read. Save it as text in UTF-8."]
    assert (table.places, table.rows[1]) == ([1, 3, 4], {**ROW, "questions": "Who?"})


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (pa.array([b"a"]), "Answer: expected a text, not an object."),
        (pa.array([0], pa.date32()), "Answer: expected a text, not an object."),
        (pa.array([2**30], pa.date32()), "prediction: this cannot be read."),
        (pa.array([0], pa.timestamp("us", tz="Mars/Phobos")), "prediction: this cannot be read."),
        (pa.array([5]), "Answer: expected a text, not 5."),
    ],
)
def test_what_is_no_text_is_refused(tmp_path, column, told):
    with pytest.raises(Refusal, match=f"no row can be scored.* row 1: {told}"):
        read(write(tmp_path / "a.parquet", {**GOOD, "prediction": column}), FIELDS)


def test_two_columns_of_one_name_are_refused(tmp_path):
    table = pa.Table.from_arrays([pa.array(["a"])] * 3, names=["prediction", "references", "references"])
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(Refusal, match="two columns have the same name"):
        read(tmp_path / "a.parquet", FIELDS)


def test_many_rows_are_refused_as_such(tmp_path):
    path = write(tmp_path / "a.parquet", {"prediction": ["a"] * 100_000, "references": ["b"] * 100_000})
    with pytest.raises(Refusal, match="There are more than 1,000 rows"):
        read(path, FIELDS)
    with pytest.raises(Refusal, match="larger than 0 MB"):
        read(path, FIELDS, Limits(rows=10**6, unpacked_bytes=1000))


def bombs():
    """Small files of gigabytes: a text whose size the footer hides, and a list of one text."""
    text = {"prediction": pa.array(["a" * 800_000_000], pa.large_string()), "references": ["b"]}
    one = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int32()), pa.array(["b" * 1000]))
    listed = pa.ListArray.from_arrays(pa.array([0, len(one)], pa.int32()), one)
    packed = {"compression": "zstd", "write_statistics": False}
    return {
        "text": lambda p: with_a_footer_that_lies(write(p, text, use_dictionary=False, **packed)),
        "list": lambda p: write(p, {**GOOD, "references": listed}, **packed),
    }


@pytest.mark.parametrize("name", ["text", "list"])
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system does not limit memory")
def test_a_small_file_of_gigabytes_takes_no_memory(tmp_path, processes, name):
    """Neither of the server nor of what unpacks it, which has a limit."""
    path = bombs()[name](tmp_path / "bomb.parquet")
    assert path.stat().st_size < 1_000_000
    lines = f"""
import resource, sys
sys.path.insert(0, {str(Path(unpacking.__file__).parents[2])!r})
from pathlib import Path
from evaluate_qa.spaces._shared.metric import QUESTION, REFERENCES
from evaluate_qa.spaces._shared.metric.specification import ANSWER
from evaluate_qa.spaces._shared.scoring.files import read
def used():
    return sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
before = used()
try:
    read(Path({str(path)!r}), (QUESTION, REFERENCES, ANSWER))
except Exception as error:
    print(type(error).__name__, error)
print((used() - before) // 1024)
"""
    told, used = processes.run("-c", lines, check=True).stdout.strip().split("\n")
    assert told.startswith("Refusal bomb.parquet: the unpacked file is larger than 16 MB")
    assert int(used) < 1000
