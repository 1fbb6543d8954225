"""Load metrics: this package's by their names, others by whatever `evaluate.load` takes."""

import gc
import sys
from importlib import import_module
from typing import Any

from . import metric_names, path


def load_metric(name: str, config: str | None = None, **options: Any) -> Any:
    """Load a metric; those of this package load their model later, when they first score.

    Args:
        name: One of this package's metrics, a folder, or a name on the Hub.
        config: Its configuration.
        options: Keywords of `evaluate.load`.
    """
    return import_evaluate().load(path(name) if name in metric_names() else name, config, **options)


def import_evaluate() -> Any:
    """Return the module `evaluate`.

    It imports transformers, torch and pandas: most of a short command's time, a tenth of which the garbage collector
    takes to look, again and again, through objects that all stay.
    """
    if "evaluate" not in sys.modules and gc.isenabled():
        gc.disable()
        try:
            import_module("evaluate")
        finally:
            gc.enable()
        gc.freeze()
    return import_module("evaluate")
