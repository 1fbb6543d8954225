"""Scorers for mlflow: `mlflow.genai.evaluate(data, scorers=[metric_scorer("bem")])`.

mlflow scores rows in several threads; rows that wait at the same time are scored in one call.
"""

from collections.abc import Mapping
from typing import Any

try:
    from mlflow.entities import AssessmentSource, Feedback
    from mlflow.genai.scorers import Scorer, scorer
except ModuleNotFoundError as error:
    raise ImportError(f"{error}. Install it with: pip install 'evaluate-qa[mlflow]'") from error

from evaluate_qa.scoring.single_rows import RowScore, RowScorer


def metric_scorer(
    metric: Any, *, question: str = "question", references: str = "expected_response", **options: Any
) -> Scorer:
    """Return a scorer for `mlflow.genai.evaluate(scorers=[…])`, under the metric's name.

    Each row receives a feedback with the score and, if the metric gives verdicts, another one with the verdict, such as
    `bem_correct`. Both have a rationale, and signature and components as metadata. The run's metrics `bem/mean` and
    `bem_correct/mean` are the mean score and the accuracy.

    Args:
        metric: A name, a folder, or a loaded metric with its model, device, ….
        question: Key of the question in a row's `inputs`, which may be missing.
        references: Key of the reference, or of a list of references, in a row's `expectations`.
        **options: Options of `compute`, such as threshold.

    Raises:
        TypeError, ValueError: the metric or an option cannot be used.
    """
    rows = RowScorer(metric, options)

    def score(inputs: Any, outputs: Any, expectations: Any) -> list[Feedback]:
        if not isinstance(expectations, Mapping) or references not in expectations:
            raise ValueError(f"{rows.name}: the expectations of a row have no references under {references!r}.")
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
