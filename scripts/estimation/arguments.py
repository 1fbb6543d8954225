"""Column names of scored and labeled rows."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ..files.rows import did_you_mean


@dataclass(frozen=True)
class Names:
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


def parse_columns(given: Iterable[str] | None, roles: Collection[str]) -> Names:
    """Parse the options `--column`, such as `["score=bem_score", "id=doc", "id=turn"]`.

    `roles` are the fields of `Names` that the command reads.

    Raises:
        ValueError: an option is not of the form `role=NAME`, has an unknown role, or repeats a role other than id.
    """
    named: dict[str, list[str]] = {}
    for text in given or ():
        role, _, name = text.partition("=")
        if role not in roles:
            raise ValueError(f"--column {text}: there is no column {role!r} to rename. {did_you_mean(role, roles)}")
        if not name:
            raise ValueError(f"--column {text}: the new name is missing. Write it as --column {role}=NAME.")
        named.setdefault(role, []).append(name)
    for role, names in named.items():
        if len(names) > 1 and role != "id":
            raise ValueError(f"--column {role}=… is given {len(names)} times. Give it once; only id may be repeated.")
    identity = tuple(named.pop("id", ()))
    return Names(id=identity, **{role: names[0] for role, names in named.items()})
