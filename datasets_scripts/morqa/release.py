"""MORQA's files: which subset each file holds, where it is in a folder, and where to get it.

The subsets were published separately, with different file names. The human ratings are CSV files in one format.
"""

import csv
from dataclasses import dataclass, field
from pathlib import Path

from .._shared.sources import Source

SPLITS = ("valid", "test")

LANGUAGES = ("en", "zh")
"""MORQA's languages. DermaVQA also has a Spanish translation, without ratings."""

RATING_COLUMNS = ("dataset", "encounter_id", "candidate", "candidate_author_id", "lang", "rater_id", "metric", "value")


@dataclass(frozen=True)
class Subset:
    """One of MORQA's four parts."""

    names: tuple[str, ...]  # its names in the column `dataset` of the rating files
    splits: tuple[str, ...]
    patterns: tuple[str, ...]  # glob patterns of its query file; the first one that matches counts
    origin: str  # where to get the file


SUBSETS = {
    "dermavqa": Subset(
        names=("iiyi", "dermavqa", "dermavqa-iiyi"),
        splits=SPLITS,
        patterns=("**/{split}_ht.json", "**/{split}_ht_spanishtestsetcorrected.json"),
        origin="https://github.com/wyim/DermaVQA (data/iiyi) or https://osf.io/72rp3",
    ),
    "woundcarevqa": Subset(
        names=("woundcare", "woundcarevqa"),
        splits=SPLITS,
        patterns=(
            "**/dataset-challenge-mediqa-2025-wv/{split}.json",
            "**/woundcare*/**/{split}.json",
            "**/woundcare*_{split}.json",
        ),
        origin="https://osf.io/xsj5u (dataset-challenge-mediqa-2025-wv)",
    ),
    "liveqa": Subset(
        names=("liveqa", "liveqa-clinical"),
        splits=("test",),
        patterns=("**/liveqa*/**/{split}.json", "**/liveqa*_{split}.json"),
        origin="https://osf.io/kcv2n",
    ),
    "meddialog": Subset(
        names=("med_dialog", "meddialog", "meddialog-zh"),
        splits=SPLITS,
        patterns=("**/med*dialog*/**/{split}.json", "**/med*dialog*_{split}.json"),
        origin="https://osf.io/kcv2n",
    ),
}

RATINGS_ORIGIN = "https://osf.io/kcv2n"

_DERMAVQA = "https://raw.githubusercontent.com/wyim/DermaVQA/89e1c227e4a4827ae028bc530f2bd06161b5e4d8/data/iiyi"

_FILES = {
    "valid": ("valid_ht.json", "be8fa34b43639908b75eaf560fb0e745ee968772834a8fd06e56bbdceca8b0de"),
    "test": ("test_ht.json", "120232fdc5a9ed821449ea2cecca49329c26e4ba10236ad9052bce63c4729cf9"),
    "authors": ("df_userinfo.csv", "edad55bbe97dfcc9b6fe79206d7fe8fc5b83774a4bf1b25084890261b4a2ad4f"),
}
DOWNLOADS = {
    name: Source(f"data/iiyi/{file}", f"{_DERMAVQA}/{file}", sha256) for name, (file, sha256) in _FILES.items()
}
"""DermaVQA's files at a fixed commit, the only ones that a program can download."""


@dataclass(frozen=True)
class Release:
    """The available files."""

    queries: dict[tuple[str, str], Path]  # queries and gold responses, by subset and split
    # DermaVQA's two later gold responses to each query, by split.
    extensions: dict[str, Path] = field(default_factory=dict)
    authors: Path | None = None  # the authors of DermaVQA's gold responses
    ratings: tuple[Path, ...] = ()  # system responses with their human ratings


def find_release(data_dir: str | Path) -> Release:
    """Return the files in a folder, at any depth.

    Raises:
        FileNotFoundError: The folder has no file of MORQA.
        ValueError: The folder has two copies of a file.
    """
    folder = Path(data_dir)
    queries = {
        (name, split): _find(folder, *(pattern.format(split=split) for pattern in subset.patterns))
        for name, subset in SUBSETS.items()
        for split in subset.splits
    }
    extensions = {split: _find(folder, f"**/iiyi_{split}_extension.json") for split in SPLITS}
    release = Release(
        queries={key: path for key, path in queries.items() if path},
        extensions={split: path for split, path in extensions.items() if path},
        authors=_find(folder, "**/df_userinfo.csv"),
        ratings=tuple(path for path in sorted(folder.glob("**/*.csv")) if _has_ratings(path)),
    )
    if not release.queries and not release.ratings:
        origins = ", ".join(f"{name}: {subset.origin}" for name, subset in SUBSETS.items())
        raise FileNotFoundError(f"{folder} has no file of MORQA; get the files from {origins}")
    return release


def _find(folder: Path, *patterns: str) -> Path | None:
    """Return the file that matches the first pattern with a match, or None."""
    for pattern in patterns:
        found = sorted(folder.glob(pattern))
        if len(found) > 1:
            raise ValueError(f"{found[0]} and {found[1]} are copies of one file; keep one of them in {folder}")
        if found:
            return found[0]
    return None


def _has_ratings(path: Path) -> bool:
    """Whether a CSV file has the columns of a rating file, in any order."""
    with path.open(encoding="utf-8-sig", newline="", errors="replace") as file:
        return set(RATING_COLUMNS) <= set(next(csv.reader([file.readline()]), []))
