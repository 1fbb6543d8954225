"""How much a visitor may ask for, and the refusal that says so."""

from dataclasses import dataclass
from typing import Any


class Refusal(ValueError):  # noqa: N818 - not an error of the program, but an answer to a visitor
    """What was entered cannot be scored; the message is for the visitor and says what to do."""


def shown(value: Any) -> str:
    """Return a value as a refusal names it; of what may be a file nothing, for it has a path of this machine."""
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else f"{value!r:.50}"


@dataclass(frozen=True)
class Limits:
    """What a Space takes.

    Args:
        characters: Of one text: a question, an answer, a reference.
        references: References of one answer.
        rows: Answers in one file: its rows, twice if each has two answers.
        file_bytes: Size of one file.
        unpacked_bytes: Size of what a Parquet file holds in the columns that are needed, as JSON.
        videos: Videos of one file.
        video_seconds: How long a video may say that it is.
        video_frames: Frames that it may really hold: two minutes at 60 a second.
        video_pixels: Size of one frame.
        reading_seconds: Time for reading one video.
        chunk_characters: From how many characters on the rows so far are scored, so that others get their turn.
        seconds: Time for the rows of one file; what is scored by then is kept.
        turn_seconds: How long a request waits until the metric is free.
        piece_seconds: How long the server waits for the next piece of a request.
        waiting: Requests in the queue.
        visitors: Visitors whose last result is remembered.
        kept_seconds: How long files and results are kept at most.
    """

    characters: int = 4000
    references: int = 10
    rows: int = 1000
    file_bytes: int = 5 * 2**20
    unpacked_bytes: int = 16 * 2**20
    videos: int = 20
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


def check_length(label: str, text: str, limits: Limits = LIMITS) -> None:
    """Raise Refusal if a text is too long."""
    if len(text) > limits.characters:
        raise Refusal(
            f"{label}: the text has {len(text):,} characters; this Space accepts {limits.characters:,}. Shorten it, or "
            "score it on your own machine with the code on the tab Python."
        )


def check_count(label: str, count: int, limits: Limits = LIMITS) -> None:
    """Raise Refusal if an answer has too many references (or weights, …)."""
    if count > limits.references:
        raise Refusal(f"{label}: there are {count}; this Space accepts {limits.references}. Leave some out.")


def check_rows(count: int, limits: Limits = LIMITS, answers: int = 1) -> None:
    """Raise Refusal if there are no rows, or too many; of rows with two answers each, half as many fit."""
    if count * answers > limits.rows:
        each = " with two answers each" if answers > 1 else ""
        raise Refusal(
            f"There are more than {limits.rows // answers:,} rows{each}. Score a part of them, or all on your own "
            "machine with the code on the tab Python."
        )
    if not count:
        raise Refusal("There are no rows. Give one row per answer.")
