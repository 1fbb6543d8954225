"""Loading the classifiers of BEM and NLI+lex: the matcher, files, folders, and errors."""

import hashlib
from dataclasses import replace

import pytest
import tiny_classifiers
import torch
from damage import change_weights

import evaluate_qa
from evaluate_qa.metrics._shared.large_matcher import build_blank, save_head
from evaluate_qa.metrics._shared.matcher import find_matcher, read, save

METRICS = ["bem", "nli_lex"]
ROWS = {
    "predictions": ["it was marie curie", "paris", "lyon is the capital " * 30, "", "the capital of france is paris"],
    "references": ["marie curie", ["lyon", "paris"], "paris", "one", ["two", "three"]],
    "questions": ["who was it ?", "what is the capital of france ?", "capital of france", "what ?", "what is it ?"],
}
CLASSES = ["not_entailment", "entailment"]


def rows(metric, **options):
    return evaluate_qa.load(metric, **{"device": "cpu", **options}).compute(**ROWS)


@pytest.mark.parametrize("metric", METRICS)
def test_a_matcher_file_can_be_loaded(metric, tmp_path):
    shipped = find_matcher(metric)
    own = tmp_path / "mine.safetensors"
    matcher = read(shipped)
    turned = {task: (-matrix, -bias) for task, (matrix, bias) in matcher.heads.items()}
    save(replace(matcher, heads=turned), own)
    copy = tmp_path / "copy.safetensors"
    copy.write_bytes(shipped.read_bytes())
    scores = {file: rows(metric, **({"model": file} if file else {})) for file in (None, copy, own)}
    assert scores[copy]["per_example"] == scores[None]["per_example"]
    assert scores[own]["per_example"]["score"] != scores[None]["per_example"]["score"]
    assert f"mine@{hashlib.sha256(own.read_bytes()).hexdigest()[:8]}" in scores[own]["signature"]


@pytest.mark.parametrize("metric", METRICS)
def test_a_file_without_the_head_raises_an_error(metric, tmp_path):
    matcher, own = read(find_matcher(metric)), tmp_path / "mine.safetensors"
    save(replace(matcher, weights={task: layers for task, layers in matcher.weights.items() if task != metric}), own)
    with pytest.raises(
        ValueError, match=rf"^{metric}: .*mine.safetensors has no head for {metric}; fit one: evaluate-qa fit"
    ):
        rows(metric, model=own)
    own.write_text("no tensors")
    with pytest.raises(ValueError, match=rf"^{metric}: .*mine.safetensors is not a matcher written by evaluate-qa fit"):
        rows(metric, model=str(own))


@pytest.mark.parametrize("metric", METRICS)
def test_a_file_with_unknown_features_raises_an_error_with_a_fix(metric, tmp_path):
    matcher, own = read(find_matcher(metric)), tmp_path / "mine.safetensors"
    layers = {"lengths": {"margin": 1.0, "long*missing_numbers": 0.5, "negations_differ": -1.0, "intercept": 0.0}}
    save(replace(matcher, weights={metric: layers}), own)
    match = rf"^{metric}: .* uses the features missing_numbers, negations_differ, .*: evaluate-qa fit .*average: "
    with pytest.raises(ValueError, match=match):
        rows(metric, model=own)


@pytest.mark.parametrize("metric", METRICS)
def test_a_revision_without_a_model_raises_an_error(metric):
    for config in (None, "paper"):
        with pytest.raises(ValueError, match=f"^{metric}: model_revision is given without model"):
            evaluate_qa.load(metric, config, model_revision="v1")
    with pytest.raises(ValueError, match=f"^{metric}: model is ''; expected a folder or the name of a checkpoint"):
        evaluate_qa.load(metric, model="")


@pytest.mark.parametrize("metric", METRICS)
def test_a_folder_may_have_the_name_of_a_preset(working_folder, metric, tmp_path):
    tiny_classifiers.bert(tmp_path / "embedded", CLASSES)
    assert f"{metric}|v:1.3.0|" in rows(metric)["signature"]
    assert "matcher@" in rows(metric)["signature"]
    assert ":embedded@" in rows(metric, model="embedded")["signature"]


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (
            lambda file: change_weights(file, {"classifier.weight": None, "classifier.bias": None}),
            ".*classifier.bias and 1 more are missing",
        ),
        (lambda file: change_weights(file, {"another.weight": torch.zeros(2)}), ".*another.weight are not expected"),
        (
            lambda file: change_weights(file, {"classifier.weight": torch.zeros(3, 5)}),
            ".*classifier.weight are of another shape",
        ),
        (lambda file: file.write_bytes(b""), r"\("),
        (lambda file: file.write_bytes(b"\x80\x04junk"), r"\("),
    ],
    ids=["missing", "more", "shape", "empty", "pickle"],
)
def test_a_checkpoint_with_wrong_weights_is_refused(damage, reason, tmp_path):
    """Transformers would initialize missing weights at random."""
    folder = tiny_classifiers.bert(tmp_path / "damaged", CLASSES)
    damage(folder / "model.safetensors")
    with pytest.raises(ValueError, match=rf"^bem: .*damaged does not load as a classifier {reason}"):
        rows("bem", model=str(folder))


def test_a_large_matcher_without_one_of_its_weights_is_refused(tmp_path):
    folder = tiny_classifiers.bert(tmp_path / "large", CLASSES)
    network, _ = build_blank(folder)
    save_head(network, {"recall": {"margin": 1.0, "intercept": 0.0}}, folder)
    bem = evaluate_qa.load("bem", model=str(folder), device="cpu")
    assert bem.compute(**ROWS, typed=False)["per_example"]["score"][0] == 0.5  # the head is zero
    change_weights(folder / "model.safetensors", {"bert.encoder.layer.0.attention.self.query.weight": None})
    with pytest.raises(ValueError, match=r"^bem: .*large does not load as an encoder .*query.weight are missing"):
        rows("bem", model=str(folder))
