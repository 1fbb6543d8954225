"""Ray for a run: a cluster that is there or one made for the run on this machine, and actors that hold the scorer."""

import logging
import math
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..files.rows import Record, RowsError
from .pool import Pool
from .row_scorer import FileRowScorer, ScoredChunk
from .run import ScoringJob


@dataclass(frozen=True)
class Cluster:
    """What Ray is asked for.

    Args:
        num_actors: Actors, each with a metric of its own. Default: one for each CPU of the cluster, or for as many as
            its GPUs suffice where `num_gpus` is given.
        num_gpus: GPUs of each actor; a fraction lets several share one.
        address: Of a cluster that is there, such as `auto` or `10.0.0.1:6379`; None makes one on this machine.

    Raises:
        ValueError: a number out of its range.
    """

    num_actors: int | None = None
    num_gpus: float = 0
    address: str | None = None

    def __post_init__(self) -> None:
        if self.num_actors is not None and self.num_actors < 1:
            raise ValueError(f"--num-actors is {self.num_actors}; expected at least 1")
        if not 0 <= self.num_gpus < math.inf:
            raise ValueError(f"--num-gpus is {self.num_gpus}; expected the GPUs of each actor, such as 1 or 0.5")


class ScoringActor:
    """What runs in an actor: the scorer of the job, loaded when the first rows come.

    Args:
        job: What is to be scored, and how.
        folder: Where the command was given, so that relative paths in its options mean the same here.
        code: What identifies the metric's program where the command was given.
    """

    def __init__(self, job: ScoringJob, folder: str, code: str) -> None:
        self._job, self._folder, self._code = job, folder, code
        self._scorer: FileRowScorer | None = None

    def ready(self) -> None:
        """Tell that there is an actor, by returning."""

    def score(self, records: Sequence[Record]) -> ScoredChunk:
        """Score a block."""
        if self._scorer is None:
            self._scorer = self._loaded()
        return self._scorer.score(records)

    def _loaded(self) -> FileRowScorer:
        with suppress(FileNotFoundError):  # texts can be scored on machines that do not have the folder
            os.chdir(self._folder)
        scorer = self._job.scorer()
        if scorer.code != self._code:
            raise RowsError(
                f"{socket.gethostname()} has another version of {self._job.metric}. Install one version everywhere."
            )
        return scorer


@contextmanager
def actor_pool(cluster: Cluster, job: ScoringJob, code: str) -> Iterator[Pool]:
    """Give the actors, and stop them at the end, and with them the cluster that was made for them.

    Raises:
        ImportError: Ray is not installed.
        ConnectionError: there is no cluster at the address.
        ValueError: the cluster has not got what the actors need.
    """
    ray = import_ray()
    _connect(ray, cluster)
    try:
        count = _count(cluster, ray.cluster_resources())
        kind = ray.remote(ScoringActor).options(num_cpus=1, num_gpus=cluster.num_gpus)
        yield Pool(partial(kind.remote, job, os.getcwd(), code), count)  # noqa: PTH109 - a string, for any machine
    finally:
        ray.shutdown()


def import_ray() -> Any:
    """Return the module `ray`, or raise ImportError with the cure."""
    try:
        import ray
    except ImportError:
        raise ImportError("--engine ray needs Ray. Install it with: pip install 'evaluate-qa[ray]'") from None
    return ray


def _connect(ray: Any, cluster: Cluster) -> None:
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    if cluster.address is None:
        ray.init("local", num_cpus=cluster.num_actors, include_dashboard=False, **quiet)
        return
    _require_listener(cluster.address)
    try:
        ray.init(cluster.address, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ConnectionError(
            f"--address {cluster.address}: {str(error).strip()}. A cluster that requires a token needs "
            "RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN if the token is not in ~/.ray/auth_token"
        ) from error


def _require_listener(address: str) -> None:
    """Raise ConnectionError unless something listens there; Ray itself would go on trying for many minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except OSError as error:
        raise ConnectionError(
            f"--address {address}: no Ray cluster answers ({error}). Start one with: ray start --head"
        ) from None


def _count(cluster: Cluster, resources: dict[str, float]) -> int:
    """Return the number of actors; actors for which there is no room would be waited for without end."""
    cpus, gpus = resources.get("CPU", 0), resources.get("GPU", 0)
    room = int(min(cpus, gpus // cluster.num_gpus)) if cluster.num_gpus else int(cpus)
    if not room or (cluster.num_actors or 0) > room:
        wanted = f"{cluster.num_actors or 1} × (1 CPU and {cluster.num_gpus:g} GPUs)"
        raise ValueError(f"the cluster has {cpus:g} CPUs and {gpus:g} GPUs, the actors need {wanted}. Ask for fewer.")
    return cluster.num_actors or room
