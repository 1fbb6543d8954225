"""The files a data set is made from: where to download them, how to find them in a folder, what they are."""

import dataclasses
import hashlib
from pathlib import Path
from typing import Any


@dataclasses.dataclass(frozen=True)
class Source:
    """One file of a release.

    Attributes:
        path: Where it lies in the authors' repository, e.g. `EVOUNA/NQ.json`.
        url: Where it is downloaded from.
        sha256: Hash of the file that this builder was written for, in hexadecimal digits.
    """

    path: str
    url: str
    sha256: str


def only_split(source: Source, data_dir: str | Path | None, manager: Any) -> list[Any]:
    """Return the generator of the one split, `test`, from its `path`: found in `data_dir` if given, else downloaded."""
    from datasets import Split, SplitGenerator

    path = download(source, manager) if data_dir is None else find(source, data_dir)
    return [SplitGenerator(name=Split.TEST, gen_kwargs={"path": path})]


def find(source: Source, data_dir: str | Path) -> Path:
    """Return the file in `data_dir`, which is a copy of the repository or the folder with the file itself.

    A file found there is taken as it is: its hash is not compared, so that a corrected copy can be used.

    Raises:
        FileNotFoundError: the file is in neither place; the message says where to get it.
    """
    folder = Path(data_dir)
    places = [folder / source.path, folder / Path(source.path).name]
    for place in places:
        if place.is_file():
            return place
    looked = " and ".join(dict.fromkeys(map(str, places)))
    raise FileNotFoundError(f"there is no {looked}; get the file from {source.url}")


def download(source: Source, manager: Any) -> Path:
    """Return the path of the downloaded file.

    Args:
        source: The file.
        manager: The `datasets.DownloadManager` of the builder; it keeps the file in its cache.

    Raises:
        ConnectionError: the file could not be fetched.
        ValueError: the file is not the one this builder was written for.
    """
    cure = "download it yourself and pass its folder as data_dir"
    try:
        path = Path(manager.download(source.url))
    except OSError as error:
        raise ConnectionError(f"{source.url} could not be downloaded ({type(error).__name__}); {cure}") from error
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != source.sha256:
        raise ValueError(
            f"{source.url} has changed: its SHA-256 is {found}, this builder was written for {source.sha256}; "
            f"if the change is right, {cure}"
        )
    return path
