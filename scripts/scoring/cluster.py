"""Connect to a Ray cluster, or start one on this machine, and score blocks in its actors.

An actor that dies is replaced, and its blocks are scored in another one. Ray's own restarts and retries are not used:
they bind a block to its actor, and when a full cluster loses a machine, its actors do not come back.
"""

import logging
import os
import socket
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..files.rows import Record, RowsError
from ..terminal import interrupt_on_sigterm
from .job import ScoringJob, ScoringTask
from .row_scorer import FileRowScorer, ScoredChunk

_AHEAD = 2
"""Blocks per actor: the one that it scores, and the next one."""

_RETRIES = 3
"""Number of times that a block is given to another actor after its actor died, because the block may be the cause."""

_PATIENCE = 600.0
"""Seconds to wait for the first actor to start."""


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


@dataclass
class Pool:
    """Actors with a method `score`."""

    start: Callable[[], Any]
    count: int
    # Each actor appears once for every block that it may still be given.
    _free: deque[Any] = field(default_factory=deque, init=False)
    # Ray's future → the actor, and the block that it scores; None while it starts. Actors that find no room stay here.
    _awaited: dict[Any, tuple[Any, ScoringTask | None]] = field(default_factory=dict, init=False)
    _dead: set[Any] = field(default_factory=set, init=False)
    _lost: deque[ScoringTask] = field(default_factory=deque, init=False)  # blocks of dead actors
    # Block -> number of actors that died with it. None -> number of actors in a row that died while they started.
    _deaths: Counter[int | None] = field(default_factory=Counter, init=False)

    def score(self, tasks: Iterator[ScoringTask]) -> Iterator[tuple[ScoringTask, ScoredChunk]]:
        """Keep all actors busy; yield each block as soon as it is scored."""
        for _ in range(self.count):
            self._start_one()
        while True:
            while self._free and (task := self._lost.popleft() if self._lost else next(tasks, None)) is not None:
                actor = self._free.popleft()
                self._awaited[actor.score.remote(task[1])] = actor, task
            if self._free and not self._is_scoring():
                return
            if (scored := self._wait()) is not None:
                yield scored

    def _start_one(self) -> None:
        actor = self.start()
        self._awaited[actor.ready.remote()] = actor, None

    def _is_scoring(self) -> bool:
        return any(task is not None for _, task in self._awaited.values())

    def _wait(self) -> tuple[ScoringTask, ScoredChunk] | None:
        """Wait until an actor has started, or until a block is scored, and return that block."""
        import ray

        done, _ = ray.wait([*self._awaited], num_returns=1, timeout=None if self._is_scoring() else _PATIENCE)
        if not done:
            raise RowsError("The cluster has no room for an actor. Continue with --resume when it has.")
        actor, task = self._awaited.pop(done[0])
        try:
            chunk = ray.get(done[0])
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError) as error:
            self._replace(actor)
            self._retry(task, error)
            return None
        if task is None:
            self._deaths[None] = 0
            self._free.extend([actor] * _AHEAD)
            return None
        if actor not in self._dead:
            self._free.append(actor)
        return task, chunk

    def _replace(self, actor: Any) -> None:
        """Start another actor in place of one that died, once."""
        import ray

        if actor in self._dead:
            return
        self._dead.add(actor)
        self._free = deque(one for one in self._free if one != actor)
        with suppress(Exception):  # the actor may be alive and only out of reach
            ray.kill(actor)
        self._start_one()

    def _retry(self, task: ScoringTask | None, error: Exception) -> None:
        """Queue the block of a dead actor again; raise RowsError after too many deaths."""
        number, records = task or (None, [])
        self._deaths[number] += 1
        if task is None and self._deaths[None] > _RETRIES * self.count:
            raise RowsError(f"No actor can be started: {error}. Continue with --resume.") from error
        if task is not None and self._deaths[number] > _RETRIES:
            raise RowsError(
                f"The actors that scored rows {records[0][0]} to {records[-1][0]} died ({error}). If they ran out of "
                "memory, use a smaller --num-actors or --chunk-size. Continue with --resume."
            ) from error
        if task is not None:
            self._lost.append(task)


@contextmanager
def actor_pool(job: ScoringJob, code: str) -> Iterator[Pool]:
    """Yield the actors; stop them at the end, and the cluster if it was started here.

    The variable RAY_ADDRESS names a running cluster, as in Ray's own commands. Raise ConnectionError if there is none,
    and ValueError if it has too few CPUs or GPUs for the actors.
    """
    import ray

    _connect(ray, job.num_actors)
    try:
        interrupt_on_sigterm()  # Ray has replaced the handler: its own one aborts the process
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
