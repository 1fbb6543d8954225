"""Metrics for deepeval: `assert_test(case, [AnswerMetric("bem")])`, with the expected output as the reference."""

from typing import Any

try:
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase
except ModuleNotFoundError as error:
    raise ImportError(f"{error}. Install it with: pip install 'evaluate-qa[deepeval]'") from error

from evaluate_qa.scoring.single_rows import RowScorer


class AnswerMetric(BaseMetric):
    """A metric of evaluate-qa (a name, a folder, or a loaded metric); a case with a score below the threshold fails."""

    def __init__(self, metric: Any = "bem", threshold: float = 0.5) -> None:
        self._rows, self.threshold = RowScorer(metric, {}), threshold
        self.metric = self._rows.metric  # deepeval copies the metric by its attributes, and the copies share the model

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float | None:
        """Score a case."""
        row = {"predictions": test_case.actual_output, "references": test_case.expected_output}
        found = self._rows(row | {"questions": test_case.input})
        score: float | None = found.score
        self.score, self.reason, self.error = score, found.why, found.error
        self.success = self.is_successful()
        return score

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float | None:
        """Score a case."""
        return self.measure(test_case)

    @property
    def __name__(self) -> str:
        return str(self._rows.name)
