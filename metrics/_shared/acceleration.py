"""A model's forward pass in PyTorch made cheaper, at the same scores.

On a CPU in single precision oneDNN multiplies the matrices: torch itself takes MKL, which on AMD's CPUs does not use
all of their instructions (measured: 2.3 times as slow). And the head of a classifier of BERT's family reads the first
token and no other, so the last layer need not compute the others.
"""

from functools import partial
from typing import Any

# Their layers are built alike, and their heads read the first token only.
_FAMILY = {"bert", "roberta", "xlm-roberta"}


def read_first_token_only(model: Any) -> None:
    """Let the last layer of a BERT or RoBERTa classifier compute its first token only; leave other models alone.

    All tokens still have keys and values there; the query, and what comes after the attention, is the first token's.
    """
    config = model.config
    if config.model_type not in _FAMILY or getattr(config, "position_embedding_type", "absolute") != "absolute":
        return
    last = model.base_model.encoder.layer[-1].attention
    last.self.forward = partial(_attend_from_first, last.self)
    last.output.forward = partial(_add_to_first, last.output)


def multiply_with_onednn(model: Any) -> None:
    """Let oneDNN compute a model's linear layers, where it is on a CPU in float32; it can then no longer be trained."""
    import torch

    # What torch.compile uses. Without it everything is as it was, only slower.
    library: Any = torch.backends.mkldnn
    operator = getattr(torch.ops.mkldnn, "_linear_pointwise", None) if library.is_available() else None
    if operator is None or model.device.type != "cpu":
        return
    layers: list[Any] = [layer for layer in model.modules() if type(layer) is torch.nn.Linear]
    for layer in layers:
        if layer.weight.dtype == torch.float32:
            layer.forward = partial(_multiply, operator, layer)


def _attend_from_first(
    attention: Any, hidden_states: Any, attention_mask: Any = None, *_others: Any, **_options: Any
) -> tuple[Any, None]:
    from torch.nn.functional import scaled_dot_product_attention

    batch, _, width = hidden_states.shape
    query, key, value = (
        layer(states).view(batch, states.shape[1], -1, attention.attention_head_size).transpose(1, 2)
        for layer, states in (
            (attention.query, hidden_states[:, :1]),
            (attention.key, hidden_states),
            (attention.value, hidden_states),
        )
    )
    mask = None if attention_mask is None else attention_mask[:, :, :1]
    found = scaled_dot_product_attention(query, key, value, attn_mask=mask)
    return found.transpose(1, 2).reshape(batch, 1, width), None


def _add_to_first(output: Any, hidden_states: Any, input_tensor: Any) -> Any:
    return type(output).forward(output, hidden_states, input_tensor[:, :1])


def _multiply(operator: Any, layer: Any, values: Any) -> Any:
    return operator(values, layer.weight, layer.bias, "none", [], "")
