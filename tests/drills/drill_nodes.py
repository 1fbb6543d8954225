"""`score --engine ray` while nodes of the cluster are lost."""

import os
import secrets
import signal
import subprocess
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest
from toy_metric import write_toy_metric
from waiting import when_there

from evaluate_qa.files.writing import write_rows

pytest.importorskip("ray")

SETTINGS = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0"}
SETTINGS["RAY_worker_niceness"] = "0"  # otherwise, workers have the lowest priority
OBJECTS = "--object-store-memory=80000000"


@contextmanager
def node(processes, log, *options):
    """A node of a cluster, in its own session."""
    ray = ["-m", "ray.scripts.scripts", "start", "--block", OBJECTS, "--node-ip-address=127.0.0.1", *options]
    environment = {**os.environ, **SETTINGS}
    with log.open("w") as file:
        at = {"stdout": file, "stderr": subprocess.STDOUT, "env": environment}
        process = processes.start(*ray, start_new_session=True, **at)
        try:
            deadline = time.monotonic() + 180
            while "Ray runtime started" not in log.read_text():
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.2)
            yield process
        finally:
            lose(process)


def lose(process):
    """Kill all processes of a node, as in a power failure."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_lost_nodes(working_folder, drill, rng, processes, finished, tmp_path):
    """Nodes of a Ray cluster lost in the middle of a run.

    Two nodes with one CPU each run two actors, so a lost actor finds no room.
    """
    toy = write_toy_metric(tmp_path)
    words = ["alpha", "beta", "gamma", "delta"]
    rows = [{"prediction": words[n % 4], "references": [words[n % 3], f"{words[n % 2]} {n}"]} for n in range(200)]
    write_rows("in.jsonl", rows)
    arguments = ["score", "--metric", toy, "--input", "in.jsonl", "--chunk-size", 5, "--compute", "seconds=0.2"]
    code, message = finished(*arguments, "--output", "plain.jsonl")
    assert code == 0, message
    whole = Path("plain.jsonl").read_bytes()
    for number in range(3):
        port = processes.free_port()
        address, output = f"127.0.0.1:{port}", Path(f"out{number}.jsonl")
        with ExitStack() as stack, drill.attempt(f"round {number}"):
            head = ["--head", "--num-cpus=0", "--include-dashboard=false", f"--port={port}"]
            stack.enter_context(node(processes, tmp_path / f"head{number}", *head))
            nodes = [
                stack.enter_context(
                    node(processes, tmp_path / f"node{number}.{one}", f"--address={address}", "--num-cpus=1")
                )
                for one in range(2)
            ]
            summary = Path(f"{output}.work/{rng.randrange(1, 20):06d}.block")
            thread = when_there(summary, partial(lose, rng.choice(nodes)), 200)
            ray = ["--engine", "ray", "--num-actors", 2]
            environment = {**os.environ, **SETTINGS, "RAY_ADDRESS": address}
            code, message = finished(*arguments, "--output", output, *ray, env=environment, timeout=240)
            thread.join()
            assert code == 0, message
            assert output.read_bytes() == whole
