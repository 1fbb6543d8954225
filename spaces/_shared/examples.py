"""Worked examples: the four kinds of answers that every Space shows, and those that several Spaces share."""

from .scorer import Row
from .specification import Example


def worked(row: Row, *, right: str, wrong: str, verbose: str, negated: str) -> dict[str, Example]:
    """Return four answers to one question, by their titles."""
    answers = {"Right": right, "Wrong": wrong, "Verbose": verbose, "Negated": negated}
    return {title: Example({**row, "predictions": answer}) for title, answer in answers.items()}


RADIUM = worked(
    {"questions": "Who discovered radium?", "references": ["Marie Curie", "Marie Skłodowska-Curie"]},
    right="It was Marie Curie.",
    wrong="It was Rosalind Franklin.",
    verbose="Radium is a radioactive metal of the second group. It was found in 1898 in Paris, in the mineral "
    "pitchblende, by Marie Curie together with her husband Pierre.",
    negated="It was certainly not Marie Curie.",
)
"""The same for all metrics that compare with references alone, so that a visitor can compare the metrics."""
