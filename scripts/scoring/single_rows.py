"""Score rows of frameworks that ask for one row at a time; rows that wait at the same time share one `compute`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..loading import load_metric
from .dynamic_batching import ThreadBatcher

Row = Mapping[str, Any]

_NO_COMPONENTS = ("score", "verdict", "best_reference", "error")


@dataclass(frozen=True)
class RowScore:
    """The scores of one answer.

    The score is None if the row could not be scored, for which `error` has the reason. The verdict is None if the
    metric gives no verdicts. `components` has the other columns of `per_example` whose values are not None, and
    `nearest` the reference with the best score, if the metric reports it.
    """

    score: float | None
    verdict: bool | None
    components: Mapping[str, Any]
    nearest: str | None
    error: str | None
    signature: str

    @classmethod
    def from_result(cls, result: Mapping[str, Any], number: int, references: str | Sequence[str]) -> "RowScore":
        """Return the scores of one answer from the result of `compute`; `number` counts rows from 0."""
        values = {name: column[number] for name, column in result["per_example"].items()}
        best = values.get("best_reference")
        return cls(
            score=values["score"],
            verdict=values.get("verdict"),
            components={
                name: value for name, value in values.items() if name not in _NO_COMPONENTS and value not in (None, "")
            },
            nearest=None if best is None else references if isinstance(references, str) else references[best],
            error=values.get("error"),
            signature=result["signature"],
        )

    @property
    def why(self) -> str:
        """Verdict, score, nearest reference and components in one line."""
        if self.score is None:
            return f"not scored: {self.error}"
        verdict = {None: "", True: "right, ", False: "wrong, "}[self.verdict]
        nearest = "" if self.nearest is None else f", nearest reference {self.nearest!r}"
        more = "".join(
            f", {name} {value:.3f}" if isinstance(value, float) else f", {name} {value}"
            for name, value in self.components.items()
        )
        return f"{verdict}score {self.score:.3f}{nearest}{more}"


class RowScorer:
    """Scores rows for several threads with a metric: a name, a folder, or a loaded metric.

    Raise TypeError or ValueError if the metric does not use references, or an option cannot be used.
    """

    def __init__(self, metric: Any, options: Mapping[str, Any]) -> None:
        self.metric = load_metric(metric) if isinstance(metric, str) else metric
        self.name: str = self.metric.name
        if "references" not in getattr(self.metric, "required", ()):
            raise TypeError(f"{self.name} is not a metric of evaluate-qa that compares answers with references.")
        self.metric.check_ahead(**options)
        self._options = options
        self._batcher = ThreadBatcher(self._score_all)

    def __call__(self, row: Row) -> RowScore:
        """Score one row with columns of `compute`, without those that are not needed; raise RowError if it is bad."""
        return self._batcher.result(row)

    def _score_all(self, rows: Sequence[Row]) -> list[RowScore]:
        names = dict.fromkeys(name for row in rows for name in row)
        columns: dict[str, list[Any]] = {name: [row.get(name) for row in rows] for name in names}
        result = self.metric.compute(**columns, **self._options)
        return [RowScore.from_result(result, row, references) for row, references in enumerate(columns["references"])]
