"""Encode examples in several processes, because tokenizers hand over their results in Python objects."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache, partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Self

from evaluate_qa.metrics._shared.arguments import ModelOptions
from evaluate_qa.metrics._shared.classifiers import PairReader, TorchPairEngine
from evaluate_qa.metrics.bem.classifier import bem_pair

from ...training.examples import TrainingExample
from ...training.learner import FORMATS, Encoded

# Examples that a process encodes at a time, and cores that training keeps for itself.
_CHUNK, _SPARED = 4096, 4


class ProcessEncoder:
    """Encodes examples ahead of their use, if there are cores to spare.

    Args:
        max_tokens: Longer inputs are truncated to this number of tokens.
        workers: Number of processes; 0 encodes in this one, when it is needed. None leaves four cores to training.
    """

    def __init__(self, max_tokens: int, workers: int | None = None) -> None:
        if workers is None:
            workers = max(0, (os.cpu_count() or 1) - _SPARED)
        self._max_tokens = max_tokens
        # One thread each: there are as many processes as cores.
        setting = "TOKENIZERS_PARALLELISM", "false"
        spawn = get_context("spawn")
        self._pool = ProcessPoolExecutor(workers, spawn, os.putenv, setting) if workers else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)

    def start(self, folder: Path, tasks: Sequence[str], examples: Sequence[TrainingExample]) -> Callable[[], Encoded]:
        """Begin to encode examples for some heads with the tokenizer in a folder; return what waits for the result."""
        if self._pool is None:
            return partial(encoded, folder, tasks, self._max_tokens, examples)
        chunks = [examples[start : start + _CHUNK] for start in range(0, len(examples), _CHUNK)]
        return partial(_joined, [self._pool.submit(encoded, folder, tasks, self._max_tokens, part) for part in chunks])


def _joined(parts: Sequence[Future[Encoded]]) -> Encoded:
    found = [part.result() for part in parts]
    return {task: list(chain.from_iterable(part[task] for part in found)) for task in found[0]}


def encoded(folder: Path, tasks: Sequence[str], max_tokens: int, examples: Sequence[TrainingExample]) -> Encoded:
    """Return examples as `Learner.encode` does, without loading a model."""
    reader = _reader(folder, max_tokens)
    return {
        task: reader.encode([FORMATS.get(task, bem_pair)(e.question, e.answer, e.reference) for e in examples])
        for task in tasks
    }


@cache
def _reader(folder: Path, max_tokens: int) -> PairReader:
    from transformers import AutoConfig, AutoTokenizer

    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    engine = TorchPairEngine(SimpleNamespace(config=config), tokenizer)
    return PairReader(engine, ModelOptions(), (), max_tokens)
