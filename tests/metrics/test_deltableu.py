"""The metric as `evaluate.load` gives it; what all metrics share is tested by `test_contract*.py`."""

import itertools
import json
import math
import random

import evaluate
import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

import evaluate_qa

FIELDS = "|v:1.1.0|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|weights:ones|variant:paper|sacrebleu:"


@pytest.fixture(scope="module")
def metric():
    return evaluate_qa.load("deltableu")


def rows(count=40, seed=0):
    """Answers with references of which some words are theirs, and weights."""
    generator = random.Random(seed)
    words = [
        "the",
        "rash",
        "is",
        "dry",
        "eczema",
        "tinea",
        "of",
        "hand",
        "foot",
        ",",
        "likely",
        "not",
        "psoriasis",
        ".",
    ]
    text = lambda: " ".join(generator.choices(words, k=generator.randint(3, 12)))  # noqa: E731
    predictions = [text() for _ in range(count)]
    references = [[text() for _ in range(generator.randint(1, 5))] for _ in range(count)]
    weights = [[generator.choice([-0.5, 0.3, 0.7]) for _ in row[1:]] + [1.0] for row in references]
    return {"predictions": predictions, "references": references, "reference_weights": weights}


def test_by_hand(metric):
    # Order 1: the max(0.6, 1.0) + cat 1.0 = 2.0 of 4; order 2: 2·0.2 + 1.0 = 1.4 of 3; order 3: 0.2 of 2; order 4:
    # none of 1, smoothed to 1/2. Lengths 4 and 3: no penalty.
    result = metric.compute(
        predictions=["the the the cat"], references=[["the the the", "the cat"]], reference_weights=[[0.2, 1.0]]
    )
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


def test_the_released_variant_by_hand(metric):
    # Order 1: the 3·1.0 + cat 1.0 = 4 of 4; the rest as above.
    columns = {"predictions": ["the the the cat"], "references": [["the the the", "the cat"]]}
    result = metric.compute(**columns, reference_weights=[[0.2, 1.0]], variant="released")
    assert result["counts"] == pytest.approx([4.0, 1.4, 0.2, 0])
    assert result["deltableu"] == pytest.approx(100 * (1 * 1.4 / 3 * 0.1 * 0.5) ** 0.25)


def test_the_corpus_score_sums_statistics_before_it_divides(metric):
    # Order 1 alone: 1 of 1 and 1 of 3 make 2 of 4, not the mean of 1 and 1/3.
    result = metric.compute(predictions=["a", "a x y"], references=["a", "a b c"], max_ngram_order=1)
    assert result["deltableu"] == pytest.approx(50)
    assert result["per_example"]["score"] == pytest.approx([100, 100 / 3])


def test_row_scores_leave_out_orders_that_are_too_long(metric):
    result = metric.compute(predictions=["eczema"], references=["eczema"])
    assert (result["deltableu"], result["per_example"]["score"]) == (0, [pytest.approx(100)])
    assert metric.compute(predictions=["eczema"], references=["eczema"], effective_order=True)["deltableu"] == (
        pytest.approx(100)
    )


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
def test_with_equal_weights_it_is_sacrebleus_bleu(metric, options):
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


def test_equal_weights_cancel_out_but_for_smoothing(metric):
    columns = rows() | {"smooth_method": "none", "max_ngram_order": 2}
    del columns["reference_weights"]
    halves = [[0.5] * len(row) for row in columns["references"]]
    ones = metric.compute(**columns)["deltableu"]
    assert ones > 0
    assert metric.compute(**columns, reference_weights=halves)["deltableu"] == pytest.approx(ones)
    # What smoothing puts has no weight: half a match of totals that weigh 0.5, (1/2)/(0.5·1) instead of (1/2)/1.
    columns = {"predictions": ["a b"], "references": [["b a"]], "max_ngram_order": 2}
    assert metric.compute(**columns)["precisions"] == pytest.approx([100, 50])
    assert metric.compute(**columns, reference_weights=[[0.5]])["precisions"] == pytest.approx([100, 100])


def test_weights_of_one_may_be_left_out_for_some_rows(metric):
    columns = rows()
    ones = [[1.0] * len(row) for row in columns["references"]]
    given = [weights if number % 2 else None for number, weights in enumerate(columns["reference_weights"])]
    filled = [weights if number % 2 else ones[number] for number, weights in enumerate(columns["reference_weights"])]
    assert metric.compute(**columns | {"reference_weights": given}) == metric.compute(
        **columns | {"reference_weights": filled}
    )


def test_the_order_and_repetition_of_references_do_not_count(metric):
    columns, generator = rows(), random.Random(1)
    whole = metric.compute(**columns)
    for row, weights in zip(columns["references"], columns["reference_weights"], strict=True):
        number = generator.randrange(len(row))
        row.append(row[number])
        weights.append(weights[number])
        order = generator.sample(range(len(row)), len(row))
        row[:], weights[:] = [row[i] for i in order], [weights[i] for i in order]
    again = metric.compute(**columns)
    assert again["deltableu"] == pytest.approx(whole["deltableu"], abs=1e-9)
    assert again["per_example"]["score"] == pytest.approx(whole["per_example"]["score"], abs=1e-9)


TEXT = st.lists(st.sampled_from(["dry", "rash", "of", "hand", "eczema"]), min_size=1, max_size=8).map(" ".join)


@given(TEXT, st.lists(st.tuples(TEXT, st.integers(1, 10)), min_size=1, max_size=4), st.data())
def test_raising_the_weight_of_a_matching_reference_does_not_lower_the_score(metric, prediction, references, data):
    """While the largest weight stays, and weights are positive: then no order comes or ceases to be smoothed."""
    texts, tenths = zip(*references, strict=True)
    number = data.draw(st.integers(0, len(texts) - 1))
    raised = list(tenths)
    raised[number] = data.draw(st.integers(raised[number], max(raised)))
    low, high = (
        metric.compute(
            predictions=[prediction], references=[texts], reference_weights=[[weight / 10 for weight in weights]]
        )
        for weights in (tenths, raised)
    )
    assert high["deltableu"] >= low["deltableu"] - 1e-9
    assert high["per_example"]["score"][0] >= low["per_example"]["score"][0] - 1e-9


def test_lowercase_lowers_references_too_but_not_in_the_released_program(metric):
    columns = {"predictions": ["ECZEMA of the hand"], "references": ["Eczema of the hand"], "lowercase": True}
    assert metric.compute(**columns)["deltableu"] == pytest.approx(100)
    assert metric.compute(**columns, variant="released")["deltableu"] < 100


def test_blank_references_beside_others_have_length_0(metric):
    # The blank one is closest in length to one token (0 or 3) and gives its weight to the totals: 0.5 of 1.
    result = metric.compute(
        predictions=["a"], references=[["", "a b c"]], reference_weights=[[1.0, 0.5]], max_ngram_order=1
    )
    assert (result["ref_len"], result["counts"], result["totals"]) == (0, [0.5], [1.0])
    assert (result["deltableu"], result["length_ratio"]) == (pytest.approx(50), 0)


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ([1.0], ValueError, r"reference_weights\[1\] has length 1, references\[1\] 2; expected one weight for each"),
        ([1, 1, 1], ValueError, r"reference_weights\[1\] has length 3, references\[1\] 2"),
        ([1.1, 1], ValueError, r"reference_weights\[1\] is \[1.1, 1\]; expected a list of numbers from -1 to 1, at l"),
        ([-1.001, 1], ValueError, r"reference_weights\[1\] is \[-1.001, 1\]; expected"),
        ([math.nan, 1], ValueError, r"reference_weights\[1\] is \[nan, 1\]; expected"),
        ([math.inf, 1], ValueError, r"reference_weights\[1\] is \[inf, 1\]; expected"),
        ([10**400, 1], ValueError, r"reference_weights\[1\] is \[1000"),
        ([0, 0], ValueError, r"reference_weights\[1\] is \[0, 0\]; expected .* at least one of them above 0"),
        ([-0.5, 0.0], ValueError, r"reference_weights\[1\] is \[-0.5, 0.0\]; expected"),
        ([], TypeError, r"reference_weights\[1\] is \[\]; expected a list of numbers"),
        (1.0, TypeError, r"reference_weights\[1\] is 1.0; expected a list of numbers"),
        ("1 1", TypeError, r"reference_weights\[1\] is '1 1'; expected a list of numbers"),
        (["1", "1"], TypeError, r"reference_weights\[1\] is \['1', '1'\]; expected a list of numbers"),
        ([1, None], TypeError, r"reference_weights\[1\] is \[1, None\]; expected a list of numbers"),
        ({"a": 1, "b": 1}, TypeError, r"reference_weights\[1\] is .*; expected a list of numbers"),
    ],
)
def test_weights_that_cannot_be(metric, bad, error, message):
    columns = {"predictions": ["a", "b"], "references": [["a"], ["b", "c"]]}
    with pytest.raises(error, match=f"^deltableu: {message}") as raised:
        metric.compute(**columns, reference_weights=[[1], bad])
    assert (raised.value.column, raised.value.row) == ("reference_weights", 1)
    assert metric.compute(**columns)["ref_len"] == 2


def test_numpy_weights_are_numbers(metric):
    columns = {"predictions": ["a b"], "references": [["a", "b"]]}
    expected = metric.compute(**columns, reference_weights=[[0.5, 1.0]])
    for weights in (np.array([0.5, 1.0]), np.array([0.5, 1], dtype=np.float32), [np.float32(0.5), np.int64(1)]):
        assert metric.compute(**columns, reference_weights=[weights]) == expected
    assert metric.compute(**columns, reference_weights=np.array([[0.5, 1.0]])) == expected


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"tokenize": "13b"}, "tokenize is '13b'; expected one of sacrebleu's tokenizers, such as 13a"),
        ({"tokenize": ["13a"]}, r"tokenize is \['13a'\]; expected one of"),
        ({"lang": "english"}, "lang is 'english'; expected a two-letter code"),
        ({"lang": "zho"}, "lang is 'zho'; expected a two-letter code"),
        ({"lang": ""}, "lang is ''; expected a two-letter code"),
        ({"lang": 1}, "lang is 1; expected a two-letter code"),
        ({"lowercase": 1}, "lowercase is 1; expected True or False"),
        ({"n_bootstrap": 0}, "n_bootstrap is 0; expected a positive whole number"),
        ({"n_trials": 0}, "n_trials is 0; expected a positive whole number"),
        ({"seed": -1}, "seed is -1; expected a whole number of at least 0"),
        ({"seed": None}, "seed is None; expected a whole number"),
        ({"variant": "galley"}, "variant is 'galley'; expected one of paper, released"),
    ],
)
def test_options_that_cannot_be(metric, bad, message):
    with pytest.raises(ValueError, match=f"^deltableu: {message}"):
        metric.compute(predictions=["a"], references=["a"], **bad)


def test_a_missing_tokenizer_is_named(metric, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sentencepiece", None)
    with pytest.raises(ImportError, match="pip install sentencepiece"):
        metric.compute(predictions=["b"], references=["b"], tokenize="flores200")


def test_nothing_is_taken_at_load():
    with pytest.raises(TypeError, match="unknown keyword 'tokenize'"):
        evaluate_qa.load("deltableu", tokenize="zh")


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        ({}, {}),
        ({"lowercase": True}, {"case": "lc"}),
        ({"effective_order": True}, {"eff": "yes"}),
        ({"tokenize": "zh"}, {"tok": "zh"}),
        ({"lang": "zh-CN"}, {"tok": "zh"}),
        ({"lang": "ZH"}, {"tok": "zh"}),
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
def test_the_signature_says_what_was_done(metric, options, changed):
    columns = {"predictions": ["a"], "references": [["a", "b"]]}
    signature = metric.compute(**columns | options)["signature"]
    name, *fields = signature.split("|")
    _, *usual = f"{FIELDS}{sacrebleu.__version__}".split("|")
    expected = dict(field.split(":") for field in usual) | changed
    assert (name, dict(field.split(":") for field in fields)) == ("deltableu", expected)


def test_the_signature_names_different_numbers_of_references(metric):
    assert "|nrefs:var|" in metric.compute(predictions=["a", "b"], references=[["a", "b"], "b"])["signature"]


def test_a_confidence_interval_on_request(metric):
    columns = rows()
    plain = metric.compute(**columns)
    assert "confidence" not in plain
    result = metric.compute(**columns, n_bootstrap=300, seed=7)
    confidence = result.pop("confidence")
    assert result == plain
    assert confidence | {"low": 0, "high": 0, "mean": 0} == {
        "level": 0.95,
        "low": 0,
        "high": 0,
        "mean": 0,
        "n_bootstrap": 300,
        "seed": 7,
    }
    assert confidence["low"] < result["deltableu"] < confidence["high"]
    assert confidence["low"] < confidence["mean"] < confidence["high"]
    assert metric.compute(**columns, n_bootstrap=300, seed=7)["confidence"] == confidence
    assert metric.compute(**columns, n_bootstrap=300, seed=8)["confidence"] != confidence


def test_a_second_system_is_compared(metric):
    columns = rows()
    better = [references[0] for references in columns["references"]]
    result = metric.compute(**columns, against=better, n_trials=200, n_bootstrap=100)
    comparison = result["comparison"]
    assert comparison["deltableu"] == metric.compute(**columns | {"predictions": better})["deltableu"]
    assert comparison["difference"] == result["deltableu"] - comparison["deltableu"] < 0
    # No swap differs as much as all rows being better: (0 + 1) / (200 + 1).
    assert comparison["p_value"] == pytest.approx(1 / 201)
    assert comparison["confidence"]["high"] < 0
    assert comparison["confidence"]["low"] < comparison["difference"] < comparison["confidence"]["high"]
    assert "confidence" not in metric.compute(**columns, against=better, n_trials=10)["comparison"]


def test_a_system_compared_with_itself(metric):
    columns = rows(10)
    comparison = metric.compute(**columns, against=columns["predictions"], n_trials=50, n_bootstrap=50)["comparison"]
    assert (comparison["difference"], comparison["p_value"]) == (0, 1)
    assert (comparison["confidence"]["low"], comparison["confidence"]["high"]) == (0, 0)


def test_a_second_system_may_answer_nothing(metric):
    columns = {"predictions": ["a b", "c d"], "references": [["a b", "c d"]] * 2}
    comparison = metric.compute(**columns, against=["", "c d"], effective_order=True)["comparison"]
    # Half of the tokens: BP = exp(1 - 4/2), all precisions 1.
    assert comparison["deltableu"] == pytest.approx(100 * math.exp(-1))


def test_a_second_system_answers_all_rows_or_none(metric):
    message = r"^deltableu: against\[1\] is missing; expected a prediction of the second system for every row"
    with pytest.raises(ValueError, match=message):
        metric.compute(predictions=["a", "a"], references=["a", "a"], against=["a", None])


def test_bad_rows_of_a_second_system_are_named(metric):
    with pytest.raises(TypeError, match=r"^deltableu: against\[0\] is 5; expected a string"):
        metric.compute(predictions=["a"], references=["a"], against=[5])
    with pytest.raises(ValueError, match=r"^deltableu: the columns differ in length: .*against has 2"):
        metric.compute(predictions=["a"], references=["a"], against=["a", "b"])


def test_a_copy_of_the_folder_loads(tmp_path):
    import shutil

    folder = shutil.copytree(evaluate_qa.path("deltableu"), tmp_path / "deltableu")
    assert not any(path.is_symlink() for path in folder.iterdir())
    result = evaluate.load(str(folder)).compute(**rows(5))
    assert json.loads(json.dumps(result)) == result
