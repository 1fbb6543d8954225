"""Parity with the released program, and with the paper's formula as others worked it out.

On edge cases, and on 104 real items where the developers' data are; see the oracles' `meta` for their settings.
"""

import itertools
import json
import operator
from pathlib import Path

import numpy as np
import pytest
import sacrebleu

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
    """Whether no order of a row has anything in its numerator.

    There the oracle's `paper` carries the released program's smoothing, where the metric gives 0, as sacrebleu does.
    """
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


@pytest.mark.parametrize("lang", TOKENIZERS)
@pytest.mark.parametrize(
    "options", [{}, {"lowercase": True}, {"effective_order": True}, {"smooth_method": "add-k"}], ids=str
)
def test_weights_of_one_give_sacrebleus_scores(oracle, metric, lang, options):
    given = columns(oracle, lang, "ones")
    result = metric.compute(**given, **options)
    streams = [list(stream) for stream in itertools.zip_longest(*given["references"])]
    corpus = sacrebleu.BLEU(tokenize=TOKENIZERS[lang], **options).corpus_score(given["predictions"], streams)
    assert result["deltableu"] == pytest.approx(corpus.score, abs=1e-9)
    sentence = sacrebleu.BLEU(tokenize=TOKENIZERS[lang], **options | {"effective_order": True})
    pairs = zip(given["predictions"], given["references"], strict=True)
    expected = [sentence.sentence_score(prediction, references).score for prediction, references in pairs]
    assert result["per_example"]["score"] == pytest.approx(expected, abs=1e-9)


def core_score(case, effective_order=False, lowercase=False, lower_references=False):
    """Score a case by the core, which, unlike the metric, takes rows with blank references only."""
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
        with pytest.raises(ValueError, match=r"^deltableu: references\[0\] is .* none of them empty"):
            metric.compute(**given, **options)


def test_the_oracles_are_all_there(oracle):
    assert [len(oracle[name]) for name in ("items", "corpus", "sentences")] == [104, 24, 104]
    assert len(EDGE_CASES) == 26
