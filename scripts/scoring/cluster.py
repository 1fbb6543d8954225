"""Connect to a Ray cluster, or start one on this machine, and start the actors that score."""

import logging
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from ..files.rows import Record, RowsError
from .job import ScoringJob
from .pool import Pool
from .row_scorer import FileRowScorer, ScoredChunk


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
def actor_pool(job: ScoringJob, code: str) -> Iterator[Pool]:
    """Yield the actors; stop them at the end, and the cluster if it was started here.

    The variable RAY_ADDRESS names a running cluster, as in Ray's own commands. Raise ConnectionError if there is none,
    and ValueError if it has too few CPUs or GPUs for the actors.
    """
    import ray

    _connect(ray, job.num_actors)
    try:
        count = _count(job.num_actors, job.num_gpus or 0, ray.cluster_resources())
        kind = ray.remote(ScoringActor).options(num_cpus=1, num_gpus=job.num_gpus or 0)
        yield Pool(partial(kind.remote, job, os.getcwd(), code), count)  # noqa: PTH109 - a string, for any machine
    finally:
        ray.shutdown()


def _connect(ray: Any, num_actors: int | None) -> None:
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    address = os.environ.get("RAY_ADDRESS")
    if not address:
        try:
            ray.init("local", num_cpus=num_actors, include_dashboard=False, **quiet)
        except Exception as error:  # if Ray starts too slowly, it raises a plain Exception
            raise ConnectionError(f"Ray cannot be started on this machine: {error}") from error
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


def _count(num_actors: int | None, num_gpus: float, resources: dict[str, float]) -> int:
    """Return the number of actors; Ray would wait forever for actors that do not fit."""
    cpus, gpus = resources.get("CPU", 0), resources.get("GPU", 0)
    room = int(min(cpus, gpus // num_gpus)) if num_gpus else int(cpus)
    if not room or (num_actors or 0) > room:
        raise ValueError(
            f"The cluster has CPU: {cpus:g}, GPU: {gpus:g}, but the actors need {num_actors or 1} × (CPU: 1, GPU: "
            f"{num_gpus:g}). Lower --num-actors or --num-gpus."
        )
    return num_actors or room
