"""The files a data set is made from: where to download them, how to find them in a folder, what they are."""

import dataclasses
import hashlib
from pathlib import Path


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


def check_hash(source: Source, path: str | Path) -> Path:
    """Return the path of a downloaded file after comparing its SHA-256.

    Raises:
        ValueError: the file is not the one this builder was written for.
    """
    found = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    if found != source.sha256:
        raise ValueError(
            f"{source.url} is not the file this builder knows: its SHA-256 is {found}, "
            f"expected {source.sha256}. If the authors have changed it and you want the new one, "
            "download it and pass its folder as data_dir"
        )
    return Path(path)
