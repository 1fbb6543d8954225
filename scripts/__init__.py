"""evaluate-qa: metrics for answers of language models, for Python, `evaluate` and the command line."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .loading import load, metric_names, path

if TYPE_CHECKING:
    from evaluate_qa.metrics._values.decision import Decision as Decision
    from evaluate_qa.metrics._values.decision import compare_values as compare_values

    from .estimation.ppi import estimate as estimate
    from .gating.drop import gate as gate
    from .uncertainty.paired import compare as compare

__all__ = ["Decision", "compare", "compare_values", "estimate", "gate", "load", "metric_names", "path", "sample_path"]

__version__ = "0.3.0.dev0"

# `evaluate_qa.mlflow` is integrations/mlflow.py; the same holds for all frameworks.
__path__.append(str(Path(__file__).parent / "integrations"))


def sample_path() -> Path:
    """Return the file of sample data: labeled answers of twelve kinds, as JSONL."""
    return Path(__file__).parent / "sample.jsonl"


_LAZY = {
    "Decision": ".metrics._values.decision",
    "compare": ".uncertainty.paired",
    "compare_values": ".metrics._values.decision",
    "estimate": ".estimation.ppi",
    "gate": ".gating.drop",
}


if not TYPE_CHECKING:  # type checkers would accept any name

    def __getattr__(name: str) -> Any:
        """Import functions that need numpy when they are first used."""
        if name in _LAZY:
            return getattr(import_module(_LAZY[name], __name__), name)
        raise AttributeError(f"module 'evaluate_qa' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List these functions, too, so that notebooks complete them."""
    return sorted({*globals(), *__all__})
