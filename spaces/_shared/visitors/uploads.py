"""Uploaded files."""

from pathlib import Path
from typing import Any

from .limits import Refusal


def uploaded(label: str, value: Any) -> Path:
    """Return the path of an uploaded file, and of no other file on this server; raise Refusal otherwise.

    The value is the path, or the object that the API passes for a file.
    """
    from gradio.utils import get_upload_folder

    path = value.get("path") if isinstance(value, dict) else value
    if not isinstance(path, str) or not Path(path).resolve().is_relative_to(Path(get_upload_folder()).resolve()):
        raise Refusal(f"{label}: expected an uploaded file.")
    if not Path(path).is_file():
        raise Refusal(f"{label}: the file has been deleted in the meantime. Upload it again.")
    return Path(path)
