"""RAGChecker's meta-evaluation: pairs of long answers to a question, compared by people on three aspects.

Each pair has been compared by two people, each of whom is a row: preferences go from −2 (`model1`'s answer is much
better) to 2. As in the paper, the difference of two scores is compared with every single preference.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from evaluate_qa.datasets_scripts._shared.sources import Source, download

from ..files.rows import Row
from ..labeled_data.rows import DataSelection, LabeledRow
from .baselines import PREFERENCE_BASELINES
from .benchmark import Benchmark

SOURCE = Source(
    path="data/meta_evaluation/human_labeled_data.json",
    url="https://raw.githubusercontent.com/amazon-science/RAGChecker/657d54ba07ace0fe545ed0e9905032b5b73c5278/"
    "data/meta_evaluation/human_labeled_data.json",
    home="https://github.com/amazon-science/RAGChecker (data/meta_evaluation)",
)

_FILES = "human_labeled*.json"
_ASPECTS = ("overall", "correctness", "completeness")
_PREFERENCES = range(-2, 3)


def ragchecker(selection: DataSelection) -> Benchmark:
    """Read the compared pairs: figures by aspect; a limit holds for each of the ten sources of questions.

    Raises:
        OSError: the file is not there and cannot be downloaded.
        ValueError: it is not as RAGChecker published it, or the selection names a split.
    """
    if selection.split is not None:
        raise ValueError("ragchecker has no splits, it is for reporting only; leave out --split")
    pairs = _selected(selection, _read(_file(selection)))
    rows = [_row(pair, aspect) for pair in pairs for aspect in _ASPECTS]
    return Benchmark(
        name="ragchecker",
        rows=rows,
        groups=list(_ASPECTS),
        overview=list(_ASPECTS),
        figures=["pearson", "spearman", "preference_accuracy"],
        headline="pearson",
        dropped={
            f"preference accuracy, {aspect}": Counter(
                {"that people call equal": sum(pair[f"{aspect}_label"] == 0 for pair in pairs)}
            )
            for aspect in _ASPECTS
        },
        baselines=PREFERENCE_BASELINES,
        rated=True,
    )


def _file(selection: DataSelection) -> Path:
    folder = selection.folder("ragchecker")
    if folder is None:
        return download(SOURCE)
    found = sorted(folder.glob(_FILES))
    if len(found) != 1:
        there = ", ".join(path.name for path in found) or "none"
        raise FileNotFoundError(f"expected one file {_FILES} in {folder}, found {there}; get it from {SOURCE.home}")
    return found[0]


def _read(path: Path) -> list[Row]:
    try:
        pairs = json.loads(path.read_text(encoding="utf-8"))
        for number, pair in enumerate(pairs):
            _check(pair, f"{path}: pair {number}")
    except (json.JSONDecodeError, UnicodeDecodeError, TypeError) as error:
        raise ValueError(f"{path} is not as RAGChecker published it ({error}); get it from {SOURCE.home}") from error
    return list(pairs)


def _check(pair: Row, where: str) -> None:
    """Raise ValueError for a pair that lacks a text or a preference."""
    sides = [pair.get("model1") or {}, pair.get("model2") or {}]
    texts = {name: pair.get(name) for name in ("dataset", "query", "gt_answer")}
    for number, side in enumerate(sides, start=1):
        texts |= {f"model{number}.{name}": side.get(name) for name in ("model_name", "response")}
    for name, text in texts.items():
        if not isinstance(text, str):
            raise ValueError(f"{where}: {name} is {text!r}; expected a text")
    for aspect in _ASPECTS:
        if (preference := pair.get(f"{aspect}_label")) not in _PREFERENCES:
            raise ValueError(f"{where}: {aspect}_label is {preference!r}; expected a whole number from -2 to 2")


def _selected(selection: DataSelection, pairs: Sequence[Row]) -> list[Row]:
    """Return the pairs of the systems asked for, to the first questions of each source."""
    systems = selection.chosen(sorted({system for pair in pairs for system in _systems(pair)}))
    of_source: dict[str, dict[str, int]] = defaultdict(dict)
    chosen = []
    for pair in pairs:
        seen = of_source[pair["dataset"]]
        place = seen.setdefault(pair["query"], len(seen))
        if _systems(pair) <= {*systems} and (selection.limit is None or place < selection.limit):
            chosen.append(pair)
    return chosen


def _systems(pair: Row) -> set[str]:
    return {pair["model1"]["model_name"], pair["model2"]["model_name"]}


def _row(pair: Row, aspect: str) -> LabeledRow:
    return LabeledRow(
        question_id=f"{pair['dataset']}/{pair['query']}",
        question=pair["query"],
        references=[pair["gt_answer"]],
        answer=pair["model2"]["response"],
        other=pair["model1"]["response"],
        label=float(pair[f"{aspect}_label"]),
        groups=frozenset({aspect}),
    )
