"""Read, write and build matchers: all-MiniLM-L6-v2 plus what fine-tuning changed.

One encoder has a head for each task. For each matrix of the encoder, the file has the difference to MiniLM's matrix in
8 bits with a scale per output channel; for each vector, the difference in half precision. The weights of the heads are
whole. The word embeddings are MiniLM's.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .checkpoints import check_hash, download_errors, file_hash, packaged_path
from .pair_network import network_class

TASKS = {"bem": ("not_equivalent", "equivalent"), "nli_lex": ("not_entailment", "entailment")}
"""The classes of each task."""

FILE = "matcher.safetensors"
# SHA-256 of the file that belongs to this version; other files are refused.
FILE_SHA256 = "434aad989ec82f7426d9d6b5e4d3027fea4c3970db77eae5ae2a24d93f294519"
# The model repository on the Hub; `evaluate-qa publish` replaces the namespace.
REPOSITORY = "evaluate-qa/matcher"
# Each version of the file has a folder there.
PUBLISHED = f"{FILE_SHA256[:12]}/{FILE}"

# MiniLM has 512 positions; as a sentence encoder it reads 256 tokens.
MAX_LENGTH = 512

_LEVELS = 127
_HIDDEN = 384  # MiniLM's
_FEATURES = 3 * _HIDDEN + 1  # inputs of a head, see pair_network.py
_WORDS = "embeddings.word_embeddings.weight"


@dataclass(frozen=True)
class Matcher:
    """The content of a matcher's file."""

    difference: dict[str, NDArray[np.float32]]  # differences to MiniLM's tensors, by name
    # A matrix, shape (2, 3 hidden + 1), and a bias, shape (2,), for each task.
    heads: dict[str, tuple[NDArray[np.float32], NDArray[np.float32]]]
    # Weights of the final logistic layers for each task, by the names of the layer and of the feature.
    weights: dict[str, dict[str, dict[str, float]]]


def save(matcher: Matcher, file: Path) -> None:
    """Write a matcher, rounded to 8 and 16 bits; raise OSError if the disk is full."""
    from safetensors.numpy import save as serialized

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
    # `save_file` raises SafetensorError, not OSError, if the disk is full.
    file.write_bytes(serialized(tensors, metadata={"weights": json.dumps(matcher.weights, sort_keys=True)}))


def read(file: Path) -> Matcher:
    """Read a matcher; raises ValueError if a head has the wrong shape."""
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
        task: (tensors[f"{task}.weight"], tensors[f"{task}.bias"]) for task in TASKS if f"{task}.weight" in tensors
    }
    for matrix, _ in heads.values():
        if matrix.shape != (2, _FEATURES):
            raise ValueError(f"a head has the shape {matrix.shape}; expected {(2, _FEATURES)}")
    return Matcher(difference, heads, weights)


def find_matcher(metric: str) -> Path:
    """Return the matcher's file from the installed package, else from the Hub; raise ValueError for another version."""
    file = packaged_path("_shared", FILE) or _download(metric)
    fix = "After an upgrade, run evaluate-qa install again. Otherwise: pip install --force-reinstall evaluate-qa"
    check_hash(metric, file, file_hash(file), FILE_SHA256, fix)
    return file


def _download(metric: str) -> Path:
    from huggingface_hub import hf_hub_download

    with download_errors(
        f"{metric}: the embedded matcher {FILE} is neither in an installed evaluate-qa nor on the Hub in {REPOSITORY}",
        f"Either: pip install evaluate-qa. Or pass a model: evaluate.load({metric!r}, model=…)",
    ):
        return Path(hf_hub_download(REPOSITORY, PUBLISHED))


def tensors(minilm: Path, matcher: Matcher, task: str) -> dict[str, NDArray[np.float32]]:
    """Return the weights of PairNetwork by name: MiniLM plus the difference, and the task's head."""
    from safetensors.numpy import load_file

    encoder = load_file(minilm / "model.safetensors")
    encoder.pop("embeddings.position_ids", None)
    for name, values in matcher.difference.items():
        encoder[name] += values
    matrix, bias = matcher.heads[task]
    head = {"classifier.weight": matrix, "classifier.bias": bias}
    return {f"bert.{name}": values for name, values in encoder.items()} | head


def build(minilm: Path, matcher: Matcher, task: str, dtype: str) -> tuple[Any, Any]:
    """Return the matcher's model with the head of a task, and its tokenizer."""
    import torch

    model, tokenizer = build_blank(minilm, task)
    model.load_state_dict({name: torch.from_numpy(values) for name, values in tensors(minilm, matcher, task).items()})
    return model.to(getattr(torch, dtype)).eval(), tokenizer


def build_blank(minilm: Path, task: str) -> tuple[Any, Any]:
    """Return MiniLM with a random head for a task, and its tokenizer."""
    from safetensors.torch import load_file
    from transformers import AutoTokenizer, BertConfig

    config = BertConfig.from_pretrained(minilm, local_files_only=True, num_labels=2)
    config.id2label = dict(enumerate(TASKS[task]))
    config.label2id = {label: i for i, label in enumerate(TASKS[task])}
    tokenizer = AutoTokenizer.from_pretrained(minilm, local_files_only=True)
    tokenizer.model_max_length = MAX_LENGTH
    config.sep_token_id = tokenizer.sep_token_id
    model = network_class()(config)
    encoder = load_file(minilm / "model.safetensors")
    encoder.pop("embeddings.position_ids", None)  # the numbers 0, 1, …
    model.bert.load_state_dict(encoder)
    return model, tokenizer


def difference(base: Any, tuned: Any) -> dict[str, NDArray[np.float32]]:
    """Return what tuning added to each parameter of the encoder, without the word embeddings."""
    before = dict(base.named_parameters())
    return {
        name: (after.detach().float().cpu() - before[name].detach().float().cpu()).numpy()
        for name, after in tuned.named_parameters()
        if name != _WORDS
    }
