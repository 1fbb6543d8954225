"""Choose the engine that runs a model, ONNX Runtime or torch, and prepare its batches.

ONNX Runtime runs the embedded models on a CPU in float32 or int8, without importing torch or transformers. Everything
else needs torch: accelerators, other precisions, other checkpoints. Float32 scores of both engines agree to 1e-5.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from .devices import best_device, check_device, fastest_dtype, multiplies_int8
from .model_options import EngineName, EngineOptions
from .probes import is_installed

Given = TypeVar("Given", bound=EngineOptions)

_TOKEN_BUDGET = {"cpu": 1024, "mps": 16384, "cuda": 65536}

PairIds = tuple[list[int], list[int]]
"""Token ids and token types of a pair of texts, special tokens included."""


class Tokens(NamedTuple):
    """The tokens of a text: their ids, and where each begins and ends in the text."""

    ids: list[int]
    spans: list[tuple[int, int]]


@dataclass(frozen=True)
class Template:
    """The special tokens that a tokenizer puts before, between and after the two sides of a pair."""

    before: list[int]
    between: list[int]
    after: list[int]
    separator: int

    @classmethod
    def of(cls, sides: Sequence[list[int]], whole: list[int], separator: int) -> "Template":
        """Find the special tokens in an example, from the ids of each side and the ids of the pair."""
        before, rest = split_around(sides[0], whole)
        between, after = split_around(sides[1], rest)
        return cls(before, between, after, separator)

    def length(self, first: list[int], parts: list[list[int]], limit: int) -> int:
        """Return the number of tokens that `assemble` returns."""
        special = len(self.before) + len(self.between) + len(self.after) + len(parts) - 1
        return min(limit, special + len(first) + sum(map(len, parts)))

    def assemble(self, first: list[int], parts: list[list[int]], limit: int) -> PairIds:
        """Return ids and types of `before first between part separator part … after`, at most `limit` tokens."""
        second = parts[0] + [token for part in parts[1:] for token in (self.separator, *part)]
        room = limit - len(self.before) - len(self.between) - len(self.after)
        first, second = _longest_first(first, second, room)
        head, rest = [*self.before, *first, *self.between], [*second, *self.after]
        return head + rest, [0] * len(head) + [1] * len(rest)


def split_around(part: list[int], whole: list[int]) -> tuple[list[int], list[int]]:
    """Return the ids before and after the first occurrence of a part."""
    start = next(i for i in range(len(whole)) if whole[i : i + len(part)] == part)
    return whole[:start], whole[start + len(part) :]


def _longest_first(first: list[int], second: list[int], room: int) -> tuple[list[int], list[int]]:
    """Cut the end of the longer side until both sides fit, like transformers' `truncation=True`."""
    if len(first) + len(second) <= room:
        return first, second
    shorter = min(len(first), len(second), room // 2)
    if len(first) > len(second):
        return first[: room - shorter], second[:shorter]
    return first[:shorter], second[: room - shorter]


def torch_token_budget(device: str) -> int:
    """Return the number of tokens in a fast batch: small enough for a CPU's caches, large enough for an accelerator."""
    return _TOKEN_BUDGET.get(device, _TOKEN_BUDGET["cuda"])


def pad_batch(inputs: Sequence[PairIds], pad: int = 0, multiple: int = 1) -> dict[str, NDArray[np.int64]]:
    """Return a batch as matrices, padded to the longest input and then to a multiple of `multiple` tokens."""
    longest = max(len(ids) for ids, _ in inputs)
    shape = (len(inputs), -(-longest // multiple) * multiple)
    ids = np.full(shape, pad, dtype=np.int64)
    types, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for row, (tokens, kinds) in enumerate(inputs):
        ids[row, : len(tokens)] = tokens
        types[row, : len(kinds)] = kinds
        mask[row, : len(tokens)] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


def choose_engine(
    metric: str, options: Given, model: Any, embedded: bool, packages: Iterable[str]
) -> tuple[EngineName, Given]:
    """Choose the engine that runs a model; return it with the options, which have a precision instead of `"auto"`.

    `embedded` is True if ONNX Runtime can run the model, and `packages` are those that torch models need.

    Raises:
        ImportError: A package is not installed.
        ValueError: The requested engine cannot run the model, or torch cannot use the device.
    """
    reason = _needs_torch(options, model, embedded)
    by_choice = "engine='torch'" if options.engine == "torch" else None
    if options.dtype == "int8":
        _check_int8(metric, reason or by_choice)
        return "onnxruntime", options
    if options.engine == "onnxruntime" and reason:
        raise ValueError(
            f"{metric}: {reason} needs torch, but engine is 'onnxruntime', which runs the embedded models on a CPU in "
            "float32 or int8; leave engine out"
        )
    device = options.device or best_device()
    on_cpu = options.engine == "onnxruntime" or device == "cpu"
    if on_cpu and not (reason or by_choice):
        int8 = options.dtype == "auto" and multiplies_int8()
        return "onnxruntime", replace(options, dtype="int8" if int8 else "float32")
    _check_packages(metric, reason or by_choice or "the accelerator of this machine", packages)
    check_device(metric, options.device)
    if options.num_threads:
        import torch

        torch.set_num_threads(options.num_threads)
    return "torch", replace(options, dtype=fastest_dtype(device) if options.dtype == "auto" else options.dtype)


def _needs_torch(options: EngineOptions, model: Any, embedded: bool) -> str | None:
    """Return a keyword that only torch supports; None if ONNX Runtime supports all options."""
    if not embedded:
        return f"model={model!r}"
    if options.device not in {None, "cpu"}:
        return f"device={options.device!r}"
    return f"dtype={options.dtype!r}" if options.dtype not in {"float32", "int8", "auto"} else None


def _check_int8(metric: str, reason: str | None) -> None:
    """Raise ValueError if ONNX Runtime cannot run the model, or if the CPU has no instruction for 8-bit products."""
    if reason:
        raise ValueError(
            f"{metric}: dtype is 'int8', which only ONNX Runtime supports, for the embedded models on a CPU, but "
            f"{reason} is set; use dtype='auto'"
        )
    if not multiplies_int8():
        raise ValueError(
            f"{metric}: dtype is 'int8', which needs a CPU with AVX-VNNI, AVX512-VNNI or ARM's dot products, and "
            "/proc/cpuinfo does not list them; use dtype='auto'"
        )


def _check_packages(metric: str, reason: str, packages: Iterable[str]) -> None:
    """Raise ImportError with an installation command if a package that torch models need is missing."""
    for package in packages:
        if not is_installed(package):
            raise ImportError(
                f"{metric}: {package} is not installed, and {reason} needs it: pip install 'evaluate-qa[torch]'",
                name=package,
            )
