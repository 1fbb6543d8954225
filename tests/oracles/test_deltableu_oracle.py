"""Scores equal those of the released program and of an independent implementation of the paper.

On edge cases and, if the developers' data are available, on 104 real items; see `meta` in the oracles.
"""

import itertools
import json
import operator
from pathlib import Path

import numpy as np
import pytest

import evaluate_qa
from evaluate_qa.metrics.deltableu.ngrams import row_statistics
from evaluate_qa.metrics.deltableu.options import DeltaBleuOptions
from evaluate_qa.metrics.deltableu.scoring import score
from evaluate_qa.metrics.deltableu.tokens import load_tokenizer

EDGE_CASES = json.loads(Path(__file__).with_name("deltableu_edge_cases.json").read_text())["edge_cases"]
TOKENIZERS = {"en": "13a", "zh": "zh"}
WEIGHTS = ["scheme", "ones", "random"]
NAMES = {
    "score": "deltableu",
    "correct": "counts",
    "total": "totals",
    "precisions": "precisions",
    "bp": "brevity_penalty",
    "sys_len": "sys_len",
    "ref_len": "ref_len",
}


@pytest.fixture(scope="module")
def oracle(shared):
    return json.loads((shared / "oracles/deltableu_public.json").read_text())


@pytest.fixture(scope="module")
def metric():
    return evaluate_qa.load("deltableu")


def columns(oracle, lang, weights, lower_references=False):
    references = [item["refs"][lang] for item in oracle["items"]]
    if lower_references:
        references = [[text.lower() for text in row] for row in references]
    return {
        "predictions": [item["hyp"][lang] for item in oracle["items"]],
        "references": references,
        "reference_weights": [item["w"][weights] for item in oracle["items"]],
        "tokenize": TOKENIZERS[lang],
    }


def agree(result, expected):
    for theirs, ours in NAMES.items():
        assert result[ours] == pytest.approx(expected[theirs], abs=1e-6), ours


@pytest.mark.parametrize(
    ("lang", "weights", "effective_order", "lowercase"),
    list(itertools.product(TOKENIZERS, WEIGHTS, [True, False], [True, False])),
)
def test_corpus_scores(oracle, metric, lang, weights, effective_order, lowercase):
    options = {"lang": lang, "weights": weights, "effective_order": effective_order, "lowercase": lowercase}
    (expected,) = (case for case in oracle["corpus"] if options.items() <= case.items())
    options = {"effective_order": effective_order, "lowercase": lowercase}
    given = columns(oracle, lang, weights)
    agree(metric.compute(**given, **options), expected["paper"])
    agree(metric.compute(**given, **options, variant="released"), expected["reference"])
    if lowercase:
        by_hand = expected["reference_refs_lowercased_by_hand"]
        agree(metric.compute(**columns(oracle, lang, weights, True), **options, variant="released"), by_hand)


def nothing_matches(given, options):
    """Whether a row has no match: the oracle's `paper` smooths it, but the metric returns 0, as sacrebleu does."""
    lower = str.lower if options.get("lowercase") else str
    split = load_tokenizer(given["tokenize"]).split
    rows = zip(given["predictions"], given["references"], given["reference_weights"], strict=True)
    matches = [
        row_statistics(split(lower(prediction)), [split(lower(text)) for text in references], weights)[2:6]
        for prediction, references, weights in rows
    ]
    return [max(row) < 1e-9 for row in matches]


@pytest.mark.parametrize(("lang", "weights"), list(itertools.product(TOKENIZERS, WEIGHTS)))
@pytest.mark.parametrize(
    ("field", "lower_references", "options"),
    [
        ("ref", False, {"variant": "released"}),
        ("ref_lc", False, {"variant": "released", "lowercase": True}),
        ("ref_lc_refslower", True, {"variant": "released", "lowercase": True}),
        ("paper", False, {}),
        ("paper_lc", False, {"lowercase": True}),
    ],
)
def test_sentence_scores(oracle, metric, lang, weights, field, lower_references, options):
    given = columns(oracle, lang, weights, lower_references)
    scores = metric.compute(**given, **options)["per_example"]["score"]
    expected = [sentence[f"{lang}/{weights}"][field] for sentence in oracle["sentences"]]
    if field.startswith("paper"):
        nothing = nothing_matches(given, options)
        assert sum(nothing) < len(nothing)
        expected = [0 if none else value for none, value in zip(nothing, expected, strict=True)]
    assert scores == pytest.approx(expected, abs=1e-6)


def core_score(case, effective_order=False, lowercase=False, lower_references=False):
    """Score a case with the core functions which, unlike the metric, accept rows with only blank references."""
    split = load_tokenizer(TOKENIZERS[case["lang"]]).split
    references = [text.lower() if lower_references else text for text in case["refs"]]
    statistics = row_statistics(
        split(case["hyp"].lower() if lowercase else case["hyp"]),
        list(map(split, references)),
        case["weights"],
        4,
        "released",
    )
    return score(np.array([statistics]), DeltaBleuOptions(variant="released", effective_order=effective_order))


RUNS = {
    "eff": {"effective_order": True},
    "noeff": {"effective_order": False},
    "lc_eff": {"effective_order": True, "lowercase": True},
    "lc_eff_refslower": {"effective_order": True, "lowercase": True, "lower_references": True},
}


@pytest.mark.parametrize("case", EDGE_CASES, ids=operator.itemgetter("name"))
@pytest.mark.parametrize("run", RUNS)
def test_edge_cases(metric, case, run):
    options, expected = dict(RUNS[run]), case[run]
    lower = options.pop("lower_references", False)
    given = {
        "predictions": [case["hyp"]],
        "references": [[text.lower() if lower else text for text in case["refs"]]],
        "reference_weights": [case["weights"]],
        "tokenize": TOKENIZERS[case["lang"]],
    }
    if "exception" in expected:
        with pytest.raises(ValueError, match=r"^deltableu: reference_weights\[0\] is .* at least one of them above 0"):
            metric.compute(**given, **options)
        return
    core = core_score(case, **options, lower_references=lower)
    names = {"deltableu": "score", "counts": "matches"}
    figures = {name: np.squeeze(getattr(core, names.get(name, name))).tolist() for name in NAMES.values()}
    agree(figures, expected)
    if any(map(str.strip, case["refs"])):
        agree(metric.compute(**given, **options, variant="released"), expected)
    else:
        with pytest.raises(ValueError, match=r"^deltableu: references\[0\] is .* non-empty strings"):
            metric.compute(**given, **options)
