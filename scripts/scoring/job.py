"""What a run of `evaluate-qa score` reads, scores and writes."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from math import inf
from pathlib import Path
from typing import Any, Literal

from evaluate_qa.metrics._shared.devices import limit_shape_caches
from evaluate_qa.metrics._shared.messages import pluralize
from evaluate_qa.metrics._shared.options import is_number
from evaluate_qa.metrics._shared.probes import is_installed

from ..files.rows import STANDARD, Record, Row, read_records, read_rows
from ..files.values import value_of
from ..files.work_folder import CACHE, holds_work
from ..files.writing import check_absent, check_different, check_target, work_folder_path
from ..joining.signatures import OF_ROWS
from ..loading import load_metric
from .chunk_scorer import SIGNATURE, ChunkScorer
from .columns import MetricColumns, accepted_columns
from .output import SavedChunks, check_bad_rows

_COMPARED_ROWS = 20  # the first rows, which are scored again before an output counts as complete
_TOLERANCE = 1e-3  # the largest difference between two scores of a row, for example on other hardware
_REQUESTS = {"endpoint", "concurrency", "timeout", "max_retries", "max_tokens"}  # may change in a resumed run
_OF_SERVER = re.compile(r"\|protocol:(default|decisions|systemone)\b[^|]*")  # the server's API selects one of these


@dataclass(frozen=True)
class ScoringJob:
    """What to score, how, and where the scores go: the options of `evaluate-qa score`, after a check."""

    metric: str
    source: str
    target: str
    config: str | None = None
    load: Mapping[str, Any] = field(default_factory=dict)
    compute: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    prefix: str = ""
    errors: Path | None = None
    chunk_size: int = 1000
    resume: bool = False
    overwrite: bool = False  # start over, even if a stopped run left work
    engine: Literal["local", "ray"] = "local"
    # Number of Ray actors, each with its own copy of the metric. Default: one per CPU of the cluster, or as many as its
    # GPUs allow if `num_gpus` is given.
    num_actors: int | None = None
    num_gpus: float | None = None  # GPUs per actor; with a fraction, actors share a GPU

    def __post_init__(self) -> None:
        check_target(self.target)
        self._check_engine()
        if self.chunk_size < 1:
            raise ValueError(f"--chunk-size is {self.chunk_size}; expected at least 1")
        if self.resume and self.target == STANDARD:
            raise ValueError(
                "--resume needs an --output that is a file. Rows on the standard output cannot be resumed."
            )
        check_different({"--input": self.source, "--output": self.target, "--errors": self.errors})
        if self.errors is not None:
            if self.errors.suffix != ".jsonl":
                raise ValueError(
                    f"--errors is {self.errors}. Bad rows are written as JSONL. Name a file such as bad.jsonl."
                )
            check_bad_rows(self.errors)
            if work_folder_path(Path(self.target)).resolve() in self.errors.resolve().parents:
                raise ValueError(
                    f"--errors {self.errors} is in the folder for unfinished work. Name a file outside of it."
                )

    def _check_engine(self) -> None:
        given = {"--num-actors": self.num_actors, "--num-gpus": self.num_gpus}
        if self.engine == "local":
            if foreign := [name for name, value in given.items() if value is not None]:
                raise ValueError(f"{foreign[0]} works with Ray only. Add --engine ray, or leave it out.")
            return
        if STANDARD in (self.source, self.target):
            raise ValueError("--engine ray reads and writes files only. Name a file instead of -.")
        if not is_installed("ray"):
            raise ImportError("--engine ray needs Ray. Install it with: pip install 'evaluate-qa[ray]'")
        if self.num_actors is not None and self.num_actors < 1:
            raise ValueError(f"--num-actors is {self.num_actors}; expected at least 1.")
        if self.num_gpus is not None and not 0 <= self.num_gpus < inf:
            raise ValueError(f"--num-gpus is {self.num_gpus}; expected the number of GPUs per actor, such as 1 or 0.5.")

    def records(self) -> Iterator[Record]:
        """Read the input."""
        return read_records(self.source, self._columns.lists())

    def is_done(self) -> bool:
        """Return whether no rows are left to score. Raise ValueError for a file that only --overwrite replaces."""
        work = [work_folder_path(file) for file in (Path(self.target), self.errors) if file]
        if self.resume and holds_work(work[0]):
            return False
        if not (self.resume and Path(self.target).is_file()):
            check_absent(self.target, "--output")
            if self.errors and self.errors.is_file() and self.errors.stat().st_size:  # an empty file has no bad rows
                check_absent(self.errors, "--errors")
            return False
        signatures = [str(row.get(f"{self.prefix}{SIGNATURE}") or "") for _, row in read_rows(self.target)]
        if why := self._explain_difference({*signatures}, len(signatures)):
            raise ValueError(
                f"{self.target} exists, but {why}. Use --overwrite to score all rows again, or name another --output."
            )
        return not any(folder.exists() for folder in work)

    def _explain_difference(self, signatures: Collection[str], count: int) -> str | None:
        """Return how an output with these signatures and number of rows differs from what this run would write."""
        name = Path(self.metric).name
        if not all(signature.startswith(f"{name}|") for signature in signatures):
            return f"its column '{self.prefix}{SIGNATURE}' does not name the metric {name} in each row"
        if self.source == STANDARD:
            return "its rows cannot be compared with those on the standard input"
        bad = sum(1 for _ in read_rows(self.errors)) if self.errors and self.errors.is_file() else 0
        rows = sum(1 for _ in self.records())
        if rows - count not in (0, bad):
            others = f", {self.errors} has {bad:,}" if bad else ""
            hint = ". If the other rows were bad, name the file that holds them with --errors" * (count < rows)
            return f"it has {pluralize(count, 'row')}{others} and {self.source} has {rows:,}{hint}"
        if Path(self.source).stat().st_mtime > Path(self.target).stat().st_mtime:
            return f"{self.source} is newer"
        return self._explain_options(name, signatures)

    def _explain_options(self, name: str, signatures: Collection[str]) -> str | None:
        """Return how the signatures or the first scores differ; no video is read, and no judge is asked."""
        scorer, records = self.scorer(caches=False), list(islice(self.records(), _COMPARED_ROWS))
        scorer.require_columns(records, are_first=True)
        if name == "evqascore":
            keys = next(filter(None, map(scorer.other_options, signatures)), None)
            return keys and f"the options of this run differ from its signature in {keys}"
        again = None if name == "judge" else scorer.score(records)
        expected = scorer.blank_result[SIGNATURE] if again is None else next(iter(again.progress.signatures), "")
        for signature in signatures if expected else ():
            if self._settings_in(signature) != self._settings_in(expected):
                return f"its signature is {signature}, not {expected} as in this run"
        return None if again is None else self._explain_scores(again.rows)

    def _settings_in(self, signature: str) -> str:
        """Return a signature without what rows, or the server of a judge without `api`, decide."""
        searches_api = self.load.keys().isdisjoint({"api", "protocol"})
        return OF_ROWS.sub("", _OF_SERVER.sub("", signature) if searches_api else signature)

    def _explain_scores(self, again: Iterable[Row]) -> str | None:
        """Return how the first scores of the output differ from those of rows that were scored again."""
        column = f"{self.prefix}score"
        for (number, before), now in zip(read_rows(self.target), again, strict=False):
            old, new = value_of(str(before.get(column))), now.get(column)
            if is_number(old) and is_number(new) and abs(old - new) > _TOLERANCE:
                return f"its row {number} has the score {old:g}, which is {new:g} in this run"
        return None

    def scorer(self, caches: bool = True) -> ChunkScorer:
        """Load the metric. A metric of this package loads its model when it scores the first rows.

        Unless `caches` is False, the work folder keeps a judge's verdicts and the features of videos.
        """
        limit_shape_caches()
        load = partial(load_metric, self.metric, self.config, **self.load)
        metric = load()
        needs_cache = metric.name == "judge" or "videos" in accepted_columns(metric)
        if caches and needs_cache and self.target != STANDARD and "cache_dir" not in self.load:
            # The rows of a video may be far apart, and a resumed run must not pay for the same verdicts again.
            metric = load(cache_dir=str(work_folder_path(Path(self.target)) / CACHE))
        return ChunkScorer(metric, self.source, self._columns, self.compute, self.prefix, self.errors is not None)

    def saved_chunks(self, folder: Path, code: str) -> SavedChunks:
        """Open the finished chunks of an earlier run with the same settings."""
        named = {"metric": self.metric, "config": self.config, "prefix": self.prefix, "code": code}
        load = {name: value for name, value in self.load.items() if name not in _REQUESTS}
        options = {"load": load, "compute": self.compute, "columns": self.columns}
        settings = {
            "chunk size": str(self.chunk_size),
            **{name: repr(value) for name, value in named.items()},
            **{name: str(dict(sorted(values.items()))) for name, values in options.items()},
        }
        return SavedChunks(folder, Path(self.target), self.errors, settings, self.resume)

    @property
    def _columns(self) -> MetricColumns:
        return MetricColumns(self.columns, Path(self.source).suffix.lower() == ".csv", Path(self.source).parent)
