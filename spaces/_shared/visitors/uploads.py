"""Uploaded files: which paths are such, and that none other of this machine is read or deleted."""

import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from gradio import route_utils
from gradio.utils import get_upload_folder

from .limits import LIMITS, Limits, Refusal


class OwnFile(route_utils.GradioUploadFile):
    """An upload in a folder that no other has, even of the same file: to delete one leaves the others alone.

    Gradio names the folder by a hash of the content, so that visitors, and the tabs of one, would share a file.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sha.update(secrets.token_bytes(32))


def separate() -> None:
    """From now on, put each upload of this process into a folder of its own."""
    route_utils.GradioUploadFile = OwnFile


def uploaded(label: str, value: Any) -> Path:
    """Return the path of an uploaded file.

    Args:
        label: Names it to the visitor.
        value: Its path, or what the API gives for a file.

    Raises:
        Refusal: it is another file of this machine, or has been deleted.
    """
    path = value.get("path") if isinstance(value, dict) else value
    if not isinstance(path, str) or not is_upload(Path(path)):
        raise Refusal(f"{label}: expected an uploaded file.")
    if not Path(path).is_file():
        raise Refusal(f"{label}: the file has been deleted in the meantime. Upload it again.")
    return Path(path)


def is_upload(path: Path) -> bool:
    """Return whether a path leads to where uploaded files lie, and nowhere else."""
    return path.resolve().is_relative_to(Path(get_upload_folder()).resolve())


def tidy(limits: Limits = LIMITS) -> None:
    """Delete the empty files that Gradio makes at each upload and forgets, once they are old."""
    oldest = time.time() - limits.kept_seconds
    for path in Path(get_upload_folder()).glob("tmp*"):
        with suppress(OSError):  # another visitor's upload has just deleted it
            if path.is_file() and path.stat().st_mtime < oldest:
                path.unlink()


def delete(path: Path) -> None:
    """Delete a file if it was uploaded, and the folder that it had for itself."""
    if is_upload(path):
        path.unlink(missing_ok=True)
        with suppress(OSError):  # there is something else in it, or it is gone
            path.parent.rmdir()
