"""MORQA as rows of four kinds; needs no library.

All rows have `subset` (`dermavqa`, `woundcarevqa`, `liveqa`, `meddialog`), `split` (`valid`, `test`), `encounter_id`
(str) and `language` (`en`, `zh`). What else they have is said where they are read. `response_key` tells which ratings
belong to which response.
"""

import collections
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .queries import queries, references
from .ratings import rated_responses, response_key, unique_responses
from .release import RATINGS_ORIGIN, SUBSETS, Release, find_release

__all__ = [
    "TABLES",
    "is_usable",
    "missing",
    "read_queries",
    "read_ratings",
    "read_references",
    "read_responses",
    "response_key",
]

Row = dict[str, Any]


def read_queries(data_dir: Path) -> Iterator[Row]:
    """Yield one row for each query and language.

    Further fields: `author_id` (str or None), `title` (may be empty), `content`, `image_ids` (file names).

    Args:
        data_dir: Folder that holds the files of the release, at any depth; see the card for their names.

    Raises:
        FileNotFoundError: none of the files is there; the message says where to get them.
        ValueError: a file is not in the format of the release.
    """
    return queries(find_release(data_dir))


def read_references(data_dir: Path) -> Iterator[Row]:
    """Yield one row for each gold response and language; arguments and errors as for `read_queries`.

    Further fields: `position` (int, its place among the query's responses), `author_id`, `content` (empty where it was
    not translated, see `is_usable`), `completeness` (0, .5, 1 or None), `contains_frequent_answer` (bool or None),
    `author_validation` (str or None), `author_rank` (int or None), `weight` (float, by `weights.reference_weight`
    where the response was judged, else 1).
    """
    return references(find_release(data_dir))


def read_responses(data_dir: Path) -> Iterator[Row]:
    """Yield one row for each system response; arguments and errors as for `read_queries`.

    Further fields: `system` (str), `question` (title and content; None where the subset's queries are missing),
    `answer` (str, may be empty), `references` (list of str) and `reference_weights` (list of float): the usable gold
    responses, as metrics take them.
    """
    return responses(find_release(data_dir))


def read_ratings(data_dir: Path) -> Iterator[Row]:
    """Yield one row for each human rating; arguments and errors as for `read_queries`.

    Further fields: `system`, `rater_id`, `aspect` (str, e.g. `overall`), `value` (float, or None where it is missing).
    Higher is better, but for `disagree_flag`. A response that two people rated has two rows for each aspect.
    """
    return ratings(find_release(data_dir))


def responses(release: Release) -> Iterator[Row]:
    """Yield the system responses of a release, each with its question and its usable gold responses."""
    questions = {_query_key(row): question_text(row) for row in queries(release)}
    gold = collections.defaultdict(list)
    for row in filter(is_usable, references(release)):
        gold[_query_key(row)].append(row)
    for row in unique_responses(rated_responses(release)):
        key = _query_key(row)
        yield {
            **row,
            "question": questions.get(key),
            "references": [reference["content"] for reference in gold[key]],
            "reference_weights": [reference["weight"] for reference in gold[key]],
        }


def ratings(release: Release) -> Iterator[Row]:
    """Yield the ratings of a release."""
    fields = ("subset", "split", "encounter_id", "language", "system", "rater_id", "aspect", "value")
    return ({field: row[field] for field in fields} for row in rated_responses(release))


def is_usable(reference: Row) -> bool:
    """Whether a gold response can serve as a reference: whether it has a text in its language."""
    return bool(reference["content"].strip())


def question_text(query: Row) -> str:
    """Return title and content as one text, a line each; a query without a title is its content."""
    return "\n".join(part for part in (query["title"].strip(), query["content"].strip()) if part)


def _query_key(row: Row) -> tuple[str, str, str]:
    return row["subset"], row["encounter_id"], row["language"]


TABLES: dict[str, Callable[[Release], Iterator[Row]]] = {
    "queries": queries,
    "references": references,
    "responses": responses,
    "ratings": ratings,
}
"""The four kinds of rows, by the builder's names for them."""


def missing(table: str, release: Release) -> str:
    """Say which subsets and splits a table lacks and where to get them; empty if it lacks none."""
    found = {(row["subset"], row["split"]) for row in TABLES[table](release)}
    lacking = []
    for name, subset in SUBSETS.items():
        splits = [split for split in subset.splits if (name, split) not in found]
        origin = RATINGS_ORIGIN if table in ("responses", "ratings") else subset.origin
        if splits:
            lacking.append(f"{name} ({' and '.join(splits)}; get it from {origin})")
    return f"MORQA's {table} lack {', '.join(lacking)}" if lacking else ""
