"""The published data sets by name."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from . import efficientqa, saf, semeval2013
from .published import PublishedAnswer, UsableAnswers, first_questions, usable


@dataclass(frozen=True)
class PublishedSet:
    """A published data set.

    Attributes:
        read: Yields the answers of a split from a folder; without a folder, it downloads the files.
        splits: Names of the splits; figures are reported on the last one, which is never trained on.
    """

    read: Callable[[Path | None, str], Iterator[PublishedAnswer]]
    splits: tuple[str, ...]


SETS: Mapping[str, PublishedSet] = MappingProxyType(
    {
        "efficientqa": PublishedSet(efficientqa.read, efficientqa.SPLITS),
        "semeval2013": PublishedSet(semeval2013.read, semeval2013.SPLITS),
        "saf": PublishedSet(saf.read, saf.SPLITS),
    }
)


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
    if split is not None and split not in found.splits:
        raise ValueError(f"{name} has no split {split!r}; expected {' or '.join(found.splits)}")
    return usable(first_questions(found.read(folder, split or found.splits[-1]), limit))
