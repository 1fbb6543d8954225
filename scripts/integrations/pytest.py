"""`assert_answers` for pytest: a test fails if answers are wrong, and tells why each of them is.

In the `conftest.py` of tests that want it:

    pytest_plugins = ["evaluate_qa.pytest"]

It registers itself nowhere else: pytest would import it in every run, and compile every file of this package anew.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

_MOST = 20  # wrong answers that are told
_NO_COMPONENTS = ("score", "verdict", "best_reference")


@pytest.fixture(scope="session")
def assert_answers() -> "AssertAnswers":
    """Asserts that answers are right; what loads a metric, once a session."""
    return AssertAnswers()


class AssertAnswers:
    """A function that asserts that answers are right; each metric is loaded when it is first asked for, and kept."""

    def __init__(self) -> None:
        self._metrics: dict[str, Any] = {}

    def __call__(
        self,
        predictions: str | Sequence[str],
        references: Any,
        questions: str | Sequence[str] | None = None,
        *,
        metric: str = "nli_lex",
        least: float = 1.0,
        load: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Assert that answers are right.

        Args:
            predictions: The answers, or a single one.
            references: Of each answer a reference or a list of them; of a single one the same, without a list around.
            questions: The questions, or that of the single answer.
            metric: What judges: a metric with verdicts, by name or folder; bem needs questions.
            least: The share of answers that must be right, from 0 to 1.
            load: Of `evaluate.load`: device, model, …
            **options: Of `compute`: threshold, …

        Raises:
            AssertionError: fewer answers are right; it tells the others with references, score and components.
            ValueError: there are no answers, the metric gives no verdicts, or rows cannot be scored.
        """
        __tracebackhide__ = True
        if not 0 <= least <= 1:
            raise ValueError(f"least is {least!r}; expected the share of answers that must be right, from 0 to 1")
        if isinstance(predictions, str):
            predictions, references = [predictions], [references]
            questions = None if questions is None else [str(questions)]
        if len(predictions) == 0:
            raise ValueError("predictions is empty; expected at least one answer")
        rows = {"predictions": predictions, "references": references, "questions": questions}
        found = self._loaded(metric, load or {}).compute(**rows, **options)
        if "verdict" not in found["per_example"]:
            raise ValueError(f"{metric} gives no verdicts; name a metric that does, such as nli_lex")
        right = sum(map(bool, found["per_example"]["verdict"]))
        # As a share, as `least` is: .07 · 100 is more than 7, but 7 / 100 is what is written .07.
        if right / len(predictions) < least:
            raise AssertionError(told(rows, found, least))

    def _loaded(self, metric: str, load: Mapping[str, Any]) -> Any:
        key = f"{metric} {sorted(load.items())}"
        if key not in self._metrics:
            from evaluate_qa.loading import load_metric

            self._metrics[key] = load_metric(metric, **load)
        return self._metrics[key]


def told(rows: Mapping[str, Any], found: Mapping[str, Any], least: float) -> str:
    """Return a message with the answers that are not right, and why.

    Args:
        rows: Columns, as lists of rows.
        found: What `compute` returned for them.
        least: The share of answers that must be right.
    """
    verdicts = found["per_example"]["verdict"]
    wrong = [row for row, verdict in enumerate(verdicts) if not verdict]
    lines = [f"{len(verdicts) - len(wrong)} of {len(verdicts)} answers are right; expected {least:.0%}"]
    for row in wrong[:_MOST]:
        lines += _row(rows, found["per_example"], row)
    if len(wrong) > _MOST:
        lines.append(f"and {len(wrong) - _MOST} more")
    return "\n".join([*lines, found["signature"]])


def _row(rows: Mapping[str, Any], scores: Mapping[str, Sequence[Any]], row: int) -> list[str]:
    references = [rows["references"][row]] if isinstance(rows["references"][row], str) else rows["references"][row]
    asked = rows["questions"] and rows["questions"][row]
    values = {name: column[row] for name, column in scores.items() if name not in _NO_COMPONENTS}
    components = [f"{name} {_figure(value)}" for name, value in values.items() if value is not None and value != ""]
    score = "no score" if scores["score"][row] is None else f"score {scores['score'][row]:.3f}"
    best = scores["best_reference"][row] if "best_reference" in scores and len(references) > 1 else None
    nearest = "" if best is None else f"; the nearest is {references[best]!r}"
    return [
        f"[{row}] {rows['predictions'][row]!r}",
        *([f"    question: {asked!r}"] if asked else []),
        f"    reference: {', '.join(map(repr, references))}{nearest}",
        f"    {', '.join([score, *components])}",
    ]


def _figure(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
