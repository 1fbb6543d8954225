"""The further files that commands write: figures as JSON, and drawings."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from .writing import check_different, check_place, replacing


def check_outputs(
    json_file: Path | None, plot_file: Path | None, inputs: Mapping[str, Path | None] = MappingProxyType({})
) -> None:
    """Raise ValueError, before any work, if a file could not be written after it.

    Args:
        json_file: File for the figures.
        plot_file: File for a drawing.
        inputs: Files that are read, by their options; no output may take their place.
    """
    outputs = {"--json": json_file, "--plot": plot_file}
    for path in filter(None, outputs.values()):
        check_place(path)
    check_different({**inputs, **outputs})
    if plot_file is not None and plot_file.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise ValueError(f"{plot_file}: unknown file type. Use .png, .svg or .pdf.")


def write_json(target: Path, value: object) -> None:
    """Write JSON to a file, which is replaced when the whole is written."""
    with replacing(target) as path:
        path.write_text(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")
