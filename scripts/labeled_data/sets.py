"""The published data sets by name."""

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from . import efficientqa, saf, semeval2013
from .published import UsableAnswers, usable
from .rows import first_questions

SETS: Mapping[str, ModuleType] = {"efficientqa": efficientqa, "semeval2013": semeval2013, "saf": saf}
"""The module of each data set: `read` yields the answers of a split, and `SPLITS` has the names of the splits.

Figures are reported on the last split, which is never trained on.
"""


def read(name: str, folder: Path | None, split: str | None = None, limit: int | None = None) -> UsableAnswers:
    """Read the usable answers of a split.

    Args:
        name: A key of `SETS`.
        folder: Folder with the files; None downloads them.
        split: Name of a split; None for the one that figures are reported on.
        limit: Read only this number of questions of each part, and of each of its tests.

    Raises:
        OSError: the files are missing or could not be downloaded.
        ValueError: there is no such split, or a file has the wrong format.
    """
    found = SETS[name]
    if split is not None and split not in found.SPLITS:
        raise ValueError(f"{name} has no split {split!r}; expected {' or '.join(found.SPLITS)}")
    answers = found.read(folder, split or found.SPLITS[-1])
    return usable(first_questions(answers, limit, lambda one: ((one.part, one.test), one.question_id)))
