"""Measure cases, each in a process of its own, in rounds, so that a machine's drift hits all of them alike."""

import gc
import multiprocessing
import re
import resource
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Measurement:
    """What one case took.

    Args:
        seconds: Wall time of the measured part; over several rounds their median.
        peak_bytes: Most memory the process held at any time, with the libraries and the model.
        added_bytes: How much of it came after the model was loaded.
        result: What the case returned.
    """

    seconds: float
    peak_bytes: int
    added_bytes: int
    result: Any


Prepare = Callable[[Any], Callable[[], Any]]
"""Takes a case's argument, loads what it needs and returns what is to be measured. Importable by name."""


def measure(cases: Mapping[str, tuple[Prepare, Any]], rounds: int) -> dict[str, Measurement]:
    """Run every case once a round, each time in a fresh process.

    Args:
        cases: By name, the preparing function and its argument; both can be pickled.
        rounds: How often.

    Returns:
        By name, the median time, the largest memory and the last result.
    """
    runs: dict[str, list[Measurement]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, (prepare, argument) in cases.items():
            runs[name].append(_in_own_process(prepare, argument))
    return {name: _summary(measurements) for name, measurements in runs.items()}


def _summary(runs: Sequence[Measurement]) -> Measurement:
    return replace(
        runs[-1],
        seconds=statistics.median(run.seconds for run in runs),
        peak_bytes=max(run.peak_bytes for run in runs),
        added_bytes=max(run.added_bytes for run in runs),
    )


def _in_own_process(prepare: Prepare, argument: Any) -> Measurement:
    # Unlike a Pool, an executor lets the process end by itself, and does not wait for ever if its error cannot be read.
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        return executor.submit(_run, prepare, argument).result()


def _run(prepare: Prepare, argument: Any) -> Measurement:
    run = prepare(argument)
    gc.collect()
    loaded = _peak()
    start = time.perf_counter()
    result = run()
    seconds = time.perf_counter() - start
    return Measurement(seconds, _peak(), _peak() - loaded, result)


def _peak() -> int:
    """Largest resident memory of this process so far, in bytes.

    Linux's getrusage takes over that of the process which started this one; its /proc does not.
    """
    status = Path("/proc/self/status")
    if status.exists() and (found := re.search(r"VmHWM:\s+(\d+) kB", status.read_text())):
        return int(found[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
