"""A repository of the Hub and the local folder with its files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["model", "dataset", "space"]

KINDS: tuple[Kind, ...] = ("model", "dataset", "space")
"""The kinds in the order of uploading: Spaces need models when they start."""

HUB = "https://huggingface.co"


@dataclass(frozen=True)
class Repository:
    """A repository; `source` is the folder of a large matcher, and None for what this package holds."""

    kind: Kind
    namespace: str
    name: str
    root: Path
    source: Path | None = None

    def __post_init__(self) -> None:
        from huggingface_hub.errors import HFValidationError
        from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

        try:
            validate_repo_id(self.id)
        except HFValidationError as error:
            raise ValueError(f"{self.id!r} cannot be the name of a repository on the Hub: {error}") from error

    @property
    def id(self) -> str:
        """The name that `evaluate.load` accepts: `org/smile`."""
        return f"{self.namespace}/{self.name}"

    @property
    def folder(self) -> Path:
        """The folder with its files; two levels above, libraries find it by `id` before they ask the Hub."""
        return self.root / f"{self.kind}s" / self.namespace / self.name

    @property
    def card(self) -> Path:
        """Its README.md."""
        return self.folder / "README.md"

    def files(self) -> dict[str, Path]:
        """Return its files by their paths in the repository."""
        found = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path for path in found}

    def __str__(self) -> str:
        return f"{self.kind}s/{self.id}"
