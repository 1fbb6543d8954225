"""Row checks of the columns that only EVQAScore has: videos, features of videos, keywords."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .given_features import FILES, matrix_bytes
from .inputs import RowValueError, Unexpected, as_list, clean


def video(value: object) -> str:
    """Check one video: the path of a file that exists. None, for a row that has features instead, comes as `""`."""
    if value is None:
        return ""
    if not isinstance(value, (str, os.PathLike)) or not isinstance(path := os.fspath(value), str):
        raise Unexpected("the path of a video, or None")
    return _existing(path, "the path of a video that exists")


def video_features(value: object) -> bytes:
    """Check one row of features: a matrix (frames, dim), or the path of a file with one.

    Returns:
        What Arrow can hold and `given_features.read_features` understands; `b""` for None, a row without.
    """
    if value is None:
        return b""
    if isinstance(value, (str, os.PathLike)) and isinstance(path := os.fspath(value), str):
        if Path(path).suffix not in FILES:
            raise Unexpected(f"a matrix (frames, dim), or a file {' or '.join(FILES)}", RowValueError)
        return _existing(path, "a matrix (frames, dim), or a file that exists").encode()
    try:
        return matrix_bytes(value)
    except TypeError as error:
        raise Unexpected(str(error)) from None
    except ValueError as error:
        raise Unexpected(str(error), RowValueError) from None


def keywords(value: object) -> list[str] | None:
    """Check one row of keywords: a string or a list of strings; `[]` says that there are none, None asks for them."""
    if value is None:
        return None
    items = [value] if isinstance(value, str) else as_list(value)
    if items is None or not all(isinstance(item, str) for item in items):
        raise Unexpected("a string, a list of strings, or None")
    if not all(item.strip() for item in items):
        raise Unexpected("keywords that are not blank", RowValueError)
    return [clean(item) for item in items]


def require_video(columns: Mapping[str, list[Any]]) -> None:
    """Raise RowValueError for a row that has neither a video nor features."""
    for row, pair in enumerate(zip(columns["videos"], columns["video_features"], strict=True)):
        if pair == ("", b""):
            raise RowValueError(
                f"evqascore: videos[{row}] is None; expected the path of a video, or a matrix in video_features[{row}]",
                "videos",
                row,
            )


def _existing(path: str, expected: str) -> str:
    if not Path(path).is_file():
        raise Unexpected(expected, RowValueError)
    if clean(path) != path:
        raise Unexpected("a path in UTF-8", RowValueError)
    return path
