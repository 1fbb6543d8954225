"""Let rules for values decide before the scores of a model, and score references that are required parts or keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .._shared.scorer import Scored, Scorer
from .answer_keys import AnswerKey, read_key
from .decision import Decision, decide_row
from .lists import parts
from .options import ValueOptions
from .spelling import corrected


@dataclass(frozen=True)
class ValueColumns:
    """The decisions of the rules, one column each. A row that the model scores has None.

    Args:
        value_kind: Kind of the reference's value.
        value_reference: The reference's value.
        value_answer: The answer's value.
        value_verdict: Whether both are equal.
        part_recall: Share of the required parts that the answer has; None for alternatives.
        part_precision: Share of the answer's parts that are required; None for alternatives.
    """

    value_kind: list[str | None] | None = None
    value_reference: list[str | None] | None = None
    value_answer: list[str | None] | None = None
    value_verdict: list[bool | None] | None = None
    part_recall: list[float] | None = None
    part_precision: list[float | None] | None = None


class ComparesValues(Scorer):
    """Adds the comparison of values to a scorer with scores and verdicts."""

    version: ClassVar[str] = "1.3.0"

    @property
    def embedded(self) -> bool:
        """Whether the metric runs its embedded model, or a matcher of `evaluate-qa fit`."""
        default = self.config_name == "default" and self.load_options.model is None
        return bool(getattr(self.model, "layers", default))

    def score(self, columns: Mapping[str, list[Any]], options: Any) -> Scored:
        """Score rows that have passed all checks."""
        if options.references_are == "all":
            return _by_parts(self, columns, replace(options, references_are="any"))
        scored = super().score(columns, options)
        kinds = options.kinds(self.embedded)
        if not kinds:
            return scored
        rows = zip(columns["references"], columns["predictions"], columns["questions"], strict=True)
        decided = [decide_row(*row, kinds, options.tolerance) for row in rows]
        named = options.typed if options.typed == "auto" else "+".join(kinds)
        values = ValueColumns(
            value_kind=[decision.kind if decision.equal is not None else None for decision, _ in decided],
            value_reference=[decision.reference for decision, _ in decided],
            value_answer=[decision.answer for decision, _ in decided],
            value_verdict=[decision.equal for decision, _ in decided],
        )
        return Scored(self.overruled(scored.scores, decided), {**scored.settings, "typed": named}, values)

    def overruled(self, scores: Any, decided: Sequence[tuple[Decision, int | None]]) -> Any:
        """Return the scores with 1 for rows whose values are equal, and 0 for rows whose values differ."""
        decisions = [decision for decision, _ in decided]
        sure = np.array([decision.equal is not None for decision in decisions])
        equal = np.array([bool(decision.equal) for decision in decisions])
        best = np.array([-1 if index is None else index for _, index in decided])
        changed: dict[str, Any] = {
            "score": np.where(sure, equal.astype(float), scores.score),
            "verdict": np.where(sure, equal, scores.verdict),
            "best_reference": np.where(best >= 0, best, scores.best_reference),
        }
        if getattr(scores, "not_attempted", None) is not None:
            attempts = zip(scores.not_attempted, equal, strict=True)
            changed["not_attempted"] = [blank and not right for blank, right in attempts]
        return replace(scores, **changed)


class ReadsAnswerKeys(ComparesValues):
    """Reads answers as people who grade with an answer key do, for a scorer with scores and verdicts."""

    def score(self, columns: Mapping[str, list[Any]], options: Any) -> Scored:
        """Score rows that have passed all checks."""
        if not self.embedded or options.references_are == "all":  # required parts come back here one by one
            return super().score(columns, options)
        read, keys = graded(columns)
        scored = super().score(read, options)
        best = [key.sources[form] for key, form in zip(keys, scored.scores.best_reference, strict=True)]
        given = zip(keys, columns["predictions"], strict=True)
        wrong = np.array([key.rejects(answer) for key, answer in given], dtype=bool)
        scores = replace(
            scored.scores,
            score=np.where(wrong, 0.0, scored.scores.score),
            verdict=np.where(wrong, False, scored.scores.verdict),
            best_reference=np.array(best),
        )
        return replace(scored, scores=scores)


def graded(columns: Mapping[str, list[Any]]) -> tuple[dict[str, list[Any]], list[AnswerKey]]:
    """Return the columns with correct spelling and all accepted references, and the answer key of each row."""
    keys = list(map(read_key, columns["references"]))
    answers = [
        corrected(answer, key.accepted, " ".join([question, *key.rejected]))
        for answer, key, question in zip(columns["predictions"], keys, columns["questions"], strict=True)
    ]
    return {**columns, "predictions": answers, "references": [key.accepted for key in keys]}, keys


def _by_parts(scorer: ComparesValues, columns: Mapping[str, list[Any]], options: ValueOptions) -> Scored:
    """Score rows whose references are required parts.

    Each part is searched in the whole answer and in each part of the answer; the best match counts. The score of a row
    is the mean over the required parts, and its verdict is correct if all of them are found.
    """
    pieces = [list(dict.fromkeys([answer, *parts(answer)])) for answer in columns["predictions"]]
    pairs = [
        (row, part, piece)
        for row, references in enumerate(columns["references"])
        for part in range(len(references))
        for piece in pieces[row]
    ]
    scored = scorer.score(_rows(columns, pairs), options)
    # For each row, its pairs as a table of required parts and pieces of the answer.
    shapes = [(len(references), len(pieces[row])) for row, references in enumerate(columns["references"])]
    ends = np.cumsum([parts * pieces for parts, pieces in shapes])
    tables = [np.arange(end - m * n, end).reshape(m, n) for end, (m, n) in zip(ends, shapes, strict=True)]
    scores, verdicts = np.asarray(scored.scores.score), np.asarray(scored.scores.verdict)
    best = [table[np.arange(len(table)), scores[table].argmax(axis=1)] for table in tables]
    worst = np.array([pairs[scores[pairs].argmin()] for pairs in best])
    changed = {
        "score": np.array([scores[pairs].mean() for pairs in best]),
        "verdict": np.array([verdicts[pairs].all() for pairs in best]),
        "best_reference": np.array([int(scores[pairs].argmin()) for pairs in best]),
    }
    chosen = replace(scored, values=scored.values or ValueColumns()).part(worst.tolist())
    values = replace(
        chosen.values,
        part_recall=[float(verdicts[pairs].mean()) for pairs in best],
        part_precision=[
            float(verdicts[table[:, -max(table.shape[1] - 1, 1) :]].any(axis=0).mean()) for table in tables
        ],
    )
    return Scored(replace(chosen.scores, **changed), {**scored.settings, "refs": "all"}, values)


def _rows(columns: Mapping[str, list[Any]], pairs: Sequence[tuple[int, int, str]]) -> dict[str, list[Any]]:
    """Return a row for each required part and piece of an answer, with the synthetic answers of the part."""
    rows = {name: [values[row] for row, *_ in pairs] for name, values in columns.items()}
    for name in ("references", "synthetic_answers"):
        if name in columns:
            cells = [(columns[name][row], part, len(columns["references"][row])) for row, part, _ in pairs]
            rows[name] = [[texts[part]] if len(texts) == count else list(texts) for texts, part, count in cells]
    return rows | {"predictions": [piece for *_, piece in pairs]}
