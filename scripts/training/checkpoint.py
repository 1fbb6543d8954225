"""The state of a training run, in a file, so that an interrupted run can resume."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..files.writing import replacing

State = dict[str, Any]
"""Tensors, numbers, and lists and dicts of them."""


@dataclass(frozen=True)
class Checkpoint:
    """A file with the state after the last whole epoch.

    Args:
        file: Where.
        key: Digest of all that decides the run: the state of another run is neither taken nor replaced.
    """

    file: Path
    key: str

    def load(self) -> tuple[State, list[float]] | None:
        """Return the state and the accuracy of each epoch that is done; None if there is no state.

        Raises:
            ValueError: there is the state of another run, or another file.
        """
        import torch

        if not self.file.is_file():
            return None
        try:
            kept = torch.load(self.file, map_location="cpu", weights_only=True)
            if kept["key"] == self.key:
                return kept["state"], kept["accuracies"]
            told = "holds another training, which was interrupted"
        except Exception as error:  # a file that is damaged, or another's, may raise anything
            told = f"holds no state of a training ({error})"
        raise ValueError(f"{self.file} {told}; go on with the options of that one, or start over after: rm {self.file}")

    def save(self, state: State, accuracies: Sequence[float]) -> None:
        """Write the state; the file is replaced when it is whole."""
        import torch

        with replacing(self.file) as whole:
            torch.save({"key": self.key, "state": state, "accuracies": list(accuracies)}, whole)


def digest(described: Iterable[object], files: Iterable[Path]) -> str:
    """Return a digest of what has a repr that says all, and of files' contents."""
    parts = [*(repr(thing).encode() for thing in described), *(file.read_bytes() for file in files)]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
