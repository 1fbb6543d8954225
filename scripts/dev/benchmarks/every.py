"""All metrics on one machine: against a loop, against the model's raw forward, against the peak of its matrices."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from . import deltableu, evqascore, matchers, smile
from .machine import Machine, machine, peak
from .measure import Measurement, Prepare, measure
from .rows import COLUMNS, given_rows

Cases = dict[str, tuple[Prepare, Any]]
Measured = Mapping[str, Measurement]

LOOP, RAW, DEFAULT, AUTO = "row-by-row loop", "raw forward", "float32", "auto"

# all-MiniLM-L6-v2, which all embedded models are: layers, width, width of the feed-forward part.
_LAYERS, _WIDTH, _INNER = 6, 384, 1536
# ViT-B-32 on a picture of 224 by 224: 49 patches of 32 by 32 in three colors, a token for the class; 512 dimensions.
_VIT_OPERATIONS = 2.0 * (50 * 12 * 12 * 768**2 + 49 * 3 * 32 * 32 * 768 + 768 * 512)
_SECONDS_OF_VIDEO = 10
_INTERVAL = 30
# ΔBLEU is so fast that it gets more rows.
_ROWS_OF_DELTABLEU = 10


@dataclass(frozen=True)
class Figure:
    """How fast a metric is.

    Args:
        metric: Its name.
        option: What `dtype` was; None for a metric without a model.
        dtype: The precision that it had.
        rows_per_second: Rows scored a second; of evqascore, videos of ten seconds.
        to_loop: Times as fast as the loop that one writes by hand; for ΔBLEU as sacrebleu.
        to_raw: Its speed over that of its model's forward passes alone, in float32.
        of_peak: Share of the peak speed of matrices in this precision that its model's linear layers reach.
        peak_bytes: Most memory that its process held.
    """

    metric: str
    option: str | None
    dtype: str | None
    rows_per_second: float
    to_loop: float
    to_raw: float | None
    of_peak: float | None
    peak_bytes: int


@dataclass(frozen=True)
class Report:
    """The results of `python -m evaluate_qa.dev.bench all`.

    Args:
        machine: Where.
        peak: Operations a second of the fastest product of matrices, by precision.
        figures: Of each metric and precision.
    """

    machine: Machine
    peak: Mapping[str, float]
    figures: Sequence[Figure]

    def as_json(self) -> dict[str, Any]:
        """Return everything, unrounded."""
        return asdict(self)


@dataclass(frozen=True)
class _Part:
    """What is measured of one metric with a model.

    Args:
        metric: Its name.
        job: Its rows.
        cases: What prepares the loop, the raw forward passes and the metric.
        operations: From what the raw case returns to the operations of the model's matrices for these rows.
    """

    metric: str
    job: Any
    cases: Mapping[str, Prepare]
    operations: Callable[[Any], float]

    def listed(self) -> dict[str, tuple[Prepare, Any]]:
        """Return all cases by name, with the metric in float32 and in the fastest precision."""
        auto = replace(self.job, load={**self.job.load, "dtype": "auto"})
        ours = {DEFAULT: (self.cases[self.metric], self.job), AUTO: (self.cases[self.metric], auto)}
        baselines = {name: (self.cases[name], self.job) for name in (LOOP, RAW)}
        return {f"{self.metric}, {name}": case for name, case in (baselines | ours).items()}


def run(source: str | None, column: list[str] | None, rows: int, device: str | None, rounds: int) -> Report:
    """Measure everything, each case in a process of its own; evqascore only where there is OpenCV for its loop."""
    given = given_rows(source, column, COLUMNS, rows)
    where = machine(device)
    parts = _parts(given, {"device": device} if device else {})
    dtypes = dict.fromkeys([DEFAULT, where.auto])
    words = deltableu.shuffled(deltableu.lengthened(given), rows * _ROWS_OF_DELTABLEU, 8, "13a")
    with _video() as video:
        cases: Cases = {f"peak, {dtype}": (peak, {"device": where.device, "dtype": dtype}) for dtype in dtypes}
        for part in parts:
            cases |= part.listed()
        cases |= {name: deltableu.cases(words)[name] for name in ("sacrebleu", "deltableu")}
        if video:
            cases |= evqascore.cases(evqascore.Job((str(video),), device=device), [_INTERVAL])
        measured = measure(cases, rounds)
    peaks = {dtype: float(measured[f"peak, {dtype}"].result) for dtype in dtypes}
    figures = [
        _figure(part, option, dtype, measured, peaks[dtype])
        for part in parts
        for option, dtype in ((DEFAULT, DEFAULT), (AUTO, where.auto))
    ]
    figures += [_of_video(measured, peaks[DEFAULT])] * bool(video) + [_of_words(measured, len(words.predictions))]
    return Report(where, peaks, figures)


def read_report(file: Path) -> dict[str, Any]:
    """Read what another run has written.

    Raises:
        ValueError: it is no such file.
    """
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        _ = found["machine"]["processor"], [(one["metric"], one["option"]) for one in found["figures"]]
        _ = [float(one["rows_per_second"]) for one in found["figures"]]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{file} has no figures of another machine. Write it there with python -m evaluate_qa.dev.bench all --json."
        ) from error
    return found


@contextmanager
def _video() -> Iterator[Path | None]:
    """Give a video to read, as long as it is read; None where a package for that is missing."""
    if not all(find_spec(package) for package in ("av", "cv2", "open_clip")):
        yield None
        return
    with TemporaryDirectory() as folder:
        yield evqascore.write_video(Path(folder) / "made.mp4", _SECONDS_OF_VIDEO)


def _parts(given: Mapping[str, Sequence[Any]], load: Mapping[str, Any]) -> list[_Part]:
    predictions, references, questions = (given[name] for name in COLUMNS)
    embedder = smile.Job(predictions, references, load)
    cases: dict[str, Prepare] = {LOOP: smile.row_by_row, RAW: smile.raw_forward, "smile": smile.smile}
    parts = [_Part("smile", embedder, cases, _operations)]
    for metric in ("bem", "nli_lex"):
        job = matchers.Job(metric, predictions, references, questions, load)
        texts = len(matchers.distinct_pairs(job))
        cases = {LOOP: matchers.row_by_row, RAW: matchers.raw_forward, metric: matchers.metric}
        parts.append(_Part(metric, job, cases, partial(_operations, first_only=texts)))
    return parts


def _operations(tokens: int, first_only: int | None = None) -> float:
    """Return the operations of the matrices of MiniLM's linear layers, 2 for each product; attention is left out.

    Args:
        tokens: Of all texts, without padding.
        first_only: How many texts, where the last layer computes the first token of each alone, but for the keys and
            values of all.
    """
    square, inner = _WIDTH**2, _WIDTH * _INNER
    layer = 4 * square + 2 * inner
    if first_only is None:
        return 2.0 * tokens * _LAYERS * layer
    return 2.0 * (tokens * ((_LAYERS - 1) * layer + 2 * square) + first_only * (layer - 2 * square))


def _figure(part: _Part, option: str, dtype: str, measured: Measured, speed: float) -> Figure:
    loop, raw, own = (measured[f"{part.metric}, {case}"] for case in (LOOP, RAW, option))
    return Figure(
        metric=part.metric,
        option=option,
        dtype=dtype,
        rows_per_second=len(part.job.predictions) / own.seconds,
        to_loop=loop.seconds / own.seconds,
        to_raw=raw.seconds / own.seconds,
        of_peak=part.operations(raw.result) / own.seconds / speed,
        peak_bytes=own.peak_bytes,
    )


def _of_video(measured: Measured, speed: float) -> Figure:
    """Return the figures of evqascore; its loop encodes the pictures as the metric does."""
    steps = (evqascore.LOOP, evqascore.ENCODE, evqascore.WHOLE)
    loop, raw, own = (measured[evqascore.named(step, _INTERVAL)] for step in steps)
    return Figure(
        metric="evqascore",
        option=DEFAULT,
        dtype=DEFAULT,
        rows_per_second=1 / own.seconds,
        to_loop=(loop.seconds + raw.seconds) / own.seconds,
        to_raw=raw.seconds / own.seconds,
        of_peak=own.result * _VIT_OPERATIONS / own.seconds / speed,
        peak_bytes=own.peak_bytes,
    )


def _of_words(measured: Measured, rows: int) -> Figure:
    loop, own = measured["sacrebleu"], measured["deltableu"]
    to_loop = loop.seconds / own.seconds
    return Figure("deltableu", None, None, rows / own.seconds, to_loop, None, None, own.peak_bytes)
