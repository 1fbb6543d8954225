"""SemEval-2013 task 7 and SAF: students' answers, in a folder for each part with one XML file for each question.

SemEval-2013 (Joint Student Response Analysis) has correct, contradictory and incorrect answers: `Beetle` to a tutoring
program about circuits, and `SciEntsBank` of school students. Reference answers of every category are used.

SAF (Short Answer Feedback) has graded answers from a university course (English) and from job training (German). The
German references state the points of each part, as in "(0.25 P)"; they are kept unchanged.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

from evaluate_qa.datasets_scripts._shared.sources import Source, download

from .rows import CORRECT, LabeledRow, PublishedAnswer

SEMEVAL2013 = Source(
    path="semeval-3way.zip",
    url="https://raw.githubusercontent.com/myrosia/semeval-2013-task7/50ed2d6ca1e533e3d9e27cd0f18b69864814091d/"
    "semeval-3way.zip",
    home="https://github.com/myrosia/semeval-2013-task7 (semeval-3way.zip)",
)
SAF = Source(
    path="SAF.zip",
    url="https://github.com/SebOchs/SAF/archive/09949e912d266777a752ac7d51cfcddb4b3f6978.zip",
    home="https://github.com/SebOchs/SAF (data)",
)

Folders = Mapping[str, Mapping[tuple[str, str | None], str]]
"""Split → part and test → folder."""

_NAMES = {"Beetle": "beetle", "SciEntsBank": "sciEntsBank"}
SEMEVAL2013_FOLDERS: Folders = {
    "train": {(part, None): f"training/3way/{name}" for part, name in _NAMES.items()},
    "test": {
        (part, f"unseen {what}"): f"test/3way/{name}/test-unseen-{what}"
        for part, name in _NAMES.items()
        for what in ("answers", "questions")
    },
}
_LANGUAGES = {"English": "en", "German": "de"}
SAF_FOLDERS: Folders = {
    split: {(part, None): f"{folder}/{part.lower()}" for part in _LANGUAGES}
    for split, folder in {"train": "training", "test": "unseen_answers"}.items()
}


def read(folders: Folders, source: Source, folder: Path | None, split: str) -> Iterator[PublishedAnswer]:
    """Yield the answers of a split.

    Raises:
        OSError: the files are missing or could not be downloaded (without a folder).
        ValueError: a file does not have the format of the data set.
    """
    top = folder or download(source)
    for (part, test), path in folders[split].items():
        for file in sorted(_subfolder(source, top, path).glob("*.xml")):
            question = _question(file)
            references = list(map(_text, question.iterfind("referenceAnswers/referenceAnswer")))
            for answer in question.iterfind("studentAnswers/studentAnswer"):
                text, verdict = _read_answer(answer)
                row = LabeledRow(
                    question_id=f"{part}/{file.stem}",
                    question=question.findtext("questionText", "").strip(),
                    references=references,
                    answer=text,
                    label=float(verdict == CORRECT),
                    groups=frozenset({"all", part, f"{part}/{test}" if test else part}),
                    language=_LANGUAGES.get(part, "en"),
                )
                yield PublishedAnswer(part, verdict or "without a verdict", row)


def _read_answer(answer: ElementTree.Element) -> tuple[str, str | None]:
    """Return an answer with its verdict: SAF has elements for them, SemEval-2013 a text and an attribute."""
    response = answer.find("response")
    if response is None:
        return _text(answer), answer.get("accuracy")
    return _text(response), answer.findtext("verification_feedback", "").strip().lower()


def _subfolder(source: Source, top: Path, path: str) -> Path:
    """Return the folder with this path in `top` or up to two levels below it, as in a clone or an archive."""
    for pattern in (path, f"*/{path}", f"*/*/{path}"):
        for place in sorted(top.glob(pattern)):
            return place
    raise source.missing(top / path)


def _text(element: ElementTree.Element) -> str:
    return (element.text or "").strip()


def _question(path: Path) -> ElementTree.Element:
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise ValueError(f"{path} is not valid XML ({error}); download the file again") from None
    if root.tag != "question":
        raise ValueError(f"{path} starts with <{root.tag}>; expected <question>. Download the file again.")
    return root
