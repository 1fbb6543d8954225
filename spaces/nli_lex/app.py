"""The Space of NLI+lex."""

from dataclasses import replace
from typing import Any

from evaluate_qa.metrics.nli_lex.scoring import score
from evaluate_qa.spaces._shared.metric.hosted import HostedScorer, Row
from evaluate_qa.spaces._shared.metric.outcome import Bar, Outcome, evidence_bars, evidence_marks
from evaluate_qa.spaces._shared.metric.specification import RADIUM, Example, Specification, boxes

BONES = {"questions": "How many bones does an adult human have?", "references": ["206"]}

# Thresholds on entailment for the words "implies" and "may imply" in the explanation.
SURE, UNSURE = 0.7, 0.3


def explain(scorer: HostedScorer, row: Row, features: Any, options: Any) -> Outcome:
    """Score entailment and the chosen lexical signal."""
    weights = scorer.metric.weights(options)
    scores = score(replace(features, weights=weights), options)
    best = int(scores.best_reference[0])
    return Outcome.of(
        scores,
        options,
        bars=[
            Bar("Entailment", float(scores.entailment[0]), "probability that the answer implies the reference"),
            *evidence_bars(features.word_features, best),
        ],
        marks=evidence_marks(row, best),
        why=_why(row["references"][best], scores, options),
    )


def _why(reference: str, scores: Any, options: Any) -> str:
    entailment, found = scores.entailment[0], scores.recall[0]
    implies = "implies" if entailment >= SURE else "may imply" if entailment >= UNSURE else "does not imply"
    words = "all its words" if found == 1 else f"{found:.0%} of its words" if found else "none of its words"
    side, verdict = ("at or above", "correct") if scores.verdict[0] else ("below", "incorrect")
    alone = " The score uses entailment alone." if options.lexical is False else ""
    return (
        f"The answer {implies} “{reference}” and contains {words}.{alone} "
        f"Score {scores.score[0]:.2f}, {side} the threshold of {options.threshold:.2f}: {verdict}."
    )


FIELDS = boxes("Optional context for the comparison.")
EXAMPLES = {**RADIUM, "A number": Example({**BONES, "predictions": "An adult has 208 bones."})}
SPECIFICATION = Specification("nli_lex", FIELDS, EXAMPLES, explain)

if __name__ == "__main__":
    from evaluate_qa.spaces._shared.page.frame import launch

    launch(SPECIFICATION)
