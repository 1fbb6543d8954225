"""The metrics as scorers of mlflow: `mlflow.genai.evaluate(data, scorers=[metric_scorer("bem")])`.

mlflow scores each row by itself in several threads; the rows that wait at the same time are scored in one call.
"""

from collections.abc import Mapping
from typing import Any

from mlflow.entities import AssessmentSource, Feedback
from mlflow.genai.scorers import Scorer, scorer

from evaluate_qa.integrations.rows import RowScore, RowScorer


def metric_scorer(
    metric: Any, *, question: str = "question", references: str = "expected_response", **options: Any
) -> Scorer:
    """Return a scorer for `mlflow.genai.evaluate(scorers=[…])`, under the metric's name.

    It gives each row a feedback with the metric's score and, where the metric judges, one with the verdict, named
    `bem_correct` for bem. Both have a rationale; their metadata are the signature and the components. The run's figures
    `bem/mean` and `bem_correct/mean` are the mean score and the accuracy.

    Args:
        metric: A name, a folder, or what `evaluate.load` returned (with its model, device, …).
        question: Key of a row's `inputs` that has the question; there may be none.
        references: Key of a row's `expectations` that has the reference, or a list of them.
        **options: Of `compute`: threshold, …

    Raises:
        TypeError, ValueError: a metric or an option that cannot be used.
    """
    rows = RowScorer(metric, options)

    def score(inputs: Any, outputs: Any, expectations: Any) -> list[Feedback]:
        if not isinstance(expectations, Mapping) or references not in expectations:
            raise ValueError(f"{rows.name}: a row's expectations have no {references!r}, which is the reference")
        asked = inputs.get(question) if isinstance(inputs, Mapping) else inputs
        given = {"predictions": outputs, "references": expectations[references], "questions": asked}
        return _feedback(rows.name, rows(given))

    return scorer(score, name=rows.name)


def _feedback(name: str, found: RowScore) -> list[Feedback]:
    source = AssessmentSource(source_type="CODE", source_id=name)
    if found.score is None:
        return [Feedback(name=name, source=source, error=found.error)]
    more = {"signature": found.signature} | {key: str(value) for key, value in found.components.items()}
    values = {name: found.score} | ({} if found.verdict is None else {f"{name}_correct": found.verdict})
    return [
        Feedback(name=key, value=value, rationale=found.why, source=source, metadata=more)
        for key, value in values.items()
    ]
