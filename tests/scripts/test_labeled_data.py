"""Published data sets as labeled answers."""

import shutil
from collections import Counter
from dataclasses import replace

import pytest
from file_server import files_served

from evaluate_qa.labeled_data.sets import SETS, read


def test_efficientqa_drops_and_counts_possibly_correct_answers(efficientqa_dir):
    found = read("efficientqa", efficientqa_dir)
    assert [(row.answer, row.label) for row in found.rows] == [("the letters", 1.0), ("numbers", 0.0), ("a song", 0.0)]
    assert found.dropped == {"EfficientQA": {"possibly correct": 3}}
    first = found.rows[0]
    assert (first.question, first.references, first.language) == ("abc", ["the alphabet", "letters"], "en")


def test_efficientqa_puts_each_question_into_one_split(efficientqa_dir):
    train, dev = (read("efficientqa", efficientqa_dir, split).rows for split in ("train", "dev"))
    assert {row.question for row in train} == {"hello"}
    assert {row.question for row in dev} == {"abc"}


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


def by_group(rows):
    """Return the number of right and of wrong answers in each group but `all`."""
    counts = Counter((group, row.label) for row in rows for group in row.groups)
    return {group: (counts[group, 1.0], counts[group, 0.0]) for group, _ in counts if group != "all"}


def test_contradictory_answers_of_semeval_are_wrong(semeval2013_dir):
    found = read("semeval2013", semeval2013_dir)
    assert by_group(found.rows) == {
        "Beetle": (2, 4),
        "Beetle/unseen answers": (1, 1),
        "Beetle/unseen questions": (1, 3),
        "SciEntsBank": (1, 1),
        "SciEntsBank/unseen answers": (0, 1),
        "SciEntsBank/unseen questions": (1, 0),
    }
    assert found.dropped == {"Beetle": {}, "SciEntsBank": {"blank": 1}}
    assert found.rows[0].references == ["The wire is cut", "There is a gap & no current"]


def test_question_has_the_same_id_in_training_and_test(semeval2013_dir):
    train, test = (read("semeval2013", semeval2013_dir, split).rows for split in ("train", "test"))
    assert {row.question_id for row in train} == {"Beetle/LAMP", "SciEntsBank/SNOW"}
    assert {row.question_id for row in test} >= {"Beetle/LAMP", "Beetle/WHOLE"}
    assert {row.groups for row in train} == {frozenset({"all", "Beetle"}), frozenset({"all", "SciEntsBank"})}


def test_saf_has_a_part_for_each_language(saf_dir):
    found = read("saf", saf_dir)
    assert [(row.groups, row.language, row.answer, row.label) for row in found.rows] == [
        ({"all", "English"}, "en", "Heat", 0.0),
        ({"all", "German"}, "de", "Wegen der Kälte", 1.0),
    ]
    assert found.dropped == {"English": {"partially correct": 1, "blank": 1}, "German": {}}
    assert found.rows[1].references == ["Es ist kalt (0.25 P)"]
    assert len(read("saf", saf_dir, "train").rows) == 3


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
    questions = {(group, row.question_id) for row in found.rows for group in row.groups}
    assert len(read("semeval2013", semeval2013_dir).rows) == len(found.rows) + 2
    assert questions >= {("Beetle/unseen answers", "Beetle/LAMP"), ("Beetle/unseen questions", "Beetle/WHOLE")}


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


def test_released_data_have_the_published_counts(shared):
    """The expected counts come from `grep -o` on the files, without the two blank English answers."""
    found = {
        (name, split): read(name, shared / "data" / name, split) for name, data in SETS.items() for split in data.splits
    }
    efficient = [found["efficientqa", split] for split in ("train", "dev")]
    assert Counter(row.label for one in efficient for row in one.rows) == {1.0: 370, 0.0: 2115}
    assert sum(one.dropped["EfficientQA"].total() for one in efficient) == 507
    # Contradictory and incorrect answers are wrong.
    assert by_group(found["semeval2013", "train"].rows) == {
        "Beetle": (1665, 1049 + 1227),
        "SciEntsBank": (2008, 499 + 2462),
    }
    assert by_group(found["semeval2013", "test"].rows) == {
        "Beetle": (176 + 344, 111 + 152 + 244 + 231),
        "Beetle/unseen answers": (176, 111 + 152),
        "Beetle/unseen questions": (344, 244 + 231),
        "SciEntsBank": (233 + 301, 58 + 249 + 64 + 368),
        "SciEntsBank/unseen answers": (233, 58 + 249),
        "SciEntsBank/unseen questions": (301, 64 + 368),
    }
    assert by_group(found["saf", "train"].rows) == {"English": (829 - 1, 234), "German": (704, 216)}
    assert by_group(found["saf", "test"].rows) == {"English": (136, 42 - 1), "German": (103, 47)}
    assert found["saf", "test"].dropped == {
        "English": {"partially correct": 74, "blank": 1},
        "German": {"partially correct": 121},
    }
