"""Read MORQA's system responses and human ratings from the rating files."""

import csv
import math
import re
from collections.abc import Iterator
from pathlib import Path

from .queries import Row, encounters
from .release import LANGUAGES, SUBSETS, Release

_SUBSET_OF_NAME = {name: subset for subset, found in SUBSETS.items() for name in found.names}

_RESPONSE = ("subset", "split", "encounter_id", "language", "system", "answer")
_RATING = ("subset", "split", "encounter_id", "language", "system", "rater_id", "aspect", "value")


def ratings(release: Release) -> Iterator[Row]:
    """Yield one row for each human rating.

    Fields: those that identify the response (see `response_key`), `split`, `rater_id`, `aspect` (such as `overall`),
    and `value` (float, or None if it is missing). Higher is better, except for `disagree_flag`. A response with two
    raters has two rows for each aspect.
    """
    return ({field: row[field] for field in _RATING} for row in _rated_responses(release))


def unique_responses(release: Release) -> Iterator[Row]:
    """Yield each system response once.

    Raises:
        ValueError: Two lines have different texts for one response.
    """
    texts: dict[tuple[str, str, str, str], str] = {}
    for row in _rated_responses(release):
        key = response_key(row)
        if key not in texts:
            texts[key] = row["answer"]
            yield {field: row[field] for field in _RESPONSE}
        elif texts[key] != row["answer"]:
            raise ValueError(f"the rating files have two texts for the response {' '.join(key)}. Expected one text.")


def response_key(row: Row) -> tuple[str, str, str, str]:
    """Return what identifies a system response: subset, encounter, language, system."""
    return row["subset"], row["encounter_id"], row["language"], row["system"]


def _rated_responses(release: Release) -> Iterator[Row]:
    """Yield one row for each line of the rating files: a rating together with its response."""
    splits = {
        (subset, encounter["encounter_id"]): split
        for (subset, split), path in release.queries.items()
        for encounter in encounters(path)
    }
    for path in release.ratings:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.DictReader(file, strict=True)
            for line in lines:
                yield _rated_response(line, path, lines.line_num, splits)


def _rated_response(line: dict[str, str], path: Path, number: int, splits: dict[tuple[str, str], str]) -> Row:
    where = f"{path}, line {number}"
    if None in line or None in line.values():
        raise ValueError(f"{where} has more or fewer cells than the header")
    subset = _SUBSET_OF_NAME.get(line["dataset"].lower())
    if subset is None:
        raise ValueError(f"{where}: unknown dataset {line['dataset']!r}; expected one of {', '.join(_SUBSET_OF_NAME)}")
    if line["lang"] not in LANGUAGES:
        raise ValueError(f"{where}: unknown lang {line['lang']!r}; expected {' or '.join(LANGUAGES)}")
    split = splits.get((subset, line["encounter_id"])) or _split_in_name(path)
    if split is None:
        raise ValueError(
            f"{where}: encounter {line['encounter_id']} of {subset} is not in its query files, and the name of the "
            "rating file has neither valid nor test in it. Add the query files or rename the rating file."
        )
    return {
        "subset": subset,
        "split": split,
        "encounter_id": line["encounter_id"],
        "language": line["lang"],
        "system": line["candidate_author_id"],
        "answer": line["candidate"],
        "rater_id": line["rater_id"],
        "aspect": line["metric"],
        "value": _value(line["value"], where),
    }


def _split_in_name(path: Path) -> str | None:
    """Return the split in a file's name, such as `mediqa-eval-2026-valid.csv`; None for no split or both."""
    found = {"valid", "test"} & set(re.findall(r"[a-z]+", path.stem.lower()))
    return found.pop() if len(found) == 1 else None


def _value(text: str, where: str) -> float | None:
    """Return a rating, or None for an empty cell and NaN."""
    try:
        value = float(text or "nan")
    except ValueError:
        value = math.inf
    if math.isinf(value):
        raise ValueError(f"{where}: value is {text!r}; expected a number")
    return None if math.isnan(value) else value
