"""The files that the authors of a data set published: where to download them and how to find them in a folder."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Source:
    """A file or an archive that the authors of a data set published.

    Attributes:
        path: Its path in the authors' repository, such as `EVOUNA/NQ.json`.
        url: Its address at a fixed commit, so that the content never changes.
        sha256: The expected SHA-256 of the download, in hexadecimal digits. None skips the check, as for archives that
            GitHub builds on request.
        home: The page where people find it; by default the address.
    """

    path: str
    url: str
    sha256: str | None = None
    home: str | None = None

    def missing(self, place: object) -> FileNotFoundError:
        """Return the error for a file or folder that is not in its place."""
        return FileNotFoundError(f"there is no {place}; get it from {self.home or self.url}")


def only_split(source: Source, data_dir: str | Path | None, manager: Any) -> list[Any]:
    """Return the generator of the one split, `test`, from its `path`: found in `data_dir` if given, else downloaded."""
    from datasets import Split, SplitGenerator

    path = download(source, manager) if data_dir is None else find(source, data_dir)
    return [SplitGenerator(name=Split.TEST, gen_kwargs={"path": path})]


def find(source: Source, data_dir: str | Path) -> Path:
    """Return the file in `data_dir`, which is a copy of the repository or the folder with the file itself.

    The hash of a file in a folder is not checked, so that a corrected copy can be used.

    Raises:
        FileNotFoundError: the file is in neither place; the message says where to get it.
    """
    folder = Path(data_dir)
    places = [folder / source.path, folder / Path(source.path).name]
    for place in places:
        if place.is_file():
            return place
    raise source.missing(" and no ".join(dict.fromkeys(map(str, places))))


def download(source: Source, manager: Any = None) -> Path:
    """Return the path of the downloaded file or, for a `.zip` archive, of the folder with its content.

    Args:
        source: The file.
        manager: The `datasets.DownloadManager` to use; by default one with the cache of `datasets`.

    Raises:
        ConnectionError: the file could not be downloaded.
        ValueError: the file has another hash than expected.
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
