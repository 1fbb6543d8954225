"""EfficientQA: systems' answers that people called definitely correct, possibly correct or definitely incorrect.

Each line of the file is a JSON object with `question`, `answer` (the references) and three lists of predictions. The
first bit of the SHA-256 of a question decides whether it is in `train` or in `dev`; each has about half of them.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from evaluate_qa.datasets_scripts._shared.sources import Source, download

from .rows import CORRECT, INCORRECT, LabeledRow, PublishedAnswer

FILE = "NQ-open.efficientqa.test.1.1.jsonl"
SOURCE = Source(
    path=f"nq_open/{FILE}",
    url="https://raw.githubusercontent.com/google-research-datasets/natural-questions/"
    f"fb26a3073b1fe636c97302890a27b491d6530130/nq_open/{FILE}",
    home="https://github.com/google-research-datasets/natural-questions (nq_open)",
)
SPLITS = ("train", "dev")

_VERDICTS = {
    "def_correct_predictions": CORRECT,
    "poss_correct_predictions": "possibly correct",
    "def_incorrect_predictions": INCORRECT,
}
_LAST_OF_TRAIN = 127


def read(source: Source, folder: Path | None, split: str) -> Iterator[PublishedAnswer]:
    """Yield the answers of a split; the file has its own name or is the only `.jsonl` of the folder.

    Raise OSError if it is missing or cannot be downloaded, and ValueError if it does not have EfficientQA's format.
    """
    file = _file(source, folder) if folder else download(source)
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            for answer in _answers(f"{file}, line {number}", line):
                in_train = hashlib.sha256(answer.row.question.encode()).digest()[0] <= _LAST_OF_TRAIN
                if in_train == (split == "train"):
                    yield answer


def _file(source: Source, folder: Path) -> Path:
    files = sorted(folder.glob("*.jsonl"))
    named = folder / FILE
    if named not in files and len(files) != 1:
        raise source.missing(named)
    return named if named in files else files[0]


def _answers(where: str, line: str) -> Iterator[PublishedAnswer]:
    try:
        row = json.loads(line)
        question, references = row["question"], list(row["answer"])
        answers = {verdict: row[column] for column, verdict in _VERDICTS.items()}
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{where}: not in EfficientQA's format: {error!r}") from error
    for verdict, texts in answers.items():
        for answer in texts:
            label = float(verdict == CORRECT)
            answered = LabeledRow(question, question, references, answer, label, frozenset({"all"}))
            yield PublishedAnswer("EfficientQA", verdict, answered)
