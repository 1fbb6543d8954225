"""What a metric declares of its options, read from its folder while the metric itself is not loaded."""

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any


def metric_folder(app: Path, name: str) -> Path:
    """Return where the metric is: beside app.py in a published Space, else `metrics/<name>` of the checkout."""
    return app if (app / f"{name}.py").is_file() else app.resolve().parents[1] / "metrics" / name


def options_class(folder: Path) -> Any:
    """Return the class of a metric's options that has some with a control.

    To load the metric takes seconds, and evaluate; its options.py needs neither.
    """
    declarations = module(folder, "arguments").declarations
    (found,) = (
        one
        for one in vars(module(folder, "options")).values()
        if isinstance(one, type)
        and hasattr(one, "settings")
        and any(declared.control for declared in declarations(one).values())
    )
    return found


def module(folder: Path, name: str) -> ModuleType:
    """Import a module of a folder that is made a package for this, without running any other file of it."""
    package = f"declared_by_{folder.name}"
    if package not in sys.modules:
        sys.modules[package] = ModuleType(package)
        sys.modules[package].__path__ = [str(folder)]
    return importlib.import_module(f"{package}.{name}")
