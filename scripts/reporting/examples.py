"""Rows that a report shows: the worst, the changed, and those on which metric and people disagree."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..estimation.keys import ID, either
from ..estimation.systems import Systems
from ..files.rows import Row, read_rows
from ..files.values import text
from .facts import Facts

_WORD = re.compile(r"\w+")
_INDEX = "best_reference"  # a place among the references, and no figure
_SHOWN = {name for column in ("question", "reference", "prediction") for name in either(column)}


@dataclass(frozen=True)
class Answer:
    """What a system answered.

    Attributes:
        system: Its name.
        parts: The answer in pieces, each with whether it is a word of a reference.
        score: Its score.
        verdict: Whether the metric calls it right; None if it does not say.
        label: What a person says, from 0 to 1; None if nobody does.
        components: Other figures of the row, by their columns.
    """

    system: str
    parts: list[tuple[str, bool]]
    score: float
    verdict: bool | None
    label: float | None
    components: dict[str, str]


@dataclass(frozen=True)
class ReportRow:
    """A row.

    Attributes:
        key: What identifies it.
        question: The question, if there is one.
        references: The references.
        answers: The systems' answers.
    """

    key: str
    question: str
    references: list[str]
    answers: list[Answer]


@dataclass(frozen=True)
class Chosen:
    """Rows that are shown under a heading.

    Attributes:
        heading: The heading.
        note: What they are, and how many there are of them.
        systems: The systems whose answers are shown.
        rows: Their places in the joined rows.
    """

    heading: str
    note: str
    systems: list[str]
    rows: list[int]
    examples: list[ReportRow] = field(default_factory=list)


def choose(facts: Facts, most: int) -> list[Chosen]:
    """Return the rows to show, at most `most` under each heading."""
    return [one for one in (*_disputed(facts, most), *_changed(facts, most), *_worst(facts, most)) if one.rows]


def _worst(facts: Facts, most: int) -> list[Chosen]:
    found = []
    for name, scores in facts.joined.scores.items():
        rows = np.argsort(scores, kind="stable")[:most].tolist()
        found.append(Chosen(f"Lowest scores: {name}", f"{len(rows)} of {len(scores):,} rows", [name], rows))
    return found


def _changed(facts: Facts, most: int) -> list[Chosen]:
    found = []
    for pair in facts.pairs:
        figures = facts.joined.verdicts or facts.joined.scores
        turned = figures[pair.system] - figures[pair.baseline]
        size = np.abs(facts.joined.scores[pair.system] - facts.joined.scores[pair.baseline])
        for heading, rows in (("Improved", np.flatnonzero(turned > 0)), ("Worsened", np.flatnonzero(turned < 0))):
            chosen = rows[np.argsort(-size[rows], kind="stable")[:most]].tolist()
            title = f"{heading} from {pair.baseline} to {pair.system}"
            note = f"{len(chosen)} of {len(rows):,} rows, largest changes of the score first"
            found.append(Chosen(title, note, [pair.baseline, pair.system], chosen))
    return found


def _disputed(facts: Facts, most: int) -> list[Chosen]:
    """Choose the rows whose score differs most from the label, by more than one half."""
    found = []
    for name in facts.joined.files if facts.labelled else ():
        apart = np.abs(labels_of(facts, name) - facts.joined.scores[name])
        rows = np.flatnonzero(apart > 0.5)  # noqa: PLR2004 - half of the scale
        chosen = rows[np.argsort(-apart[rows], kind="stable")[:most]].tolist()
        note = f"{len(chosen)} of {len(rows):,} labeled rows whose score differs from the label by more than 0.5"
        found.append(Chosen(f"Metric and people disagree: {name}", note, [name], chosen))
    return found


def labels_of(facts: Facts, name: str) -> np.ndarray:
    """Return the labels of a system at the joined rows, NaN for an unlabeled row."""
    joined = facts.labelled[list(facts.joined.files).index(name)]
    spread = np.full(len(facts.joined.files[name]), np.nan)
    spread[joined.rows] = joined.labels
    return spread[facts.joined.rows[name]]


def filled(chosen: Sequence[Chosen], facts: Facts, columns: Sequence[str]) -> list[Chosen]:
    """Return the chosen rows with their contents; each file is read once more.

    Args:
        chosen: What is shown.
        facts: The facts.
        columns: Columns that are not components, such as those of scores and verdicts.
    """
    joined = facts.joined
    wanted: dict[str, set[int]] = {name: set() for name in joined.files}
    for one in chosen:
        for name in one.systems:
            wanted[name] |= {int(joined.rows[name][row]) for row in one.rows}
    found = {name: _rows_at(joined.files[name].source, places) for name, places in wanted.items()}
    labels = {name: labels_of(facts, name) for name in joined.files} if facts.labelled else {}
    for one in chosen:
        one.examples.extend(_example(joined, found, labels, one, row, columns) for row in one.rows)
    return list(chosen)


def _rows_at(source: str, places: set[int]) -> dict[int, Row]:
    found: dict[int, Row] = {}
    if places:
        for place, (_, row) in enumerate(read_rows(source)):
            if place in places:
                found[place] = row
            if len(found) == len(places):
                break
    return found


def _example(
    joined: Systems,
    found: dict[str, dict[int, Row]],
    labels: dict[str, np.ndarray],
    chosen: Chosen,
    row: int,
    columns: Sequence[str],
) -> ReportRow:
    rows = {name: found[name][int(joined.rows[name][row])] for name in chosen.systems}
    first = rows[chosen.systems[0]]
    references = _value(first, "reference")
    listed = [text(one) for one in references] if isinstance(references, list) else [text(references)]
    hidden = {ID, _INDEX, *joined.keys, *_SHOWN, *columns}
    answers = []
    for name, content in rows.items():
        label = float(labels[name][row]) if name in labels else np.nan
        answers.append(
            Answer(
                system=name,
                parts=marked(text(_value(content, "prediction")), listed),
                score=float(joined.scores[name][row]),
                verdict=None if joined.verdicts is None else bool(joined.verdicts[name][row]),
                label=None if np.isnan(label) else label,
                components={key: _figure(value) for key, value in content.items() if _is_figure(key, value, hidden)},
            )
        )
    key = " · ".join(text(first.get(name)) for name in joined.keys if name not in _SHOWN)
    return ReportRow(key, text(_value(first, "question")), [one for one in listed if one], answers)


def _is_figure(name: str, value: object, hidden: set[str]) -> bool:
    return name not in hidden and isinstance(value, (int, float)) and not isinstance(value, bool)


def _figure(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def _value(row: Row, name: str) -> object:
    return next((row[one] for one in either(name) if one in row), None)


def marked(answer: str, references: Sequence[str]) -> list[tuple[str, bool]]:
    """Return the answer in pieces, each with whether it is a word of a reference; an empty list for a blank answer.

    >>> marked("It is Paris.", ["Paris, France"])
    [('It is ', False), ('Paris', True), ('.', False)]
    """
    words = {word.casefold() for reference in references for word in _WORD.findall(reference)}
    parts, end = [], 0
    for match in _WORD.finditer(answer):
        if match[0].casefold() in words:
            parts += [(answer[end : match.start()], False), (match[0], True)]
            end = match.end()
    return [part for part in (*parts, (answer[end:], False)) if part[0]] if answer.strip() else []
