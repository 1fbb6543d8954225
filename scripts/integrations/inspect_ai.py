"""Scorers for inspect_ai: `Task(dataset, solver, scorer=metric_scorer("bem"))`.

Inspect scores up to `max_samples` samples concurrently; samples that wait at the same time are scored in one call.
"""

from collections.abc import Iterable
from typing import Any, Literal

try:
    from anyio import to_thread
    from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, Score, Scorer, Target, accuracy, mean, scorer, stderr
    from inspect_ai.solver import TaskState
except ModuleNotFoundError as error:
    raise ImportError(f"{error}. Install it with: pip install 'evaluate-qa[inspect]'") from error

from evaluate_qa.scoring.single_rows import Row, RowScore, RowScorer

_FROM_STATE = ("predictions", "references", "questions")


def metric_scorer(
    metric: Any, *, value: Literal["verdict", "score"] = "verdict", question: str | None = None, **options: Any
) -> Scorer:
    """Return a scorer for `Task(scorer=…)`, under the metric's name.

    The prediction is the output's text. The references are the sample's targets, or `references` in its metadata, which
    this project's data sets have. Other columns of the metric, such as `reference_weights`, are also read from the
    metadata. The log explains each verdict and holds, as metadata, score, components and signature. For groups or
    clusters of samples, pass Inspect's own metrics to `Task(metrics=…)`.

    Args:
        metric: A name, a folder, or a loaded metric with its model, device, ….
        value: `"verdict"` (correct, incorrect or no answer, with the accuracy) or `"score"` (with the mean).
        question: Key of the question in the sample's metadata (default: the sample's input is the question).
        **options: Options of `compute`, such as threshold.

    Raises:
        TypeError, ValueError: the metric or an option cannot be used.
    """
    if value not in ("verdict", "score"):
        raise ValueError(f"value is {value!r}; expected 'verdict' or 'score'.")
    rows = RowScorer(metric, options)

    async def score(state: TaskState, target: Target) -> Score:
        row = _row(state, target, question, rows.metric.columns)
        return _inspect_score(await to_thread.run_sync(rows, row), row["predictions"], value)

    def create(**_: Any) -> Scorer:
        return score

    named = scorer(metrics=[accuracy() if value == "verdict" else mean(), stderr()], name=rows.name)(create)
    return named(value=value, question=question, **options)  # the log shows these arguments


def _row(state: TaskState, target: Target, question: str | None, columns: Iterable[str]) -> Row:
    if question is not None and question not in state.metadata:
        raise ValueError(f"The metadata of sample {state.sample_id!r} has no question under {question!r}.")
    others = {name: state.metadata[name] for name in columns if name in state.metadata and name not in _FROM_STATE}
    return {
        "predictions": state.output.completion,
        "references": state.metadata.get("references", list(target)),
        "questions": state.input_text if question is None else state.metadata[question],
        **others,
    }


def _inspect_score(found: RowScore, answer: str, value: str) -> Score:
    if found.score is None:
        return Score.unscored(reason="scoring_failed", answer=answer, explanation=found.why)
    logged = {"score": found.score, **found.components, "signature": found.signature}
    return Score(value=_value(found, value), answer=answer, explanation=found.why, metadata=logged)


def _value(found: RowScore, value: str) -> Any:
    if value == "score" and found.score is not None:
        return found.score
    if found.verdict is None:
        raise ValueError(f"{found.signature.partition('|')[0]} gives no verdicts. Pass value='score'.")
    if found.verdict:
        return CORRECT
    return NOANSWER if found.components.get("not_attempted") else INCORRECT
