"""Convert rows to Arrow tables, and find common types for columns of mixed types.

A column with lists and single values becomes a column of lists, and integers and floats become floats. Values without a
common type become text, as in CSV.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evaluate_qa.metrics._shared.columns import clean

from .rows import Row, RowsError
from .values import text


def table(rows: Sequence[Row]) -> pa.Table:
    """Return a table with the columns of all rows; missing values are null."""
    columns = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: _array([row.get(name) for row in rows]) for name in columns})


def join_parquet(parts: Iterable[Path], target: Path, columns: Iterable[str]) -> None:
    """Write the rows of all parts to one file with common types; its first columns are `columns`.

    If a value does not fit the common type of its column, the column becomes text, and the file is written again.
    """
    parts = list(parts)
    first = pa.schema([(name, pa.null()) for name in columns])
    schema = reduce(_merge, (pq.read_schema(part) for part in parts), first)
    while (column := _write(parts, schema, target)) is not None:
        if pa.types.is_string(schema.field(column).type):
            raise RowsError(
                f"The column {column!r} mixes objects with other values, and bytes in the objects cannot become text."
            )
        schema = schema.set(schema.get_field_index(column), pa.field(column, pa.string()))


def _write(parts: Sequence[Path], schema: pa.Schema, target: Path) -> str | None:
    """Write all parts; return a column that does not fit its type, if there is one."""
    with pq.ParquetWriter(target, schema) as writer:
        for part in parts:
            fitted = _fit(pq.read_table(part), schema)
            if isinstance(fitted, str):
                return fitted
            writer.write_table(fitted)
    return None


def _array(values: list[Any]) -> pa.Array:
    if any(isinstance(value, list) for value in values):
        values = [value if value is None or isinstance(value, list) else [value] for value in values]
    try:
        array = pa.array(values)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        array = None
    # Parquet has no type for objects without fields.
    return _convert(values, pa.string()) if array is None or "struct<>" in str(array.type) else array


def _merge(one: pa.Schema, other: pa.Schema) -> pa.Schema:
    types: dict[str, pa.DataType] = {}
    for field in (*one, *other):
        types[field.name] = _common_type(types[field.name], field.type) if field.name in types else field.type
    return pa.schema(list(types.items()))


def _common_type(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    try:
        schemas = [pa.schema([("", kind)]) for kind in (one, other)]
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowTypeError:
        items = [kind.value_type if pa.types.is_list(kind) else kind for kind in (one, other)]
        return pa.string() if items == [one, other] else pa.list_(_common_type(*items))


def _fit(part: pa.Table, schema: pa.Schema) -> pa.Table | str:
    """Return a part with the columns and types of a schema, or the name of a column that does not fit."""
    nulls = pa.nulls(len(part))
    present = {name: part[name] for name in part.column_names}
    columns = []
    for field in schema:
        try:
            column = present.get(field.name, nulls)
            columns.append(column if column.type == field.type else _convert(column.to_pylist(), field.type))
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            return str(field.name)
    return pa.table(columns, schema=schema)


def _convert(values: list[Any], kind: pa.DataType) -> pa.Array:
    return pa.array([_convert_value(value, kind) for value in values], kind)


def _convert_value(value: Any, kind: pa.DataType) -> Any:
    """Convert a value: a single value to a list with one item, and any value to text."""
    if value is None:
        return None
    if pa.types.is_list(kind):
        return [_convert_value(item, kind.value_type) for item in (value if isinstance(value, list) else [value])]
    return clean(text(value)) if pa.types.is_string(kind) else value
