"""Connect to a Ray cluster, or start one on this machine, and score chunks in its actors.

An actor that dies is replaced, and its chunks are scored in another one. Ray's own restarts and retries are not used:
they bind a chunk to its actor, and when a full cluster loses a machine, its actors do not come back.
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
from .chunk_scorer import Chunk, ChunkScorer, ScoredChunk
from .job import ScoringJob

_CHUNKS_PER_ACTOR = 2
"""The chunk that an actor scores, and the next one."""

_RETRIES = 3
"""Number of times that a chunk is given to another actor after its actor died, because the chunk may be the cause."""

_PATIENCE = 600.0
"""Seconds to wait for the first actor to start."""


class ScoringActor:
    """The scorer of a job in an actor; the metric is loaded for the first chunk.

    Relative paths in options start in `folder`, as for the command. `code` identifies the metric's code there.
    """

    def __init__(self, job: ScoringJob, folder: str, code: str) -> None:
        self._job, self._folder, self._code = job, folder, code
        self._scorer: ChunkScorer | None = None

    def ready(self) -> None:
        """Return as soon as the actor has started."""

    def score(self, records: Sequence[Record]) -> ScoredChunk:
        """Score the rows of a chunk."""
        if self._scorer is None:
            self._scorer = self._load()
        return self._scorer.score(records)

    def _load(self) -> ChunkScorer:
        with suppress(FileNotFoundError):  # machines without the folder can score texts
            os.chdir(self._folder)
        scorer = self._job.scorer()
        if scorer.code != self._code:
            raise RowsError(
                f"{socket.gethostname()} has another version of {self._job.metric}. Install one version everywhere."
            )
        return scorer


@dataclass
class ActorPool:
    """Actors with a method `score`."""

    start: Callable[[], Any]
    count: int
    # Each actor appears once for every chunk that it may still be given.
    _free: deque[Any] = field(default_factory=deque, init=False)
    # Ray's future → the actor, and the chunk that it scores; None while it starts. Actors that find no room stay here.
    _awaited: dict[Any, tuple[Any, Chunk | None]] = field(default_factory=dict, init=False)
    _dead: set[Any] = field(default_factory=set, init=False)
    _lost: deque[Chunk] = field(default_factory=deque, init=False)  # chunks of dead actors
    # Number of a chunk → number of actors that died with it. None → actors in a row that died while they started.
    _deaths: Counter[int | None] = field(default_factory=Counter, init=False)

    def score(self, chunks: Iterator[Chunk]) -> Iterator[tuple[Chunk, ScoredChunk]]:
        """Keep all actors busy; yield each chunk as soon as it is scored."""
        for _ in range(self.count):
            self._start_one()
        while True:
            while self._free and (chunk := self._lost.popleft() if self._lost else next(chunks, None)) is not None:
                actor = self._free.popleft()
                self._awaited[actor.score.remote(chunk.records)] = actor, chunk
            if self._free and not self._is_scoring():
                return
            if (scored := self._wait()) is not None:
                yield scored

    def _start_one(self) -> None:
        actor = self.start()
        self._awaited[actor.ready.remote()] = actor, None

    def _is_scoring(self) -> bool:
        return any(chunk is not None for _, chunk in self._awaited.values())

    def _wait(self) -> tuple[Chunk, ScoredChunk] | None:
        """Wait until an actor has started, or until a chunk is scored, and return that chunk."""
        import ray

        done, _ = ray.wait([*self._awaited], num_returns=1, timeout=None if self._is_scoring() else _PATIENCE)
        if not done:
            raise RowsError("The cluster has no room for an actor. Continue with --resume when it has.")
        actor, chunk = self._awaited.pop(done[0])
        try:
            scored = ray.get(done[0])
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError) as error:
            self._replace(actor)
            self._retry(chunk, error)
            return None
        if chunk is None:
            self._deaths[None] = 0
            self._free.extend([actor] * _CHUNKS_PER_ACTOR)
            return None
        if actor not in self._dead:
            self._free.append(actor)
        return chunk, scored

    def _replace(self, actor: Any) -> None:
        """Start another actor instead of one that died, once."""
        import ray

        if actor in self._dead:
            return
        self._dead.add(actor)
        self._free = deque(one for one in self._free if one != actor)
        with suppress(Exception):  # the actor may be alive and only out of reach
            ray.kill(actor)
        self._start_one()

    def _retry(self, chunk: Chunk | None, error: Exception) -> None:
        """Queue the chunk of a dead actor again; raise RowsError after too many deaths."""
        self._deaths[chunk and chunk.number] += 1
        if chunk is None:
            if self._deaths[None] > _RETRIES * self.count:
                raise RowsError(f"No actor can be started: {error}. Continue with --resume.") from error
            return
        if self._deaths[chunk.number] > _RETRIES:
            (first, _), (last, _) = chunk.records[0], chunk.records[-1]
            raise RowsError(
                f"The actors that scored rows {first} to {last} died ({error}). If they ran out of memory, use a "
                "smaller --num-actors or --chunk-size. Continue with --resume."
            ) from error
        self._lost.append(chunk)


@contextmanager
def actor_pool(job: ScoringJob, code: str) -> Iterator[ActorPool]:
    """Yield the actors; stop them at the end, and the cluster if it was started here.

    The variable RAY_ADDRESS names a running cluster, as in Ray's own commands. Raise ConnectionError if there is none,
    and ValueError if it has too few CPUs or GPUs for the actors.
    """
    import ray

    _connect(ray, job.num_actors)
    try:
        interrupt_on_sigterm()  # Ray has replaced the handler: its own one aborts the process
        count = _count_actors(job.num_actors, job.num_gpus or 0, ray.cluster_resources())
        kind = ray.remote(ScoringActor).options(num_cpus=1, num_gpus=job.num_gpus or 0)
        yield ActorPool(partial(kind.remote, job, os.getcwd(), code), count)  # noqa: PTH109 - a string, for any machine
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


def _count_actors(num_actors: int | None, num_gpus: float, resources: dict[str, float]) -> int:
    """Return the number of actors; Ray would wait forever for actors that do not fit."""
    cpus, gpus = resources.get("CPU", 0), resources.get("GPU", 0)
    room = int(min(cpus, gpus // num_gpus)) if num_gpus else int(cpus)
    if not room or (num_actors or 0) > room:
        raise ValueError(
            f"The cluster has CPU: {cpus:g}, GPU: {gpus:g}, but the actors need {num_actors or 1} × (CPU: 1, GPU: "
            f"{num_gpus:g}). Lower --num-actors or --num-gpus."
        )
    return num_actors or room
