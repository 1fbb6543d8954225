"""Scoring one answer, and the message for an error."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evaluate_qa.metrics._values.answer_keys import AnswerKey
from evaluate_qa.metrics._values.decision import decide_row
from evaluate_qa.metrics._values.options import ValueOptions

from ..metric.hosted import LOG, HostedScorer, Row
from ..metric.outcome import Outcome
from ..metric.specification import Specification
from ..visitors.endpoints import VisitorEndpoint
from ..visitors.limits import Refusal

BROKEN = "Something went wrong on this server, not with your input. The error was logged; try again in a minute."


@dataclass(frozen=True)
class Analysis:
    """A row after the slow part."""

    original: Row  # as the visitor entered it
    row: Row  # as the metric reads it
    features: Any  # what `specification.analyze` returns
    loading: Mapping[str, Any]  # the options of `load` in the Python code
    key: AnswerKey | None


def analyze(
    specification: Specification, scorer: HostedScorer, row: Row, options: Any, given: VisitorEndpoint | None = None
) -> Analysis:
    """Do the slow part for one row; raise Refusal if the metric cannot score it. `given` is the visitor's endpoint."""
    read, key = scorer.check(row)
    asked, loading = specification.asked_at(scorer, given)
    return Analysis(row, read, specification.analyze(asked, read, options), loading, key)


def explain(specification: Specification, scorer: HostedScorer, analysis: Analysis, options: Any) -> Outcome:
    """Return the score and its explanation."""
    row, key = analysis.row, analysis.key
    outcome = specification.explain(scorer, row, analysis.features, options)
    if not row["predictions"].strip():
        return replace(outcome, marks=(), why="An empty answer scores 0.")
    start = max(0, analysis.original["predictions"].find(row["predictions"]))  # where courtesies end
    marks = [replace(mark, start=mark.start + start, end=mark.end + start) for mark in outcome.marks]
    outcome = replace(outcome, marks=marks)
    if isinstance(options, ValueOptions):
        outcome = _by_values(outcome, row, options)
    if key is not None and outcome.best_reference is not None:
        outcome = replace(outcome, best_reference=key.sources[outcome.best_reference])
        if key.rejects(analysis.original["predictions"]):
            return replace(outcome, score=0.0, verdict=False, why="The answer key rejects this answer.")
    return outcome


def _by_values(outcome: Outcome, row: Row, options: ValueOptions) -> Outcome:
    """Return the outcome that the rules for values decide, if they are sure."""
    question, kinds = row.get("questions") or "", options.kinds(embedded=True)
    decision, best = decide_row(row["references"], row["predictions"], question, kinds, options.tolerance)
    if decision.equal is None:
        return outcome
    score = float(decision.equal)
    why = (
        f"{decision.explanation}. Score {score:.2f}: {'correct' if decision.equal else 'incorrect'}. Rules compare "
        f"values; the model alone gives {outcome.score:.2f}."
    )
    reference = outcome.best_reference if best is None else best
    return replace(outcome, score=score, verdict=decision.equal, best_reference=reference, why=why)


def as_record(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as the API returns it."""
    return {
        "score": outcome.score,
        "verdict": outcome.verdict,
        "best_reference": outcome.best_reference,
        "components": {bar.label: float(bar.value) for bar in outcome.bars},
        "marked": [[mark.start, mark.end, mark.kind] for mark in outcome.marks],
        "why": outcome.why,
        "signature": outcome.signature,
    }


def as_text(outcome: Outcome, answer: str) -> str:
    """Return an outcome in words: verdict, reasons, components, parts of the answer that counted, and signature."""
    verdicts = {True: "correct", False: "incorrect", None: "none"}
    counts = {"for": "counts", "half": "counts partly", "against": "counts against the answer"}
    score = "none" if outcome.score is None else f"{outcome.score:.3f}"
    return "\n".join(
        [
            f"Verdict: {verdicts[outcome.verdict]}. Score: {score}. {outcome.why}",
            *(f"- {bar.label}: {bar.value:.3f} of {bar.most:g} ({bar.info})" for bar in outcome.bars),
            *(f"- “{answer[mark.start : mark.end]}” {counts[mark.kind]}: {mark.why}" for mark in outcome.marks),
            f"Signature: {outcome.signature}",
        ]
    )


def message_of(error: Exception) -> str:
    """Return the message for the visitor. Errors other than a refusal are logged and not shown."""
    if isinstance(error, Refusal):
        return str(error)
    LOG.error("a request failed", exc_info=error)
    return BROKEN
