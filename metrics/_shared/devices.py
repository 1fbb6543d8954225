"""Find the fastest device and its fastest precision, check a device, and limit CPU threads and caches."""

import importlib.metadata
import math
import os
import platform
import re
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

from .model_options import Dtype

# Device files of the drivers of NVIDIA (also under WSL and on Jetson boards) and AMD.
_DRIVERS = ("/dev/nvidiactl", "/dev/dxg", "/dev/nvmap", "/dev/kfd")

# More threads do not make a batch of 1,024 tokens faster.
_MOST_THREADS = 16


def best_device() -> str:
    """Return the accelerator that torch can use, else `"cpu"`; without an accelerator torch is not imported."""
    if not _may_have_accelerator():
        return "cpu"
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _may_have_accelerator() -> bool:
    """Return False only if torch would find no accelerator; importing torch takes two seconds."""
    if "torch" in sys.modules:
        return sys.modules["torch"] is not None  # None if its import is blocked
    try:
        version = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return False
    if sys.platform == "darwin":
        return platform.machine() == "arm64"
    if version.endswith("+cpu"):
        return False
    return not sys.platform.startswith("linux") or any(map(os.path.exists, _DRIVERS))


def check_device(metric: str, device: str | None) -> None:
    """Raise ValueError for a device that torch cannot use."""
    import torch

    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, TypeError, ImportError) as error:  # the backend may be missing
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{metric}: device is {device!r}, which torch cannot use here ({reason})") from error


def fastest_dtype(device: str) -> Dtype:
    """Return the precision that `dtype="auto"` stands for on a device of torch.

    It is bfloat16 if a CPU multiplies it natively (AMX-BF16, AVX512-BF16 or ARM's BF16 instructions), else float32;
    bfloat16 if an NVIDIA GPU supports it natively, else float16; float16 on other accelerators.
    """
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


def default_threads() -> int:
    """Return the number of threads of a model: OMP_NUM_THREADS, which Ray sets, else one per physical core.

    The process's CPU affinity and its container's CPU quota limit the cores; the maximum is 16.
    """
    threads = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    if threads.isdecimal() and int(threads):
        return int(threads)
    cores = usable_cpus() // _threads_per_core()
    quota = _cpu_quota()
    return max(1, min(cores, _MOST_THREADS, cores if quota is None else math.ceil(quota)))


def limit_shape_caches() -> None:
    """Limit the caches of oneDNN and torch to 32 batch shapes, to save memory in long commands.

    The default of 1,024 shapes takes 200 MB for long answers. Batches are sorted by length, so few shapes are enough.
    """
    for name in ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"):
        os.environ.setdefault(name, "32")


def usable_cpus() -> int:
    """Return the number of logical CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _threads_per_core() -> int:
    """Return the number of logical CPUs per core; 1 if it is not known."""
    with suppress(OSError, ValueError):
        # Such as "0", "0-1" or "0,64".
        listed = Path("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list").read_text(encoding="ascii")
        ranges = [part.partition("-") for part in listed.split(",")]
        return sum(int(last or first) - int(first) + 1 for first, _, last in ranges)
    return 1


def _cpu_quota(root: Path = Path("/sys/fs/cgroup")) -> float | None:
    """Return the number of CPUs that the control group (version 2 or 1) allows; None without a limit."""
    with suppress(OSError, ValueError):
        quota, period = (root / "cpu.max").read_text(encoding="ascii").split()
        return None if quota == "max" else int(quota) / int(period)
    with suppress(OSError, ValueError):
        quota, period = (
            (root / "cpu" / f"cpu.cfs_{name}_us").read_text(encoding="ascii") for name in ("quota", "period")
        )
        return int(quota) / int(period) if int(quota) > 0 else None
    return None
