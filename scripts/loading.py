"""Load metrics: this package's by their names, others by whatever `evaluate.load` takes."""

import gc
import os
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


def keep_few_shapes() -> None:
    """Let oneDNN, and torch above it, keep what they made ready for 32 shapes of batches; for a long command's process.

    By themselves they keep 1,024 each, half a megabyte a shape: 200 MB in a pass over long answers. Batches come sorted
    by length, so a few shapes serve at a time.
    """
    for name in ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"):
        os.environ.setdefault(name, "32")


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
