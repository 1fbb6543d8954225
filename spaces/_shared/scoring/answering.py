"""From a request to an answer, whichever way it came, and from an error to what the visitor is told."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..metric import HostedScorer, Outcome, Row, Specification
from ..metric.hosted import LOG
from ..visitors.endpoints import VisitorEndpoint
from ..visitors.limits import Refusal

BROKEN = "Something went wrong on this server, not with your input. The error was logged; try again in a minute."


@dataclass(frozen=True)
class Analysed:
    """A row and what is known of it before the options have their say.

    Args:
        row: The row.
        parts: What the metric made of it.
        loading: What the Python lines tell `evaluate.load`.
        elsewhere: Whether it was asked about at the visitor's own endpoint.
    """

    row: Row
    parts: Any
    loading: Mapping[str, Any] = field(default_factory=dict)
    elsewhere: bool = False


def analyse(
    specification: Specification,
    scorer: HostedScorer,
    row: Row,
    options: Any = None,
    given: VisitorEndpoint | None = None,
) -> Analysed:
    """Do what takes time for one row.

    Args:
        specification: The Space.
        scorer: Its metric.
        row: The row.
        options: The metric's; by default those that the page opens with.
        given: The endpoint at which the visitor wants to ask.

    Raises:
        Refusal: the metric cannot score it.
    """
    scorer.check(row)
    asked, loading = specification.asked_at(scorer, given)
    parts = specification.analyse(asked, row, options or specification.options())
    return Analysed(row, parts, loading, elsewhere=asked is not scorer)


def explain(specification: Specification, scorer: HostedScorer, analysed: Analysed, options: Any) -> Outcome:
    """Turn it into a score, by the metric's core, with what explains it."""
    outcome = specification.explain(scorer, analysed.row, analysed.parts, options)
    if not analysed.row["predictions"].strip():
        return replace(outcome, marks=(), why="An empty answer scores 0.")
    return outcome


def as_record(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as the API gives it."""
    return {
        "score": None if outcome.score is None else float(outcome.score),
        "verdict": outcome.verdict,
        "best_reference": outcome.best_reference,
        "components": {bar.label: float(bar.value) for bar in outcome.bars},
        "marked": [[mark.start, mark.end, mark.kind] for mark in outcome.marks],
        "why": outcome.why,
    }


def told(error: Exception) -> str:
    """Return what the visitor is told of an error: a refusal's message; of anything else only that it is logged."""
    if isinstance(error, Refusal):
        return str(error)
    LOG.error("a request failed", exc_info=error)
    return BROKEN


def first_row(specification: Specification) -> Row:
    """Return the row of the first worked example."""
    return next(iter(specification.examples.values())).row
