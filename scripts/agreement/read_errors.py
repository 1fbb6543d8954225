"""Errors of the first matcher that were read and sorted: `python -m evaluate_qa.agreement.read_errors` prints how many.

All rows of DIVER-QA, and of EVOUNA's `dev` questions, were put into random order (`random.Random(0).shuffle`) and
scored until 60 of each were found on which bem or nli_lex and people disagreed. `read_errors.jsonl` says where these
rows stand in the source files, and holds none of their text. One reader sorted them, a language model; nobody read them
a second time.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ..files.rows import read_rows

_FILE = Path(__file__).with_name("read_errors.jsonl")

CATEGORIES: Mapping[str, str] = MappingProxyType(
    {
        "near": "another name, number or date of the same kind",
        "mentioned": "the reference's words are there, but not as the answer",
        "no_answer": "refuses, or leaves the question open",
        "other_answer": "a longer text that says something else",
        "partial": "less specific than the reference, or a part of it",
        "alias": "another name, spelling or form of the same thing",
        "paraphrase": "the same in other words, or more precisely",
        "extra": "a right answer with more around it",
        "reference": "the reference is broken, too narrow, or answers another question",
        "label": "people's verdict can be argued with",
    }
)
"""What was found wrong, and what it means."""


@dataclass(frozen=True)
class ReadError:
    """One answer that a metric judged unlike people.

    Attributes:
        data: `diver_qa`, `evouna/NQ` or `evouna/TQ`.
        row: Number of the row in diver_qa.csv, or of the question in NQ.json or TQ.json, from 0.
        system: Who answered.
        correct: What people said.
        bem: What bem said with `matcher@61518390`.
        nli_lex: What nli_lex said with it.
        category: A key of `CATEGORIES`.
    """

    data: str
    row: int
    system: str
    correct: bool
    bem: bool
    nli_lex: bool
    category: str


def read_errors() -> list[ReadError]:
    """Return the errors, in the order in which they were found."""
    return [ReadError(**row) for _, row in read_rows(_FILE)]


def table(errors: Sequence[ReadError]) -> str:
    """Return the numbers of errors by category, data set and direction, as a table in Markdown."""
    columns = [(data, correct) for data in ("diver_qa", "evouna") for correct in (False, True)]
    counts = Counter((error.category, error.data.partition("/")[0], error.correct) for error in errors)
    lines = [
        "| | DIVER-QA: taken for right | taken for wrong | EVOUNA: taken for right | taken for wrong |",
        "|---|---|---|---|---|",
    ]
    totals = [0] * len(columns)
    for category, meaning in CATEGORIES.items():
        found = [counts[category, data, correct] for data, correct in columns]
        totals = [total + count for total, count in zip(totals, found, strict=True)]
        lines.append(f"| {meaning} | {' | '.join(str(count or '') for count in found)} |")
    return "\n".join([*lines, f"| **all** | {' | '.join(f'**{total}**' for total in totals)} |"])


if __name__ == "__main__":
    print(table(read_errors()))
