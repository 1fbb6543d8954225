"""Runs a function in the two processes of a distributed training, which share the imports of this process."""

import os
import sys
from multiprocessing import get_context


def run_two(function, *arguments):
    """Call the function in two processes with the variables of torchrun; exit if one of them fails.

    MASTER_ADDR and MASTER_PORT come from the environment. The caller must have imported what the function needs, but
    must not have computed anything with torch, whose threads a fork would lose.
    """
    os.environ["WORLD_SIZE"] = "2"
    group = [get_context("fork").Process(target=_run, args=(rank, function, arguments)) for rank in range(2)]
    for process in group:
        process.start()
    for process in group:
        process.join()
    if any(process.exitcode for process in group):
        sys.exit("a rank failed")


def _run(rank, function, arguments):
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank)}
    function(*arguments)
