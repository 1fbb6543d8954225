"""Read EVOUNA's source files as rows, one for each question and system. No library is needed.

A row is a dict with the fields that the card (README.md) describes, which also lists the known defects.
"""

import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from .._shared.sources import Source, find

Row = dict[str, Any]

SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")

# The last commit that changed the data, so that the content of the URL never changes.
_COMMIT = "https://raw.githubusercontent.com/wangcunxiang/QA-Eval/5e82f3cb5b7e9a583803e4fc6fe4b5c794f74024"

_SHA256 = {
    "nq": "617c7fd95fe4177f39e2304c943cc0abbdbf539bc8a4fb61aeaef255bed503a1",
    "tq": "e01709ec6b979d3976f2f8f676dab2e2aea50e0a07f3c66d70dae358e5360d23",
}
_PATHS = {name: f"EVOUNA/{name.upper()}.json" for name in _SHA256}
SOURCES = {name: Source(path, f"{_COMMIT}/{path}", _SHA256[name]) for name, path in _PATHS.items()}
"""Source file of each configuration: `nq` (Natural Questions) and `tq` (TriviaQA)."""

SPLIT_FILE = Path(__file__).with_name("split.json")
"""This project's split of the question ids into `train`, `dev` and `test`."""


def read_rows(data_dir: Path, config: str) -> Iterator[Row]:
    """Yield all rows of `nq` or `tq` by question, then by system in the order of `SYSTEMS`.

    The folder has `NQ.json` and `TQ.json`, or is a clone of the authors' repository.

    Raises:
        FileNotFoundError: The source file is missing; the message says where to get it.
        ValueError: There is no such configuration, or the file is not in EVOUNA's format.
    """
    if config not in SOURCES:
        raise ValueError(f"EVOUNA has no configuration {config!r}; expected one of {', '.join(SOURCES)}")
    return parse_file(find(SOURCES[config], data_dir))


def parse_file(path: Path) -> Iterator[Row]:
    """Yield the rows of one source file, a JSON list with one object per question."""
    questions = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(questions, list):
        raise ValueError(f"{path}: expected a JSON list of questions, found {type(questions).__name__}")
    for number, source in enumerate(questions):
        try:
            rows = [_row(number, source, system) for system in SYSTEMS]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}: question {number} is not in EVOUNA's format: {error!r}") from error
        yield from rows


def _row(number: int, source: dict[str, Any], system: str) -> Row:
    verdict = _judgement(source[f"judge_{system}"])
    answer = _answer(source[f"answer_{system}"], verdict)
    # The source joins the golden answers with "/". A "/" inside an answer splits it, too.
    references = [part.strip() for part in (source["golden_answer"] or "").split("/") if part.strip()]
    return {
        "question_id": number,
        "question": source["question"],
        "references": references,
        "system": system,
        "answer": answer,
        "judgement": verdict,
        "improper": source["improper"],
        # An empty answer counts: a person has judged it.
        "usable": not source["improper"] and verdict is not None and answer is not None and bool(references),
    }


def _judgement(value: object) -> bool | None:
    """Return a verdict, or None for null, NaN and the string "nan", which TQ.json contains."""
    if isinstance(value, bool):
        return value
    if value is None or value != value or value == "nan":  # noqa: PLR0124 - only NaN differs from itself
        return None
    raise ValueError(f"verdict {value!r}; expected true, false, null or NaN")


def _answer(value: object, verdict: bool | None) -> str | None:
    """Return an answer, or None for null and NaN.

    For unjudged answers, TQ.json has the string "None" instead of null. A judged "None" is a real answer.
    """
    if value is None or value != value or (value == "None" and verdict is None):  # noqa: PLR0124
        return None
    if not isinstance(value, str):
        raise ValueError(f"answer {value!r}; expected a string, null or NaN")
    return value


def read_split(path: Path, config: str, split: str) -> frozenset[int]:
    """Return the question ids of one split of `nq` or `tq`; ValueError if the file has no such split.

    The file has the form `{"NQ": {"train": [0, 1, …], "dev": […], "test": […]}, "TQ": {…}}`.
    """
    splits = json.loads(path.read_text(encoding="utf-8")).get(config.upper(), {})
    if split not in splits:
        raise ValueError(f"{path} has no split {split!r} of {config}; expected one of {', '.join(splits) or '(none)'}")
    return frozenset(splits[split])


def select(rows: Iterable[Row], question_ids: Collection[int]) -> Iterator[Row]:
    """Yield the rows with the given question ids."""
    return (row for row in rows if row["question_id"] in question_ids)
