"""Rows that a report shows: disagreements of metric and people, changes between systems, and the lowest scores."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evaluate_qa.metrics._shared.messages import pluralize
from evaluate_qa.metrics._shared.options import is_number

from ..comparing.changes import find_changes
from ..files.rows import Row, read_rows
from ..files.values import text
from ..joining.keys import ID, cell_of, references_of, text_names
from ..joining.systems import JoinedSystems
from .facts import Facts

_WORD = re.compile(r"\w+")
_INDEX = "best_reference"  # an index, not a component of a score
_MOST_COMPONENTS = 12


@dataclass(frozen=True)
class Answer:
    """The answer of one system."""

    system: str
    parts: list[tuple[str, bool]]  # the answer in pieces, each with True if it is a word of a reference
    score: float
    verdict: bool | None  # True if the metric judges the answer correct; None without verdicts
    label: float | None  # a person's verdict, from 0 to 1; None without a label
    components: dict[str, str]  # other numbers of the row by column, the first twelve


@dataclass(frozen=True)
class ReportRow:
    """A row with the answers of one or two systems; `key` has the columns that identify it."""

    key: str
    question: str
    references: list[str]
    answers: list[Answer]


@dataclass(frozen=True)
class Section:
    """The rows under a heading: their numbers among the joined rows, and their contents."""

    heading: str
    note: str
    systems: list[str]
    rows: list[int]
    examples: list[ReportRow] = field(default_factory=list)


def choose_sections(facts: Facts, most: int, used: Collection[str]) -> list[Section]:
    """Return the rows to show with their contents, for which each file is read once more."""
    joined, labels = facts.joined, _labels(facts)
    found = [*_disputed_rows(facts, labels, most), *_changed_rows(facts, most), *_lowest_scores(facts, most)]
    chosen = [one for one in found if one.rows]
    contents = {}
    for name, file in joined.files.items():
        shown = {int(joined.rows[name][row]) for one in chosen if name in one.systems for row in one.rows}
        contents[name] = {place: row for place, (_, row) in enumerate(read_rows(file.source)) if place in shown}
    hidden = {ID, _INDEX, *joined.keys, *used}.union(*(text_names(file.present) for file in joined.files.values()))
    for one in chosen:
        one.examples.extend(_example(joined, contents, labels, one.systems, row, hidden) for row in one.rows)
    return chosen


def _lowest_scores(facts: Facts, most: int) -> Iterator[Section]:
    for name, scores in facts.joined.scores.items():
        order = np.random.default_rng(0).permutation(len(scores))  # the first rows of a file may be of one kind
        rows = order[np.argsort(scores[order], kind="stable")][:most]
        note, tied = f"{len(rows)} of {pluralize(len(scores), 'row')}", scores == scores[rows[-1]]
        if tied.sum() > tied[rows].sum():
            note += f", {tied[rows].sum()} at random from {tied.sum():,} with the score {scores[rows[-1]]:g}"
        yield Section(f"Lowest scores: {name}", note, [name], rows.tolist())


def _changed_rows(facts: Facts, most: int) -> Iterator[Section]:
    for pair in facts.pairs:
        differences, rows = find_changes(facts.joined, pair.baseline, pair.system)
        for heading, changed in (("Improved", rows[differences[rows] > 0]), ("Worsened", rows[differences[rows] < 0])):
            title = f"{heading} from {pair.baseline} to {pair.system}"
            note = f"{len(changed[:most])} of {pluralize(len(changed), 'row')}, largest changes of the score first"
            yield Section(title, note, [pair.baseline, pair.system], changed[:most].tolist())


def _disputed_rows(facts: Facts, labels: Mapping[str, np.ndarray], most: int) -> Iterator[Section]:
    """Choose the rows whose score differs most from the label, by more than one half."""
    for name, of_system in labels.items():
        apart = np.abs(of_system - facts.joined.scores[name])
        rows = np.flatnonzero(apart > 0.5)  # noqa: PLR2004 - half of the scale
        chosen = rows[np.argsort(-apart[rows], kind="stable")[:most]].tolist()
        note = f"{len(chosen)} of {pluralize(len(rows), 'labeled row')}: score and label differ by more than 0.5"
        yield Section(f"Metric and people disagree: {name}", note, [name], chosen)


def _labels(facts: Facts) -> dict[str, np.ndarray]:
    """Return the labels of each system at the joined rows, NaN for an unlabeled row."""
    found = {}
    for (name, file), labeled in zip(facts.joined.files.items(), facts.labeled, strict=False):  # perhaps no labels
        of_file = np.full(len(file), np.nan)
        of_file[labeled.rows] = labeled.labels
        found[name] = of_file[facts.joined.rows[name]]
    return found


def _example(
    joined: JoinedSystems,
    contents: Mapping[str, dict[int, Row]],
    labels: Mapping[str, np.ndarray],
    systems: Sequence[str],
    row: int,
    hidden: Collection[str],
) -> ReportRow:
    rows = {name: contents[name][int(joined.rows[name][row])] for name in systems}
    first = rows[systems[0]]
    references = references_of(first)
    answers = []
    for name, content in rows.items():
        label = float(labels[name][row]) if name in labels else np.nan
        answers.append(
            Answer(
                system=name,
                parts=mark_words(text(cell_of(content, "predictions")), references),
                score=float(joined.scores[name][row]),
                verdict=None if joined.verdicts is None else bool(joined.verdicts[name][row]),
                label=None if np.isnan(label) else label,
                components=_components(content, hidden),
            )
        )
    key = " · ".join(text(first.get(name)) for name in joined.keys if name not in text_names(first))
    return ReportRow(key, text(cell_of(first, "questions")), references, answers)


def _components(row: Row, hidden: Collection[str]) -> dict[str, str]:
    numbers = {name: value for name, value in row.items() if name not in hidden and is_number(value)}
    shown = list(numbers.items())[:_MOST_COMPONENTS]
    return {name: str(value) if isinstance(value, int) else f"{value:.3f}" for name, value in shown}


def mark_words(answer: str, references: Sequence[str]) -> list[tuple[str, bool]]:
    """Return the answer in pieces, each with True if it is a word of a reference; an empty list for a blank answer.

    >>> mark_words("It is Paris.", ["Paris, France"])
    [('It is ', False), ('Paris', True), ('.', False)]
    """
    words = {word.casefold() for reference in references for word in _WORD.findall(reference)}
    parts, end = [], 0
    for match in _WORD.finditer(answer):
        if match[0].casefold() in words:
            parts += [(answer[end : match.start()], False), (match[0], True)]
            end = match.end()
    return [part for part in (*parts, (answer[end:], False)) if part[0]] if answer.strip() else []
