"""The files of a data set: those in a folder, or else those that its authors publish, downloaded once."""

from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree


@dataclass(frozen=True)
class Release:
    """What the authors publish.

    Attributes:
        name: Name of the data set.
        url: A file or an archive, by a commit: what it gives never changes.
        home: Where people find it.
    """

    name: str
    url: str
    home: str

    def path(self, folder: Path | None) -> Path:
        """Return the folder, or where the download is: the file, or the folder of what was in the archive.

        Raises:
            OSError: it could not be downloaded.
        """
        if folder is not None:
            return folder
        import datasets

        manager = datasets.DownloadManager(dataset_name=self.name, record_checksums=False)
        try:
            return Path(manager.download_and_extract(self.url))
        except OSError as error:
            raise no_download(self.name, error) from error

    def missing(self, where: Path) -> FileNotFoundError:
        """Return the error for a file or folder that is not where it was looked for."""
        return FileNotFoundError(f"there is no {where}; get {self.name} from {self.home}")


def no_download(name: str, error: OSError) -> OSError:
    """Return the error, with the cure, for a data set that could not be downloaded."""
    return OSError(
        f"{name} could not be downloaded ({error}); where there is no network, put its files into a folder and "
        "pass that as --data-dir"
    )


def subfolder(release: Release, top: Path, path: str) -> Path:
    """Return the folder of that path in `top`, or up to two folders further down, as in a clone or an archive."""
    for pattern in (path, f"*/{path}", f"*/*/{path}"):
        for place in sorted(top.glob(pattern)):
            return place
    raise release.missing(top / path)


def questions(folder: Path) -> list[tuple[str, ElementTree.Element]]:
    """Return the name and the root of each XML file of a folder, which holds one question, by name.

    Raises:
        ValueError: a file is no XML, or has no question.
    """
    return [(path.stem, _question(path)) for path in sorted(folder.glob("*.xml"))]


def text(element: ElementTree.Element | None) -> str:
    """Return an element's text without the space around it, or nothing."""
    return "" if element is None else (element.text or "").strip()


def references(question: ElementTree.Element) -> tuple[str, ...]:
    """Return the reference answers of a question, which both SemEval-2013 and SAF write alike."""
    return tuple(text(reference) for reference in question.iterfind("referenceAnswers/referenceAnswer"))


def _question(path: Path) -> ElementTree.Element:
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise ValueError(f"{path}: not XML ({error}); get the file again") from None
    if root.tag != "question":
        raise ValueError(f"{path}: expected a <question>, found <{root.tag}>")
    return root
