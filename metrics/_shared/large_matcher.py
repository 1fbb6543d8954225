"""A large matcher: any encoder of transformers, with the matcher's head over the means of both texts.

Its folder is a checkpoint of the encoder, with the head in `head.safetensors`; the metadata of that file hold the
weights of the final layers. It reads BEM's input.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from .checkpoints import load_folder
from .pair_network import head_inputs, scaled_mean
from .progress import library_bars

HEAD = "head.safetensors"


def save_head(network: Any, weights: Mapping[str, Mapping[str, float]], folder: Path) -> None:
    """Write the head of a network, and the weights of its final layers, into the folder of its encoder."""
    from safetensors.torch import save_file

    tensors = {name: values.detach().cpu().contiguous() for name, values in network.classifier.named_parameters()}
    save_file(tensors, folder / HEAD, metadata={"weights": json.dumps(weights, sort_keys=True)})


def read_head(folder: Path) -> tuple[dict[str, NDArray[Any]], dict[str, dict[str, float]]]:
    """Return the tensors of a head by name, and the weights of its final layers; raise ValueError if it is damaged."""
    from safetensors import safe_open

    try:
        with safe_open(folder / HEAD, framework="numpy") as stored:
            layers = {name: dict(layer) for name, layer in json.loads(stored.metadata()["weights"]).items()}
            return {name: stored.get_tensor(name) for name in stored.keys()}, layers  # noqa: SIM118 - not a dict
    except Exception as error:  # a damaged file may raise anything
        raise ValueError(
            f"{folder / HEAD} is not the head of a large matcher ({type(error).__name__}: {error}); copy it or "
            "download it again"
        ) from error


def read_large(folder: Path, dtype: str) -> tuple[Any, Any, dict[str, dict[str, float]]]:
    """Return the network, its tokenizer and the weights of its final layers; raise ValueError if they do not fit."""
    import torch

    head, layers = read_head(folder)
    network, tokenizer = build_blank(folder, dtype)
    expected = {name: tuple(values.shape) for name, values in network.classifier.named_parameters()}
    if (found := {name: values.shape for name, values in head.items()}) != expected:
        raise ValueError(f"{folder / HEAD} has tensors of the shapes {found}; this encoder needs {expected}")
    network.classifier.load_state_dict({name: torch.from_numpy(values) for name, values in head.items()})
    return network, tokenizer, layers


def build_blank(folder: Path, dtype: str = "float32") -> tuple[Any, Any]:
    """Return an encoder with a head of zeros, and its tokenizer; raise ValueError if the folder has none.

    The head reads [c, |u − v|, u ∘ v, 10 cos(u, v)]: c is the first token of the last layer, and u and v are the means
    over the tokens of answer and reference, each scaled to a mean square of 1.
    """
    import torch
    from transformers import AutoModel
    from transformers.modeling_outputs import SequenceClassifierOutput

    class LargeNetwork(torch.nn.Module):
        def __init__(self, body: Any, separator: int) -> None:
            super().__init__()
            self.body, self.config, self._separator = body, body.config, separator
            self.classifier = torch.nn.Linear(3 * body.config.hidden_size + 1, 2)
            torch.nn.init.zeros_(self.classifier.weight)
            torch.nn.init.zeros_(self.classifier.bias)

        @property
        def device(self) -> Any:
            return self.body.device

        def forward(self, input_ids: Any, attention_mask: Any, **types: Any) -> Any:
            read = self.body(input_ids, attention_mask, **types).last_hidden_state.float()
            masks = text_masks(input_ids, attention_mask, self._separator)
            c, u, v = (scaled_mean(read, mask) for mask in masks)
            with torch.autocast(read.device.type, enabled=False):
                return SequenceClassifierOutput(logits=self.classifier(head_inputs(c, u, v)))

    try:
        with library_bars():
            body, tokenizer = load_folder(AutoModel, folder, dtype, superfluous=True)
    except Exception as error:  # a damaged or malicious file may raise anything
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{folder} does not load as an encoder ({type(error).__name__}: {reason})") from error
    if getattr(body, "pooler", None) is not None:
        body.pooler.requires_grad_(False)
    return LargeNetwork(body, tokenizer.sep_token_id), tokenizer


def text_masks(input_ids: Any, attention_mask: Any, separator: int) -> tuple[Any, Any, Any]:
    """Return masks of the first token and of the tokens of the first and second text, each of shape (batch, tokens).

    Texts end at one separator or, as in the RoBERTa family, at two.

    >>> import torch
    >>> ids = torch.tensor([[0, 7, 8, 2, 2, 9, 2, 5, 2, 1]])
    >>> [mask.int().tolist() for mask in text_masks(ids, (ids != 1).int(), separator=2)[1:]]
    [[[0, 1, 1, 0, 0, 0, 0, 0, 0, 0]], [[0, 0, 0, 0, 0, 1, 0, 0, 0, 0]]]
    """
    ends = input_ids == separator
    begins = ends.clone()
    begins[:, 1:] &= ~ends[:, :-1]
    place = begins.cumsum(dim=1)
    inside = attention_mask.bool() & ~ends
    first = inside.clone()
    first[:, 1:] = False
    return first, inside & ~first & (place == 0), inside & (place == 1)
