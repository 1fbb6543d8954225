"""Downloads can be read again, and spreadsheets do not run their cells."""

import csv
import json

import pytest

from evaluate_qa.files.rows import read_rows
from evaluate_qa.spaces._shared.scoring.files import UploadedTable, collect, read
from evaluate_qa.spaces._shared.scoring.records import records_of, write

HOSTILE = ['=HYPERLINK("http://127.0.0.1:9/?"&A1, "see")', "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1:A9)"]
HOSTILE += [" =1+1", "\t=1+1", "\r=1+1", "＝1+1"]
HARMLESS = ["-5", "+3.5e7", "[42]", "[inaudible]", "a = b", 'say "no", twice\nor not', "北京 🎉", "'quoted'", ""]


pytestmark = pytest.mark.usefixtures("uploads")


@pytest.fixture
def rows():
    """A row for each answer, with references that look like formulas, and a row without a question."""
    rows = [
        {"question": "Which?", "references": [text, "=1+1", "a, b"], "prediction": text}
        for text in [*HOSTILE, *HARMLESS[:-1]]
    ]
    return [*rows, {"references": ["one"], "prediction": ""}]


@pytest.fixture
def files(rows, scored_rows):
    scored = scored_rows("smile", rows)
    assert len(scored.kept) == len(rows)
    return write(records_of(scored))


def test_a_download_can_be_uploaded_again(files, rows, smile):
    expected = collect(UploadedTable("rows", ""), enumerate(rows, 1), smile.fields).rows
    table, lines = (read(file, smile.fields) for file in files)
    assert lines.rows == expected
    assert (lines.problems, table.problems) == ([], [])
    for kept, row in zip(table.rows, expected, strict=True):
        apostrophe = "'" * (row["predictions"] in HOSTILE)
        assert kept == row | {"predictions": apostrophe + row["predictions"]}


def test_the_commands_read_both_formats_alike(files):
    """Lists are JSON in both formats, and texts stay texts."""
    (_, first), *_ = table = list(read_rows(files[0]))
    assert first["references"] == [HOSTILE[0], "=1+1", "a, b"]
    lines = [row for _, row in read_rows(files[1])]
    assert [row["references"] for _, row in table] == [row["references"] for row in lines]
    assert [float(row["score"]) for _, row in table] == [row["score"] for row in lines]
    assert lines[-1]["prediction"] == table[-1][1]["question"] == ""


def test_no_cell_starts_a_formula(files):
    with files[0].open(encoding="utf-8", newline="") as lines:
        cells = [cell for line in csv.reader(lines) for cell in line]
    starts = {cell.lstrip()[:1] for cell in cells if cell not in ("-5", "+3.5e7")}
    assert not starts & {*"=+-@＝"}
    assert {f"'{text}" for text in HOSTILE} <= {*cells}
    assert {*HARMLESS} <= {*cells}


def test_lone_surrogates_are_replaced(scored_rows):
    record = json.loads('{"prediction": "a \\ud800 b", "references": ["\\ud83d\\ude00"]}')
    scored = scored_rows("smile", [record])
    assert scored.table.rows == [{"predictions": "a \ufffd b", "references": ["😀"]}]
    assert "a \ufffd b" in write(records_of(scored))[0].read_text(encoding="utf-8")
