"""Write the additional files of commands: results as JSON, and plots."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from .writing import check_different, check_place, replacing


def check_outputs(
    json_file: Path | None, plot_file: Path | None, inputs: Mapping[str, Path | None] = MappingProxyType({})
) -> None:
    """Raise ValueError if an output cannot be written."""
    outputs = {"--json": json_file, "--plot": plot_file}
    for path in filter(None, outputs.values()):
        check_place(path)
    check_different({**inputs, **outputs})
    if plot_file is not None and plot_file.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise ValueError(f"{plot_file}: unknown file type. Use .png, .svg or .pdf.")


def write_json(target: Path, value: object) -> None:
    """Write JSON to a file, which is replaced once everything is written."""
    with replacing(target) as path:
        path.write_text(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")
