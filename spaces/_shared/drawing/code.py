"""Python code and commands that repeat a visitor's steps on the page."""

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..metric.hosted import Row
from ..metric.specification import Specification
from ..scoring.files import OTHERS, UploadedTable

_KEY = "# If the endpoint needs a key, set OPENAI_API_KEY in the environment."


def for_row(specification: Specification, metric: str, row: Row, options: Any, loading: Mapping[str, Any]) -> str:
    """Return Python code that scores one row.

    `metric` is the metric's name, or the Space's name on the Hub. `loading` has the options of `load`.
    """
    name, columns = specification.name, {column: [value] for column, value in row.items()}
    # A name with a slash is a Space on the Hub or a folder, which evaluate loads.
    loader = "evaluate" if "/" in metric else "evaluate_qa"
    loaded = [_literal(part) for part in (metric, specification.configuration) if part]
    loaded += [f"{option}={_literal(value)}" for option, value in loading.items()]
    lines = [f"import {loader}", "", *([_KEY] if "endpoint" in loading else [])]
    lines += [f"{name} = {loader}.load({', '.join(loaded)})"]
    given = columns | specification.arguments(options)
    arguments = [f"    {option}={_literal(value)}," for option, value in given.items()]
    lines += [f"out = {name}.compute(", *arguments, ")", 'print(out["per_example"])', ""]
    return "\n".join(lines)


def for_file(
    specification: Specification, metric: str, table: UploadedTable, options: Any, loading: Mapping[str, Any]
) -> str:
    """Return commands that score a file and, with two systems' answers, compare them; arguments as above."""
    given = [f"--load {shlex.quote(f'{name}={value}')}" for name, value in loading.items()]
    given += [f"--compute {shlex.quote(f'{name}={value}')}" for name, value in specification.arguments(options).items()]
    score = f"evaluate-qa score --metric {metric} --input {shlex.quote(table.name)}"
    commands = [_KEY] if "endpoint" in loading else []
    stem = Path(table.name).stem
    scored, skipped = (
        [shlex.quote(f"{stem}.{end}{more}.jsonl") for more in ("", "_b")] for end in ("scored", "skipped")
    )
    commands.append(" ".join([score, f"--errors {skipped[0]} --output {scored[0]}", *given]))
    if table.others:
        columns = f"--column predictions={table.columns[OTHERS]}"
        commands.append(" ".join([score, f"--errors {skipped[1]} --output {scored[1]}", columns, *given]))
        commands.append(f"evaluate-qa compare {' '.join(scored)}")
    return "\n".join([*commands, ""])


def _literal(value: Any) -> str:
    # JSON strings and lists are also Python literals, with the usual double quotes.
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (str, list)) else repr(value)
