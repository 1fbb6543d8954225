"""Small data sets with people's verdicts, in the formats of the releases, and a server instead of the Hub."""

import json
from xml.sax.saxutils import escape

import pytest
from hub_server import Hub, serve
from huggingface_hub import constants


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """The server as the Hub of this process, with an empty cache; the test fails if it receives an unknown request."""
    with serve(Hub()) as server:
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
        monkeypatch.setattr(constants, "ENDPOINT", server.address)
        monkeypatch.setattr(
            constants, "HUGGINGFACE_CO_URL_TEMPLATE", server.address + "/{repo_id}/resolve/{revision}/{filename}"
        )
        monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
        yield server
        assert server.unknown == []


@pytest.fixture
def efficientqa_dir(tmp_path):
    """EfficientQA in small: one question of `train`, and two of `dev`, one of which has no definite verdict."""
    folder = tmp_path / "efficientqa"
    folder.mkdir()
    # The SHA-256 of "hello" begins with 2c, that of "abc" with ba, that of "who wrote Dracula" with b4.
    rows = [
        ("hello", ["hi there"], ["hi", "hallo"], [], ["good night"]),
        ("abc", ["the alphabet", "letters"], ["the letters"], ["signs"], ["numbers", "a song"]),
        ("who wrote Dracula", ["Bram Stoker"], [], ["Stoker's brother", "an Irishman"], []),
    ]
    names = ("question", "answer", "def_correct_predictions", "poss_correct_predictions", "def_incorrect_predictions")
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    (folder / "NQ-open.efficientqa.test.1.1.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def write_question(file, question, references, answers):
    """Write a question as SemEval-2013 and SAF have it; the answers are XML already."""
    file.parent.mkdir(parents=True, exist_ok=True)
    expected = "".join(f"<referenceAnswer>\n  {escape(text)}\n</referenceAnswer>" for text in references)
    file.write_text(
        f"<?xml version='1.0' encoding='utf-8'?>\n<question id='1'>\n  <questionText>{escape(question)}</questionText>"
        f"<referenceAnswers>{expected}</referenceAnswers><studentAnswers>{''.join(answers)}</studentAnswers></question>",
        "utf-8",
    )


def pupil(text, verdict):
    """An answer as SemEval-2013 has it."""
    return f"<studentAnswer id='a' accuracy='{verdict}'>{escape(text)}</studentAnswer>"


def graded(text, verdict):
    """An answer as SAF has it."""
    return (
        f"<studentAnswer><response>\n\t{escape(text)} </response><response_feedback>Because.</response_feedback>"
        f"<score>0.5</score><verification_feedback>{verdict}</verification_feedback></studentAnswer>"
    )


@pytest.fixture
def semeval2013_dir(tmp_path):
    """SemEval-2013 in small: a question of each set in training and test, and one of each in a test only."""
    folder = tmp_path / "semeval2013"
    lamp = "Why is the lamp off?", ["The wire is cut", "There is a gap & no current"]
    snow = "What is snow?", ["Frozen water"]
    stays = "When is it on?", ["When the wire is whole"]
    right, against, wrong = "correct", "contradictory", "incorrect"
    files = {
        "training/3way/beetle/LAMP.xml": (*lamp, [pupil("a cut wire", right), pupil("the wire is whole", against)]),
        "training/3way/sciEntsBank/SNOW.xml": (*snow, [pupil("ice", right)]),
        "test/3way/beetle/test-unseen-answers/LAMP.xml": (*lamp, [pupil("a gap", right), pupil("no idea", wrong)]),
        "test/3way/beetle/test-unseen-questions/WHOLE.xml": (
            *stays,
            [
                pupil("never", against),
                pupil("always", against),
                pupil("if the wire is whole", right),
                pupil("so", wrong),
            ],
        ),
        "test/3way/sciEntsBank/test-unseen-answers/SNOW.xml": (*snow, [pupil("water", wrong), pupil(" ", wrong)]),
        "test/3way/sciEntsBank/test-unseen-questions/RAIN.xml": ("What is rain?", ["Water"], [pupil("water", right)]),
    }
    for path, content in files.items():
        write_question(folder / path, *content)
    return folder


@pytest.fixture
def saf_dir(tmp_path):
    """SAF in small: a question in each language; of three new English answers one is partially correct, one blank."""
    folder = tmp_path / "saf"
    english, german = ("Why?", ["It is cold"]), ("Warum?", ["Es ist kalt (0.25 P)"])
    files = {
        "training/english/1.xml": (*english, [graded("Cold.", "Correct")]),
        "training/german/1.xml": (*german, [graded("Kälte", "Correct"), graded("Hitze", "Incorrect")]),
        "unseen_answers/english/1.xml": (
            *english,
            [graded("Heat", "Incorrect"), graded("Weather", "Partially correct"), graded("", "Correct")],
        ),
        "unseen_answers/german/1.xml": (*german, [graded("Wegen der Kälte", "Correct")]),
    }
    for path, content in files.items():
        write_question(folder / path, *content)
    return folder
