"""The metrics as scorers of inspect_ai: `Task(dataset, solver, scorer=metric_scorer("bem"))`.

Inspect scores each sample by itself and several at once, as many as `max_samples` says; those that wait at the same
time are scored in one call, in a thread of its own.
"""

from collections.abc import Iterable
from typing import Any, Literal

from anyio import to_thread
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    NOANSWER,
    Metric,
    Score,
    Scorer,
    Target,
    Value,
    accuracy,
    grouped,
    mean,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from evaluate_qa.integrations.rows import Row, RowScore, RowScorer

_OF_THE_STATE = ("predictions", "references", "questions")


def metric_scorer(
    metric: Any,
    *,
    value: Literal["verdict", "score"] = "verdict",
    question: str | None = None,
    cluster: str | None = None,
    group: str | None = None,
    **options: Any,
) -> Scorer:
    """Return a scorer for `Task(scorer=…)`, under the metric's name.

    The answer is the output's text; the references are the sample's targets, of which one is enough. Further columns of
    the metric, such as `reference_weights`, are taken from the sample's metadata by their names. The log tells of each
    sample why and, as metadata, score, components and signature.

    Args:
        metric: A name, a folder, or what `evaluate.load` returned (with its model, device, …).
        value: `"verdict"`: correct, incorrect or, of those, no answer, of which Inspect shows the accuracy;
            `"score"`: the metric's score, of which it shows the mean. Both with the standard error.
        question: Key of the sample's metadata that has the question; by default the sample's input is.
        cluster: Key of the metadata that says which samples belong together, such as answers to one question. The
            standard error then counts clusters, not samples.
        group: Key of the metadata by whose values accuracy, or mean, is shown too.
        **options: Of `compute`: threshold, …

    Raises:
        TypeError, ValueError: a metric or an option that cannot be used.
    """
    if value not in ("verdict", "score"):
        raise ValueError(f"value is {value!r}; expected 'verdict' or 'score'")
    rows = RowScorer(metric, options)

    async def score(state: TaskState, target: Target) -> Score:
        row = _row(state, target, question, rows.metric.columns)
        return _logged(await to_thread.run_sync(rows, row), row["predictions"], value)

    def made(**_: Any) -> Scorer:
        return score

    # The arguments are what the log says of the scorer.
    named = scorer(metrics=_figures(value, cluster, group), name=rows.name)(made)
    return named(value=value, question=question, cluster=cluster, group=group, **options)


def _figures(value: str, cluster: str | None, group: str | None) -> list[Metric]:
    figure = accuracy() if value == "verdict" else mean()
    return [figure, stderr(cluster=cluster), *([] if group is None else [grouped(figure, group, all=False)])]


def _row(state: TaskState, target: Target, question: str | None, columns: Iterable[str]) -> Row:
    if question is not None and question not in state.metadata:
        raise ValueError(f"sample {state.sample_id!r} has no {question!r} in its metadata, which is the question")
    further = {name: state.metadata[name] for name in columns if name in state.metadata and name not in _OF_THE_STATE}
    return {
        "predictions": state.output.completion,
        "references": list(target),
        "questions": state.input_text if question is None else state.metadata[question],
        **further,
    }


def _logged(found: RowScore, answer: str, value: str) -> Score:
    if found.score is None:
        return Score.unscored(reason="scoring_failed", answer=answer, explanation=found.why)
    logged = {"score": found.score, **found.components, "signature": found.signature}
    return Score(value=_value(found, value), answer=answer, explanation=found.why, metadata=logged)


def _value(found: RowScore, value: str) -> Value:
    if value == "score" and found.score is not None:
        return found.score
    if found.verdict is None:
        raise ValueError(f"{found.signature.partition('|')[0]} gives no verdicts; pass value='score'")
    if found.verdict:
        return CORRECT
    return NOANSWER if found.components.get("not_attempted") else INCORRECT
