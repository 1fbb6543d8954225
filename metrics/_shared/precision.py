"""The precision that `dtype="auto"` stands for.

On a CPU that multiplies bfloat16 natively (AMX-BF16, AVX512-BF16 or ARM's BF16 instructions) it is bfloat16, on other
CPUs float32. On an NVIDIA GPU it is bfloat16 where the GPU supports it natively, on any other accelerator float16.
"""

from dataclasses import replace
from typing import TypeVar

from .arguments import Dtype, ModelOptions
from .devices import best_device, processor

Given = TypeVar("Given", bound=ModelOptions)

_BFLOAT16 = frozenset({"amx_bf16", "avx512_bf16", "bf16"})


def settled(options: Given) -> Given:
    """Return the options with a precision in place of `"auto"`."""
    return replace(options, dtype=fastest(options.device or best_device())) if options.dtype == "auto" else options


def fastest(device: str) -> Dtype:
    """Return the precision to run torch models in on a device."""
    if device.startswith("cpu"):
        return "bfloat16" if _BFLOAT16 & set(processor().instructions) else "float32"
    if device.startswith("cuda"):
        import torch

        return "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float16"
    return "float16"
