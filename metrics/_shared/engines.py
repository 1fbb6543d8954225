"""The engines that run models: ONNX Runtime and torch, behind one interface.

The embedded models run on ONNX Runtime where a CPU runs them in float32, so that neither torch nor transformers is
imported or needs to be installed. Everything else needs torch: accelerators, other precisions, other checkpoints.
In float32 both engines give the same scores to 1e-5.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from .arguments import EngineName, EngineOptions
from .devices import best_device, check_device
from .precision import settled

Item_contra = TypeVar("Item_contra", contravariant=True)
Given = TypeVar("Given", bound=EngineOptions)

_TOKEN_BUDGET = {"cpu": 1024, "mps": 16384, "cuda": 65536}

PairIds = tuple[list[int], list[int]]
"""Token ids and token types of a pair of texts, special tokens included."""


class Tokens(NamedTuple):
    """A text's tokens: their ids, and where in the text each begins and ends."""

    ids: list[int]
    spans: list[tuple[int, int]]


class Engine(Protocol[Item_contra]):
    """A loaded model with its tokenizer.

    Attributes:
        device: Kind of device that it runs on: `cpu`, `cuda`, `mps`.
        dtype: Precision that it runs in.
        token_budget: Tokens of a batch, padding counted, with which it is fast.
    """

    @property
    def device(self) -> str: ...  # noqa: D102

    @property
    def dtype(self) -> str: ...  # noqa: D102

    @property
    def token_budget(self) -> int: ...  # noqa: D102

    def token_ids(self, texts: list[str], special: bool = True) -> list[list[int]]:
        """Return the token ids of texts, with or without the special tokens around them."""

    def run(self, batch: Sequence[Item_contra]) -> NDArray[np.float32]:
        """Run the model on one batch and return an output for each item, shape (batch, …)."""


class PairEngine(Engine[PairIds], Protocol):
    """A classifier of pairs of texts; its outputs are logits, shape (batch, classes).

    Attributes:
        template: The special tokens of a pair.
    """

    @property
    def template(self) -> "Template": ...  # noqa: D102

    def tokenise(self, texts: list[str]) -> list[Tokens]:
        """Return the tokens of texts, without special tokens; a special token's name in a text is text."""


@dataclass(frozen=True)
class Template:
    """The special tokens that a tokenizer puts before, between and after the two sides of a pair."""

    before: list[int]
    between: list[int]
    after: list[int]
    separator: int

    @classmethod
    def of(cls, sides: Sequence[list[int]], whole: list[int], separator: int) -> "Template":
        """Find the special tokens in an example: the ids of each side alone, and those of the pair."""
        first = next(i for i in range(len(whole)) if whole[i : i + len(sides[0])] == sides[0])
        end = first + len(sides[0])
        second = next(i for i in range(end, len(whole)) if whole[i : i + len(sides[1])] == sides[1])
        return cls(whole[:first], whole[end:second], whole[second + len(sides[1]) :], separator)

    def length(self, first: list[int], parts: list[list[int]], limit: int) -> int:
        """Return how many tokens `assemble` makes of them."""
        special = len(self.before) + len(self.between) + len(self.after) + len(parts) - 1
        return min(limit, special + len(first) + sum(map(len, parts)))

    def assemble(self, first: list[int], parts: list[list[int]], limit: int) -> PairIds:
        """Return ids and types of `before first between part separator part … after`, at most `limit` of them."""
        second = parts[0] + [token for part in parts[1:] for token in (self.separator, *part)]
        room = limit - len(self.before) - len(self.between) - len(self.after)
        first, second = _longest_first(first, second, room)
        head, rest = [*self.before, *first, *self.between], [*second, *self.after]
        return head + rest, [0] * len(head) + [1] * len(rest)


def _longest_first(first: list[int], second: list[int], room: int) -> tuple[list[int], list[int]]:
    """Cut the end of the longer side until both fit, as transformers' `truncation=True` does."""
    if len(first) + len(second) <= room:
        return first, second
    shorter = min(len(first), len(second), room // 2)
    if len(first) > len(second):
        return first[: room - shorter], second[:shorter]
    return first[:shorter], second[: room - shorter]


def torch_token_budget(device: str) -> int:
    """Return the tokens of a batch for torch on a kind of device.

    On a CPU a batch should stay within its caches (measured: 1,024 beats larger ones); an accelerator wants enough work
    to be kept busy.
    """
    return _TOKEN_BUDGET.get(device, _TOKEN_BUDGET["cuda"])


def padded(inputs: Sequence[PairIds], pad: int = 0, multiple: int = 1) -> dict[str, NDArray[np.int64]]:
    """Return a batch as matrices, padded to the longest input or further to a multiple of a number of tokens."""
    longest = max(len(ids) for ids, _ in inputs)
    shape = (len(inputs), -(-longest // multiple) * multiple)
    ids = np.full(shape, pad, dtype=np.int64)
    types, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for row, (tokens, kinds) in enumerate(inputs):
        ids[row, : len(tokens)] = tokens
        types[row, : len(kinds)] = kinds
        mask[row, : len(tokens)] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


def chosen(
    metric: str, options: Given, model: Any, embedded: bool, packages: Iterable[str]
) -> tuple[EngineName, Given]:
    """Choose the engine that runs a model, and the precision where it is `"auto"`.

    Args:
        metric: Name of the metric, for messages.
        options: What the user asked for.
        model: The model as messages name it.
        embedded: Whether the model is one that ONNX Runtime can run.
        packages: What must be installed where torch runs it.

    Returns:
        The engine, and the options with the precision that the model runs in.

    Raises:
        ImportError: torch or another package is needed and not installed.
        ValueError: the engine that was asked for cannot run this, or torch cannot use the device.
    """
    reason = _needs_torch(options, model, embedded)
    if options.engine == "onnxruntime" and reason:
        raise ValueError(
            f"{metric}: {reason} needs torch, but engine is 'onnxruntime', which runs the embedded models on a CPU in "
            "float32; leave engine out"
        )
    by_choice = "engine='torch'" if options.engine == "torch" else None
    on_cpu = options.engine == "onnxruntime" or (options.device or best_device()) == "cpu"
    if on_cpu and not (reason or by_choice):
        return "onnxruntime", replace(options, dtype="float32")
    check_packages(metric, reason or by_choice or "the accelerator of this machine", packages)
    check_device(metric, options.device)
    if options.num_threads:
        import torch

        torch.set_num_threads(options.num_threads)
    return "torch", settled(options)


def _needs_torch(options: EngineOptions, model: Any, embedded: bool) -> str | None:
    """Return the option that only torch can satisfy, as a keyword; None if there is none."""
    if not embedded:
        return f"model={model!r}"
    if options.device not in {None, "cpu"}:
        return f"device={options.device!r}"
    return f"dtype={options.dtype!r}" if options.dtype not in {"float32", "auto"} else None


def check_packages(metric: str, reason: str, packages: Iterable[str]) -> None:
    """Raise ImportError, with the command that installs them, where packages that torch models need are missing."""
    for package in packages:
        if not _is_installed(package):
            raise ImportError(
                f"{metric}: {package} is not installed, and {reason} needs it: pip install 'evaluate-qa[torch]'",
                name=package,
            )


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:  # an entry of sys.modules without a specification, such as None
        return False
