"""The state of a training run in a file, so that an interrupted run can resume."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..files.writing import replacing

State = dict[str, Any]
"""Tensors, numbers, and lists and dicts of them."""


@dataclass(frozen=True)
class TrainingCheckpoint:
    """A file with the state after the last complete epoch.

    `key` is a digest of everything that decides the run; the state of another run is neither used nor replaced.
    """

    file: Path
    key: str

    def load(self) -> tuple[State, list[float]] | None:
        """Return the state and the figure of each finished epoch; None if there is no file.

        Raises:
            ValueError: the file holds the state of another run, or something else.
        """
        import torch

        if not self.file.is_file():
            return None
        try:
            kept = torch.load(self.file, map_location="cpu", weights_only=True)
            key, found = kept["key"], (kept["state"], kept["accuracies"])
        except Exception as error:  # a damaged file, or one of another kind, may raise anything
            reason = " ".join(str(error).split())
            raise ValueError(
                f"{self.file} is not the state of a training ({type(error).__name__}: {reason}); start over after: "
                f"rm {self.file}"
            ) from error
        if key != self.key:
            raise ValueError(
                f"{self.file} holds another training that was interrupted; resume it with its options and data, or "
                f"start over after: rm {self.file}"
            )
        return found

    def save(self, state: State, accuracies: Sequence[float]) -> None:
        """Write the state; the old file is replaced once the new one is complete."""
        import torch

        with replacing(self.file) as whole, whole.open("wb") as file:
            try:
                torch.save({"key": self.key, "state": state, "accuracies": list(accuracies)}, file)
            except RuntimeError as error:  # it hides the OSError of a full disk
                raise error.__context__ or error from None


def digest(described: Iterable[object], files: Iterable[Path]) -> str:
    """Return a digest of the `repr` of some objects and of the content of some files."""
    parts = [*(repr(thing).encode() for thing in described), *(file.read_bytes() for file in files)]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
