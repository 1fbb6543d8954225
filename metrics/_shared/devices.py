"""Where a model runs: the device, the processor behind it, and the number of threads."""

import importlib.metadata
import math
import os
import platform
import re
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# Device files of the drivers of NVIDIA (also under WSL and on Jetson boards) and AMD.
_DRIVERS = ("/dev/nvidiactl", "/dev/dxg", "/dev/nvmap", "/dev/kfd")

# A batch of 1,024 tokens is too little work for more threads than this.
_MOST_THREADS = 16

# A field of /proc/cpuinfo, and the names there of sets of instructions for matrices.
_NAME = re.compile(r"^model name\s*: (.*)$", re.MULTILINE)
_INSTRUCTIONS = re.compile(r"avx2|avx512f|asimd|sve2?|\w*(?:amx|bf16|vnni|i8mm)\w*")


def best_device() -> str:
    """Return the accelerator that torch can use, else the CPU; torch is not imported where there is no accelerator."""
    if not _may_have_accelerator():
        return "cpu"
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _may_have_accelerator() -> bool:
    """Return False only where torch would find none; importing torch to ask takes two seconds."""
    if "torch" in sys.modules:
        return sys.modules["torch"] is not None  # None where its import is blocked
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
    except (RuntimeError, AssertionError, TypeError) as error:  # AssertionError where torch lacks the whole backend
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{metric}: device is {device!r}, which torch cannot use here ({reason})") from error


def default_threads() -> int:
    """Return how many threads a model uses by default.

    OMP_NUM_THREADS decides where it is set, as it is in Ray's workers. Otherwise a thread for each physical core that
    this process may use, at most 16: its CPU affinity and its container's CPU quota count, and the workers of
    pytest-xdist share the cores.
    """
    given = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    if given.isdecimal() and int(given):
        return int(given)
    cores = _usable_cpus() // _threads_per_core()
    workers = os.environ.get("PYTEST_XDIST_WORKER_COUNT", "")
    if workers.isdecimal() and int(workers):
        cores //= int(workers)
    quota = _cpu_quota()
    return max(1, min(cores, _MOST_THREADS, cores if quota is None else math.ceil(quota)))


def _usable_cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _threads_per_core() -> int:
    """Return how many logical CPUs share a core; 1 where that is not known."""
    with suppress(OSError, ValueError):
        # Such as "0", "0-1" or "0,64".
        listed = Path("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list").read_text(encoding="ascii")
        ranges = [list(map(int, part.split("-"))) for part in listed.strip().split(",")]
        return sum(last - first + 1 for first, *_, last in ((*one, one[-1]) for one in ranges))
    return 1


def _cpu_quota(root: Path = Path("/sys/fs/cgroup")) -> float | None:
    """Return the CPUs that a container may use, by its control group (version 2 or 1); None without a limit."""
    with suppress(OSError, ValueError):
        quota, period = (root / "cpu.max").read_text(encoding="ascii").split()
        return None if quota == "max" else int(quota) / int(period)
    with suppress(OSError, ValueError):
        quota, period = (
            (root / "cpu" / f"cpu.cfs_{name}_us").read_text(encoding="ascii") for name in ("quota", "period")
        )
        return int(quota) / int(period) if int(quota) > 0 else None
    return None


@dataclass(frozen=True)
class Processor:
    """A CPU or an accelerator.

    Args:
        name: What its maker calls it, or the host of a virtual machine.
        instructions: The sets of instructions for matrices that a CPU has, as Linux names them; else none are known.
    """

    name: str
    instructions: tuple[str, ...]


@cache
def processor(device: str = "cpu") -> Processor:
    """Describe the processor behind a device of torch."""
    if device.startswith("cuda"):
        import torch

        return Processor(torch.cuda.get_device_name(device), ())
    said = ""
    with suppress(OSError):
        said = Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")[0]
    name = named[1] if (named := _NAME.search(said)) else platform.processor() or platform.machine()
    instructions = tuple(sorted(set(filter(_INSTRUCTIONS.fullmatch, said.split()))))
    return Processor(name, instructions)
