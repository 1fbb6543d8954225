"""SAF, Short Answer Feedback: graded answers from a university course (English) and from job training (German).

Each split has a folder for each language, with one XML file for each question. The German references state the points
of each part, as in "(0.25 P)"; they are kept unchanged.
"""

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from evaluate_qa.datasets_scripts._shared.sources import Source, download

from .published import PublishedAnswer
from .xml_files import questions, references, subfolder, text

SOURCE = Source(
    path="SAF.zip",
    url="https://github.com/SebOchs/SAF/archive/09949e912d266777a752ac7d51cfcddb4b3f6978.zip",
    home="https://github.com/SebOchs/SAF (data)",
)
SPLITS = ("train", "test")

_LANGUAGES = {"English": "en", "German": "de"}
_FOLDERS = {"train": "training", "test": "unseen_answers"}


def read(folder: Path | None, split: str) -> Iterator[PublishedAnswer]:
    """Yield the answers of a split; the folder has `training` and, for the split `test`, `unseen_answers`.

    Raises:
        OSError: the files are missing or could not be downloaded (without a folder).
        ValueError: a file does not have SAF's format.
    """
    top = folder or download(SOURCE)
    for part in _LANGUAGES:
        for stem, question in questions(subfolder(SOURCE, top, f"{_FOLDERS[split]}/{part.lower()}")):
            yield from _answers(part, stem, question)


def _answers(part: str, stem: str, question: Element) -> Iterator[PublishedAnswer]:
    asked, expected = text(question.find("questionText")), references(question)
    for answer in question.iterfind("studentAnswers/studentAnswer"):
        verdict = text(answer.find("verification_feedback")).lower() or "without a verdict"
        response = text(answer.find("response"))
        yield PublishedAnswer(
            part, None, f"{part}/{stem}", asked, expected, response, verdict, language=_LANGUAGES[part]
        )
