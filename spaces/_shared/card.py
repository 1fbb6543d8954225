"""The card: the front matter of a Space's README, and the body of the metric's."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from huggingface_hub import RepoCard

_LINK_TO_FILE = re.compile(r"\[([^\]]+)\]\((?!https?:|#)[^)]*\)")


@dataclass(frozen=True)
class Card:
    """What the page shows of itself.

    Args:
        title: Name of the Space.
        emoji: Its picture.
        description: A sentence.
        body: The metric's card, Markdown.
    """

    title: str
    emoji: str
    description: str
    body: str


def read_card(app: Path, metric: Path) -> Card:
    """Read a Space's front matter and the metric's card; links to files that are not on the page become text."""
    data: dict[str, Any] = RepoCard.load(app / "README.md").data.to_dict()
    body = RepoCard.load(metric / "README.md", ignore_metadata_errors=True).text
    return Card(data["title"], data["emoji"], data["description"], _LINK_TO_FILE.sub(r"\1", body))
