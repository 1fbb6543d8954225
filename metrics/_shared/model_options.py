"""The options of metrics with a model: checkpoint, device, precision and batches."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict, get_args

from .messages import short_repr
from .options import Choice, Options, Place, Text, Whole, option

Dtype = Literal["float32", "float16", "bfloat16", "int8"]
"""The precision of a model."""


TORCH_DTYPES = ("float32", "float16", "bfloat16")
"""The precisions of torch."""


EngineName = Literal["onnxruntime", "torch"]
"""A library that runs models."""


@dataclass(frozen=True)
class ModelOptions(Options):
    """The options at loading of every metric with a model."""

    model: str | os.PathLike[str] | None = option(
        None,
        Place("a folder or the name of a checkpoint"),
        "Load this checkpoint from the Hub, or this folder (default: the embedded model).",
    )
    model_revision: str | None = option(
        None,
        Text("a branch, tag or commit"),
        "Load this branch, tag or commit of a checkpoint (`revision` is evaluate's own keyword).",
    )
    device: str | None = option(
        None,
        # Torch supports more accelerators than the help names.
        Text("cpu, cuda, cuda:1 or mps", r"(cpu|cuda|hpu|ipu|mlu|mps|mtia|musa|npu|privateuseone|xla|xpu)(:\d+)?"),
        "Run on `cpu`, `cuda`, `cuda:1` or `mps` (default: the fastest available).",
    )
    dtype: Dtype | Literal["auto"] = option(
        "float32",
        Choice(*TORCH_DTYPES, "auto"),
        "Compute in `float32`, `float16` or `bfloat16`; `auto` uses bfloat16 if it is native, else float16 on "
        "accelerators and float32 on CPUs.",
        key="dtype",
    )
    batch_size: int | None = option(None, Whole(), "Limit the texts per batch (default: by `token_budget`).")
    token_budget: int | None = option(None, Whole(), "Limit the tokens per batch, with padding (default: by device).")

    def check(self) -> None:
        """Raise ValueError for a revision without a model."""
        if self.model_revision is not None and self.model is None:
            raise ValueError(
                "model_revision is given without model; expected both, because a configuration has its own revision"
            )


class ModelKwargs(TypedDict, total=False):
    """`ModelOptions` as keywords, so that editors complete them; a test compares both."""

    model: str | os.PathLike[str] | None
    model_revision: str | None
    device: str | None
    dtype: Dtype | Literal["auto"]
    batch_size: int | None
    token_budget: int | None


@dataclass(frozen=True)
class EngineOptions(ModelOptions):
    """The options at loading of a metric whose default model runs without torch."""

    dtype: Dtype | Literal["auto"] = option(
        "float32",
        Choice(*get_args(Dtype), "auto"),
        "Compute in `float32`, `float16`, `bfloat16` or `int8` (default models; needs VNNI or ARM's dot products); "
        "int8 rescores answers near the threshold in float32; `auto` uses the fastest that the device supports.",
        key="dtype",
    )
    engine: Literal["auto"] | EngineName = option(
        "auto",
        Choice("auto", *get_args(EngineName)),
        "Run the model with `torch` or `onnxruntime`, which supports only the default models in float32 or int8 on a "
        "CPU; `auto` uses ONNX Runtime if it supports the request and there is no accelerator.",
    )
    num_threads: int | None = option(
        None,
        Whole(),
        "Run the model with this number of CPU threads (default: OMP_NUM_THREADS, else one per available core).",
    )

    def check(self) -> None:
        """Raise FileNotFoundError for a model that is neither a file or folder nor a possible name on the Hub."""
        super().check()
        name = os.fspath(self.model or ".")
        of_hub = re.fullmatch(r"(\w[\w.-]*/)?\w[\w.-]*(?<!\.safetensors)", name)
        if not of_hub and not os.path.exists(Path(name).expanduser()):  # noqa: PTH110 - False for a long text
            expected = "an existing file or folder, or a name on the Hub such as 'owner/name'"
            raise FileNotFoundError(f"model is {short_repr(name)}, which does not exist; expected {expected}")


class EngineKwargs(ModelKwargs, total=False):
    """`EngineOptions` as keywords, so that editors complete them; a test compares both."""

    engine: Literal["auto"] | EngineName
    num_threads: int | None
