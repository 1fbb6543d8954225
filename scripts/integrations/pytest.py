"""The fixture `assert_answers` for pytest, which fails a test if answers are wrong, and explains each one.

Enable it in `conftest.py`:

    pytest_plugins = ["evaluate_qa.pytest"]
"""

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import pytest

from evaluate_qa.metrics._shared.columns import KNOWN_COLUMNS, as_list, check_kwargs
from evaluate_qa.metrics._shared.options import declarations
from evaluate_qa.scoring.single_rows import RowScore

_SHOWN = 20
"""Number of wrong answers in a message."""


@pytest.fixture(scope="session")
def assert_answers() -> "AssertAnswers":
    """Asserts that answers are right; each metric is loaded once per session."""
    return AssertAnswers()


class AssertAnswers:
    """Asserts that answers are right; a metric is loaded when it is first used."""

    def __init__(self) -> None:
        self._metrics: dict[str, Any] = {}

    def __call__(
        self,
        predictions: str | Iterable[str],
        references: Any,
        questions: str | Iterable[str] | None = None,
        *,
        metric: str = "nli_lex",
        min_accuracy: float = 1.0,
        load: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Assert that answers are right.

        Args:
            predictions: The answers, or a single one.
            references: A reference or a list of references per answer; for a single answer, without the outer list.
            questions: The questions, or the question of a single answer.
            metric: Name or folder of a metric with verdicts; bem needs questions.
            min_accuracy: The required share of correct answers, from 0 to 1.
            load: Options of `load`, such as device and model.
            **options: Options of `compute`, such as threshold.

        Raises:
            AssertionError: too few answers are right; the message lists the wrong ones.
            ValueError: there are no answers, the metric gives no verdicts, or rows cannot be scored.
        """
        __tracebackhide__ = True
        if not isinstance(min_accuracy, Real) or not 0 <= min_accuracy <= 1:
            raise ValueError(f"min_accuracy is {min_accuracy!r}; expected the share of correct answers, from 0 to 1.")
        if load is not None and not isinstance(load, Mapping):
            raise TypeError(f"load is {load!r}; expected a mapping of options, such as {{'device': 'cpu'}}.")
        options.pop("per_example", None)  # the message needs the scores of each row
        if isinstance(predictions, str):
            predictions, references = [predictions], [references]
            questions = None if questions is None else [questions]
        given = {"predictions": predictions, "references": references, "questions": questions}
        # The message about wrong answers finds rows by their position; the labels of a Series may be others.
        rows = {name: values if (listed := as_list(values)) is None else listed for name, values in given.items()}
        if rows["predictions"] == []:
            raise ValueError("predictions is empty; expected at least one answer.")
        scorer = self._load(metric, load or {})
        if hasattr(scorer, "loading"):  # not of another package
            known = {*KNOWN_COLUMNS, *declarations(scorer.options), "metric", "min_accuracy", "load"}
            check_kwargs("assert_answers", options, known, elsewhere=declarations(scorer.loading), place="load")
        found = scorer.compute(**rows, **options)
        if "verdict" not in found["per_example"]:
            raise ValueError(f"{metric} gives no verdicts. Use a metric with verdicts, such as nli_lex.")
        verdicts = found["per_example"]["verdict"]
        # Compare shares, because .07 * 100 is more than 7 in floating point, but 7 / 100 equals .07.
        if sum(map(bool, verdicts)) / len(verdicts) < min_accuracy:
            raise AssertionError(failure_message(rows, found, min_accuracy))

    def _load(self, metric: str, load: Mapping[str, Any]) -> Any:
        key = f"{metric} {sorted(load.items())}"
        if key not in self._metrics:
            from evaluate_qa.loading import load_metric

            self._metrics[key] = load_metric(metric, **load)
        return self._metrics[key]


def failure_message(rows: Mapping[str, Any], found: Mapping[str, Any], min_accuracy: float) -> str:
    """Return a message that lists the wrong answers with references, score and components."""
    verdicts = found["per_example"]["verdict"]
    wrong = [row for row, verdict in enumerate(verdicts) if not verdict]
    lines = [f"{len(verdicts) - len(wrong)} of {len(verdicts)} answers are right; expected {min_accuracy:.0%}"]
    for row in wrong[:_SHOWN]:
        references = rows["references"][row]
        lines.append(f"[{row}] {rows['predictions'][row]!r}")
        if rows["questions"] and rows["questions"][row]:
            lines.append(f"    question: {rows['questions'][row]!r}")
        lines.append(f"    reference: {', '.join(map(repr, as_list(references) or [references]))}")
        lines.append(f"    {RowScore.from_result(found, row, references).why}")
    if len(wrong) > _SHOWN:
        lines.append(f"and {len(wrong) - _SHOWN} more")
    return "\n".join([*lines, found["signature"]])
