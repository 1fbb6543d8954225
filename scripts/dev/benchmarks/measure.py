"""Measure cases, each in a process of its own, in rounds, so that a drift of the machine affects all of them alike."""

import multiprocessing
import re
import resource
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

Prepare = Callable[[Any], Callable[[], Any]]
"""Loads what a case needs and returns the function to measure. Importable by name."""

Cases = dict[str, tuple[Prepare, Any]]
"""By name, the preparing function and its argument; both can be pickled. The first case is the baseline."""


@dataclass(frozen=True)
class Measurement:
    """The cost of one case."""

    seconds: float
    peak_bytes: int
    result: Any


def measure(cases: Mapping[str, tuple[Prepare, Any]], rounds: int) -> dict[str, Measurement]:
    """Run every case once per round, each time in a fresh process.

    Returns:
        By name, the median time, the largest memory and the last result.
    """
    runs: dict[str, list[Measurement]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, (prepare, argument) in cases.items():
            runs[name].append(_in_own_process(prepare, argument))
    return {
        name: replace(
            measured[-1],
            seconds=statistics.median(run.seconds for run in measured),
            peak_bytes=max(run.peak_bytes for run in measured),
        )
        for name, measured in runs.items()
    }


def _in_own_process(prepare: Prepare, argument: Any) -> Measurement:
    # Unlike a Pool, an executor lets the process end by itself, and does not wait forever if its error is unreadable.
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        return executor.submit(_run, prepare, argument).result()


def _run(prepare: Prepare, argument: Any) -> Measurement:
    run = prepare(argument)
    start = time.perf_counter()
    result = run()
    return Measurement(time.perf_counter() - start, _peak(), result)


def _peak() -> int:
    """Return the largest resident memory of this process, in bytes.

    On Linux, getrusage includes the memory of the parent process; /proc does not.
    """
    status = Path("/proc/self/status")
    if status.exists() and (found := re.search(r"VmHWM:\s+(\d+) kB", status.read_text())):
        return int(found[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
