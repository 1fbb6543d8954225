"""Download the files of a data set, or find them in a folder."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Source:
    """A published file or archive of a data set."""

    path: str  # its path in the authors' repository, such as `EVOUNA/NQ.json`
    url: str  # its address at a fixed commit, so that the content never changes
    # The expected SHA-256 of the download. None skips the check, as for archives that GitHub builds on request.
    sha256: str | None = None
    home: str | None = None  # the page where people find it (default: the address)

    def missing(self, place: object) -> FileNotFoundError:
        """Return the error for a missing file or folder."""
        return FileNotFoundError(f"there is no {place}; get it from {self.home or self.url}")


def only_split(source: Source, data_dir: str | Path | None, manager: Any) -> list[Any]:
    """Return the generator of the only split, `test`, whose file is in `data_dir` or else downloaded."""
    from datasets import Split, SplitGenerator

    path = download(source, manager) if data_dir is None else find(source, data_dir)
    return [SplitGenerator(name=Split.TEST, gen_kwargs={"path": path})]


def find(source: Source, data_dir: str | Path) -> Path:
    """Return the file in `data_dir`, a clone of the repository or the folder with the file itself.

    The hash is not checked, so that a corrected copy can be used. FileNotFoundError says where to get a missing file.
    """
    folder = Path(data_dir)
    places = [folder / source.path, folder / Path(source.path).name]
    for place in places:
        if place.is_file():
            return place
    raise source.missing(" and no ".join(dict.fromkeys(map(str, places))))


def download(source: Source, manager: Any = None) -> Path:
    """Download a file, by default into the cache of `datasets`, and return its path; a `.zip` archive becomes a folder.

    Raises:
        ConnectionError: The file could not be downloaded.
        ValueError: The file does not have the expected hash.
    """
    if manager is None:
        import datasets

        manager = datasets.DownloadManager(record_checksums=False)
    try:
        path = Path(manager.download(source.url))
        _check_hash(source, path)
        return Path(manager.extract(str(path))) if source.path.endswith(".zip") else path
    except OSError as error:
        raise ConnectionError(
            f"{source.url} could not be downloaded ({type(error).__name__}). Without a network, get the file from "
            f"{source.home or source.url}, put it into a folder, and pass the folder as data_dir "
            "(on the command line: --data-dir)."
        ) from error


def _check_hash(source: Source, path: Path) -> None:
    if source.sha256 is None:
        return
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != source.sha256:
        raise ValueError(
            f"{source.url} has changed: its SHA-256 is {found}; expected {source.sha256}. If the new file is right, "
            "download it yourself and pass its folder as data_dir (on the command line: --data-dir)."
        )
