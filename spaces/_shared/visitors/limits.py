"""Limits on what visitors may send, and the error that explains them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any


class Refusal(ValueError):  # noqa: N818 - not a failure of the program, but an answer to a visitor
    """The input cannot be scored. The message is shown to the visitor and explains how to fix it."""


def shown(value: Any) -> str:
    """Return a value for an error message, without the content of objects, which may be paths on this server."""
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else f"{value!r:.50}"


@dataclass
class Limits:
    """Limits of a Space."""

    characters: int = 4000  # length of one text: a question, an answer, a reference
    references: int = 10  # number of references per answer
    rows: int = 1000  # number of answers in one file; a row with two answers counts twice
    file_bytes: int = 5 * 2**20  # size of one file
    video_seconds: int = 120  # length of a video according to its header
    video_frames: int = 7200  # actual number of frames: two minutes at 60 per second
    video_pixels: int = 1920 * 1920  # size of one frame
    reading_seconds: float = 60  # time to decode one video
    chunk_characters: int = 8000  # length of the texts that are scored together, so that other visitors get their turn
    seconds: float = 300  # time to score one file; the rows scored by then are kept
    turn_seconds: float = 60  # time that a request waits for the metric
    piece_seconds: float = 30  # time that the server waits for the next piece of a request
    waiting: int = 100  # number of requests in the queue
    visitors: int = 500  # number of visitors whose last result is kept
    kept_seconds: int = 1800  # time after which files and results are deleted


LIMITS = Limits()


def check_length(label: str, text: str) -> None:
    """Raise Refusal if a text is too long."""
    if len(text) > LIMITS.characters:
        raise Refusal(
            f"{label}: the text has {len(text):,} characters; this Space accepts {LIMITS.characters:,}. Shorten it, or "
            "score it on your own machine with the code on the tab Python."
        )


def check_count(label: str, count: int) -> None:
    """Raise Refusal if an answer has too many references or weights."""
    if count > LIMITS.references:
        raise Refusal(f"{label}: there are {count}; this Space accepts {LIMITS.references}. Leave some out.")


def check_rows(count: int, answers: int = 1) -> None:
    """Raise Refusal if there are too many rows, given the number of answers per row."""
    if count * answers > LIMITS.rows:
        each = " with two answers each" if answers > 1 else ""
        raise Refusal(
            f"There are more than {LIMITS.rows // answers:,} rows{each}. Score a part of them, or all on your own "
            "machine with the code on the tab Python."
        )


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
