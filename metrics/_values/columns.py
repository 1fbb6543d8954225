"""The columns for the decisions of the rules for values."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ValueColumns:
    """The decisions of the rules, one column each. A row that the model scores has None.

    Args:
        value_kind: Kind of the reference's value.
        value_reference: The reference's value.
        value_answer: The answer's value.
        value_verdict: Whether both are equal.
        part_recall: Share of the required parts that the answer has; None for alternatives.
        part_precision: Share of the answer's parts that are required; None for alternatives.
    """

    value_kind: list[str | None] | None = None
    value_reference: list[str | None] | None = None
    value_answer: list[str | None] | None = None
    value_verdict: list[bool | None] | None = None
    part_recall: list[float] | None = None
    part_precision: list[float | None] | None = None
