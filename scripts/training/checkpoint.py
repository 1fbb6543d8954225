"""The state of a training run, in a file, so that an interrupted run can resume."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

State = dict[str, Any]
"""Tensors, numbers, and lists and dicts of them."""


@dataclass(frozen=True)
class Checkpoint:
    """A file with the state after the last whole epoch.

    Args:
        file: Where.
        key: Digest of all that decides the run: the state of another run is not taken.
    """

    file: Path
    key: str

    def load(self) -> tuple[State, list[float]] | None:
        """Return the state and the accuracy of each epoch that is done; None if there is no state of this run."""
        import torch

        if not self.file.is_file():
            return None
        kept = torch.load(self.file, map_location="cpu", weights_only=True)
        return (kept["state"], kept["accuracies"]) if kept["key"] == self.key else None

    def save(self, state: State, accuracies: Sequence[float]) -> None:
        """Write the state; the file is replaced when it is whole."""
        import torch

        whole = self.file.with_name(f".{self.file.name}.{os.getpid()}")
        torch.save({"key": self.key, "state": state, "accuracies": list(accuracies)}, whole)
        whole.replace(self.file)


def digest(described: Iterable[object], files: Iterable[Path]) -> str:
    """Return a digest of what has a repr that says all, and of files' contents."""
    parts = [*(repr(thing).encode() for thing in described), *(file.read_bytes() for file in files)]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
