"""How much a gold response of DermaVQA counts in ΔBLEU: the scheme of the MEDIQA-M3G 2024 evaluation."""

import csv
import dataclasses
from pathlib import Path

HIGH_RANK = 4


@dataclasses.dataclass(frozen=True)
class Author:
    """Who wrote a response.

    Attributes:
        validation: How the forum validated the author, e.g. `md2_validated`; None if it did not.
        rank: The author's level from 0 to 8, given for useful responses; None if unknown.
    """

    validation: str | None
    rank: int | None

    @property
    def is_doctor(self) -> bool:
        """Whether the author has shown a doctor's certificate."""
        return self.validation is not None and self.validation.startswith("md")


def read_authors(path: Path) -> dict[str, Author]:
    """Return the authors of df_userinfo.csv by their identifiers."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return {line["author_id"]: _author(line) for line in csv.DictReader(file)}


def _author(line: dict[str, str]) -> Author:
    rank = line["rank_level"].removeprefix("level_")
    return Author(line["validation_level"] or None, int(rank) if rank.isdecimal() else None)


def reference_weight(author: Author, completeness: float, contains_frequent_answer: bool) -> float:
    """Return the weight of a response, from .6 to 1.

    .6, and .1 more for each of: the response is complete (1.0, not .5), its author is a doctor, its author's rank is
    at least 4 (an unknown rank is not), it contains the most frequent answer to the query.
    """
    merits = (
        completeness == 1,
        author.is_doctor,
        author.rank is not None and author.rank >= HIGH_RANK,
        contains_frequent_answer,
    )
    return (6 + sum(merits)) / 10
