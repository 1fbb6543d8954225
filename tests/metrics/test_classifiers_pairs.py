"""Pairs of texts are assembled, truncated and classified like in transformers."""

import numpy as np
import pytest
import tiny_classifiers
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from evaluate_qa.metrics._shared import classifiers as module
from evaluate_qa.metrics._shared.classifiers import load_checkpoint
from evaluate_qa.metrics._shared.model_options import ModelOptions
from evaluate_qa.metrics._shared.windows import windows

CPU = ModelOptions(device="cpu")
TEXTS = st.lists(st.sampled_from(["paris", "is", "the", "capital", "frances", "xyz", "?"]), max_size=60).map(" ".join)


@pytest.fixture(scope="module", params=["bert", "roberta"])
def folder(request, tmp_path_factory):
    make = getattr(tiny_classifiers, request.param)
    return make(tmp_path_factory.mktemp(request.param), ["a", "b", "c"])


@pytest.fixture(scope="module")
def classifier(folder):
    return load_checkpoint(folder, CPU)


@pytest.fixture(scope="module")
def tokenizer(folder):
    return AutoTokenizer.from_pretrained(folder)


@given(first=TEXTS, second=TEXTS.filter(bool))  # transformers ignores an empty second side
def test_two_sides_equal_those_of_transformers(classifier, tokenizer, first, second):
    """Pairs of more than 64 tokens lose tokens of the longer side."""
    ((ids, types),) = classifier.encode([(first, (second,))])
    expected = tokenizer(first, second, truncation=True, max_length=64)
    assert ids == expected["input_ids"]
    if "token_type_ids" in expected:
        assert types == expected["token_type_ids"]


def test_parts_of_the_second_side_are_separated(classifier, tokenizer):
    ((ids, types),) = classifier.encode([("paris", ("lyon", "capital of france ?"))])
    before, between = ids[0], ids[2 : ids.index(tokenizer.convert_tokens_to_ids("lyon"))]
    tokens = tokenizer.convert_ids_to_tokens([i for i in ids if i != before])
    separators = [tokenizer.sep_token]
    assert tokens == [
        "paris",
        *separators * len(between),
        "lyon",
        *separators,
        *["capital", "of", "france", "?"],
        *separators,
    ]
    assert types == [0] * (2 + len(between)) + [1] * 7


def test_the_name_of_a_special_token_stays_text(classifier, tokenizer):
    ((ids, _),) = classifier.encode([(f"paris {tokenizer.sep_token} lyon", ("paris",))])
    plain = classifier.encode([("paris lyon", ("paris",))])[0][0]
    assert ids.count(tokenizer.sep_token_id) == plain.count(tokenizer.sep_token_id)


def test_logits_equal_those_of_transformers(classifier, folder, tokenizer):
    pairs = [("paris is it", ("lyon",)), ("", ("the capital of france",)), ("curie " * 100, ("marie",))]
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        expected = [
            model(**tokenizer(first, *second, truncation=True, max_length=64, return_tensors="pt")).logits[0].numpy()
            for first, second in pairs
        ]
    assert classifier.logits(pairs) == pytest.approx(np.array(expected), abs=1e-5)


def test_equal_pairs_run_once_and_other_pairs_do_not_matter(classifier, monkeypatch):
    pairs = [("one " * n, ("two three",)) for n in (1, 20, 3, 1, 50, 3)]
    seen, run = [], module.run_batches

    def counting(lengths, *args, **kwargs):
        seen.append(len(lengths))
        return run(lengths, *args, **kwargs)

    monkeypatch.setattr(module, "run_batches", counting)
    together = classifier.logits(pairs)
    assert seen == [4]
    alone = np.concatenate([classifier.logits([pair]) for pair in pairs])
    assert together == pytest.approx(alone, abs=1e-5)


def spans(classifier, text):
    return classifier.tokenize([text])[text].spans


def test_windows_are_cut_between_words(classifier):
    def cut(text, tokens, overlap):
        return windows(text, spans(classifier, text), tokens, overlap)

    # "xyz" is 3 tokens, so five tokens would end inside the second word.
    assert cut("xyz xyz xyz", 5, 0) == ["xyz ", "xyz ", "xyz"]
    assert cut("one two three one two", 4, 1) == ["one two three one ", "one two"]
    assert cut("x" * 9, 4, 1) == ["xxxx", "xxxx", "x"]  # a single long word is cut


def test_half_precision_is_close(folder, classifier):
    pairs = [("paris is it", ("lyon",))]
    half = load_checkpoint(folder, ModelOptions(device="cpu", dtype="bfloat16"))
    assert half.logits(pairs) == pytest.approx(classifier.logits(pairs), rel=0.1, abs=0.1)
