"""Rename metrics and models in texts for a namespace of the Hub: `load("smile")` becomes `load("org/smile")`."""

import re

from . import sources
from .repository import HUB, KINDS

# The namespace in the files of this package.
_WRITTEN = "evaluate-qa"

_LOAD = r"(?P<call>(?:evaluate\.load\(\s*|\bfirst(?:=|\": ))[\"'])(?P<name>{names})(?=[\"'])"
_OWNED = r"(?<![\w-]){written}/(?P<name>{names})(?![\w-])"
_CARD_LINK = r"\]\((?:\.\./)+(?:metrics/)?(?P<name>{names})/README\.md\)"


def in_namespace(text: str, namespace: str) -> str:
    """Return a text with the names of metrics, data sets and models in a namespace."""
    metrics = "|".join(sources.names("space"))
    text = _named(_LOAD, metrics, rf"\g<call>{namespace}/\g<name>", text)
    text = _named(_CARD_LINK, metrics, rf"]({HUB}/spaces/{namespace}/\g<name>)", text)
    return owned_by(text, namespace)


def owned_by(text: str, namespace: str) -> str:
    """Return a text with the names of repositories in a namespace; `evaluate.load("smile")` stays."""
    everything = "|".join(name for kind in KINDS for name in sources.names(kind))
    return _named(_OWNED, everything, rf"{namespace}/\g<name>", text)


def _named(pattern: str, names: str, replacement: str, text: str) -> str:
    return re.sub(pattern.format(names=names, written=_WRITTEN), replacement, text)
