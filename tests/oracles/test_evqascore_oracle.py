"""EVQAScore equals the paper's formulas and the released program on 27 cases of made vectors."""

import json
from pathlib import Path

import pytest

from evaluate_qa.metrics.evqascore.options import EvqascoreOptions
from evaluate_qa.metrics.evqascore.scoring import compare, score


@pytest.fixture(scope="module")
def oracle():
    return json.loads(Path(__file__).with_name("evqascore_cases.json").read_text())["cases"]


@pytest.mark.parametrize(("mode", "total"), [("caption", "caption_score"), ("qa", "qa_score")])
def test_scores_equal_the_papers_formulas(oracle, mode, total):
    assert len(oracle) == 27
    for case in oracle:
        found = score([compare(case["frames"], case["caption"], case["keywords"], mode)], EvqascoreOptions())
        got = tuple(values[0] for values in (found.precision, found.recall, found.f_score, found.coarse, found.score))
        paper = case["out"]["paper"]
        expected = tuple(paper[name] for name in ("P", "R", "F", "coarse", total))
        assert got == pytest.approx(expected, abs=1e-6), case["id"]


def test_caption_scores_equal_the_released_program(oracle):
    """Its global and local scores are c and F. It computed in single precision."""
    for case in oracle:
        found = score([compare(case["frames"], case["caption"], case["keywords"], "caption")], EvqascoreOptions())
        released = case["out"]["yqjmartin"]
        got = (found.f_score[0], found.coarse[0], found.score[0])
        assert got == pytest.approx((released["l_score"], released["g_score"], released["score"]), abs=1e-6), case["id"]
