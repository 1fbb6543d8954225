"""SemEval-2013 task 7, Joint Student Response Analysis: correct, contradictory and incorrect student answers.

Each set (`Beetle`: answers to a tutoring program about circuits; `SciEntsBank`: answers of school students) has a
folder for training and for each test, with one XML file for each question. Reference answers of every category are
used.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree.ElementTree import Element

from evaluate_qa.datasets_scripts._shared.sources import Source, download

from .published import PublishedAnswer
from .xml_files import questions, references, subfolder, text

SOURCE = Source(
    path="semeval-3way.zip",
    url="https://raw.githubusercontent.com/myrosia/semeval-2013-task7/50ed2d6ca1e533e3d9e27cd0f18b69864814091d/"
    "semeval-3way.zip",
    home="https://github.com/myrosia/semeval-2013-task7 (semeval-3way.zip)",
)
SPLITS = ("train", "test")

_PARTS = {"Beetle": "beetle", "SciEntsBank": "sciEntsBank"}
_FOLDERS: Mapping[str, Mapping[str | None, str]] = {
    "train": {None: "training/3way/{}"},
    "test": {
        "unseen answers": "test/3way/{}/test-unseen-answers",
        "unseen questions": "test/3way/{}/test-unseen-questions",
    },
}


def read(folder: Path | None, split: str) -> Iterator[PublishedAnswer]:
    """Yield the answers of a split; the folder has `training/3way` and `test/3way`.

    Raises:
        OSError: the files are missing or could not be downloaded (without a folder).
        ValueError: a file does not have the format of the task.
    """
    top = folder or download(SOURCE)
    for part, name in _PARTS.items():
        for test, path in _FOLDERS[split].items():
            for stem, question in questions(subfolder(SOURCE, top, path.format(name))):
                yield from _answers(part, test, stem, question)


def _answers(part: str, test: str | None, stem: str, question: Element) -> Iterator[PublishedAnswer]:
    asked, expected = text(question.find("questionText")), references(question)
    for answer in question.iterfind("studentAnswers/studentAnswer"):
        verdict = answer.get("accuracy") or "without a verdict"
        yield PublishedAnswer(part, test, f"{part}/{stem}", asked, expected, text(answer), verdict)
