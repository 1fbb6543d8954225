"""Limits on what visitors may send, and the error that explains them."""

from dataclasses import dataclass
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
    """Limits of a Space.

    Args:
        characters: Length of one text: a question, an answer, a reference.
        references: Number of references per answer.
        rows: Number of answers in one file; a row with two answers counts twice.
        file_bytes: Size of one file.
        video_seconds: Length of a video according to its header.
        video_frames: Actual number of frames: two minutes at 60 per second.
        video_pixels: Size of one frame.
        reading_seconds: Time to decode one video.
        chunk_characters: Length of the texts that are scored together, so that other visitors get their turn.
        seconds: Time to score one file; the rows scored by then are kept.
        turn_seconds: Time that a request waits for the metric.
        piece_seconds: Time that the server waits for the next piece of a request.
        waiting: Number of requests in the queue.
        visitors: Number of visitors whose last result is kept.
        kept_seconds: Time after which files and results are deleted.
    """

    characters: int = 4000
    references: int = 10
    rows: int = 1000
    file_bytes: int = 5 * 2**20
    video_seconds: int = 120
    video_frames: int = 7200
    video_pixels: int = 1920 * 1920
    reading_seconds: float = 60
    chunk_characters: int = 8000
    seconds: float = 300
    turn_seconds: float = 60
    piece_seconds: float = 30
    waiting: int = 100
    visitors: int = 500
    kept_seconds: int = 1800


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
    """Raise Refusal if there are no rows or too many, given the number of answers per row."""
    if count * answers > LIMITS.rows:
        each = " with two answers each" if answers > 1 else ""
        raise Refusal(
            f"There are more than {LIMITS.rows // answers:,} rows{each}. Score a part of them, or all on your own "
            "machine with the code on the tab Python."
        )
    if not count:
        raise Refusal("There are no rows. Give one row per answer.")
