"""The head of the matcher's network, compared with its formula."""

import numpy as np
import pytest
import torch
from transformers import BertConfig

from evaluate_qa.metrics._shared.pair_network import network_class

CLS, SEP, HIDDEN = 1, 2, 8
# [CLS] answer [SEP] reference [SEP] question [SEP]; the second row has no answer, and no question.
IDS = torch.tensor([[CLS, 5, 6, 7, SEP, 8, 9, SEP, 10, SEP], [CLS, SEP, 11, SEP, 0, 0, 0, 0, 0, 0]])
TYPES = torch.tensor([[0] * 5 + [1] * 5, [0, 0, 1, 1] + [0] * 6])
INPUTS = {"input_ids": IDS, "attention_mask": (IDS > 0).long(), "token_type_ids": TYPES}
ANSWERS, REFERENCES = [[1, 2, 3], []], [[5, 6], [2]]


@pytest.fixture
def network():
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=20, hidden_size=HIDDEN, num_hidden_layers=3, num_attention_heads=2, intermediate_size=16
    )
    config.sep_token_id, config.num_labels = SEP, 2
    network = network_class()(config).eval()
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return network


def test_the_head_reads_the_first_token_and_both_means(network):
    with torch.inference_mode():
        states = network.bert(**INPUTS, output_hidden_states=True).hidden_states
        pooled, logits = network.bert.pooler(states[-1]).numpy(), network(**INPUTS).logits.numpy()
    below = states[-2].numpy().astype(np.float64)
    weight, bias = network.classifier.weight.detach().numpy(), network.classifier.bias.detach().numpy()
    for row, found in enumerate(logits):
        u, v = (_mean(below[row, listed[row]]) for listed in (ANSWERS, REFERENCES))
        # Both have a mean square of 1, so the mean of their products is their cosine.
        features = np.concatenate([pooled[row], np.abs(u - v), u * v, [10 * (u * v).mean()]])
        assert found == pytest.approx(weight @ features + bias, abs=1e-5)


def _mean(states):
    if not len(states):
        return np.zeros(HIDDEN)
    mean = states.mean(axis=0)
    return mean / np.sqrt((mean**2).mean() + 1e-6)
