"""Choose the precision that `dtype="auto"` stands for, by a fixed rule.

- CPU: bfloat16 if the CPU multiplies it natively (AMX-BF16, AVX512-BF16 or ARM's BF16 instructions), else float32.
- NVIDIA GPU: bfloat16 if the GPU supports it natively, else float16.
- Other accelerators: float16.
"""

import platform
import re
import sys
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeVar

from .arguments import Dtype, ModelOptions
from .devices import best_device

Given = TypeVar("Given", bound=ModelOptions)


def settled(options: Given) -> Given:
    """Return the options with a precision instead of `"auto"`."""
    return replace(options, dtype=fastest(options.device or best_device())) if options.dtype == "auto" else options


def fastest(device: str) -> Dtype:
    """Return the precision of `"auto"` on a device of torch."""
    if device.startswith("cpu"):
        return "bfloat16" if _cpu_has("amx_bf16|avx512_bf16|bf16") else "float32"
    if device.startswith("cuda"):
        import torch

        return "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float16"
    return "float16"


def multiplies_int8() -> bool:
    """Return whether the CPU has an instruction for 8-bit dot products; without it, sums can overflow."""
    return (sys.platform == "darwin" and platform.machine() == "arm64") or _cpu_has("avx512_vnni|avx_vnni|asimddp")


@cache
def _cpu_has(features: str, cpu_info: Path = Path("/proc/cpuinfo")) -> bool:
    """Return whether Linux lists one of the features of the first CPU."""
    with suppress(OSError):
        first = cpu_info.read_text(encoding="utf-8").partition("\n\n")[0]
        return re.search(rf"\b(?:{features})\b", first) is not None
    return False
