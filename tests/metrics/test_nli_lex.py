"""NLI+lex: templates, the entailment class wherever it is, the formula by hand, and weights that are learned."""

import json
import sys

import numpy as np
import pytest
import tiny_classifiers
import torch
from scipy.optimize import minimize
from transformers import AutoModelForSequenceClassification, AutoTokenizer

import evaluate_qa
from evaluate_qa.metrics._shared.arithmetic import first_best
from evaluate_qa.metrics.nli_lex.classifier import entailment_class, fill, nli_pair
from evaluate_qa.metrics.nli_lex.scoring import class_probability, probability
from evaluate_qa.metrics.nli_lex.weights import UNFITTED, chosen_weights, fit_weights

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


@pytest.fixture(scope="module")
def embedded():
    return evaluate_qa.load("nli_lex", device="cpu")


def test_the_default_templates():
    assert nli_pair("Who?", "He did.", "he") == ("Question: Who? Answer: He did.", ("Question: Who? Answer: he",))
    assert nli_pair("", "He did.", "he") == ("He did.", ("he",))
    assert fill("{answer} to {question}", "{answer}?", "{question}") == "{question} to {answer}?"


@pytest.mark.parametrize(
    ("labels", "index"),
    [
        (["entailment", "neutral", "contradiction"], 0),
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], 2),
        (["contradiction", "Entailment", "neutral"], 1),
        (["entailment", "not_entailment"], 0),
        (["not_entailment", "entailment"], 1),
    ],
)
@pytest.mark.parametrize("make", ["bert", "roberta"])
def test_entailment_is_found_by_name(tmp_path, labels, index, make):
    folder = getattr(tiny_classifiers, make)(tmp_path / "checkpoint", labels)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    sides = ("Question: who was it ? Answer: it was marie curie", "Question: who was it ? Answer: marie curie")
    with torch.inference_mode():
        expected = float(model(**tokenizer(*sides, return_tensors="pt")).logits.softmax(dim=1)[0, index])
    row = {name: values[:1] for name, values in ROWS.items()}
    out = load(folder).compute(**row, lexical=False)
    assert out["nli_lex"] == out["entailment"] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("labels", [["LABEL_0", "LABEL_1"], ["entailment", "ENTAILMENT"], ["not_entailment"] * 2])
def test_a_checkpoint_without_entailment_is_an_error(labels):
    with pytest.raises(ValueError, match=r"nli_lex: the checkpoint has the classes .*expected exactly one"):
        entailment_class(labels)


def test_the_formula_by_hand():
    # logit = 2 · 0.5 + 3 · 1 − 2 = 2, sigmoid(2) = 0.880797
    columns = {"entailment": np.array([0.5]), "match": np.array([1.0])}
    weights = {"entailment": 2.0, "match": 3.0, "intercept": -2.0}
    assert probability(columns, weights)[0] == pytest.approx(0.8807970779778823)
    assert class_probability(np.array([[0.0, np.log(3)]]), 1)[0] == pytest.approx(0.75)


def test_signals_and_weights_come_together_in_a_score(tiny):
    weights = {"entailment": 1.0, "match": 2.0, "intercept": -0.5}
    rows = tiny.compute(**ROWS, lexical="match", weights=weights)["per_example"]
    for score, entailment, match in zip(rows["score"], rows["entailment"], rows["match"], strict=True):
        assert score == pytest.approx(1 / (1 + np.exp(-(entailment + 2 * match - 0.5))))
    assert rows["match"] == [1, 1, 0]
    assert rows["best_reference"] == [0, 1, 0]


def test_a_checkpoint_has_neutral_weights_for_the_papers_flag_alone(tiny):
    out = tiny.compute(**ROWS)
    assert "|lex:match|w:entailment=6,match=3,intercept=-3|" in out["signature"]
    with pytest.raises(ValueError, match="there are no weights for lexical='recall' with this model; pass weights="):
        tiny.compute(**ROWS, lexical="recall")


@pytest.mark.parametrize(
    "weights",
    [{}, {"entailment": 1.0}, {"entailment": 1.0, "match": float("nan"), "intercept": 0.0}, {"a": 1}],
    ids=str,
)
def test_weights_are_checked(weights):
    for lexical in ("match", False):
        with pytest.raises(ValueError, match=r"nli_lex: weights are .*expected finite numbers for entailment"):
            chosen_weights(lexical, weights, UNFITTED)


def test_empty_weights_are_not_the_defaults(tiny):
    with pytest.raises(
        ValueError, match=r"^nli_lex: weights are \{\}; expected finite numbers for entailment, intercept"
    ):
        tiny.compute(**ROWS, weights={})


@pytest.mark.parametrize(
    "options",
    [
        {"lexical": "words"},
        {"lexical": 0},
        {"lexical": True},
        {"threshold": -1},
        {"weights": 5},
        {"premise": "no slot"},
        {"premise": "{answer} {answer}"},
        {"hypothesis": 3},
        {"window": 0},
    ],
    ids=str,
)
def test_options_are_checked(tiny, options):
    with pytest.raises(ValueError, match=f"nli_lex: {next(iter(options))} is "):
        tiny.compute(**ROWS, **options)


def test_fitting_finds_the_minimum_of_the_penalised_loss():
    """Against a general optimiser: Σ log(1 + exp(−y·z)) + ½ · strength · |w|², the intercept free."""
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


def test_fitting_looks_at_the_best_reference_of_a_row():
    """The second reference of every row is wrong: rows would not be separable if it counted."""
    columns = {"entailment": np.array([0.9, 0.1, 0.8, 0.2, 0.3, 0.1, 0.2, 0.1])}
    starts, labels = np.array([0, 2, 4, 6]), np.array([True, True, False, False])
    weights = fit_weights(columns, ["entailment"], starts, np.ones(8, dtype=bool), labels, 1e-3)
    scores = probability(columns, weights)[first_best(columns["entailment"], starts)]
    assert (scores > 0.5).tolist() == [True, True, False, False]


def test_fitted_weights_are_saved_and_read(tiny, tmp_path):
    rows = {
        "predictions": ["paris", "it was marie curie", "lyon", "two"] * 50,
        "references": ["paris", "marie curie", "paris", "one"] * 50,
        "questions": ["capital of france ?", "who was it ?", "capital of france ?", "what ?"] * 50,
    }
    labels = [True, True, False, False] * 50  # as the reference's words are in the answer
    file = tmp_path / "weights.json"
    weights = tiny.fit(**rows, labels=labels, lexical="recall", path=file)
    assert json.loads(file.read_text()) == weights
    given = tiny.compute(**rows, lexical="recall", weights=weights)
    assert given == tiny.compute(**rows, lexical="recall", weights=str(file))
    assert given["per_example"]["verdict"] == labels
    assert "weights" not in vars(tiny)


def test_weights_of_plain_entailment_are_fitted_and_taken(tiny):
    rows = {name: values * 20 for name, values in ROWS.items()}
    weights = tiny.fit(**rows, labels=[True, True, False] * 20, lexical=False)
    assert list(weights) == ["entailment", "intercept"]
    out = tiny.compute(**rows, lexical=False, weights=weights)
    entailment = np.array(out["per_example"]["entailment"])
    expected = 1 / (1 + np.exp(-(weights["entailment"] * entailment + weights["intercept"])))
    assert out["per_example"]["score"] == pytest.approx(expected.tolist())
    assert "|lex:none|w:entailment=" in out["signature"]


@pytest.mark.parametrize("strength", [0, -1, True, None, float("nan"), float("inf")], ids=str)
def test_the_penalty_is_checked_before_the_model_is_loaded(strength):
    untouched = evaluate_qa.load("nli_lex", model="no/such-model")
    with pytest.raises(ValueError, match=r"nli_lex: strength is .*; expected a number above 0"):
        untouched.fit(**ROWS, labels=[True, True, False], strength=strength)


def test_an_unknown_option_of_fit_is_named(tiny):
    with pytest.raises(TypeError, match="nli_lex: unknown keyword 'lexicl'; did you mean 'lexical'"):
        tiny.fit(**ROWS, labels=[True, True, False], lexicl="match")


@pytest.mark.parametrize(
    ("labels", "message"),
    [([True], "differ in length"), ([True, None, False], r"labels\[1\] is None")],
    ids=["short", "none"],
)
def test_labels_are_checked(tiny, labels, message):
    with pytest.raises((ValueError, TypeError), match=message):
        tiny.fit(**ROWS, labels=labels)


@pytest.fixture
def unloaded():
    """A metric whose model must not be looked for."""
    metric = evaluate_qa.load("nli_lex", model="no/such-model")
    yield metric
    assert metric._model is None


def test_a_missing_weights_file_is_told_before_the_model_is_loaded(unloaded, tmp_path):
    told = r"^nli_lex: weights is '.*, and there is no such file; fit\(…, path=…\) writes one"
    for none in ("/nowhere/w.json", json.dumps({"entailment": 1.0, "match": 2.0}) * 20, "\0"):
        with pytest.raises(FileNotFoundError, match=told):
            unloaded.compute(**ROWS, weights=none)
    (tmp_path / "list.json").write_text("[1]")
    with pytest.raises(ValueError, match=r"list\.json holds list; expected an object"):
        unloaded.compute(**ROWS, weights=tmp_path / "list.json")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {},
            "expected finite numbers for entailment, intercept, match; or entailment, intercept, recall; or ",
        ),
        ({"lexical": "recall"}, "with lexical='recall' expected finite numbers for entailment, intercept, recall$"),
    ],
    ids=str,
)
def test_weights_of_no_signal_are_told_before_the_model_is_loaded(unloaded, options, told):
    with pytest.raises(ValueError, match=rf"^nli_lex: weights are \{{'foo': 1\}}; {told}"):
        unloaded.compute(**ROWS, weights={"foo": 1}, **options)


def test_weights_of_another_signal_than_the_models_are_told(tiny):
    weights = {"entailment": 1.0, "recall": 2.0, "intercept": 0.0}
    with pytest.raises(ValueError, match=r"^nli_lex: weights are .*; with lexical='match' expected"):
        tiny.compute(**ROWS, weights=weights)


def test_what_fit_cannot_use_is_told_before_the_model_is_loaded(unloaded, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"^nli_lex: labels are all the same; expected correct and incorrect answers"):
        unloaded.fit(**ROWS, labels=[1, 1, 1])
    labels = [True, True, False]
    for none in (tmp_path / "none" / "w.json", f"{'n' * 300}/w.json"):
        with pytest.raises(FileNotFoundError, match=r"^nli_lex: path is '.*, and there is no folder .*; make it$"):
            unloaded.fit(**ROWS, labels=labels, path=none)
    with pytest.raises(ValueError, match=r"^nli_lex: path is '.*, which is a folder; expected a file for the weights"):
        unloaded.fit(**ROWS, labels=labels, path=tmp_path)
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    with pytest.raises(ImportError, match=r"^nli_lex: fit needs scikit-learn: pip install scikit-learn"):
        unloaded.fit(**ROWS, labels=labels)


def test_order_and_batches_do_not_matter(embedded):
    generator = np.random.default_rng(1)
    order = generator.permutation(40)
    answers = [f"The answer is {n}, " + "as everybody knows " * (n % 13) for n in range(40)]
    rows = {"predictions": answers, "references": [str(n // 2) for n in range(40)], "questions": ["How many?"] * 40}
    straight = embedded.compute(**rows)["per_example"]["score"]
    shuffled = embedded.compute(**{name: [values[i] for i in order] for name, values in rows.items()})
    assert shuffled["per_example"]["score"] == pytest.approx([straight[i] for i in order], abs=1e-5)
    small = evaluate_qa.load("nli_lex", device="cpu", batch_size=3).compute(**rows)
    assert small["per_example"]["score"] == pytest.approx(straight, abs=1e-5)
