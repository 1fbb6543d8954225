"""MORQA's queries and gold responses as rows, read from the subsets' JSON files."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .release import LANGUAGES, Release
from .weights import Author, read_authors, reference_weight

Row = dict[str, Any]

_LATER = 2
"""How many gold responses the extension files add to each query of DermaVQA; they stand last there."""


def queries(release: Release) -> Iterator[Row]:
    """Yield one row for each query and language; see `rows.read_queries` for the fields."""
    for (subset, split), path in release.queries.items():
        for encounter in encounters(path):
            for language in languages(encounter, path):
                yield {
                    "subset": subset,
                    "split": split,
                    "encounter_id": encounter["encounter_id"],
                    "language": language,
                    "author_id": encounter.get("author_id"),
                    "title": encounter.get(f"query_title_{language}") or "",
                    "content": encounter[f"query_content_{language}"] or "",
                    "image_ids": list(encounter.get("image_ids") or []),
                }


def references(release: Release) -> Iterator[Row]:
    """Yield one row for each gold response and language; see `rows.read_references` for the fields."""
    authors = read_authors(release.authors) if release.authors else None
    for (subset, split), path in release.queries.items():
        later = _later_responses(release, split) if subset == "dermavqa" else {}
        for encounter in encounters(path):
            responses = encounter["responses"] + later.get(encounter["encounter_id"], [])
            for language in languages(encounter, path):
                for position, response in enumerate(responses):
                    yield {
                        "subset": subset,
                        "split": split,
                        "encounter_id": encounter["encounter_id"],
                        "language": language,
                        "position": position,
                        "author_id": response.get("author_id"),
                        "content": response.get(f"content_{language}") or "",
                        **_judged(response, authors),
                    }


def encounters(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a query file: a query with its gold responses each.

    Raises:
        ValueError: the file is not in the format of the release.
    """
    found = json.loads(path.read_text(encoding="utf-8-sig"))
    if not isinstance(found, list):
        raise ValueError(f"{path}: expected a JSON list of queries, found {type(found).__name__}")
    for number, encounter in enumerate(found):
        for field in ("encounter_id", "responses"):
            if not isinstance(encounter, dict) or field not in encounter:
                raise ValueError(f"{path}: query {number} has no {field!r}")
    # Identifiers that are numbers here are texts in the rating files.
    return [{**encounter, "encounter_id": str(encounter["encounter_id"])} for encounter in found]


def languages(encounter: dict[str, Any], path: Path) -> list[str]:
    """Return those of MORQA's languages in which a query was published.

    Raises:
        ValueError: there is none.
    """
    found = [language for language in LANGUAGES if f"query_content_{language}" in encounter]
    if not found:
        raise ValueError(f"{path}: query {encounter['encounter_id']} has no query_content_en or query_content_zh")
    return found


def _later_responses(release: Release, split: str) -> dict[str, list[dict[str, Any]]]:
    path = release.extensions.get(split)
    found = encounters(path) if path else []
    return {encounter["encounter_id"]: encounter["responses"][-_LATER:] for encounter in found}


def _judged(response: dict[str, Any], authors: dict[str, Author] | None) -> Row:
    """Return what is known of a gold response's worth; only DermaVQA's were judged, the others all weigh 1."""
    if response.get("completeness") is None:
        unknown = dict.fromkeys(("completeness", "contains_frequent_answer", "author_validation", "author_rank"))
        return {**unknown, "weight": 1.0}
    author = _author(response.get("author_id"), authors)
    frequent = response.get("contains_freq_ans") == 1
    return {
        "completeness": float(response["completeness"]),
        "contains_frequent_answer": frequent,
        "author_validation": author.validation,
        "author_rank": author.rank,
        "weight": reference_weight(author, response["completeness"], frequent),
    }


def _author(identifier: str | None, authors: dict[str, Author] | None) -> Author:
    if authors is None:
        raise FileNotFoundError(
            "df_userinfo.csv is missing, which the weights of DermaVQA's gold responses are made from: "
            "get it from https://github.com/wyim/DermaVQA (data/iiyi)"
        )
    if identifier is None or identifier not in authors:
        raise ValueError(f"author {identifier} of a gold response is not in df_userinfo.csv")
    return authors[identifier]
