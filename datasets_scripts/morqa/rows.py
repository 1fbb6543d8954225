"""The tables of MORQA as rows. No library is needed."""

import collections
from collections.abc import Callable, Iterator

from .._shared.questions import unique_questions
from .queries import Row, queries, references
from .ratings import ratings, unique_responses
from .release import RATINGS_ORIGIN, SUBSETS, Release


def responses(release: Release) -> Iterator[Row]:
    """Yield one row for each system response, with the columns that metrics need.

    Fields: those that identify the response (see `response_key`), `split`, `answer` (may be empty), `question` (title
    and content; None if the query file is missing), and `references` and `reference_weights`: the gold responses with
    a text in the language.
    """
    questions = {_query_key(row): _question(row) for row in queries(release)}
    gold = _gold(release)
    for row in unique_responses(release):
        key = _query_key(row)
        yield {
            **row,
            "question": questions.get(key),
            "references": [reference["content"] for reference in gold[key]],
            "reference_weights": [reference["weight"] for reference in gold[key]],
        }


def text_questions(release: Release) -> Iterator[Row]:
    """Yield one row for each query of the subsets without images, with `question`, `references` and `target`."""
    gold = _gold(release)
    for query in queries(release):
        if query["subset"] in _WITHOUT_IMAGES:
            row = {"question": _question(query), "references": [one["content"] for one in gold[_query_key(query)]]}
            for found in unique_questions([row]):
                yield {name: query[name] for name in ("subset", "split", "encounter_id", "language")} | found


def _gold(release: Release) -> dict[tuple[str, str, str], list[Row]]:
    """Return the gold responses with a text, by query and language."""
    gold = collections.defaultdict(list)
    for row in references(release):
        if row["content"].strip():
            gold[_query_key(row)].append(row)
    return gold


def _question(query: Row) -> str:
    return "\n".join(part for part in (query["title"].strip(), query["content"].strip()) if part)


def _query_key(row: Row) -> tuple[str, str, str]:
    return row["subset"], row["encounter_id"], row["language"]


TABLES: dict[str, Callable[[Release], Iterator[Row]]] = {
    "queries": queries,
    "references": references,
    "responses": responses,
    "ratings": ratings,
    "questions": text_questions,
}
_WITHOUT_IMAGES = ("liveqa", "meddialog")


def missing(table: str, release: Release) -> str:
    """Return a sentence about the subsets and splits that a table lacks, and where to get them; "" if complete."""
    found = {(row["subset"], row["split"]) for row in TABLES[table](release)}
    lacking = []
    for name, subset in SUBSETS.items():
        if table == "questions" and name not in _WITHOUT_IMAGES:
            continue
        splits = [split for split in subset.splits if (name, split) not in found]
        origin = RATINGS_ORIGIN if table in ("responses", "ratings") else subset.origin
        if splits:
            lacking.append(f"{name} ({' and '.join(splits)}; get it from {origin})")
    return f"MORQA's {table} lack {', '.join(lacking)}" if lacking else ""
