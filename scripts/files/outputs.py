"""Write the results of commands as JSON."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from .writing import check_different, check_place, replacing


def check_output(json_file: Path | None, inputs: Mapping[str, Path | None] = MappingProxyType({})) -> None:
    """Raise ValueError if the file cannot be written, or is an input."""
    if json_file is not None:
        check_place(json_file)
    check_different({**inputs, "--json": json_file})


def write_json(target: Path, value: object) -> None:
    """Write JSON to a file, which is replaced once everything is written."""
    with replacing(target) as path:
        path.write_text(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")
