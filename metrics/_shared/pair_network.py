"""Define the matcher's network: BERT over both texts, and a linear head that also compares the texts' means."""

from functools import cache
from typing import Any

_EPSILON = 1e-6


@cache
def network_class() -> Any:
    """Return PairNetwork; it is defined in a function because torch may not be installed."""
    import torch
    from transformers import BertModel, BertPreTrainedModel
    from transformers.modeling_outputs import SequenceClassifierOutput

    class PairNetwork(BertPreTrainedModel):
        """BERT with a linear head over [p, |u − v|, u ∘ v, 10 cos(u, v)].

        p is the pooled first token. u and v are the means of the two texts' tokens before the last layer, each scaled
        to a mean square of 1. The first text is the whole first segment. The second text ends at the first separator of
        the second segment; u and v ignore what follows, such as BEM's question.
        """

        def __init__(self, config: Any) -> None:
            super().__init__(config)
            self.bert = BertModel(config)
            self.classifier = torch.nn.Linear(3 * config.hidden_size + 1, config.num_labels)
            self.post_init()

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            """Return the logits, shape (batch, classes), of ids, mask and segments, each of shape (batch, tokens)."""
            output = self.bert(input_ids, attention_mask, token_type_ids, output_hidden_states=True)
            read, p = output.hidden_states[-2].float(), output.pooler_output
            first, second = side_masks(input_ids, attention_mask, token_type_ids, self.config.sep_token_id)
            u, v = scaled_mean(read, first), scaled_mean(read, second)
            return SequenceClassifierOutput(logits=self.classifier(head_inputs(p.float(), u, v).to(p.dtype)))

    return PairNetwork


def side_masks(input_ids: Any, attention_mask: Any, token_type_ids: Any, separator: int) -> tuple[Any, Any]:
    """Return masks of the first and of the second text's tokens, each of shape (batch, tokens).

    >>> import torch
    >>> ids = torch.tensor([[101, 7, 8, 102, 9, 102, 5, 102, 0]])
    >>> types = torch.tensor([[0, 0, 0, 0, 1, 1, 1, 1, 0]])
    >>> [side.int().tolist() for side in side_masks(ids, (ids > 0).int(), types, separator=102)]
    [[[0, 1, 1, 0, 0, 0, 0, 0, 0]], [[0, 0, 0, 0, 1, 0, 0, 0, 0]]]
    """
    second = token_type_ids == 1
    ends = input_ids == separator
    first = attention_mask.bool() & ~second & ~ends
    first[:, 0] = False  # [CLS]
    return first, second & ((ends & second).cumsum(dim=1) == 0)


def head_inputs(p: Any, u: Any, v: Any) -> Any:
    """Return [p, |u − v|, u ∘ v, 10 cos(u, v)], shape (batch, 3 × width + 1); u and v have a mean square of 1.

    >>> import torch
    >>> head_inputs(torch.tensor([[3.0, 4.0]]), torch.tensor([[1.0, -1.0]]), torch.tensor([[1.0, 1.0]])).tolist()
    [[3.0, 4.0, 0.0, 2.0, 1.0, -1.0, 0.0]]
    """
    import torch

    cosine = (u * v).mean(dim=-1, keepdim=True)
    return torch.cat([p, (u - v).abs(), u * v, 10 * cosine], dim=-1)


def scaled_mean(states: Any, chosen: Any) -> Any:
    """Return the mean of the chosen tokens' states, scaled to a mean square of 1; 0 without chosen tokens.

    >>> import torch
    >>> states = torch.tensor([[[1.0, 7.0], [5.0, 1.0], [0.0, 9.0]]])
    >>> scaled_mean(states, torch.tensor([[True, True, False]]))  # (3, 4) / √12.5
    tensor([[0.8485, 1.1314]])
    """
    weights = chosen.to(states.dtype).unsqueeze(1)
    mean = (weights @ states).squeeze(1) / weights.sum(dim=-1).clamp(min=1)
    return mean * (mean.square().mean(dim=-1, keepdim=True) + _EPSILON).rsqrt()
