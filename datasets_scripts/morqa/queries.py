"""Read MORQA's queries and gold responses from the subsets' JSON files."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .release import LANGUAGES, Release

Row = dict[str, Any]

# The extension files add this many gold responses to each query of DermaVQA, at the end.
_LATER = 2

_HIGH_RANK = 4


class Author(NamedTuple):
    """The author of a gold response."""

    validation: str | None  # the forum's validation of the author, such as `md2_validated` for a doctor, or None
    rank: int | None  # the author's level from 0 to 8; None if unknown


def queries(release: Release) -> Iterator[Row]:
    """Yield one row for each query and language.

    Fields: `subset` (`dermavqa`, `woundcarevqa`, `liveqa`, `meddialog`), `split` (`valid`, `test`), `encounter_id`
    (str), `language` (`en`, `zh`), `author_id` (str or None), `title` (may be empty), `content`, `image_ids` (file
    names).

    Raises:
        ValueError: A file is not in the format of the release.
    """
    for query, encounter in _encounters(release):
        language = query["language"]
        yield query | {
            "author_id": encounter.get("author_id"),
            "title": encounter.get(f"query_title_{language}") or "",
            "content": encounter[f"query_content_{language}"] or "",
            "image_ids": list(encounter.get("image_ids") or []),
        }


def references(release: Release) -> Iterator[Row]:
    """Yield one row for each gold response and language.

    Fields: those that identify the query, and `position` (its index among the query's responses), `author_id`,
    `content` (empty if it was not translated), `completeness` (0, .5, 1 or None), `contains_frequent_answer` (bool or
    None), `author_validation` (str or None), `author_rank` (int or None), and `weight` (`reference_weight` if the
    response was judged, else 1).

    Raises:
        FileNotFoundError: The authors of DermaVQA's gold responses are missing.
        ValueError: A file is not in the format of the release.
    """
    authors = _read_authors(release.authors) if release.authors else None
    later = {
        ("dermavqa", split, encounter["encounter_id"]): encounter["responses"][-_LATER:]
        for split, path in release.extensions.items()
        for encounter in encounters(path)
    }
    for query, encounter in _encounters(release):
        added = later.get((query["subset"], query["split"], query["encounter_id"]), [])
        for position, response in enumerate(encounter["responses"] + added):
            yield query | {
                "position": position,
                "author_id": response.get("author_id"),
                "content": response.get(f"content_{query['language']}") or "",
                **_judged(response, authors),
            }


def _encounters(release: Release) -> Iterator[tuple[Row, dict[str, Any]]]:
    """Yield the fields that identify a query in a language, and the query's object."""
    for (subset, split), path in release.queries.items():
        for encounter in encounters(path):
            named = {"subset": subset, "split": split, "encounter_id": encounter["encounter_id"]}
            for language in _languages(encounter, path):
                yield {**named, "language": language}, encounter


def encounters(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a query file, each a query with its gold responses."""
    found = json.loads(path.read_text(encoding="utf-8-sig"))
    if not isinstance(found, list):
        raise ValueError(f"{path}: expected a JSON list of queries, found {type(found).__name__}")
    for number, encounter in enumerate(found):
        for field in ("encounter_id", "responses"):
            if not isinstance(encounter, dict) or field not in encounter:
                raise ValueError(f"{path}: query {number} has no {field!r}")
    # Some identifiers are numbers here, but strings in the rating files.
    return [{**encounter, "encounter_id": str(encounter["encounter_id"])} for encounter in found]


def reference_weight(author: Author, completeness: float, contains_frequent_answer: bool) -> float:
    """Return the weight of a gold response in ΔBLEU, from .6 to 1, as in the MEDIQA-M3G 2024 evaluation.

    The weight is .6, plus .1 for each merit: the response is complete (1.0, not .5), its author is a doctor, the
    author's rank is at least 4, and it contains the most frequent answer to the query.
    """
    merits = (
        completeness == 1,
        (author.validation or "").startswith("md"),
        (author.rank or 0) >= _HIGH_RANK,
        contains_frequent_answer,
    )
    return (6 + sum(merits)) / 10


def _languages(encounter: dict[str, Any], path: Path) -> list[str]:
    found = [language for language in LANGUAGES if f"query_content_{language}" in encounter]
    if not found:
        raise ValueError(f"{path}: query {encounter['encounter_id']} has no query_content_en or query_content_zh")
    return found


def _read_authors(path: Path) -> dict[str, Author]:
    """Return the authors in df_userinfo.csv by their identifiers."""
    authors = {}
    with path.open(encoding="utf-8-sig", newline="") as file:
        for line in csv.DictReader(file):
            rank = line["rank_level"].removeprefix("level_")
            authors[line["author_id"]] = Author(
                line["validation_level"] or None, int(rank) if rank.isdecimal() else None
            )
    return authors


def _judged(response: dict[str, Any], authors: dict[str, Author] | None) -> Row:
    """Return the fields about the quality of a gold response. Only DermaVQA's were judged."""
    if response.get("completeness") is None:
        unknown = dict.fromkeys(("completeness", "contains_frequent_answer", "author_validation", "author_rank"))
        return {**unknown, "weight": 1.0}
    if authors is None:
        raise FileNotFoundError(
            "df_userinfo.csv is missing. The weights of DermaVQA's gold responses need it: "
            "get it from https://github.com/wyim/DermaVQA (data/iiyi)"
        )
    author = authors.get(response.get("author_id") or "")
    if author is None:
        raise ValueError(f"author {response.get('author_id')} of a gold response is not in df_userinfo.csv")
    frequent = response.get("contains_freq_ans") == 1
    return {
        "completeness": float(response["completeness"]),
        "contains_frequent_answer": frequent,
        "author_validation": author.validation,
        "author_rank": author.rank,
        "weight": reference_weight(author, response["completeness"], frequent),
    }
