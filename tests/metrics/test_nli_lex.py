"""NLI+lex: templates, the entailment class, the formula by hand, and fitted weights."""

import json
import sys

import numpy as np
import pytest
import tiny_classifiers
import torch
from scipy.optimize import minimize
from transformers import AutoModelForSequenceClassification, AutoTokenizer

import evaluate_qa
from evaluate_qa.metrics._shared.arrays import first_best
from evaluate_qa.metrics.nli_lex.scorer import entailment_class, fill, nli_pair
from evaluate_qa.metrics.nli_lex.scoring import class_probability, probability
from evaluate_qa.metrics.nli_lex.weights import fit_weights

ROWS = {
    "predictions": ["it was marie curie", "paris", "lyon is the capital"],
    "references": ["marie curie", ["lyon", "paris"], "paris"],
    "questions": ["who was it ?", "what is the capital of france ?", None],
}
LABELS = ["not_entailment", "entailment"]


def load(folder, **options):
    return evaluate_qa.load("nli_lex", model=str(folder), device="cpu", **options)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return load(tiny_classifiers.bert(tmp_path_factory.mktemp("nli"), LABELS))


def test_the_default_templates():
    assert nli_pair("Who?", "He did.", "he") == ("Question: Who? Answer: He did.", ("Question: Who? Answer: he",))
    assert nli_pair("", "He did.", "he") == ("He did.", ("he",))
    assert nli_pair("", "He did.", "he", premise="Said: {answer}") == ("Said: He did.", ("he",))
    assert fill("{answer} to {question}", "{answer}?", "{question}") == "{question} to {answer}?"


def test_an_unknown_field_of_a_template_raises(tiny):
    with pytest.raises(
        ValueError, match=r"^nli_lex: premise has the unknown field \{qestion\}; expected \{question\} or"
    ):
        tiny.compute(**ROWS, premise="Q: {qestion} A: {answer}")


def test_given_templates_are_always_used(tiny):
    rows = {name: ROWS[name] for name in ("predictions", "references")}
    plain, denied = (tiny.compute(**rows, **given) for given in ({}, {"premise": "It is not {answer}"}))
    assert plain["entailment"] != denied["entailment"]
    asked = {"premise": "{question} {answer}"}
    with pytest.raises(
        ValueError, match=r"^nli_lex: questions\[1\] is missing; .* for the template '{question} {answer}'"
    ):
        tiny.compute(**ROWS | {"questions": ["Who?", None, ""]}, **asked)
    # An empty answer scores 0 without a question, and questions may follow after `check_ahead`.
    tiny.compute(predictions=["", "Paris"], references=["Paris"] * 2, questions=["", "What?"], **asked)
    tiny.check_ahead(references=["Paris"], **asked)


@pytest.mark.parametrize(
    ("labels", "index"),
    [
        (["entailment", "neutral", "contradiction"], 0),
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], 2),
        (["not_entailment", "Entailment"], 1),
    ],
)
def test_entailment_is_found_by_name(tmp_path, labels, index):
    folder = tiny_classifiers.bert(tmp_path / "checkpoint", labels)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    sides = ("Question: who was it ? Answer: it was marie curie", "Question: who was it ? Answer: marie curie")
    with torch.inference_mode():
        expected = float(model(**tokenizer(*sides, return_tensors="pt")).logits.softmax(dim=1)[0, index])
    row = {name: values[:1] for name, values in ROWS.items()}
    out = load(folder).compute(**row, lexical=False)
    assert out["nli_lex"] == out["entailment"] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("labels", [["LABEL_0", "LABEL_1"], ["entailment", "ENTAILMENT"], ["not_entailment"] * 2])
def test_a_checkpoint_without_entailment_raises(labels):
    with pytest.raises(ValueError, match=r"nli_lex: the checkpoint has the classes .*expected exactly one"):
        entailment_class(labels)


def test_the_formula_by_hand():
    # logit = 2 · 0.5 + 3 · 1 − 2 = 2, sigmoid(2) = 0.880797
    columns = {"entailment": np.array([0.5]), "match": np.array([1.0])}
    weights = {"entailment": 2.0, "match": 3.0, "intercept": -2.0}
    assert probability(columns, weights)[0] == pytest.approx(0.8807970779778823)
    assert class_probability(np.array([[0.0, np.log(3)]]), 1)[0] == pytest.approx(0.75)


def test_scores_combine_signals_and_weights(tiny):
    weights = {"entailment": 1.0, "match": 2.0, "intercept": -0.5}
    rows = tiny.compute(**ROWS, lexical="match", weights=weights)["per_example"]
    for score, entailment, match in zip(rows["score"], rows["entailment"], rows["match"], strict=True):
        assert score == pytest.approx(1 / (1 + np.exp(-(entailment + 2 * match - 0.5))))
    assert rows["match"] == [1, 1, 0]
    assert rows["best_reference"] == [0, 1, 0]


def test_a_checkpoint_has_default_weights_only_for_match(tiny):
    out = tiny.compute(**ROWS)
    assert "|lex:match|w:entailment=6,match=3,intercept=-3|" in out["signature"]
    with pytest.raises(ValueError, match="this model has no weights for lexical='recall'; pass weights="):
        tiny.compute(**ROWS, lexical="recall")


def test_fit_minimizes_the_penalized_loss():
    """Against a general optimizer: Σ log(1 + exp(−y·z)) + ½ · strength · |w|², without a penalty on the intercept."""
    generator = np.random.default_rng(0)
    columns = {"entailment": generator.random(300), "recall": generator.random(300)}
    labels = generator.random(300) < probability(columns, {"entailment": 4.0, "recall": 2.0, "intercept": -3.0})
    signs = np.where(labels, 1, -1)
    matrix = np.column_stack([*columns.values(), np.ones(300)])

    def loss(w):
        return np.logaddexp(0, -signs * (matrix @ w)).sum() + 0.5 * 0.1 * (w[:2] @ w[:2])

    expected = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-8}).x
    found = fit_weights(columns, ["entailment", "recall"], np.arange(300), np.ones(300, dtype=bool), labels, 0.1)
    assert list(found) == ["entailment", "recall", "intercept"]
    assert list(found.values()) == pytest.approx(expected, abs=1e-3)


def test_fit_uses_the_best_reference():
    """With the second references, which are wrong, the rows would not be separable."""
    columns = {"entailment": np.array([0.9, 0.1, 0.8, 0.2, 0.3, 0.1, 0.2, 0.1])}
    starts, labels = np.array([0, 2, 4, 6]), np.array([True, True, False, False])
    weights = fit_weights(columns, ["entailment"], starts, np.ones(8, dtype=bool), labels, 1e-3)
    scores = probability(columns, weights)[first_best(columns["entailment"], starts)]
    assert (scores > 0.5).tolist() == [True, True, False, False]


def test_fitted_weights_can_be_given_as_a_file(tiny, tmp_path):
    rows = {
        "predictions": ["paris", "it was marie curie", "lyon", "two"] * 50,
        "references": ["paris", "marie curie", "paris", "one"] * 50,
        "questions": ["capital of france ?", "who was it ?", "capital of france ?", "what ?"] * 50,
    }
    labels = [True, True, False, False] * 50  # whether the answer contains the reference
    file = tmp_path / "weights.json"
    weights = tiny.fit(**rows, labels=labels, lexical="recall")
    file.write_text(json.dumps(weights))
    given = tiny.compute(**rows, lexical="recall", weights=weights)
    assert given == tiny.compute(**rows, lexical="recall", weights=str(file))
    assert given["per_example"]["verdict"] == labels
    assert "weights" not in vars(tiny)


def test_plain_entailment_can_be_fitted(tiny):
    rows = {name: values * 20 for name, values in ROWS.items()}
    weights = tiny.fit(**rows, labels=[True, True, False] * 20, lexical=False)
    assert list(weights) == ["entailment", "intercept"]
    out = tiny.compute(**rows, lexical=False, weights=weights)
    entailment = np.array(out["per_example"]["entailment"])
    expected = 1 / (1 + np.exp(-(weights["entailment"] * entailment + weights["intercept"])))
    assert out["per_example"]["score"] == pytest.approx(expected.tolist())
    assert "|lex:none|w:entailment=" in out["signature"]


def test_an_unknown_option_of_fit_raises(tiny):
    with pytest.raises(TypeError, match="nli_lex: unknown keyword 'lexicl'; did you mean 'lexical'"):
        tiny.fit(**ROWS, labels=[True, True, False], lexicl="match")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([True], "differ in length"),
        ([True, None, False], r"labels\[1\] is None"),
        (
            [1, 1, 0],
            "^nli_lex: labels are of 2 correct and 1 incorrect answers; expected at least 20 of each",
        ),
    ],
    ids=["short", "none", "few"],
)
def test_invalid_labels_raise(tiny, labels, message):
    with pytest.raises((ValueError, TypeError), match=message):
        tiny.fit(**ROWS, labels=labels)


@pytest.fixture
def unloaded():
    """A metric that must not load its model."""
    metric = evaluate_qa.load("nli_lex", model="no/such-model")
    yield metric
    assert metric._model is None


def test_an_invalid_weights_file_raises_before_the_model_is_loaded(unloaded, tmp_path):
    for missing in ("/nowhere/w.json", json.dumps({"entailment": 1.0, "match": 2.0}) * 20, "\0"):
        with pytest.raises(FileNotFoundError, match=r"^nli_lex: weights is '.*, but there is no such file"):
            unloaded.compute(**ROWS, weights=missing)
    (tmp_path / "list.json").write_text("[1]")
    with pytest.raises(ValueError, match=r"^nli_lex: weights are \[1\]; expected finite numbers"):
        unloaded.compute(**ROWS, weights=tmp_path / "list.json")


@pytest.mark.parametrize(
    "weights",
    [{}, {"entailment": 1.0}, {"entailment": 1.0, "match": float("nan"), "intercept": 0.0}, {"foo": 1}],
    ids=str,
)
def test_invalid_weights_raise_before_the_model_is_loaded(unloaded, weights):
    with pytest.raises(ValueError, match=r"^nli_lex: weights are .*; expected finite numbers for entailment"):
        unloaded.compute(**ROWS, weights=weights)
    with pytest.raises(ValueError, match=r"numbers for entailment, intercept, recall, .* with lexical='recall'"):
        unloaded.compute(**ROWS, weights=weights, lexical="recall")


def test_weights_of_another_signal_raise(tiny):
    weights = {"entailment": 1.0, "recall": 2.0, "intercept": 0.0}
    with pytest.raises(ValueError, match=r"^nli_lex: weights are .*, as fit returns them with lexical='match'"):
        tiny.compute(**ROWS, weights=weights)


def test_fit_without_scikit_learn_raises_before_the_model_is_loaded(unloaded, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    with pytest.raises(ImportError, match=r"^nli_lex: fit needs scikit-learn: pip install scikit-learn"):
        unloaded.fit(**{name: rows * 20 for name, rows in ROWS.items()}, labels=[True, True, False] * 20)
