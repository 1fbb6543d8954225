"""What the work in the folder of a stopped run was made with."""

import json
from collections.abc import Mapping
from pathlib import Path
from shlex import quote

from ..files.claiming import PROGRESS
from ..files.rows import RowsError
from ..files.writing import replacing

ERRORS = "--errors"


def earlier_settings(folder: Path, settings: Mapping[str, str | None], resume: bool) -> dict[str, str | None] | None:
    """Return what `save_settings` was given by an earlier run; None if there is no such run.

    Args:
        folder: The folder of `claimed`.
        settings: What the scores depend on besides the rows, and under `ERRORS` where bad rows go: a run may set them
            aside from where it was stopped, but not in another file than before.
        resume: Whether to take up what an earlier run has left.

    Raises:
        RowsError: there is an earlier run's work and it is not to be taken up, or it was made with other settings.
    """
    if not (folder / PROGRESS).is_file():
        return None
    start_over = f"start over after: rm -r {quote(str(folder))}"
    if not resume:
        raise RowsError(f"{folder} holds the work of a stopped run. Continue it with --resume, or {start_over}")
    try:
        earlier: dict[str, str | None] = dict(json.loads((folder / PROGRESS).read_bytes()))
    except (ValueError, TypeError) as error:
        raise RowsError(f"{folder / PROGRESS} is damaged ({error}); {start_over}") from None
    for name, value in settings.items():
        before = earlier.get(name)
        if before != value and (name, before) != (ERRORS, None):
            raise RowsError(
                f"{folder} was made with {name} {before}, now it is {value}; give what it was made with, or "
                f"{start_over}"
            )
    return earlier


def save_settings(folder: Path, settings: Mapping[str, str | None]) -> None:
    """Note what the work is made with, and that there is work in the folder."""
    with replacing(folder / PROGRESS) as path:
        path.write_text(json.dumps(settings, indent=1))
