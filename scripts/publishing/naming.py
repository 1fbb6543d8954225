"""Texts as they read in a namespace of the Hub: `evaluate.load("smile")` becomes `evaluate.load("org/smile")`.

A published metric is found, and finds its model, under the names that it was published with.
"""

import re

from . import sources
from .repository import HUB, KINDS

# The namespace that names in this package's files are written with.
_WRITTEN = "evaluate-qa"

_LOAD = r"(?P<call>(?:evaluate\.load\(\s*|\bfirst(?:=|\": ))[\"'])(?P<name>{names})(?=[\"'])"
_OWNED = r"(?<![\w-]){written}/(?P<name>{names})(?![\w-])"
_CARD_LINK = r"\]\((?:\.\./)+(?:metrics/)?(?P<name>{names})/README\.md\)"


def in_namespace(text: str, namespace: str) -> str:
    """Return a text of a metric, a data set or a model, with the names of what is published in this namespace."""
    metrics = "|".join(sources.names("space"))
    text = _named(_LOAD, metrics, rf"\g<call>{namespace}/\g<name>", text)
    text = _named(_CARD_LINK, metrics, rf"]({HUB}/spaces/{namespace}/\g<name>)", text)
    return owned_by(text, namespace)


def owned_by(text: str, namespace: str) -> str:
    """Return a text with the repositories of this project in this namespace; names of metrics stay as they are."""
    everything = "|".join(name for kind in KINDS for name in sources.names(kind))
    return _named(_OWNED, everything, rf"{namespace}/\g<name>", text)


def _named(pattern: str, names: str, replacement: str, text: str) -> str:
    return re.sub(pattern.format(names=names, written=_WRITTEN), replacement, text)
