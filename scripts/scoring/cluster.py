"""Connect to a Ray cluster, or start one on this machine, and start the actors that score."""

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
from .job import ScoringJob
from .pool import Pool
from .row_scorer import FileRowScorer, ScoredChunk


@dataclass(frozen=True)
class Cluster:
    """A Ray cluster and its actors."""

    # Number of actors, each with its own copy of the metric. Default: one per CPU of the cluster, or as many as its
    # GPUs allow if `num_gpus` is given.
    num_actors: int | None = None
    num_gpus: float = 0  # GPUs per actor; with a fraction, actors share a GPU

    def __post_init__(self) -> None:
        if self.num_actors is not None and self.num_actors < 1:
            raise ValueError(f"--num-actors is {self.num_actors}; expected at least 1.")
        if not 0 <= self.num_gpus < math.inf:
            raise ValueError(f"--num-gpus is {self.num_gpus}; expected the number of GPUs per actor, such as 1 or 0.5.")


class ScoringActor:
    """The scorer of a job in an actor; the metric is loaded for the first block.

    Relative paths in options start in `folder`, as for the command. `code` identifies the metric's code there.
    """

    def __init__(self, job: ScoringJob, folder: str, code: str) -> None:
        self._job, self._folder, self._code = job, folder, code
        self._scorer: FileRowScorer | None = None

    def ready(self) -> None:
        """Return as soon as the actor has started."""

    def score(self, records: Sequence[Record]) -> ScoredChunk:
        """Score a block."""
        if self._scorer is None:
            self._scorer = self._loaded()
        return self._scorer.score(records)

    def _loaded(self) -> FileRowScorer:
        with suppress(FileNotFoundError):  # machines without the folder can score texts
            os.chdir(self._folder)
        scorer = self._job.scorer()
        if scorer.code != self._code:
            raise RowsError(
                f"{socket.gethostname()} has another version of {self._job.metric}. Install one version everywhere."
            )
        return scorer


@contextmanager
def actor_pool(cluster: Cluster, job: ScoringJob, code: str) -> Iterator[Pool]:
    """Yield the actors; stop them at the end, and the cluster if it was started here.

    The variable RAY_ADDRESS names a running cluster, as in Ray's own commands. Raise ConnectionError if there is none,
    and ValueError if it has too few CPUs or GPUs for the actors.
    """
    import ray

    _connect(ray, cluster)
    try:
        count = _count(cluster, ray.cluster_resources())
        kind = ray.remote(ScoringActor).options(num_cpus=1, num_gpus=cluster.num_gpus)
        yield Pool(partial(kind.remote, job, os.getcwd(), code), count)  # noqa: PTH109 - a string, for any machine
    finally:
        ray.shutdown()


def _connect(ray: Any, cluster: Cluster) -> None:
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    address = os.environ.get("RAY_ADDRESS")
    if not address:
        ray.init("local", num_cpus=cluster.num_actors, include_dashboard=False, **quiet)
        return
    _require_listener(address)
    try:
        ray.init(address, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ConnectionError(
            f"RAY_ADDRESS is {address}: {str(error).strip()}. For a cluster that requires a token, set "
            "RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN unless the token is in ~/.ray/auth_token."
        ) from error


def _require_listener(address: str) -> None:
    """Raise ConnectionError unless something listens there, because Ray itself would retry for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except OSError as error:
        raise ConnectionError(
            f"RAY_ADDRESS is {address}: no Ray cluster answers ({error}). Start one with: ray start --head"
        ) from None


def _count(cluster: Cluster, resources: dict[str, float]) -> int:
    """Return the number of actors; Ray would wait forever for actors that do not fit."""
    cpus, gpus = resources.get("CPU", 0), resources.get("GPU", 0)
    room = int(min(cpus, gpus // cluster.num_gpus)) if cluster.num_gpus else int(cpus)
    if not room or (cluster.num_actors or 0) > room:
        wanted = f"{cluster.num_actors or 1} × (CPU: 1, GPU: {cluster.num_gpus:g})"
        raise ValueError(
            f"The cluster has CPU: {cpus:g}, GPU: {gpus:g}, but the actors need {wanted}. Lower --num-actors or "
            "--num-gpus."
        )
    return cluster.num_actors or room
