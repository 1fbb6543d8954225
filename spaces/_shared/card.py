"""The metric's card, as the page shows it."""

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


def read_card(metric: Path) -> Card:
    """Read the card of a metric's folder; links to files that are not on the page become text."""
    card = RepoCard.load(metric / "README.md")
    data: dict[str, Any] = card.data.to_dict()
    return Card(data["title"], data["emoji"], data["description"], _LINK_TO_FILE.sub(r"\1", card.text))
