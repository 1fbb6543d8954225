"""The embedded matchers: all-MiniLM-L6-v2 with what fine-tuning added to it, which is all that their file holds.

One encoder carries two heads. Of each matrix the file has the difference to MiniLM's in 8 bits, with a scale for each
output channel; of each vector the difference in half precision; of the heads the weights. The word embeddings stay
MiniLM's.
"""

import hashlib
import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .pair_network import network_class

TASKS = {"bem": ("not_equivalent", "equivalent"), "nli_lex": ("not_entailment", "entailment")}
"""Task of each head -> its classes."""

FILE = "matcher.safetensors"
# Of the file that comes with this version: wherever it is found, it is this one or it is refused.
FILE_SHA256 = "3bcc8c21416dbd4f00fba0bc8e340151f66b38160a49c69931a945bbb7785eaa"
# The model repository on the Hub; `evaluate-qa publish` puts its own namespace in front here.
REPOSITORY = "evaluate-qa/matcher"
# There each version of the file has a folder, so that a metric finds the one that it goes with.
PUBLISHED = f"{FILE_SHA256[:12]}/{FILE}"

# MiniLM has 512 positions; as a sentence encoder it reads 256 tokens.
MAX_LENGTH = 512

_LEVELS = 127
_HIDDEN = 384  # MiniLM's
_FEATURES = 3 * _HIDDEN + 1  # that a head weighs, see pair_network.py
_WORDS = "embeddings.word_embeddings.weight"


@dataclass(frozen=True)
class Matcher:
    """What the file holds.

    Args:
        difference: Added to MiniLM's tensors, by their name.
        heads: For each task a matrix, shape (2, 3 hidden + 1), and a bias, shape (2,).
        weights: For each task the weights of its final logistic layer, by the name of the layer and of the feature.
    """

    difference: dict[str, NDArray[np.float32]]
    heads: dict[str, tuple[NDArray[np.float32], NDArray[np.float32]]]
    weights: dict[str, dict[str, dict[str, float]]]


def save(matcher: Matcher, file: Path) -> None:
    """Write the file; what is read back differs by the rounding to 8 and 16 bits."""
    from safetensors.numpy import save_file

    tensors: dict[str, NDArray[Any]] = {}
    for name, values in matcher.difference.items():
        if values.ndim == 1:
            tensors[f"encoder.{name}"] = values.astype(np.float16)
        else:
            scale = np.maximum(np.abs(values).max(axis=1), np.finfo(np.float16).tiny) / _LEVELS
            scale = scale.astype(np.float16)
            rounded = np.rint(values / np.maximum(scale.astype(np.float32), 1e-8)[:, None])
            tensors[f"encoder.{name}.int8"] = np.clip(rounded, -_LEVELS, _LEVELS).astype(np.int8)
            tensors[f"encoder.{name}.scale"] = scale
    for task, (matrix, bias) in matcher.heads.items():
        tensors |= {f"{task}.weight": np.ascontiguousarray(matrix), f"{task}.bias": bias}
    save_file(tensors, file, metadata={"weights": json.dumps(matcher.weights, sort_keys=True)})


def read(file: Path) -> Matcher:
    """Read the file."""
    from safetensors import safe_open

    with safe_open(file, framework="numpy") as stored:
        tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118 - not a dict
        weights = json.loads(stored.metadata()["weights"])
    difference = {}
    for name, values in tensors.items():
        if name.startswith("encoder.") and not name.endswith(".scale"):
            scaled = values.astype(np.float32)
            if name.endswith(".int8"):
                scaled *= tensors[f"{name.removesuffix('.int8')}.scale"].astype(np.float32)[:, None]
            difference[name.removeprefix("encoder.").removesuffix(".int8")] = scaled
    heads = {
        task: (_whole(tensors[f"{task}.weight"]), tensors[f"{task}.bias"])
        for task in TASKS
        if f"{task}.weight" in tensors
    }
    return Matcher(difference, heads, weights)


def _whole(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a head's matrix; that of a file of before, which weighs the first token alone, with zeros for all else."""
    width = matrix.shape[1]
    if width not in (_HIDDEN, _FEATURES):
        raise ValueError(f"a head weighs {width} features; expected {_FEATURES}, or {_HIDDEN} of an older file")
    return np.pad(matrix, ((0, 0), (0, _FEATURES - width)))


def find(metric: str) -> Path:
    """Return the matcher's file, checked: that of the installed package, else downloaded from the Hub.

    Raises:
        FileNotFoundError: it is in neither place.
        ValueError: it is not the file that this version goes with.
    """
    file = _located(metric)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    if digest != FILE_SHA256:
        raise ValueError(
            f"{metric}: {file} has the SHA-256 {digest}, not {FILE_SHA256}: it is damaged or of another version. "
            "After an upgrade run evaluate-qa install again; else pip install --force-reinstall evaluate-qa"
        )
    return file


def _located(metric: str) -> Path:
    try:
        packaged = resources.files("evaluate_qa.metrics") / "_shared" / FILE
        if packaged.is_file():
            return Path(str(packaged))
    except ModuleNotFoundError:
        pass
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(hf_hub_download(REPOSITORY, PUBLISHED))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise FileNotFoundError(
            f"{metric}: the default matcher {FILE} is neither in an installed evaluate-qa nor on the Hub in "
            f"{REPOSITORY} ({type(error).__name__}). Either: pip install evaluate-qa. Or give a model: "
            f"evaluate.load({metric!r}, model=…)"
        ) from error


def tensors(minilm: Path, matcher: Matcher, task: str) -> dict[str, NDArray[np.float32]]:
    """Return the weights of PairNetwork, by name: MiniLM's with the difference added, and the task's head."""
    from safetensors.numpy import load_file

    encoder = load_file(minilm / "model.safetensors")
    encoder.pop("embeddings.position_ids", None)
    for name, values in matcher.difference.items():
        encoder[name] += values
    matrix, bias = matcher.heads[task]
    head = {"classifier.weight": matrix, "classifier.bias": bias}
    return {f"bert.{name}": values for name, values in encoder.items()} | head


def build(minilm: Path, matcher: Matcher, task: str, dtype: Any) -> tuple[Any, Any]:
    """Return (model, tokenizer): MiniLM with the difference added and the task's head on it.

    Args:
        minilm: Folder of all-MiniLM-L6-v2.
        matcher: What was read from the file.
        task: A key of `TASKS`.
        dtype: torch's dtype.
    """
    import torch

    model, tokenizer = blank(minilm, task, drawn=False)
    tensors = dict(model.bert.named_parameters())
    matrix, bias = matcher.heads[task]
    with torch.no_grad():
        for name, values in matcher.difference.items():
            tensors[name] += torch.from_numpy(values)
        model.classifier.weight.copy_(torch.from_numpy(matrix))
        model.classifier.bias.copy_(torch.from_numpy(bias))
    return model.to(dtype).eval(), tokenizer


def blank(minilm: Path, task: str, drawn: bool = True) -> tuple[Any, Any]:
    """Return (model, tokenizer): MiniLM with a head for the task, drawn at random or still to be filled."""
    import torch
    from safetensors.torch import load_file
    from transformers import AutoTokenizer, BertConfig

    config = BertConfig.from_pretrained(minilm, local_files_only=True, num_labels=2)
    config.id2label = dict(enumerate(TASKS[task]))
    config.label2id = {label: i for i, label in enumerate(TASKS[task])}
    tokenizer = AutoTokenizer.from_pretrained(minilm, local_files_only=True)
    tokenizer.model_max_length = MAX_LENGTH
    config.sep_token_id = tokenizer.sep_token_id
    network = network_class()
    if drawn:
        model = network(config)
    else:  # to draw 22 million numbers only to put others in their place takes longer than all else here
        with torch.device("meta"):
            model = network(config)
        _fill_buffers(model.to_empty(device="cpu"))
    tensors = load_file(minilm / "model.safetensors")
    tensors.pop("embeddings.position_ids", None)  # the numbers 0, 1, …: no parameter
    model.bert.load_state_dict(tensors)
    return model, tokenizer


def _fill_buffers(model: Any) -> None:
    """Give BERT's buffers, which no file holds, their constants."""
    import torch

    positions = torch.arange(model.config.max_position_embeddings)
    constants = {"position_ids": positions, "token_type_ids": torch.zeros_like(positions)}
    for name, buffer in model.named_buffers():
        buffer.copy_(constants[name.rpartition(".")[2]])


def difference(base: Any, tuned: Any) -> dict[str, NDArray[np.float32]]:
    """Return what tuning added to each parameter of the encoder, the word embeddings left out."""
    before = dict(base.named_parameters())
    return {
        name: (after.detach().float().cpu() - before[name].detach().float().cpu()).numpy()
        for name, after in tuned.named_parameters()
        if name != _WORDS
    }
