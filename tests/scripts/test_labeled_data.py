"""Published data sets as labeled answers."""

import shutil
from collections import Counter
from dataclasses import replace

import pytest
from file_server import files_served

from evaluate_qa.labeled_data.sets import SETS, read


def test_efficientqa_drops_and_counts_possibly_correct_answers(efficientqa_dir):
    found = read("efficientqa", efficientqa_dir)
    assert [(answer.answer, answer.verdict, answer.correct) for answer in found.answers] == [
        ("the letters", "correct", True),
        ("numbers", "incorrect", False),
        ("a song", "incorrect", False),
    ]
    assert found.dropped == {"EfficientQA": {"possibly correct": 3}}
    first = found.answers[0]
    assert (first.question, first.references, first.language) == ("abc", ("the alphabet", "letters"), "en")


def test_efficientqa_puts_each_question_into_one_split(efficientqa_dir):
    train, dev = (read("efficientqa", efficientqa_dir, split).answers for split in ("train", "dev"))
    assert {answer.question for answer in train} == {"hello"}
    assert {answer.question for answer in dev} == {"abc"}


def test_efficientqa_file_may_have_another_name(efficientqa_dir):
    file = next(efficientqa_dir.iterdir())
    whole = read("efficientqa", efficientqa_dir)
    assert read("efficientqa", shutil.move(file, file.with_name("half.jsonl")).parent) == whole
    (efficientqa_dir / "other.jsonl").write_text("")
    with pytest.raises(FileNotFoundError, match=r"NQ-open.*get it from https://"):
        read("efficientqa", efficientqa_dir)


@pytest.mark.parametrize("line", ["[]", "{", '{"question": "q"}'])
def test_error_names_a_broken_line(tmp_path, line):
    (tmp_path / "half.jsonl").write_text(line)
    with pytest.raises(ValueError, match=r"half\.jsonl, line 1: not in EfficientQA's format"):
        read("efficientqa", tmp_path)


def test_semeval_keeps_published_verdicts(semeval2013_dir):
    found = read("semeval2013", semeval2013_dir)
    counts = Counter((answer.part, answer.test, answer.verdict, answer.correct) for answer in found.answers)
    assert counts == {
        ("Beetle", "unseen answers", "correct", True): 1,
        ("Beetle", "unseen answers", "incorrect", False): 1,
        ("Beetle", "unseen questions", "contradictory", False): 2,
        ("Beetle", "unseen questions", "correct", True): 1,
        ("Beetle", "unseen questions", "incorrect", False): 1,
        ("SciEntsBank", "unseen answers", "incorrect", False): 1,
        ("SciEntsBank", "unseen questions", "correct", True): 1,
    }
    assert found.dropped == {"Beetle": {}, "SciEntsBank": {"blank": 1}}
    assert found.answers[0].references == ("The wire is cut", "There is a gap & no current")


def test_question_has_the_same_id_in_training_and_test(semeval2013_dir):
    train, test = (read("semeval2013", semeval2013_dir, split).answers for split in ("train", "test"))
    assert {answer.question_id for answer in train} == {"Beetle/LAMP", "SciEntsBank/SNOW"}
    assert {answer.question_id for answer in test} >= {"Beetle/LAMP", "Beetle/WHOLE"}
    assert {answer.test for answer in train} == {None}


def test_saf_has_a_part_for_each_language(saf_dir):
    found = read("saf", saf_dir)
    assert [(answer.part, answer.language, answer.answer, answer.verdict) for answer in found.answers] == [
        ("English", "en", "Heat", "incorrect"),
        ("German", "de", "Wegen der Kälte", "correct"),
    ]
    assert found.dropped == {"English": {"partially correct": 1, "blank": 1}, "German": {}}
    assert found.answers[1].references == ("Es ist kalt (0.25 P)",)
    assert len(read("saf", saf_dir, "train").answers) == 3


def test_answers_without_question_reference_or_verdict_are_dropped(saf_dir):
    file = saf_dir / "unseen_answers" / "german" / "1.xml"
    whole = file.read_text("utf-8")
    file.write_text(whole.replace("Warum?", ""), "utf-8")
    assert read("saf", saf_dir).dropped["German"] == {"without a question": 1}
    file.write_text(whole.replace("Es ist kalt (0.25 P)", ""), "utf-8")
    assert read("saf", saf_dir).dropped["German"] == {"without a reference": 1}
    file.write_text(whole.replace("Correct", ""), "utf-8")
    assert read("saf", saf_dir).dropped["German"] == {"without a verdict": 1}


def test_limit_counts_the_questions_of_each_test(semeval2013_dir):
    shutil.copy(
        semeval2013_dir / "test/3way/beetle/test-unseen-answers/LAMP.xml",
        semeval2013_dir / "test/3way/beetle/test-unseen-answers/TORCH.xml",
    )
    found = read("semeval2013", semeval2013_dir, limit=1)
    questions = {(answer.part, answer.test, answer.question_id) for answer in found.answers}
    assert len(read("semeval2013", semeval2013_dir).answers) == len(found.answers) + 2
    assert questions >= {("Beetle", "unseen answers", "Beetle/LAMP"), ("Beetle", "unseen questions", "Beetle/WHOLE")}


@pytest.mark.parametrize("name", ["semeval2013", "saf"])
def test_files_may_be_in_a_subfolder_of_a_clone(tmp_path, request, name):
    folder = request.getfixturevalue(f"{name}_dir")
    whole = read(name, folder)
    clone = tmp_path / "clone" / "data"
    clone.parent.mkdir()
    shutil.move(folder, clone)
    assert read(name, clone.parent) == whole


def test_errors_name_the_file_and_the_fix(saf_dir, tmp_path):
    with pytest.raises(ValueError, match="saf has no split 'dev'; expected train or test"):
        read("saf", saf_dir, "dev")
    with pytest.raises(FileNotFoundError, match="get it from https://github"):
        read("semeval2013", tmp_path)
    file = saf_dir / "training" / "english" / "1.xml"
    file.write_text("<question>")
    with pytest.raises(ValueError, match=r"1\.xml is not valid XML .*; download the file again"):
        read("saf", saf_dir, "train")
    file.write_text("<feed/>")
    with pytest.raises(ValueError, match=r"1\.xml starts with <feed>; expected <question>"):
        read("saf", saf_dir, "train")


@pytest.mark.parametrize("name", SETS)
def test_data_sets_are_downloaded(request, tmp_path, monkeypatch, name):
    folder = request.getfixturevalue(f"{name}_dir")
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("datasets.config.DOWNLOADED_DATASETS_PATH", str(tmp_path / "downloads"))
    whole = read(name, folder)
    (file,) = (
        folder.iterdir() if name == "efficientqa" else [shutil.make_archive(tmp_path / name, "zip", tmp_path, name)]
    )
    with files_served(tmp_path) as address:
        served = tmp_path / "served" / name
        served.parent.mkdir()
        shutil.move(file, served)
        source = replace(SETS[name].source, url=f"{address}/served/{name}")
        monkeypatch.setitem(SETS, name, replace(SETS[name], source=source))
        shutil.rmtree(folder)
        assert read(name, None) == whole


def counted(numbers, test=None):
    """Return the counts of correct, contradictory and incorrect answers by part."""
    return {
        (part, test, verdict): number
        for part, of_part in numbers.items()
        for verdict, number in zip(("correct", "contradictory", "incorrect"), of_part, strict=True)
    }


def test_released_data_have_the_published_counts(shared):
    """The expected counts come from `grep -o` on the files, without the two blank English answers."""
    split = {
        (name, split): read(name, shared / "data" / name, split) for name, data in SETS.items() for split in data.splits
    }
    counts = {
        key: Counter((answer.part, answer.test, answer.verdict) for answer in found.answers)
        for key, found in split.items()
    }
    efficient = counts["efficientqa", "train"] + counts["efficientqa", "dev"]
    assert efficient == {("EfficientQA", None, "correct"): 370, ("EfficientQA", None, "incorrect"): 2115}
    assert sum(split["efficientqa", name].dropped["EfficientQA"].total() for name in ("train", "dev")) == 507
    assert counts["semeval2013", "train"] == counted({"Beetle": (1665, 1049, 1227), "SciEntsBank": (2008, 499, 2462)})
    answers = {"Beetle": (176, 111, 152), "SciEntsBank": (233, 58, 249)}
    questions = {"Beetle": (344, 244, 231), "SciEntsBank": (301, 64, 368)}
    tests = counted(answers, "unseen answers") | counted(questions, "unseen questions")
    assert counts["semeval2013", "test"] == tests
    assert counts["saf", "train"] == {
        ("English", None, "correct"): 829 - 1,
        ("English", None, "incorrect"): 234,
        ("German", None, "correct"): 704,
        ("German", None, "incorrect"): 216,
    }
    assert counts["saf", "test"] == {
        ("English", None, "correct"): 136,
        ("English", None, "incorrect"): 42 - 1,
        ("German", None, "correct"): 103,
        ("German", None, "incorrect"): 47,
    }
    assert split["saf", "test"].dropped == {
        "English": {"partially correct": 74, "blank": 1},
        "German": {"partially correct": 121},
    }
