"""ΔBLEU by hand and against sacrebleu."""

import itertools
import math
import random

import numpy as np
import pytest
import sacrebleu
from sacrebleu.significance import PairedTest

import evaluate_qa

FIELDS = "|v:1.2.0|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|weights:ones|variant:paper|sacrebleu:"
WORDS = ["the", "rash", "is", "dry", "eczema", "tinea", "of", "hand", "foot", ",", "likely", "not", "psoriasis", "."]


@pytest.fixture(scope="module")
def metric():
    return evaluate_qa.load("deltableu")


def rows(count=40, seed=0):
    """Answers, references that share words with them, and weights."""
    generator = random.Random(seed)
    text = lambda: " ".join(generator.choices(WORDS, k=generator.randint(3, 12)))  # noqa: E731
    predictions = [text() for _ in range(count)]
    references = [[text() for _ in range(generator.randint(1, 5))] for _ in range(count)]
    weights = [[generator.choice([-0.5, 0.3, 0.7]) for _ in row[1:]] + [1.0] for row in references]
    return {"predictions": predictions, "references": references, "reference_weights": weights}


def test_perfect_answers_that_are_too_short_get_a_warning(metric, recwarn):
    short = {"predictions": ["Paris", "in 42 days"], "references": ["Paris", "in 42 days"]}
    with pytest.warns(UserWarning, match=r"is 0, because no answer has 4 tokens; use effective_order=True"):
        assert metric.compute(**short)["deltableu"] == 0
    recwarn.clear()
    metric.compute(**short, effective_order=True)
    metric.compute(predictions=["Rome", "a b c"], references=["Paris", "d"])  # 0 in any case
    metric.compute(predictions=["a b c d", "Rome"], references=["a b c d", "Rome"])
    assert not recwarn.list


def test_weights_are_reference_weights(metric):
    with pytest.raises(TypeError, match="'weights'; did you mean 'reference_weights'"):
        metric.compute(**rows(), weights=[])


def test_score_by_hand(metric):
    # Order 1: the max(0.6, 1.0) + cat 1.0 = 2.0 of 4; order 2: 2·0.2 + 1.0 = 1.4 of 3; order 3: 0.2 of 2; order 4: no
    # match of 1, smoothed to 1/2. Lengths 4 and 3: no penalty.
    columns = {"predictions": ["the the the cat"], "references": [["the the the", "the cat"]]}
    result = metric.compute(**columns, reference_weights=[[0.2, 1.0]])
    assert result["counts"] == pytest.approx([2.0, 1.4, 0.2, 0])
    assert result["totals"] == pytest.approx([4, 3, 2, 1])
    assert result["precisions"] == pytest.approx([50, 140 / 3, 10, 50])
    assert result["deltableu"] == pytest.approx(100 * (0.5 * 1.4 / 3 * 0.1 * 0.5) ** 0.25)
    assert (result["sys_len"], result["ref_len"], result["length_ratio"]) == (4, 3, pytest.approx(4 / 3))
    assert result["brevity_penalty"] == 1
    assert result["per_example"] == {
        "score": [pytest.approx(result["deltableu"])],
        "brevity_penalty": [1.0],
        "sys_len": [4],
        "ref_len": [3],
    }
    # The released program: order 1 has the 3·1.0 + cat 1.0 = 4 of 4; the other orders are the same.
    result = metric.compute(**columns, reference_weights=[[0.2, 1.0]], variant="released")
    assert result["counts"] == pytest.approx([4.0, 1.4, 0.2, 0])
    assert result["deltableu"] == pytest.approx(100 * (1 * 1.4 / 3 * 0.1 * 0.5) ** 0.25)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"lowercase": True},
        {"tokenize": "intl"},
        {"tokenize": "char", "smooth_method": "floor"},
        {"tokenize": "none", "smooth_method": "floor", "smooth_value": 0.3},
        {"smooth_method": "add-k", "max_ngram_order": 6},
        {"smooth_method": "none", "max_ngram_order": 2},
        {"effective_order": True},
    ],
    ids=str,
)
def test_equal_weights_give_bleu_of_sacrebleu(metric, options):
    columns = rows()
    bleu = sacrebleu.BLEU(**options)
    streams = [list(stream) for stream in itertools.zip_longest(*columns["references"])]
    expected = bleu.corpus_score(columns["predictions"], streams)
    del columns["reference_weights"]
    result = metric.compute(**columns, **options)
    assert result["deltableu"] == pytest.approx(expected.score, abs=1e-9)
    assert result["precisions"] == pytest.approx(expected.precisions, abs=1e-9)
    assert result["brevity_penalty"] == pytest.approx(expected.bp, abs=1e-12)
    assert (result["sys_len"], result["ref_len"]) == (expected.sys_len, expected.ref_len)
    assert result["length_ratio"] == pytest.approx(expected.ratio)
    sentence = sacrebleu.BLEU(**options | {"effective_order": True})
    pairs = zip(columns["predictions"], columns["references"], strict=True)
    scores = [sentence.sentence_score(prediction, references).score for prediction, references in pairs]
    assert result["per_example"]["score"] == pytest.approx(scores, abs=1e-9)


def test_equal_weights_cancel_out_except_in_smoothing(metric):
    columns = rows() | {"smooth_method": "none", "max_ngram_order": 2}
    del columns["reference_weights"]
    halves = [[0.5] * len(row) for row in columns["references"]]
    ones = metric.compute(**columns)["deltableu"]
    assert ones > 0
    assert metric.compute(**columns, reference_weights=halves)["deltableu"] == pytest.approx(ones)
    # Smoothing ignores weights: half a match of a total of 0.5·1 gives (1/2)/(0.5·1) instead of (1/2)/1.
    columns = {"predictions": ["a b"], "references": [["b a"]], "max_ngram_order": 2}
    assert metric.compute(**columns)["precisions"] == pytest.approx([100, 50])
    assert metric.compute(**columns, reference_weights=[[0.5]])["precisions"] == pytest.approx([100, 100])


def test_rows_without_weights_have_weights_of_one(metric):
    columns = rows()
    ones = [[1.0] * len(row) for row in columns["references"]]
    given = [weights if number % 2 else None for number, weights in enumerate(columns["reference_weights"])]
    filled = [weights if number % 2 else ones[number] for number, weights in enumerate(columns["reference_weights"])]
    assert metric.compute(**columns | {"reference_weights": given}) == metric.compute(
        **columns | {"reference_weights": filled}
    )


def test_lowercase_lowers_references_except_in_the_released_program(metric):
    columns = {"predictions": ["ECZEMA of the hand"], "references": ["Eczema of the hand"], "lowercase": True}
    assert metric.compute(**columns)["deltableu"] == pytest.approx(100)
    assert metric.compute(**columns, variant="released")["deltableu"] < 100


def test_blank_references_next_to_others_have_length_0(metric):
    # The blank one is closest in length to one token (0 or 3) and gives its weight to the totals: 0.5 of 1.
    result = metric.compute(
        predictions=["a"], references=[["", "a b c"]], reference_weights=[[1.0, 0.5]], max_ngram_order=1
    )
    assert (result["ref_len"], result["counts"], result["totals"]) == (0, [0.5], [1.0])
    assert (result["deltableu"], result["length_ratio"]) == (pytest.approx(50), 0)


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ([1.0], ValueError, r"reference_weights\[1\] has length 1, but references\[1\] has length 2; exp"),
        ([1.1, 1], ValueError, r"reference_weights\[1\] is \[1.1, 1\]; expected a list of numbers from -1 to 1, at l"),
        ([math.nan, 1], ValueError, r"reference_weights\[1\] is \[nan, 1\]; expected"),
        ([10**400, 1], ValueError, r"reference_weights\[1\] is \[1000"),
        ([0, 0], ValueError, r"reference_weights\[1\] is \[0, 0\]; expected .* at least one of them above 0"),
        ([], TypeError, r"reference_weights\[1\] is \[\]; expected a list of numbers"),
        (1.0, TypeError, r"reference_weights\[1\] is 1.0; expected a list of numbers"),
        (["1", "1"], TypeError, r"reference_weights\[1\] is \['1', '1'\]; expected a list of numbers"),
        ({"a": 1, "b": 1}, TypeError, r"reference_weights\[1\] is .*; expected a list of numbers"),
    ],
)
def test_invalid_weights_raise(metric, bad, error, message):
    columns = {"predictions": ["a", "b"], "references": [["a"], ["b", "c"]]}
    with pytest.raises(error, match=f"^deltableu: {message}") as raised:
        metric.compute(**columns, reference_weights=[[1], bad])
    assert (raised.value.column, raised.value.row) == ("reference_weights", 1)
    assert metric.compute(**columns)["ref_len"] == 2


def test_no_score_exceeds_100(metric):
    texts = ["a b c d e f g", "a b c d", "x"]
    for weight in (1.0, 0.7):
        columns = {"references": texts, "reference_weights": [[weight]] * 3}
        result = metric.compute(predictions=texts, **columns)
        assert [result["deltableu"], *result["precisions"]] == [100] * 5
        assert result["per_example"]["score"] == [100] * 3


@pytest.mark.parametrize(("option", "most"), [("max_ngram_order", 100), ("n_bootstrap", 100_000)])
def test_options_that_need_memory_are_bounded(metric, option, most):
    with pytest.raises(ValueError, match=rf"^deltableu: {option} is 1000000000; expected .*, at most {most}$"):
        metric.compute(predictions=["a"], references=["a"], **{option: 10**9})


def test_numpy_weights_are_accepted(metric):
    columns = {"predictions": ["a b"], "references": [["a", "b"]]}
    expected = metric.compute(**columns, reference_weights=[[0.5, 1.0]])
    for weights in (np.array([0.5, 1.0]), np.array([0.5, 1], dtype=np.float32), [np.float32(0.5), np.int64(1)]):
        assert metric.compute(**columns, reference_weights=[weights]) == expected
    assert metric.compute(**columns, reference_weights=np.array([[0.5, 1.0]])) == expected


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        ({}, {}),
        ({"lowercase": True}, {"case": "lc"}),
        ({"effective_order": True}, {"eff": "yes"}),
        ({"tokenize": "zh"}, {"tok": "zh"}),
        ({"lang": "zh-CN"}, {"tok": "zh"}),
        ({"lang": "ZH"}, {"tok": "zh"}),
        ({"lang": "fr"}, {}),
        ({"lang": "zh", "tokenize": "char"}, {"tok": "char"}),
        ({"smooth_method": "none"}, {"smooth": "none"}),
        ({"smooth_method": "floor"}, {"smooth": "floor[0.1]"}),
        ({"smooth_method": "add-k", "smooth_value": 2}, {"smooth": "add-k[2]"}),
        ({"variant": "released"}, {"variant": "released"}),
        ({"max_ngram_order": 2}, {"order": "2"}),
        ({"reference_weights": [[0.5, 1]]}, {"weights": "given"}),
        ({"reference_weights": [[1, 1]]}, {}),
        ({"references": [["a"]]}, {"nrefs": "1"}),
    ],
    ids=str,
)
def test_signature_shows_the_options(metric, options, changed):
    columns = {"predictions": ["a"], "references": [["a", "b"]]}
    signature = metric.compute(**columns | options)["signature"]
    name, *fields = signature.split("|")
    _, *usual = f"{FIELDS}{sacrebleu.__version__}".split("|")
    expected = dict(field.split(":") for field in usual) | changed
    assert (name, dict(field.split(":") for field in fields)) == ("deltableu", expected)


def test_a_language_without_spaces_needs_a_tokenizer(metric):
    columns = {"predictions": ["abcd"], "references": ["abcd"], "lang": "km-KH"}
    with pytest.raises(ValueError, match=r"^deltableu: lang is 'km-KH', a language without spaces .*'flores200'"):
        metric.compute(**columns)
    assert metric.compute(**columns, tokenize="char")["deltableu"] > 0


@pytest.mark.parametrize("lang", ["xx", "cn", "JP-jp", "eng"])
def test_an_unknown_language_is_refused(metric, lang):
    message = f"^deltableu: lang is '{lang}'; expected a two-letter ISO 639-1 code such as 'en' or 'zh'$"
    with pytest.raises(ValueError, match=message):
        metric.compute(predictions=["a"], references=["a"], lang=lang)


def test_bootstrap_interval_equals_that_of_sacrebleu(metric):
    columns = rows()
    del columns["reference_weights"]
    streams = [list(stream) for stream in itertools.zip_longest(*columns["references"])]
    expected = sacrebleu.BLEU().corpus_score(columns["predictions"], streams, n_bootstrap=500)
    plain, result = metric.compute(**columns), metric.compute(**columns, n_bootstrap=500)
    found = result.pop("confidence")
    assert result == plain
    assert (found["level"], found["n_bootstrap"], found["seed"]) == (0.95, 500, 12345)
    # sacrebleu resamples in single precision.
    assert found["mean"] == pytest.approx(expected._mean, abs=1e-5)
    assert (found["high"] - found["low"]) / 2 == pytest.approx(expected._ci, abs=1e-5)
    assert metric.compute(**columns, n_bootstrap=500, seed=8)["confidence"] != found


def test_p_value_equals_that_of_sacrebleu(metric):
    first, second, references = (rows(seed=seed)["predictions"] for seed in range(3))
    test = PairedTest([("1", first), ("2", second)], {"BLEU": sacrebleu.BLEU()}, [references], "ar", n_samples=1000)
    expected = test()[1]["BLEU"][1]
    result = metric.compute(predictions=first, references=references, against=second, n_trials=1000)
    assert 0 < expected.p_value < 1
    assert result["comparison"]["p_value"] == pytest.approx(expected.p_value)
    assert result["comparison"]["deltableu"] == pytest.approx(expected.score)


def test_comparison_with_a_better_system(metric):
    columns = rows()
    better = [references[-1] for references in columns["references"]]  # those with a weight of 1
    result = metric.compute(**columns, against=better, n_trials=200, n_bootstrap=100)
    found = result["comparison"]
    assert found["deltableu"] == metric.compute(**columns | {"predictions": better})["deltableu"]
    assert found["difference"] == result["deltableu"] - found["deltableu"] < 0
    # No trial reaches the difference: (0 + 1) / (200 + 1).
    assert found["p_value"] == pytest.approx(1 / 201)
    assert found["confidence"]["low"] < found["difference"] < found["confidence"]["high"] < 0
    assert (found["test"], found["n_trials"], found["seed"]) == ("approximate randomization", 200, 12345)


def test_comparison_with_the_same_system(metric):
    columns = rows(10)
    found = metric.compute(**columns, against=columns["predictions"], n_trials=50, n_bootstrap=50)["comparison"]
    assert (found["difference"], found["p_value"]) == (0, 1)
    assert (found["confidence"]["low"], found["confidence"]["high"]) == (0, 0)
