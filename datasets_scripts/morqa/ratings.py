"""MORQA's system responses and human ratings as rows, read from the rating files."""

import csv
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .queries import encounters
from .release import LANGUAGES, SUBSETS, Release

Row = dict[str, Any]

_SUBSET_OF_NAME = {name: subset for subset, found in SUBSETS.items() for name in found.names}

SplitOf = Callable[[str, str], str | None]
"""Takes a subset and an encounter, returns its split or None."""


def rated_responses(release: Release) -> Iterator[Row]:
    """Yield one row for each line of the rating files: a rating together with the response it is about.

    Raises:
        ValueError: a line is not in the format of the release; the message names file and line.
    """
    split_of = _split_of_encounters(release)
    for path in release.ratings:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.DictReader(file, strict=True)
            for line in lines:
                yield _rated_response(line, f"{path}, line {lines.line_num}", path, split_of)


def _rated_response(line: dict[str, str], where: str, path: Path, split_of: SplitOf) -> Row:
    if None in line or None in line.values():
        raise ValueError(f"{where} has more or fewer cells than the header")
    subset = _SUBSET_OF_NAME.get(line["dataset"].lower())
    if subset is None:
        raise ValueError(f"{where}: unknown dataset {line['dataset']!r}; expected one of {', '.join(_SUBSET_OF_NAME)}")
    if line["lang"] not in LANGUAGES:
        raise ValueError(f"{where}: unknown lang {line['lang']!r}; expected {' or '.join(LANGUAGES)}")
    split = split_of(subset, line["encounter_id"]) or split_in_name(path)
    if split is None:
        raise ValueError(
            f"{where}: encounter {line['encounter_id']} of {subset} is in none of its query files, and the name "
            "of the rating file says neither valid nor test; add the query files or rename the file"
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
        "value": rating_value(line["value"], where),
    }


def _split_of_encounters(release: Release) -> SplitOf:
    splits = {
        (subset, encounter["encounter_id"]): split
        for (subset, split), path in release.queries.items()
        for encounter in encounters(path)
    }
    return lambda subset, encounter_id: splits.get((subset, encounter_id))


def split_in_name(path: Path) -> str | None:
    """Return the split that a file's name says, as in `mediqa-eval-2026-valid.csv`; None if it says none or both."""
    words = re.findall(r"[a-z]+", path.stem.lower())
    found = {split for split in ("valid", "test") if split in words}
    return found.pop() if len(found) == 1 else None


def rating_value(text: str, where: str) -> float | None:
    """Return a rating, or None for an empty cell and NaN.

    Raises:
        ValueError: it is no finite number.
    """
    try:
        value = float(text or "nan")
    except ValueError:
        value = math.inf
    if math.isinf(value):
        raise ValueError(f"{where}: value is {text!r}; expected a number")
    return None if math.isnan(value) else value


def unique_responses(rated: Iterator[Row]) -> Iterator[Row]:
    """Yield each system response once, of the rows of `rated_responses`.

    Raises:
        ValueError: two lines have different texts for one response.
    """
    texts: dict[tuple[str, str, str, str], str] = {}
    for row in rated:
        key = response_key(row)
        if key not in texts:
            texts[key] = row["answer"]
            yield {field: row[field] for field in ("subset", "split", "encounter_id", "language", "system", "answer")}
        elif texts[key] != row["answer"]:
            raise ValueError(f"the rating files hold two texts for the response {' '.join(key)}")


def response_key(row: Row) -> tuple[str, str, str, str]:
    """Return what tells a system response from all others: subset, encounter, language, system."""
    return row["subset"], row["encounter_id"], row["language"], row["system"]
