"""Load scorers: this package's by their names, other metrics through `evaluate`."""

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

if TYPE_CHECKING:
    from evaluate_qa.metrics._shared.model_options import EngineKwargs
    from evaluate_qa.metrics._shared.scorer import Scorer
    from evaluate_qa.metrics.bem.scorer import BemScorer
    from evaluate_qa.metrics.deltableu.scorer import DeltableuScorer
    from evaluate_qa.metrics.evqascore.options import EvqascoreKwargs
    from evaluate_qa.metrics.evqascore.scorer import EvqascoreScorer
    from evaluate_qa.metrics.judge.options import JudgeKwargs
    from evaluate_qa.metrics.judge.scorer import JudgeScorer
    from evaluate_qa.metrics.nli_lex.scorer import NliLexScorer
    from evaluate_qa.metrics.smile.options import SmileKwargs
    from evaluate_qa.metrics.smile.scorer import SmileScorer

METRICS = Path(str(resources.files("evaluate_qa.metrics")))
"""Contains a folder per metric."""


def metric_names() -> list[str]:
    """Return the names of the metrics of this package, sorted."""
    return sorted(folder.name for folder in METRICS.iterdir() if (folder / f"{folder.name}.py").is_file())


def path(name: str) -> str:
    """Return the folder of a metric, for `evaluate.load(evaluate_qa.path("smile"))`.

    Raises:
        ValueError: the metric is unknown.
    """
    if name not in metric_names():
        raise ValueError(_unknown(name))
    return str(METRICS / name)


def _unknown(name: str) -> str:
    from .files.rows import did_you_mean

    return f"there is no metric {name!r}. {did_you_mean(str(name), metric_names())}"


@overload
def load(name: Literal["bem"], config: str | None = None, **options: "Unpack[EngineKwargs]") -> "BemScorer": ...
@overload
def load(name: Literal["deltableu"], config: str | None = None) -> "DeltableuScorer": ...
@overload
def load(
    name: Literal["evqascore"], config: str | None = None, **options: "Unpack[EvqascoreKwargs]"
) -> "EvqascoreScorer": ...
@overload
def load(name: Literal["judge"], config: str | None = None, **options: "Unpack[JudgeKwargs]") -> "JudgeScorer": ...
@overload
def load(name: Literal["nli_lex"], config: str | None = None, **options: "Unpack[EngineKwargs]") -> "NliLexScorer": ...
@overload
def load(name: Literal["smile"], config: str | None = None, **options: "Unpack[SmileKwargs]") -> "SmileScorer": ...
@overload
def load(name: str, config: str | None = None, **options: Any) -> "Scorer": ...
def load(name: str, config: str | None = None, **options: Any) -> Any:
    """Load a scorer without network access and without importing `evaluate` or `datasets`.

    The first call of `compute` loads the model.

    Args:
        name: One of `metric_names()`.
        config: Its configuration, such as "paper" for the checkpoints of the metric's paper.
        **options: Options such as `device="cuda"`; `help` of the scorer lists them.

    Raises:
        ValueError: the metric is unknown, or the value of an option is not allowed.
        TypeError: an option is unknown.
    """
    if name not in metric_names():
        raise ValueError(f"{_unknown(name)} For a metric on the Hub or in a folder, use evaluate.load.")
    return scorer_class(name)(config, **options)


def scorer_class(name: str) -> Any:
    """Return the scorer class of a metric of this package: `NliLexScorer` of `nli_lex`."""
    module = import_module(scorer_module(name))
    return getattr(module, f"{name.title().replace('_', '')}Scorer")


def scorer_module(name: str) -> str:
    """Return the name of the module that holds a metric's scorer."""
    return f"evaluate_qa.metrics.{name}.scorer"


def load_metric(name: str, config: str | None = None, **options: Any) -> Any:
    """Load a scorer of this package by its name, or any other metric, by name or folder, through `evaluate`."""
    if name in metric_names():
        return scorer_class(name)(config, **options)
    unknown = _unknown(name)
    is_name = "/" not in name and not os.path.exists(name)  # noqa: PTH110 - a long name is not a path
    # evaluate would look for a file in "/", and search the Hub for half a minute.
    if not name.strip("/") or (is_name and "Did you mean" in unknown):
        raise ValueError(unknown)
    unknown += " Other metrics are loaded by their "
    try:
        import evaluate
    except ModuleNotFoundError as error:
        install = "name on the Hub or by their folder, with evaluate: pip install 'evaluate-qa[evaluate]'"
        raise ImportError(unknown + install) from error
    try:
        return evaluate.load(name, config, keep_in_memory=True, **options)
    except (FileNotFoundError, ConnectionError) as error:
        if not is_name:
            raise
        raise ValueError(f"{unknown}name on the Hub or by their folder.") from error


class LazyMetric:
    """A metric with options of `load` and of `compute`, which is loaded when rows are first scored."""

    def __init__(
        self, name: str, load: Mapping[str, Any] | None = None, compute: Mapping[str, Any] | None = None
    ) -> None:
        self.name, self._load, self._compute = name, load or {}, compute or {}

    @cached_property
    def _metric(self) -> Any:
        return load_metric(self.name, **self._load)

    def compute(self, **columns: Sequence[Any]) -> dict[str, Any]:
        """Return the result of `compute` for some rows."""
        result: dict[str, Any] = self._metric.compute(**columns, **self._compute)
        return result
