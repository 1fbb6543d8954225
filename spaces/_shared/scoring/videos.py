"""The videos for the rows of a file: each is read once, as soon as it has been uploaded, and deleted then."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gradio_client.utils import strip_invalid_filename_characters  # type: ignore[import-untyped]

from ..metric import HostedScorer, Row, Specification
from ..visitors.limits import LIMITS, Limits, Refusal
from ..visitors.uploads import delete
from .answering import told


@dataclass(frozen=True)
class Videos:
    """What is known of a visitor's videos.

    Args:
        read: Name → what stands for the video.
        problems: Name → why it could not be read.
    """

    read: Mapping[str, bytes] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str) -> bytes:
        """Return what stands for the video of this name, which is nothing but a name: no path is followed.

        Raises:
            Refusal: there is none, or it could not be read.
        """
        # An upload leaves out what file systems do not take, such as quotes and colons.
        for known in (name, strip_invalid_filename_characters(name)):
            if known in self.read:
                return self.read[known]
            if known in self.problems:
                raise Refusal(f"{known}: {self.problems[known]}")
        names = ", ".join(sorted(self.read)) or "none"
        raise Refusal(f"Video: there is no video “{name:.80}”. Uploaded: {names:.300}.")


def read_videos(
    specification: Specification, scorer: HostedScorer, known: Videos, paths: Sequence[Path], limits: Limits = LIMITS
) -> Iterator[Videos]:
    """Read videos; yield what is known at the start and after each. All are deleted, also where this is broken off.

    Args:
        specification: The Space.
        scorer: Its metric.
        known: What the visitor has uploaded before; of those with one name, the last counts.
        paths: Where the videos are.
        limits: How many there may be.

    Raises:
        Refusal: there are too many.
    """
    try:
        names = {*known.read, *known.problems, *(path.name for path in paths)}
        if len(names) > limits.videos:
            raise Refusal(f"There are {len(names)} videos; this Space accepts {limits.videos}. Leave some out.")
        yield known
        for path in paths:
            known = _with(known, specification, scorer, path)
            delete(path)
            yield known
    finally:
        for path in paths:
            delete(path)


def _with(known: Videos, specification: Specification, scorer: HostedScorer, path: Path) -> Videos:
    """Read a video and add it to those that are known."""
    reader, video = specification.reader, specification.video
    if reader is None or video is None:
        raise TypeError(f"{specification.name} has no videos")
    read = {name: content for name, content in known.read.items() if name != path.name}
    problems = {name: problem for name, problem in known.problems.items() if name != path.name}
    try:
        return Videos({**read, path.name: reader.read(scorer, str(path))}, problems)
    except Exception as error:
        # The form says of which box it speaks; here it is the video's name that is said.
        return Videos(read, {**problems, path.name: told(error).removeprefix(f"{video.label}: ")})


class StandIns:
    """Puts into rows what stands for their videos, as files in a folder.

    Args:
        specification: The Space.
        videos: What is known of them.
        folder: Where the files go.
    """

    def __init__(self, specification: Specification, videos: Videos, folder: Path) -> None:
        self._specification, self._videos, self._folder = specification, videos, folder

    def row(self, row: Row) -> Row:
        """Return a row of a file as the metric takes it; raises Refusal if its video is missing or broken."""
        video, reader = self._specification.video, self._specification.reader
        if video is None or reader is None:
            return row
        content = self._videos.of(row[video.column])
        file = self._folder / (hashlib.sha256(content).hexdigest() + reader.suffix)
        if not file.exists():
            file.write_bytes(content)
        return {**{column: value for column, value in row.items() if column != video.column}, reader.column: str(file)}
