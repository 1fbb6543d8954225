"""Parse options on the command line: `--load k=v`, `--compute k=v` and `--column k=v`."""

import ast
import json
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.columns import check_kwargs
from evaluate_qa.metrics._shared.options import build_options, declarations

from .files.rows import did_you_mean

_WORDS = {"true": True, "false": False, "null": None}


def parse_value(text: str) -> Any:
    """Return a Python literal (`0.3`, `True`, `None`, `['a']`, `'0.3'`), a JSON object, or the text itself."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for parse in (ast.literal_eval, json.loads):
        with suppress(ValueError, SyntaxError):
            return parse(text)
    return text


def parse_options(given: Iterable[str], metric: str | None = None, others: Iterable[str] = ()) -> dict[str, Any]:
    """Turn `["w=0.3", "smile.similarity=cosine"]` into keywords with their values.

    The name of a metric before a dot restricts an option to that metric; options of the command's other metrics are
    skipped. Raise ValueError for another form, or for an option of a metric that the command does not run.
    """
    own, *rest = (Path(name).name for name in (metric or "", *others))
    options = {}
    for text in given:
        match = re.fullmatch(r"(?:([^=]+)\.)?([A-Za-z_]\w*)=(.*)", text, flags=re.DOTALL)
        if not match:
            raise ValueError(f"option {text!r} has no name or no value. Write name=value, such as w=0.3.")
        owner, name, value = match.groups()
        if owner in (None, own):
            options[name] = parse_value(value)
        elif owner not in rest:
            there = [one for one in dict.fromkeys([own, *rest]) if one]
            raise ValueError(
                f"option {text!r} is for the metric {owner!r}, which is not used. {did_you_mean(owner, there)}"
            )
    return options


def compute_options(metric: Any, given: Mapping[str, Any]) -> Any:
    """Return the options of a metric's `compute`, as its class; raise TypeError or ValueError for any other keyword."""
    known = declarations(metric.options)
    check_kwargs(metric.name, given, known, elsewhere=declarations(metric.loading), place="load")
    return build_options(metric.name, metric.options, given)


def parse_column_names(given: Iterable[str], known: Collection[str], repeatable: str = "") -> dict[str, list[str]]:
    """Parse the options `--column`, such as `["predictions=output", "id=doc"]`: column → its names in the file.

    Raise ValueError for another form, an unknown column, or a column other than `repeatable` that is given twice.
    """
    named: dict[str, list[str]] = {}
    for text in given:
        column, _, name = text.partition("=")
        if column not in known:
            turned = [one for one in known if name in (one, one.removesuffix("s")) and f"{column}s" not in known]
            hint = f"Write it as --column {turned[0]}={column}." if turned else did_you_mean(column, known)
            raise ValueError(f"--column {text}: there is no column {column!r} to rename. {hint}")
        if not name:
            raise ValueError(f"--column {text}: the new name is missing. Write it as --column {column}=NAME.")
        if column in named and column != repeatable:
            raise ValueError(f"--column {column}=… is given more than once. Give it once.")
        named.setdefault(column, []).append(name)
    return named
