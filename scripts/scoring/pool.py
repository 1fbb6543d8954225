"""Actors that score blocks: where one dies, another is started, and its blocks go to whoever is free.

Not by Ray's own restarts and retries: these bind a block to its actor, and where a machine of a full cluster is lost,
that actor does not come back.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from ..files.rows import Record, RowsError
from .row_scorer import ScoredChunk

_AHEAD = 2
"""Blocks that an actor has been given: one that it scores, and the next."""

_RETRIES = 3
"""How often a block is given to another actor after the death of one. What kills each of them would kill them all."""

_PATIENCE = 600.0
"""Seconds in which one actor must be there if there is none."""


@dataclass(frozen=True)
class PoolTask:
    """A block: its number in the input, its rows, and how many actors have died with it."""

    number: int
    records: list[Record]
    deaths: int = 0


@dataclass
class Pool:
    """Actors, each with a method `score`.

    Args:
        start: Starts one.
        count: How many there are to be.
    """

    start: Callable[[], Any]
    count: int
    # An actor stands here once for each block that it may be given.
    _free: deque[Any] = field(default_factory=deque, init=False)
    # What tells that an actor is there → the actor. One for which there is no room any more stays here.
    _starting: dict[Any, Any] = field(default_factory=dict, init=False)
    # What a block will come to → the block and who scores it.
    _running: dict[Any, tuple[PoolTask, Any]] = field(default_factory=dict, init=False)
    _dead: set[Any] = field(default_factory=set, init=False)
    # Blocks of actors that have died.
    _lost: deque[PoolTask] = field(default_factory=deque, init=False)
    # How many actors have died one after the other before they were there.
    _stillborn: int = field(default=0, init=False)

    def score(self, blocks: Iterable[PoolTask]) -> Iterator[tuple[PoolTask, ScoredChunk]]:
        """Keep all actors busy; yield each block as soon as it is scored.

        Raises:
            RowsError: a block has killed several actors, or no actor is left and none can be started.
        """
        left = iter(blocks)
        for _ in range(self.count):
            self._start_one()
        while True:
            while self._free and (task := self._lost.popleft() if self._lost else next(left, None)) is not None:
                actor = self._free.popleft()
                self._running[actor.score.remote(task.records)] = task, actor
            if self._free and not self._running:
                return
            if (scored := self._wait()) is not None:
                yield scored

    def _start_one(self) -> None:
        actor = self.start()
        self._starting[actor.ready.remote()] = actor

    def _wait(self) -> tuple[PoolTask, ScoredChunk] | None:
        """Wait until an actor is there or a block is done, which is returned."""
        import ray

        patience = None if self._running else _PATIENCE
        done, _ = ray.wait([*self._starting, *self._running], num_returns=1, timeout=patience)
        if not done:
            raise RowsError("the cluster has no room for an actor any more. What is finished stays for --resume")
        if done[0] in self._starting:
            self._welcome(done[0])
            return None
        task, actor = self._running.pop(done[0])
        try:
            chunk = ray.get(done[0])
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError) as error:
            self._replace(actor)
            self._lost.append(_once_more(task, error))
            return None
        if actor not in self._dead:
            self._free.append(actor)
        return task, chunk

    def _welcome(self, there: Any) -> None:
        """Let an actor have blocks, or start another if it has died before that."""
        import ray

        actor = self._starting.pop(there)
        try:
            ray.get(there)
        except ray.exceptions.RayActorError as error:
            self._stillborn += 1
            if self._stillborn > _RETRIES * self.count:
                raise RowsError(f"no actor can be started: {error}. What is finished stays for --resume") from error
            self._start_one()
            return
        self._stillborn = 0
        self._free.extend([actor] * _AHEAD)

    def _replace(self, actor: Any) -> None:
        """Start another for an actor that has died, unless its other block has told so already."""
        import ray

        if actor in self._dead:
            return
        self._dead.add(actor)
        self._free = deque(one for one in self._free if one != actor)
        with suppress(Exception):  # it may only be out of reach
            ray.kill(actor)
        self._start_one()


def _once_more(task: PoolTask, error: Exception) -> PoolTask:
    if task.deaths == _RETRIES:
        raise RowsError(
            f"the actors that scored rows {task.records[0][0]} to {task.records[-1][0]} died ({error}); if they had "
            "too little memory, ask for fewer of them or a smaller --chunk-size. What is finished stays for --resume"
        ) from error
    return replace(task, deaths=task.deaths + 1)
