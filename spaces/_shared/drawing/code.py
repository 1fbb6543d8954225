"""The Python lines that do what was just done on the page."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..metric import Field, Row
from ..scoring.files import OTHERS, UploadedTable

Metric = tuple[str, str | None]

NO_API = "# The API cannot use your endpoint. Use the code above instead.\n"

READERS = {
    ".jsonl": """\
import json

with open({file}, encoding="utf-8-sig") as lines:
    rows = [json.loads(line) for line in lines if line.strip()]
""",
    ".csv": """\
import csv

with open({file}, encoding="utf-8-sig", newline="") as lines:
    rows = list(csv.DictReader(lines))
""",
    ".parquet": """\
import pyarrow.parquet

rows = pyarrow.parquet.read_table({file}, columns={columns}).to_pylist()
""",
}
# As many as the page names.
REPAIRED = 10
# A cell with several values is a JSON list.
CSV_LIST = """\
for row in rows:
    if row[{name}].startswith("["):
        row[{name}] = json.loads(row[{name}])
"""


def for_row(
    metric: Metric, name: str, row: Row, options: Mapping[str, Any], loading: Mapping[str, Any] | None = None
) -> str:
    """Return lines that score one row.

    Args:
        metric: What evaluate loads: a name, or the Space's name on the Hub; and a configuration, or None.
        name: The metric's name, that of its score.
        row: The row.
        options: What `compute` takes besides columns.
        loading: What `evaluate.load` takes besides.
    """
    columns = {column: [value] for column, value in row.items()}
    lines = [*_load(metric, name, loading), f"out = {name}.compute(", *_arguments({**columns, **options}), ")"]
    return "\n".join([*lines, 'print(out["per_example"])', ""])


def for_file(
    metric: Metric,
    name: str,
    table: UploadedTable,
    fields: Sequence[Field],
    options: Mapping[str, Any],
    verdicts: bool = False,
    loading: Mapping[str, Any] | None = None,
    problems: Sequence[str] = (),
) -> str:
    """Return lines that score a file, and where it has two systems' answers compare them.

    They take all rows, so where the page left some out, these are named first.

    Args:
        metric: As above.
        name: As above.
        table: What was read of the file.
        fields: The Space's.
        options: As above.
        verdicts: Whether the metric gives any.
        loading: As above.
        problems: What is wrong with rows that were left out.
    """
    there = [field for field in fields if field.column in table.columns]
    lines = [_reader(table, there), *_load(metric, name, loading), *_computed("out", name, table, there, options)]
    if table.others:
        lines.insert(2, "from evaluate_qa import compare")
        lines += [*_computed("other", name, table.of_others(), there, options), *_comparison(table, there, verdicts)]
    return "\n".join([*_to_repair(problems), *lines, ""])


def for_api(space: str, fields: Sequence[Field], row: Row, options: Mapping[str, Any]) -> str:
    """Return lines that ask this Space to score one row, by the names that its API has for columns and options."""
    given = [field for field in fields if field.column in row]
    videos = [f"    {f.name}=handle_file({_text(row[f.column])})," for f in given if f.kind == "video"]
    named = {field.name: row[field.column] for field in given if field.kind != "video"}
    arguments = [*videos, *_arguments({**named, **options, "api_name": "/score"})]
    imported = "Client, handle_file" if videos else "Client"
    lines = [f"from gradio_client import {imported}", "", f"client = Client({_text(space)})"]
    return "\n".join([*lines, "print(client.predict(", *arguments, "))", ""])


def _to_repair(problems: Sequence[str]) -> list[str]:
    """Return what names the rows that were left out, each in one line."""
    if not problems:
        return []
    more = len(problems) - REPAIRED
    told = [*problems[:REPAIRED], *([f"and {more:,} more"] if more > 0 else [])]
    first = "# Fix or delete these rows first; the page skipped them:"
    return [first, *(f"# - {' '.join(problem.split())}" for problem in told), ""]


def _computed(
    result: str, name: str, table: UploadedTable, fields: Sequence[Field], options: Mapping[str, Any]
) -> list[str]:
    taken = [f"    {field.column}=[{_cell(table, field)} for row in rows]," for field in fields]
    return [f"{result} = {name}.compute(", *taken, *_arguments(options), ")", f'print({result}["{name}"])']


def _comparison(table: UploadedTable, fields: Sequence[Field], verdicts: bool) -> list[str]:
    """Return lines that compare both, as the page does: rows of one video or question go together."""
    found = {field.column: field for field in fields if field.column in ("videos", "questions")}
    lines = ["", 'found = {"a": out["per_example"], "b": other["per_example"]}']
    lines += ["pairs = compare(", '    {name: rows["score"] for name, rows in found.items()},']
    if verdicts:
        lines.append('    verdicts={name: rows["verdict"] for name, rows in found.items()},')
    if found:
        name = _text(table.columns[next(column for column in ("videos", "questions") if column in found)])
        lines.append(f"    clusters=[row.get({name}) or number for number, row in enumerate(rows)],")
    return [*lines, ")", "print(pairs[0])"]


def _reader(table: UploadedTable, fields: Sequence[Field]) -> str:
    columns = [
        table.columns[column] for column in (*(field.column for field in fields), *([OTHERS] * bool(table.others)))
    ]
    lines = READERS[table.suffix].format(file=_text(table.name), columns=_literal(columns))
    lists = [_text(table.columns[field.column]) for field in fields if field.is_list and table.suffix == ".csv"]
    if lists:
        lines = lines.replace("import csv", "import csv\nimport json")
    return lines + "".join(CSV_LIST.format(name=name) for name in lists)


def _cell(table: UploadedTable, field: Field) -> str:
    """Return what takes a column's value from a row; what some rows lack becomes what the metric has for nothing."""
    name = _text(table.columns[field.column])
    if all(row.get(field.column) for row in table.rows):
        return f"row[{name}]"
    return f'row.get({name}) or ""' if field.column == "predictions" else f"row.get({name}) or None"


def _load(metric: Metric, name: str, loading: Mapping[str, Any] | None) -> list[str]:
    told = [_text(part) for part in metric if part]
    given = [f"{option}={_literal(value)}" for option, value in (loading or {}).items()]
    key = ["# If the endpoint needs a key, set OPENAI_API_KEY in the environment."]
    # A name with a slash is a Space of the Hub or a folder, which evaluate loads; others are this package's.
    loader = "evaluate" if "/" in str(metric[0]) else "evaluate_qa"
    load = f"{name} = {loader}.load({', '.join([*told, *given])})"
    return [f"import {loader}", "", *(key if "endpoint" in (loading or {}) else []), load]


def _arguments(values: Mapping[str, Any]) -> list[str]:
    return [f"    {name}={_literal(value)}," for name, value in values.items()]


def _literal(value: Any) -> str:
    # JSON's texts and lists are Python's too, and have the quotes that Python code mostly has.
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (str, list)) else repr(value)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
