"""evaluate-qa: QA metrics that agree with people, as `evaluate` modules, and the tools around them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .estimation.drop import gate as gate
    from .estimation.powered import estimate as estimate
    from .uncertainty.paired import compare as compare

__version__ = "0.1.0"

_METRICS = Path(__file__).parent / "metrics"

# `evaluate_qa.mlflow` is integrations/mlflow.py, and so with all frameworks.
__path__.append(str(Path(__file__).parent / "integrations"))


def metric_names() -> list[str]:
    """Return the names of the metrics that come with this package, sorted."""
    return sorted(folder.name for folder in _METRICS.iterdir() if (folder / f"{folder.name}.py").is_file())


def path(name: str) -> str:
    """Return the folder of a metric, for `evaluate.load(evaluate_qa.path("smile"))`.

    Raises:
        ValueError: no metric of that name comes with this package.
    """
    if name not in metric_names():
        raise ValueError(f"no metric is named {name!r}; there are {', '.join(metric_names())}")
    return str(_METRICS / name)


def sample() -> Path:
    """Return the sample data: labelled answers of twelve kinds, as JSONL."""
    return Path(__file__).parent / "sample.jsonl"


def __getattr__(name: str) -> Any:
    """Return what is imported only where it is used, as numpy takes longer than all of this."""
    if name == "compare":
        from .uncertainty.paired import compare

        return compare
    if name == "estimate":
        from .estimation.powered import estimate

        return estimate
    if name == "gate":
        from .estimation.drop import gate

        return gate
    raise AttributeError(f"module 'evaluate_qa' has no attribute {name!r}")
