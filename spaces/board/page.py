"""The board as a page: metrics and judges by data set and by trap kind, from the JSON files in this folder.

`evaluate-qa agreement --data board --json FILE` writes such a file; a file may also be a list of them.
"""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from evaluate_qa import metric_names
from evaluate_qa.agreement.board import PARTS
from evaluate_qa.agreement.report import BOARD, short
from evaluate_qa.agreement.tables import PUBLISHED
from evaluate_qa.reporting.page import fill

FOLDER = Path(__file__).parent

# License and source by column, or by the column's first word.
SOURCES = {
    "EVOUNA": ("Apache-2.0", "https://github.com/wangcunxiang/QA-Eval"),
    "DIVER-QA": ("MIT", "https://github.com/saishridhar/DIVER-QA"),
    "EfficientQA": ("CC BY-SA 3.0", "https://github.com/google-research-datasets/natural-questions"),
    **dict.fromkeys(("Beetle", "SciEntsBank"), ("CC BY-SA 3.0", "https://github.com/myrosia/semeval-2013-task7")),
    "SAF": ("MIT", "https://github.com/SebOchs/SAF"),
    "K-QA": ("MIT", "https://github.com/Itaymanes/K-QA"),
    "SummHay": ("Apache-2.0", "https://github.com/salesforce/summary-of-a-haystack"),
    "TruthfulQA": ("Apache-2.0", "https://github.com/sylinrl/TruthfulQA, hitz-zentroa/truthfulqa-multi"),
}
_PUBLISHED = {"board": "", "evouna": "EVOUNA ", "diver_qa": "DIVER-QA "}
_WITHOUT_REFERENCES = {"evqascore"}


@dataclass(frozen=True)
class Entry:
    """A metric or judge, and how it was run.

    `speed` is the number of rows per second, and `cost` the cost of 1,000 rows; None if unknown. `tables` holds the
    figures by part and group.
    """

    name: str
    signature: str
    version: str
    date: str
    limit: int | None
    speed: float | None
    cost: float | None
    tables: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)


def build(folder: Path = FOLDER) -> str:
    """Return the page of the entries in a folder."""
    found = entries(folder)
    absent = sorted({*metric_names()} - _WITHOUT_REFERENCES - {entry.name for entry in found})
    return fill(
        "board.html",
        [f"No entry yet: {', '.join(absent)}"] if absent else [],
        entries=dict(zip(labels(found), found, strict=True)),
        parts={part: columns(found, part) for part in PARTS},
        titles=BOARD,
        short=short,
        sha256=lambda script: b64encode(sha256(script.encode()).digest()).decode(),
        sources=SOURCES,
        published=list(_published()),
    )


def entries(folder: Path) -> list[Entry]:
    """Read the entries of all files.

    Of entries with the same name and signature, the latest that covers all answers is kept, or else the latest.
    """
    found: dict[tuple[str, str], Entry] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            given = json.loads(path.read_text(encoding="utf-8"))
            for entry in [entry for run in (given if isinstance(given, list) else [given]) for entry in _entries(run)]:
                known = found.setdefault((entry.name, entry.signature), entry)
                best = max(known, entry, key=lambda one: (one.limit is None, one.date))
                found[entry.name, entry.signature] = best
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{path} is not an entry of the board ({error!r}). Write it with evaluate-qa agreement --data board "
                "--json FILE."
            ) from error
    return list(found.values())


def _entries(run: Mapping[str, Any]) -> Iterator[Entry]:
    parts = {part: run["data_sets"][part] for part in PARTS if part in run["data_sets"]}
    board = parts["board"]
    for name in board["tables"][0]["estimates"]:
        efforts = [data["efforts"][name] for data in parts.values() if name in data["efforts"]]
        signature, limit = board["signatures"].get(name, ""), board["selection"]["limit"]
        tables = {
            (part, table["group"].removeprefix("kind ").replace("_", " ")): table
            for part, data in parts.items()
            for table in data["tables"]
            if name in table["estimates"]
        }
        yield Entry(name, signature, run["evaluate_qa"], run["date"], limit, *_effort(efforts), tables)


def _effort(efforts: Sequence[Mapping[str, Any]]) -> tuple[float | None, float | None]:
    """Return rows per second and the cost of 1,000 rows; None if unknown."""
    rows = sum(one["rows"] for one in efforts)
    costs = [one["cost"] for one in efforts]
    if not rows:
        return None, None
    return rows / sum(one["seconds"] for one in efforts), None if None in costs else 1000 * sum(costs) / rows


def columns(found: Sequence[Entry], part: str) -> list[str]:
    """Return the groups of a part, means first."""
    groups = dict.fromkeys(group for entry in found for its, group in entry.tables if its == part)
    return sorted(groups, key=lambda group: not group.startswith(("all", "mean")))


def labels(found: Sequence[Entry]) -> list[str]:
    """Return the name of each entry, with its model and the options that some entries of the same name lack."""
    parts = [[(entry.name, part) for part in entry.signature.split("|")[1:]] for entry in found]
    names, counts = Counter(entry.name for entry in found), Counter(part for its in parts for part in its)
    labeled = []
    for entry, its in zip(found, parts, strict=True):
        shown = [part for name, part in its if part.startswith("model:") or counts[name, part] < names[name]]
        labeled.append(f"{entry.name} ({', '.join(shown)})" if shown else entry.name)
    return labeled


def _published() -> Iterator[dict[str, str]]:
    """Yield the figures that papers published for the board's data sets."""
    for one in json.loads(PUBLISHED.read_text(encoding="utf-8")):
        for group, of_group in one["groups"].items() if one["data"] in _PUBLISHED else ():
            shown = ", ".join(f"{name.replace('_', ' ')} {short(value)}" for name, value in of_group.items())
            where = _PUBLISHED[one["data"]] + group
            yield {"name": one["name"], "set": where, "figures": shown, "source": one["source"]}
