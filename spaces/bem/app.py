"""The Space of BEM."""

from typing import Any

from evaluate_qa.metrics._shared.logistic import sigmoid
from evaluate_qa.metrics.bem.scoring import score
from evaluate_qa.spaces._shared.metric.hosted import HostedScorer, Row
from evaluate_qa.spaces._shared.metric.outcome import Bar, Outcome, evidence_bars, evidence_marks
from evaluate_qa.spaces._shared.metric.specification import MONA_LISA, NILE, RADIUM, Example, Specification, boxes


def explain(_: HostedScorer, row: Row, features: Any, options: Any) -> Outcome:
    """Score the classifier's margin with the final layer."""
    scores = score(features, options)
    best = int(scores.best_reference[0])
    alone = float(sigmoid(scores.margin[0]))
    return Outcome.of(
        scores,
        options,
        bars=[
            Bar("Classifier", alone, "the classifier's probability that both mean the same"),
            *evidence_bars(features.word_features, best),
        ],
        marks=evidence_marks(row, best),
        why=_why(row["references"][best], alone, scores, options),
    )


def _why(reference: str, alone: float, scores: Any, options: Any) -> str:
    score = float(scores.score[0])
    side, verdict = ("at or above", "correct") if scores.verdict[0] else ("below", "incorrect")
    raises = "raises" if score > alone else "lowers"
    changed = f" A final layer for lengths and shared character trigrams {raises} this to {score:.2f}."
    same = options.final_layer is False or f"{score:.2f}" == f"{alone:.2f}"
    return (
        f"The classifier gives a probability of {alone:.2f} that the answer means the same as “{reference}”, given the "
        f"question.{'' if same else changed} "
        f"Score {score:.2f}, {side} the threshold of {options.threshold:.2f}: {verdict}."
    )


FIELDS = boxes("BEM judges the answer in the context of this question.", required=True)
EXAMPLES = {
    **RADIUM,
    "In other words": Example({**MONA_LISA, "predictions": "Leonardo painted it, in Florence."}),
    "A number": Example({**NILE, "predictions": "It is about 6650 km long."}),
}
SPECIFICATION = Specification("bem", FIELDS, EXAMPLES, explain)

if __name__ == "__main__":
    from evaluate_qa.spaces._shared.page.frame import launch

    launch(SPECIFICATION)
