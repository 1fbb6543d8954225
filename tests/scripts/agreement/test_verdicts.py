"""EfficientQA, SemEval-2013 and SAF as benchmarks."""

import pytest

from evaluate_qa.agreement.data_sets import DATA
from evaluate_qa.labeled_data.rows import DataSelection


def read(name, folder, **selection):
    return DATA[name](DataSelection(folder, **selection))


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


@pytest.mark.parametrize("selection", [{"systems": ("gpt4",)}, {"split": "dev"}])
def test_wrong_selections_are_rejected(saf_dir, selection):
    with pytest.raises(ValueError, match=r"saf (does not name systems|has no split 'dev')"):
        read("saf", saf_dir, **selection)
