"""The columns that say what the rules for values decided."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ValueColumns:
    """The columns that say what the rules decided, None for rows that they left to the model.

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
