"""The further files that commands write: figures as JSON, and drawings."""

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from .writing import check_different, check_place, replacing


def check_outputs(
    json_file: Path | None,
    plot_file: Path | None,
    calibration_file: Path | None = None,
    inputs: Mapping[str, Path | None] = MappingProxyType({}),
) -> None:
    """Raise ValueError or ImportError, before any work, if a file could not be written after it.

    Args:
        json_file: File for the figures.
        plot_file: File for a drawing.
        calibration_file: File for the other drawing.
        inputs: Files that are read, by their options; no output may take their place.
    """
    if calibration_file is not None and find_spec("sklearn") is None:
        raise ImportError("--calibration needs scikit-learn: pip install scikit-learn")
    outputs = {"--json": json_file, "--plot": plot_file, "--calibration": calibration_file}
    for path in filter(None, outputs.values()):
        check_place(path)
    check_different({**inputs, **outputs})
    for path in filter(None, (plot_file, calibration_file)):
        if path.suffix.lower() not in (".png", ".svg", ".pdf"):
            raise ValueError(f"{path}: the format is told by the suffix; expected .png, .svg or .pdf")


def write_json(target: Path, value: object) -> None:
    """Write JSON to a file, which is replaced when the whole is written."""
    with replacing(target) as path:
        path.write_text(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")
