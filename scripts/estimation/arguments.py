"""The columns of scored and labeled rows as a user names them, and the rule of a gate."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..files.rows import did_you_mean

if TYPE_CHECKING:
    from .joining import Names


@dataclass(frozen=True)
class RoleColumns:
    """The columns of scored rows and of labels; None and () for those that are found by their usual names."""

    score: str = "score"
    verdict: str | None = None
    id: tuple[str, ...] = ()
    label: str | None = None
    weight: str | None = None
    cluster: str | None = None
    judge: str | None = None

    @property
    def names(self) -> "Names":
        """The columns by which rows and labels are joined."""
        return self.grouped(None)

    def grouped(self, group: str | None) -> "Names":
        """Return the same with a column whose values make groups."""
        from .joining import Names

        return Names(self.score, self.id, self.label, self.weight, self.cluster, group)


def parse_columns(given: Iterable[str] | None, roles: Collection[str]) -> RoleColumns:
    """Turn `["score=bem_score", "id=doc", "id=turn"]` into columns.

    Args:
        given: The options `--column` as typed.
        roles: The fields of `RoleColumns` that the command reads.

    Raises:
        ValueError: an option is not of the form `role=NAME`, has an unknown role, or repeats one other than id.
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
    return RoleColumns(id=identity, **{role: names[0] for role, names in named.items()})


@dataclass(frozen=True)
class Rule:
    """When a gate fails.

    Attributes:
        max_drop: The drop that is allowed; 0.01 is one percentage point.
        by_score: Whether to decide by the mean score although there are verdicts.
        max_unscored: The share of rows that may lack a score.
        confidence: Confidence level of the one-sided bound.
    """

    max_drop: float = 0.0
    by_score: bool = False
    max_unscored: float = 0.05
    confidence: float = 0.95
