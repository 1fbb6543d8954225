"""EVOUNA's source files as rows, one for each question and system; needs no library.

A row is a dict with the fields below; the card (README.md) describes them and the defects they hide.

| field | type | what it is |
| --- | --- | --- |
| question_id | int | number of the question in the source file, from 0; split.json counts the same way |
| question | str | the question |
| references | list[str] | `golden_answer` split on "/", stripped, empty parts dropped |
| system | str | who answered: one of `SYSTEMS` |
| answer | str or None | what it answered, as in the source; None where the source has null |
| judgement | bool or None | the human verdict; None where the source has null or NaN |
| improper | bool | the question or its golden answer was found to be unfit by the annotators |
| usable | bool | `is_usable`: what the paper's tables are computed on |
"""

import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from .._shared.sources import Source, find

Row = dict[str, Any]

SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")

# The last commit that changed the data; a URL with a commit never changes what it gives.
_COMMIT = "https://raw.githubusercontent.com/wangcunxiang/QA-Eval/5e82f3cb5b7e9a583803e4fc6fe4b5c794f74024"

_SHA256 = {
    "nq": "617c7fd95fe4177f39e2304c943cc0abbdbf539bc8a4fb61aeaef255bed503a1",
    "tq": "e01709ec6b979d3976f2f8f676dab2e2aea50e0a07f3c66d70dae358e5360d23",
}
_PATHS = {name: f"EVOUNA/{name.upper()}.json" for name in _SHA256}
SOURCES = {name: Source(path, f"{_COMMIT}/{path}", _SHA256[name]) for name, path in _PATHS.items()}
"""Configuration name (`nq`: Natural Questions, `tq`: TriviaQA) to its source file."""

SPLIT_FILE = Path(__file__).with_name("split.json")
"""This project's split of the questions into `train`, `dev` and `test`: by number, without a text of the source."""


def read_rows(data_dir: Path, config: str) -> Iterator[Row]:
    """Yield all rows of one configuration, question by question, the systems in the order of `SYSTEMS`.

    Args:
        data_dir: Folder with `NQ.json` and `TQ.json`, or a clone of the authors' repository.
        config: `nq` or `tq`.

    Raises:
        FileNotFoundError: the source file is not there; the message says where to get it.
        ValueError: no such configuration, or the file is not in EVOUNA's format.
    """
    if config not in SOURCES:
        raise ValueError(f"EVOUNA has no configuration {config!r}; expected one of {', '.join(SOURCES)}")
    return parse_file(find(SOURCES[config], data_dir))


def parse_file(path: Path) -> Iterator[Row]:
    """Yield the rows of one source file, a JSON list with an object for each question."""
    questions = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(questions, list):
        raise ValueError(f"{path}: expected a JSON list of questions, found {type(questions).__name__}")
    for number, source in enumerate(questions):
        yield from _question_rows(path, number, source)


def _question_rows(path: Path, number: int, source: dict[str, Any]) -> list[Row]:
    try:
        return [answer_row(number, source, system) for system in SYSTEMS]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: question {number} is not in EVOUNA's format: {error!r}") from error


def answer_row(number: int, source: dict[str, Any], system: str) -> Row:
    """Return the row of one system's answer to a question, given as an object of the source file."""
    verdict = judgement(source[f"judge_{system}"])
    row = {
        "question_id": number,
        "question": source["question"],
        "references": split_references(source["golden_answer"]),
        "system": system,
        "answer": answer(source[f"answer_{system}"], verdict),
        "judgement": verdict,
        "improper": source["improper"],
    }
    return row | {"usable": is_usable(row)}


def split_references(golden_answer: str | None) -> list[str]:
    """Return the golden answers, which the source joins with "/" (a "/" inside an answer splits it too)."""
    parts = (golden_answer or "").split("/")
    return [part.strip() for part in parts if part.strip()]


def judgement(value: object) -> bool | None:
    """Return a verdict, or None for null, for NaN and for the word "nan" that TQ.json has in its place."""
    if isinstance(value, bool):
        return value
    if value is None or value != value or value == "nan":  # noqa: PLR0124 - only NaN differs from itself
        return None
    raise ValueError(f"verdict {value!r}; expected true, false, null or NaN")


def answer(value: object, verdict: bool | None) -> str | None:
    """Return an answer, or None for null and NaN.

    TQ.json has the word "None" in the place of null where nobody judged; a judged "None" is a real answer, so
    the word alone does not decide.
    """
    if value is None or value != value or (value == "None" and verdict is None):  # noqa: PLR0124
        return None
    if not isinstance(value, str):
        raise ValueError(f"answer {value!r}; expected a string, null or NaN")
    return value


def is_usable(row: Row) -> bool:
    """Whether the paper's tables count this row: proper, judged, answered, with a reference.

    An empty answer counts: a person has judged it.
    """
    judged = row["judgement"] is not None and row["answer"] is not None
    return judged and not row["improper"] and bool(row["references"])


def read_split(path: Path, config: str, split: str) -> frozenset[int]:
    """Return the question numbers of one split from a split.json.

    Args:
        path: File of the form `{"NQ": {"train": [0, 1, …], "dev": […], "test": […]}, "TQ": {…}}`.
        config: `nq` or `tq`.
        split: A name in that file, e.g. `dev`.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file has no such configuration or split.
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file of splits.")
    splits = json.loads(path.read_text(encoding="utf-8")).get(config.upper())
    if splits is None or split not in splits:
        there = f"only {', '.join(splits)}" if splits else f"nothing for {config.upper()}"
        raise ValueError(f"{path} has no split {split!r} of {config}: {there}")
    return frozenset(splits[split])


def select(rows: Iterable[Row], question_ids: Collection[int]) -> Iterator[Row]:
    """Yield the rows of the given questions, such as `read_split` returns."""
    return (row for row in rows if row["question_id"] in question_ids)
