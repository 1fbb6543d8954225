"""Score blocks in actors of Ray; replace an actor that dies, and score its blocks in another one.

Ray's own restarts and retries are not used: they bind a block to its actor, and when a full cluster loses a machine,
its actors do not come back.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ..files.rows import RowsError
from .job import ScoringTask
from .row_scorer import ScoredChunk

_AHEAD = 2
"""Blocks per actor: the one that it scores, and the next one."""

_RETRIES = 3
"""Number of times that a block is given to another actor after its actor died, because the block may be the cause."""

_PATIENCE = 600.0
"""Seconds to wait for the first actor to start."""


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
