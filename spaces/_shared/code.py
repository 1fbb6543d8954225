"""The Python lines that do what was just done on the page."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .specification import Field, Options, Row

Metric = tuple[str, str | None]

READERS = {
    ".jsonl": 'import json\n\nwith open({file}, encoding="utf-8") as lines:\n'
    "    rows = [json.loads(line) for line in lines if line.strip()]",
    ".csv": "import json\n\nimport pandas\n\n"
    'rows = pandas.read_csv({file}, dtype=str, keep_default_na=False).to_dict("records")\n'
    "for row in rows:  # a cell with several texts is a JSON list\n"
    '    row.update({{name: json.loads(cell) for name, cell in row.items() if cell.startswith("[")}})',
    ".parquet": 'import pandas\n\nrows = pandas.read_parquet({file}).to_dict("records")',
}


def for_row(metric: Metric, name: str, row: Row, options: Options) -> str:
    """Return lines that score one row.

    Args:
        metric: What evaluate loads: a name, or the Space's name on the Hub; and a configuration, or None.
        name: The metric's name, that of its score.
        row: The row.
        options: What `compute` takes besides columns.
    """
    columns = {column: [value] for column, value in row.items()}
    lines = [*_load(metric, name), f"out = {name}.compute(", *_arguments({**columns, **options}), ")"]
    return "\n".join([*lines, 'print(out["per_example"])', ""])


def for_file(metric: Metric, name: str, file: str, suffix: str, columns: Mapping[str, str], options: Options) -> str:
    """Return lines that score a file.

    Args:
        metric: As above.
        name: As above.
        file: The file's name.
        suffix: Its format, a key of READERS.
        columns: Column of the metric → name in the file.
        options: As above.
    """
    taken = [f"    {column}=[row[{_text(there)}] for row in rows]," for column, there in columns.items()]
    lines = [READERS[suffix].format(file=_text(file)), "", *_load(metric, name), f"out = {name}.compute("]
    return "\n".join([*lines, *taken, *_arguments(options), ")", f'print(out["{name}"])', ""])


def for_api(space: str, fields: Sequence[Field], row: Row, options: Options) -> str:
    """Return lines that ask this Space to score one row, by the names that its API has for columns and options."""
    given = [field for field in fields if field.column in row]
    videos = [f"    {f.name}=handle_file({_text(row[f.column])})," for f in given if f.kind == "video"]
    named = {field.name: row[field.column] for field in given if field.kind != "video"}
    arguments = [*videos, *_arguments({**named, **options, "api_name": "/score"})]
    imported = "Client, handle_file" if videos else "Client"
    lines = [f"from gradio_client import {imported}", "", f"client = Client({_text(space)})"]
    return "\n".join([*lines, "print(client.predict(", *arguments, "))", ""])


def _load(metric: Metric, name: str) -> list[str]:
    return ["import evaluate", "", f"{name} = evaluate.load({', '.join(_text(part) for part in metric if part)})"]


def _arguments(values: Mapping[str, Any]) -> list[str]:
    return [f"    {name}={_literal(value)}," for name, value in values.items()]


def _literal(value: Any) -> str:
    # JSON's texts and lists are Python's too, and have the quotes that Python code mostly has.
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (str, list)) else repr(value)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
