"""The XML files in which SemEval-2013 and SAF were released: one folder for each set, one file for each question."""

from pathlib import Path
from xml.etree import ElementTree

from evaluate_qa.datasets_scripts._shared.sources import Source


def subfolder(source: Source, top: Path, path: str) -> Path:
    """Return the folder with this path in `top` or up to two levels below it, as in a clone or an archive."""
    for pattern in (path, f"*/{path}", f"*/*/{path}"):
        for place in sorted(top.glob(pattern)):
            return place
    raise source.missing(top / path)


def questions(folder: Path) -> list[tuple[str, ElementTree.Element]]:
    """Return the name and the root of each XML file in a folder, by name; ValueError for one without a question."""
    return [(path.stem, _question(path)) for path in sorted(folder.glob("*.xml"))]


def text(element: ElementTree.Element | None) -> str:
    """Return an element's text without surrounding whitespace; an empty string if there is no element."""
    return "" if element is None else (element.text or "").strip()


def references(question: ElementTree.Element) -> tuple[str, ...]:
    """Return the reference answers of a question; both data sets write them alike."""
    return tuple(text(reference) for reference in question.iterfind("referenceAnswers/referenceAnswer"))


def _question(path: Path) -> ElementTree.Element:
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise ValueError(f"{path} is not valid XML ({error}); download the file again") from None
    if root.tag != "question":
        raise ValueError(f"{path} starts with <{root.tag}>; expected <question>. Download the file again.")
    return root
