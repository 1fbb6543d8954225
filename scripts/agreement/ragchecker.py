"""RAGChecker's meta-evaluation: pairs of long answers to a question, which people compared on three aspects.

Two people compared each pair, and each preference is a row: from -2 (the answer of `model1` is much better) to 2. As
in the paper, the difference of two scores is compared with every single preference.
"""

import json
from collections import Counter
from pathlib import Path

from evaluate_qa.datasets_scripts._shared.sources import Source, download

from ..files.rows import Row
from ..labeled_data.rows import DataSelection, LabeledRow, first_questions
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


def ragchecker(selection: DataSelection) -> Benchmark:
    """Read the compared pairs: statistics by aspect. A limit applies to each of the ten sources of questions."""
    if selection.split is not None:
        raise ValueError("ragchecker has no splits. Leave out --split.")
    pairs = _read(_file(selection))
    systems = {*selection.choose_systems(sorted({system for pair in pairs for system in pair["systems"]}))}
    first = first_questions(pairs, selection.limit, lambda pair: (pair["source"], pair["question"]))
    pairs = [pair for pair in first if {*pair["systems"]} <= systems]
    ties = {aspect: sum(pair["labels"][aspect] == 0 for pair in pairs) for aspect in _ASPECTS}
    return Benchmark(
        name="ragchecker",
        rows=[_row(pair, aspect) for pair in pairs for aspect in _ASPECTS],
        groups=list(_ASPECTS),
        statistics=["pearson", "spearman", "preference_accuracy"],
        dropped={
            f"preference accuracy, {aspect}": Counter({"that people call equal": count})
            for aspect, count in ties.items()
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
        raise FileNotFoundError(
            f"there are {len(found)} files {_FILES} in {folder}; expected one. Download it from {SOURCE.home}."
        )
    return found[0]


def _read(path: Path) -> list[Row]:
    try:
        return [_flatten(pair) for pair in json.loads(path.read_text(encoding="utf-8"))]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{path} is not in RAGChecker's format ({error!r}). Download it again from {SOURCE.home}."
        ) from error


def _flatten(pair: Row) -> Row:
    models = pair["model1"], pair["model2"]
    return {
        "source": pair["dataset"],
        "question": pair["query"],
        "reference": pair["gt_answer"],
        "systems": [model["model_name"] for model in models],
        "answers": [model["response"] for model in models],
        "labels": {aspect: float(pair[f"{aspect}_label"]) for aspect in _ASPECTS},
    }


def _row(pair: Row, aspect: str) -> LabeledRow:
    other, answer = pair["answers"]
    return LabeledRow(
        question_id=f"{pair['source']}/{pair['question']}",
        question=pair["question"],
        references=[pair["reference"]],
        answer=answer,
        other=other,
        label=pair["labels"][aspect],
        groups=frozenset({aspect}),
    )
