"""EfficientQA, SemEval-2013 and SAF as benchmarks."""

import pytest

from evaluate_qa.agreement.data_sets import DATA
from evaluate_qa.labeled_data.rows import DataSelection


def read(name, folder, **selection):
    return DATA[name](DataSelection(folder, **selection))


def test_efficientqa(efficientqa_dir):
    data = read("efficientqa", efficientqa_dir)
    assert data.groups == ["all"]
    assert [(row.question_id, row.answer, row.label) for row in data.rows] == [
        ("abc", "the letters", 1.0),
        ("abc", "numbers", 0.0),
        ("abc", "a song", 0.0),
    ]
    assert len(read("efficientqa", efficientqa_dir.parent, split="train").rows) == 3


def test_semeval_groups_by_part_and_test(semeval2013_dir):
    data = read("semeval2013", semeval2013_dir)
    assert {group: len(data.members(group)) for group in data.groups} == {
        "all": 8,
        "Beetle": 6,
        "Beetle/unseen answers": 2,
        "Beetle/unseen questions": 4,
        "SciEntsBank": 2,
        "SciEntsBank/unseen answers": 1,
        "SciEntsBank/unseen questions": 1,
    }
    train = read("semeval2013", semeval2013_dir, split="train")
    assert train.groups == ["all", "Beetle", "SciEntsBank"]


def test_saf_groups_by_language(saf_dir):
    data = read("saf", saf_dir)
    assert data.groups == ["all", "English", "German"]
    assert [row.language for row in data.rows] == ["en", "de"]
    assert data.dropped["English"] == {"partially correct": 1, "blank": 1}


@pytest.mark.parametrize("selection", [{"systems": ("gpt4",)}, {"split": "dev"}])
def test_wrong_selections_are_rejected(saf_dir, selection):
    with pytest.raises(ValueError, match=r"saf (does not name systems|has no split 'dev')"):
        read("saf", saf_dir, **selection)
