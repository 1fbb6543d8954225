"""What a judge runs its classifier on: the same scores in PyTorch, made faster, and in ONNX Runtime; clear errors."""

import sys

import evaluate
import evaluate_qa
import numpy as np
import pytest
import tiny_classifiers
from evaluate_qa.metrics._shared.classifiers import EMBEDDED, LoadOptions, load, load_plain

METRICS = ["bem", "nli_lex"]
ROWS = {
    "predictions": ["it was marie curie", "paris", "lyon is the capital " * 30, "", "the capital of france is paris"],
    "references": ["marie curie", ["lyon", "paris"], "paris", "one", ["two", "three"]],
    "questions": ["who was it ?", "what is the capital of france ?", "capital of france", "what ?", "what is it ?"],
}
CLASSES = ["not_entailment", "entailment"]


@pytest.fixture
def installed():
    pytest.importorskip("onnxruntime", reason="needs the packages of the extra onnx")


def rows(metric, **options):
    return evaluate.load(evaluate_qa.path(metric), device="cpu", **options).compute(**ROWS)


@pytest.mark.parametrize("metric", METRICS)
def test_what_is_faster_scores_as_transformers_does(metric):
    plain, fast = (make(metric, EMBEDDED, None, LoadOptions(device="cpu")) for make in (load_plain, load))
    pairs = [(answer, ("Paris, the capital",)) for answer in ("Paris", "It is Lyon. " * 40, "nobody knows that")]
    inputs = plain.classifier.encode(pairs)
    assert np.abs(fast.classifier.forward(inputs) - plain.classifier.forward(inputs)).max() < 2e-5
    assert (fast.name, fast.fingerprint) == (plain.name, plain.fingerprint)


@pytest.mark.parametrize("metric", METRICS)
def test_the_embedded_matcher_scores_in_onnx_runtime_as_in_torch(installed, metric, tmp_path, caplog):
    torch = rows(metric)
    onnx = rows(metric, backend="onnx", cache_dir=str(tmp_path))
    assert f"{metric}: exporting matcher@" in caplog.text
    assert np.abs(np.subtract(onnx["per_example"]["score"], torch["per_example"]["score"])).max() < 1e-4
    assert onnx["signature"] == f"{torch['signature']}|backend:onnx"
    caplog.clear()
    again = rows(metric, backend="onnx", cache_dir=str(tmp_path))
    assert not caplog.records
    assert again["per_example"] == onnx["per_example"]


@pytest.mark.parametrize("make", ["bert", "roberta"])
@pytest.mark.parametrize("metric", METRICS)
def test_a_checkpoint_scores_in_onnx_runtime_as_in_torch(installed, metric, make, tmp_path):
    folder = getattr(tiny_classifiers, make)(tmp_path / "tiny", CLASSES)
    # Of another checkpoint there is a graph already.
    other = getattr(tiny_classifiers, make)(tmp_path / "other", CLASSES, seed=5)
    rows(metric, model=str(other), backend="onnx", cache_dir=str(tmp_path / "cache"))
    torch, onnx = (
        rows(metric, model=str(folder), **options)
        for options in ({}, {"backend": "onnx", "cache_dir": str(tmp_path / "cache")})
    )
    assert np.abs(np.subtract(onnx["per_example"]["score"], torch["per_example"]["score"])).max() < 1e-4
    assert len(list((tmp_path / "cache" / "onnx").glob("*/model.onnx"))) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"backend": "jax"}, "backend is 'jax'; expected one of torch, onnx"),
        ({"backend": "onnx", "dtype": "bfloat16"}, "dtype is 'bfloat16'; backend='onnx' runs in float32"),
        ({"backend": "onnx", "device": "cuda"}, "device is 'cuda'; backend='onnx' runs on the CPU"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(ValueError, match="is '") as caught:
        LoadOptions(**options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("package", "message"),
    [
        ("transformers", "bem: transformers is missing: pip install torch transformers"),
        ("onnxruntime", "bem: backend='onnx' lacks onnxruntime: pip install onnx onnxruntime onnxscript"),
    ],
)
def test_a_missing_package_is_named_before_anything_is_looked_for(monkeypatch, package, message):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError) as caught:
        load("bem", "someone/none", None, LoadOptions(backend="onnx"))
    assert str(caught.value) == message
