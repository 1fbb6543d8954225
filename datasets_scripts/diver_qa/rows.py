"""Read DIVER-QA's source file as rows, one for each judged answer. No library is needed.

A row is a dict with the fields that the card (README.md) describes.
"""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .._shared.sources import Source, find

Row = dict[str, Any]

QUESTION_SOURCES = ("aqa", "squad", "medqa", "hotpotqa", "triviaqa")

MODELS = ("claude", "mixtral", "ll70b", "ll8b", "phi")

SOURCE = Source(
    path="diver_qa.csv",
    url="https://raw.githubusercontent.com/saishridhar/DIVER-QA/main/diver_qa.csv",
    sha256="1f57520980a05df593216eef0a12ebcfe5e9895206262f4e91ef6f98445fdb8e",
)

_COLUMNS = ("questions", "answers", "dataset", "prediction", "model", "eval")

_VERDICTS = {"1": True, "0": False}


def read_rows(data_dir: Path) -> Iterator[Row]:
    """Yield all rows in the order of `diver_qa.csv`, a file in the folder or in a clone of the authors' repository.

    Raises:
        FileNotFoundError: The source file is missing; the message says where to get it.
        ValueError: The file is not in DIVER-QA's format; the message names the line.
    """
    return parse_file(find(SOURCE, data_dir))


def parse_file(path: Path) -> Iterator[Row]:
    """Yield the rows of the CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.DictReader(file, strict=True)
        missing = [column for column in _COLUMNS if column not in (lines.fieldnames or ())]
        if missing:
            raise ValueError(f"{path} lacks the column {missing[0]!r}; expected {', '.join(_COLUMNS)}")
        for line in lines:
            if line["eval"] not in _VERDICTS:
                raise ValueError(f"{path}, line {lines.line_num}: eval is {line['eval']!r}; expected 1 or 0")
            yield {
                "question": line["questions"],
                "references": [line["answers"]],
                "answer": line["prediction"],
                "source": line["dataset"],
                "model": line["model"],
                "judgement": _VERDICTS[line["eval"]],
            }
