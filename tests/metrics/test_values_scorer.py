"""Rules for values overrule a model's scores where they are sure; references may be parts that an answer needs."""

import numpy as np
import pytest

import evaluate_qa

ROWS = {
    "predictions": ["There are 208 bones.", "3,400 keV", "It was the Curies in Paris.", "I do not know."],
    "references": [["206"], ["3.1 MeV", "3.4 MeV"], ["Marie Curie"], ["206"]],
    "questions": ["How many bones?", "How much energy?", "Who discovered radium?", "How many bones?"],
}
VALUES = ("value_kind", "value_reference", "value_answer", "value_verdict")


@pytest.fixture(scope="module", params=["bem", "nli_lex", "smile"])
def scorer(request):
    return evaluate_qa.load(request.param)


def test_rules_decide_where_they_are_sure(scorer):
    found, alone = scorer.compute(**ROWS), scorer.compute(**ROWS, typed=False)
    rows, others = found["per_example"], alone["per_example"]
    assert rows["score"] == [0, 1, *others["score"][2:]]
    assert rows["verdict"] == [False, True, *others["verdict"][2:]]
    assert rows["best_reference"][1] == 1
    assert [rows[name][:2] for name in VALUES] == [
        ["number", "quantity"],
        ["206", "3.4 MeV"],
        ["208", "3,400 keV (3.4 MeV)"],
        [False, True],
    ]
    assert [rows[name][2:] for name in VALUES] == [[None, None]] * 4
    assert found["signature"] == f"{alone['signature']}|typed:auto"
    assert not set(VALUES) & set(others)
    if "not_attempted" in rows:
        assert rows["not_attempted"] == [False, False, False, True]
    if "bin" in rows:
        assert rows["bin"][:2] == [0, 5]


def test_only_the_named_kinds_are_compared(scorer):
    found = scorer.compute(**ROWS, typed=["quantity"])
    assert found["per_example"]["value_kind"] == [None, "quantity", None, None]
    assert found["signature"].endswith("|typed:quantity")


def test_the_order_of_kinds_is_not_in_the_signature(scorer):
    found = [
        scorer.compute(**ROWS, typed=kinds) for kinds in (["quantity", "number", "quantity"], ["number", "quantity"])
    ]
    assert found[0] == found[1]
    assert found[0]["signature"].endswith("|typed:number+quantity")


def test_tolerance_is_in_the_signature(scorer):
    found = scorer.compute(**ROWS, tolerance=0.02)
    assert found["per_example"]["value_verdict"][0]  # |208 − 206| = 2 < .02 · 206 = 4.12
    assert "|tol:0.02|" in found["signature"]


@pytest.mark.parametrize("typed", [True, "number", ["numbers"], [], 3])
def test_other_kinds_are_refused(scorer, typed):
    with pytest.raises(
        ValueError, match=rf"^{scorer.name}: typed is .*; expected 'auto', False, or a list of number, "
    ):
        scorer.compute(**ROWS, typed=typed)


def test_all_parts_are_required(scorer):
    out = scorer.compute(
        predictions=["red and blue", "red, green and pink", "12 and 4"],
        references=[["red", "blue"], ["red", "blue", "green"], ["4", "12"]],
        questions=["Which colors are in the flag?"] * 2 + ["Which numbers?"],
        references_are="all",
    )
    rows = out["per_example"]
    assert rows["verdict"] == [True, False, True]
    # Found: both of two; red and green of three; both of two. Required: both; red and green of three; both.
    assert rows["part_recall"] == pytest.approx([1, 2 / 3, 1])
    assert rows["part_precision"] == pytest.approx([1, 2 / 3, 1])
    assert rows["best_reference"][1] == 1  # blue, the part with the lowest score
    assert "|refs:all|" in out["signature"]
    assert out[scorer.name] == pytest.approx(np.mean(rows["score"]))
