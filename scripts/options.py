"""Options on the command line that are handed on to a metric: `--load k=v` and `--compute k=v`."""

import ast
import re
from collections.abc import Iterable
from typing import Any

_WORDS = {"true": True, "false": False, "null": None}


def parse_value(text: str) -> Any:
    """Read a Python literal (`0.3`, `True`, `None`, `['a']`, `'0.3'` for a string) or else the text itself."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def parse_options(given: Iterable[str], metric: str | None = None) -> dict[str, Any]:
    """Turn `["w=0.3", "smile.similarity=cosine"]` into keywords.

    Args:
        given: The options as typed. A name before a dot restricts an option to the metric of that name.
        metric: The metric that the options are for; options of other metrics are left out.

    Returns:
        Keywords with their values.

    Raises:
        ValueError: an option is not of the form `name=value`.
    """
    options = {}
    for text in given:
        match = re.fullmatch(r"(?:(\w+)\.)?([A-Za-z_]\w*)=(.*)", text, flags=re.DOTALL)
        if not match:
            raise ValueError(f"option {text!r} has no name; write name=value, for example w=0.3")
        owner, name, value = match.groups()
        if owner in (None, metric):
            options[name] = parse_value(value)
    return options
