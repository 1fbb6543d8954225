"""BEM: input tokens and scores against transformers, with tiny checkpoints and the default model."""

import numpy as np
import pytest
import tiny_classifiers
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

import evaluate_qa
from evaluate_qa.metrics._shared.logistic import sigmoid
from evaluate_qa.metrics.bem.scoring import final_margin, margins

ROWS = {
    "predictions": ["it was marie curie", "paris", "lyon is the capital"],
    "references": ["marie curie", ["lyon", "paris"], "paris"],
    "questions": ["who was it ?", "what is the capital of france ?", "capital of france"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_classifiers.bert(tmp_path_factory.mktemp("bem"), ["LABEL_0", "LABEL_1"])


@pytest.fixture(scope="module")
def tiny(folder):
    return evaluate_qa.load("bem", model=str(folder), device="cpu")


@pytest.fixture(scope="module")
def embedded():
    return evaluate_qa.load("bem", device="cpu")


def released_probability(folder, question, reference, candidate):
    """The probability of class 1 for an input prepared as in the example of the released checkpoint."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    inputs = tokenizer(
        text=f"[CLS] {candidate} [SEP]",
        text_pair=f"{reference} [SEP] {question} [SEP]",
        add_special_tokens=False,
        return_tensors="pt",
    )
    with torch.inference_mode():
        return float(model(**inputs).logits.softmax(dim=1)[0, 1])


def test_scores_are_the_probability_of_class_1(tiny, folder):
    rows = tiny.compute(**ROWS)["per_example"]
    expected = [
        [released_probability(folder, question, reference, answer) for reference in np.atleast_1d(references)]
        for answer, references, question in zip(*ROWS.values(), strict=True)
    ]
    assert rows["score"] == pytest.approx([max(values) for values in expected], abs=1e-6)
    assert rows["best_reference"] == [int(np.argmax(values)) for values in expected]
    assert rows["verdict"] == [max(values) > 0.5 for values in expected]


def test_the_class_is_found_by_its_name(tmp_path, folder):
    """The same weights with swapped classes: the first one counts."""
    named = tiny_classifiers.bert(tmp_path / "named", ["Equivalent", "different"])
    plain, other = (
        evaluate_qa.load("bem", model=str(path), device="cpu").compute(**ROWS)["per_example"]["margin"][0]
        for path in (folder, named)
    )
    assert other == pytest.approx(-plain, abs=1e-6)


def test_three_unnamed_classes_raise(tmp_path):
    three = tiny_classifiers.bert(tmp_path / "three", ["a", "b", "c"])
    with pytest.raises(ValueError, match="bem: the checkpoint has the classes a, b, c; expected two"):
        evaluate_qa.load("bem", model=str(three)).compute(**ROWS)


def test_applying_a_final_layer_needs_one(tiny):
    with pytest.raises(ValueError, match=r"bem: final_layer is True, but bem0@.* has no final layer"):
        tiny.compute(**ROWS, final_layer=True)


def test_margins_are_logits_of_the_softmax():
    # softmax of (0, 1, 2): class 2 has e² / (1 + e + e²) = 0.66524…; its logit is ln(0.66524 / 0.33476) = 0.68674
    (margin,) = margins(np.array([[0.0, 1.0, 2.0]]), 2)
    assert margin == pytest.approx(2 - np.log(1 + np.e))
    assert sigmoid(np.array([margin]))[0] == pytest.approx(np.e**2 / (1 + np.e + np.e**2))


def test_the_final_layer_by_hand():
    # 0.5 · 2 + 3 · 1 − 1 = 3
    layer = {"margin": 0.5, "recall": 3.0, "intercept": -1.0}
    assert final_margin(np.array([2.0]), {"recall": np.array([1.0])}, layer).tolist() == [3.0]
    # For a long reference, 0.5 more of the margin and 0.1 of the length count: 3 + 0.5 · 2 + 0.1 · 3 - 2 = 2.3.
    layer |= {"long": -2.0, "long*margin": 0.5, "long*length": 0.1}
    columns = {"recall": np.array([1.0, 1.0]), "long": np.array([0.0, 1.0]), "length": np.array([3.0, 3.0])}
    assert final_margin(np.array([2.0, 2.0]), columns, layer).tolist() == pytest.approx([3.0, 2.3])
    assert final_margin(np.array([2.0]), {}, {}).tolist() == [2.0]


def test_a_long_answer_is_read_to_its_end(embedded):
    """The name comes after 700 words, beyond the model's 512 tokens."""
    filler = "The museum in the city has many rooms and visitors. " * 70
    row = {"references": ["Leonardo da Vinci"], "questions": ["Who painted the Mona Lisa?"]}
    end = "The Mona Lisa was painted by Leonardo da Vinci."
    windows = embedded.compute(predictions=[filler + end], **row, final_layer=False)["bem"]
    truncated = embedded.compute(predictions=[filler + end], **row, final_layer=False, long_answers="truncate")["bem"]
    without = embedded.compute(predictions=[filler], **row, final_layer=False)["bem"]
    assert windows > 0.5 > max(without, truncated)
