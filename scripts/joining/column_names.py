"""Column names of scored and labeled rows."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from .. import options


@dataclass(frozen=True)
class ColumnNames:
    """Columns as the user names them. With None or (), they are found by their usual names.

    `weight` is 1 / probability that the row was drawn, and `id` the columns that identify a row. Rows with the same
    value in `cluster` are related; rows with the same value in `group` get an estimate of their own.
    """

    score: str = "score"
    verdict: str | None = None
    id: tuple[str, ...] = ()
    label: str | None = None
    weight: str | None = None
    cluster: str | None = None
    judge: str | None = None
    group: str | None = None


def parse_columns(given: Iterable[str] | None, roles: Collection[str]) -> ColumnNames:
    """Parse the options `--column`, such as `["score=bem_score", "id=doc", "id=turn"]`.

    `roles` are the fields of `ColumnNames` that the command reads. Only id may be repeated.
    """
    named = options.parse_column_names(given or (), roles, "id")
    identity = tuple(named.pop("id", ()))
    return ColumnNames(id=identity, **{role: name for role, (name,) in named.items()})
