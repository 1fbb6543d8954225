"""The cheaper forward pass gives the logits of transformers' own, whatever the padding."""

import numpy as np
import pytest
import tiny_classifiers
import torch
from transformers import (
    DebertaV2Config,
    DebertaV2ForSequenceClassification,
    DistilBertConfig,
    DistilBertForSequenceClassification,
)

from evaluate_qa.metrics._shared.arguments import ModelOptions
from evaluate_qa.metrics._shared.classifiers import Pair, load_checkpoint
from evaluate_qa.metrics._shared.onednn import multiply_with_onednn, read_first_token_only

SENTENCES = ["paris", "it was marie curie , who is the one of lyon ?", "what is the capital of france ?"]
PAIRS = [Pair(first, (second,)) for first in SENTENCES for second in SENTENCES]


@pytest.fixture(params=["bert", "roberta"])
def folder(request, tmp_path):
    return getattr(tiny_classifiers, request.param)(tmp_path / "tiny", ["a", "b", "c"])


def load(folder, dtype="float32"):
    return load_checkpoint(folder, ModelOptions(device="cpu", dtype=dtype))


@pytest.mark.parametrize("change", [read_first_token_only, multiply_with_onednn])
@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_the_logits_stay_the_same(folder, change, attention):
    plain, changed = load(folder), load(folder)
    for classifier in (plain, changed):
        classifier.model.set_attn_implementation(attention)
    change(changed.model)
    for inputs in (plain.encode(PAIRS), plain.encode(PAIRS[:1] * 2)):  # padded, and not
        assert np.abs(changed.forward(inputs) - plain.forward(inputs)).max() < 1e-5


def test_both_together_in_half_precision(folder):
    plain, changed = load(folder, "bfloat16"), load(folder, "bfloat16")
    read_first_token_only(changed.model)
    multiply_with_onednn(changed.model)
    inputs = plain.encode(PAIRS)
    # bfloat16 has 8 significant bits; the logits are up to 8.
    assert np.abs(changed.forward(inputs) - plain.forward(inputs)).max() < 0.25


def test_the_last_layer_computes_one_token(folder):
    """Else nothing would be gained."""
    changed = load(folder)
    read_first_token_only(changed.model)
    inputs = changed.encode(PAIRS[:2])
    with torch.inference_mode():
        hidden = changed.model.base_model(**changed.tensors(inputs)).last_hidden_state
    assert hidden.shape[:2] == (2, 1)


@pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="this build of torch has no oneDNN")
def test_onednn_multiplies(folder):
    changed = load(folder)
    multiply_with_onednn(changed.model)
    with torch.inference_mode(), torch.profiler.profile() as profile:
        changed.model(**changed.tensors(changed.encode(PAIRS)))
    called = {event.key for event in profile.key_averages()}
    assert "mkldnn::_linear_pointwise" in called
    assert "aten::linear" not in called


@pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="this build of torch has no oneDNN")
def test_the_weights_are_in_memory_once(folder):
    changed = load(folder)
    multiply_with_onednn(changed.model)
    layers = [layer for layer in changed.model.modules() if type(layer) is torch.nn.Linear]
    assert layers
    assert not any(layer.weight.numel() for layer in layers)  # oneDNN has them


def distilbert():
    config = DistilBertConfig(vocab_size=10, dim=8, n_layers=1, n_heads=2, hidden_dim=8, max_position_embeddings=8)
    return DistilBertForSequenceClassification(config).eval()


def deberta():
    """As the checkpoint of NLI+lex's paper, in small."""
    config = DebertaV2Config(
        vocab_size=10,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
        relative_attention=True,
        position_buckets=4,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type="p2c|c2p",
        position_biased_input=False,
        type_vocab_size=0,
        initializer_range=0.5,
    )
    return DebertaV2ForSequenceClassification(config).eval()


@pytest.mark.parametrize("make", [distilbert, deberta])
def test_other_architectures_score_as_before(make):
    model = make()
    inputs = {"input_ids": torch.tensor([[1, 2, 3], [4, 5, 0]]), "attention_mask": torch.tensor([[1, 1, 1], [1, 1, 0]])}
    with torch.inference_mode():
        before = model(**inputs).logits
        read_first_token_only(model)
        assert torch.equal(model(**inputs).logits, before)
        multiply_with_onednn(model)
        assert torch.allclose(model(**inputs).logits, before, rtol=0, atol=1e-5)
