"""ONNX Runtime in PyTorch's place: the same vectors, an export that is checked and kept, clear errors."""

import shutil
import sys

import evaluate
import evaluate_qa
import numpy as np
import pytest
import tiny_checkpoints
import torch
from evaluate_qa.files.rows import read_rows
from evaluate_qa.metrics.smile import onnx_backend
from evaluate_qa.metrics.smile.encoder import Encoder
from evaluate_qa.metrics.smile.loading import LoadOptions

TEXTS = ["Marie Curie", "", "it was marie curie who discovered radium in paris " * 3, "radium", "the " * 90, "pierre"]


@pytest.fixture
def installed():
    pytest.importorskip("onnxruntime", reason="needs the packages of the extra onnx")


def vectors(folder, **options):
    return Encoder("default", LoadOptions(model=folder, device="cpu", **options)).vectors(TEXTS)


@pytest.mark.parametrize("package", ["onnx", "onnxruntime", "onnxscript"])
def test_a_missing_package_is_named(monkeypatch, package):
    for other in ("onnx", "onnxruntime", "onnxscript"):
        monkeypatch.setitem(sys.modules, other, None if other == package else pytest)
    with pytest.raises(ImportError) as caught:
        Encoder("default", LoadOptions(model="someone/none", backend="onnx"))
    assert str(caught.value) == (f"smile: backend='onnx' lacks {package}: pip install onnx onnxruntime onnxscript")


@pytest.mark.parametrize("settings", [{}, {"dense": 8, "normalize": False, "pooling": "cls"}], ids=["mean", "dense"])
def test_vectors_are_those_of_torch_and_the_export_is_kept(installed, tmp_path, settings, caplog):
    folder = tiny_checkpoints.bert(tmp_path / "tiny", **settings)
    exported = {"backend": "onnx", "cache_dir": tmp_path / "cache"}
    expected = vectors(folder)
    assert np.abs(vectors(folder, **exported) - expected).max() < 1e-5
    assert "smile: exporting tiny to ONNX, once, into" in caplog.text
    caplog.clear()
    (graph,) = (tmp_path / "cache" / "onnx").glob("*/model.onnx")
    before = graph.stat().st_mtime_ns
    # Else the stored vectors would come back, whatever the graph does.
    shutil.rmtree(tmp_path / "cache" / "vectors")
    assert np.abs(vectors(folder, **exported, batch_size=1) - expected).max() < 1e-5
    assert graph.stat().st_mtime_ns == before
    assert not caplog.records
    assert [path.name for path in (tmp_path / "cache" / "onnx").iterdir()] == [graph.parent.name]


def test_a_graph_that_gives_other_vectors_is_refused_and_not_kept(installed, tmp_path, monkeypatch):
    folder = tiny_checkpoints.bert(tmp_path / "tiny")
    forward = onnx_backend._forward

    def without_mask(graph, wrap):
        # What a naive export does: every token attends to the padding as well.
        run = forward(graph, wrap)
        return lambda **features: run(**{**features, "attention_mask": torch.ones_like(features["attention_mask"])})

    monkeypatch.setattr(onnx_backend, "_forward", without_mask)
    with pytest.raises(
        ValueError, match=r"smile: tiny exported to ONNX gives other results \(by .*\); use backend='torch'"
    ):
        vectors(folder, backend="onnx", cache_dir=tmp_path / "cache")
    assert not list((tmp_path / "cache" / "onnx").iterdir())


def test_a_model_without_a_transformer_is_refused(installed, tmp_path):
    folder = tiny_checkpoints.static(tmp_path / "static")
    with pytest.raises(ValueError, match="smile: static does not begin with a transformer; use backend='torch'"):
        vectors(folder, backend="onnx", cache_dir=tmp_path)


@pytest.mark.slow
def test_the_default_scores_the_sample_as_torch_does(installed, tmp_path):
    rows = [row for _, row in read_rows(evaluate_qa.sample())]
    columns = {"predictions": [row["prediction"] for row in rows], "references": [row["references"] for row in rows]}
    full, onnx = (
        evaluate.load(evaluate_qa.path("smile"), device="cpu", **options).compute(**columns)
        for options in ({}, {"backend": "onnx", "cache_dir": str(tmp_path)})
    )
    assert np.abs(np.subtract(full["per_example"]["score"], onnx["per_example"]["score"])).max() < 1e-4
    assert onnx["signature"] == f"{full['signature']}|backend:onnx"
    shortlist = evaluate.load(evaluate_qa.path("smile"), backend="onnx", cache_dir=str(tmp_path))
    assert shortlist.compute(**columns, ngram_candidates=8)["smile"] == pytest.approx(full["smile"], abs=5e-3)
