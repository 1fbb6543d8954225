"""The base class of bem, nli_lex and smile: a model scores answers, and rules for values decide where they are sure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._shared.scorer import Columns, Scored, Scorer
from .answer_keys import AnswerKey, read_key
from .courtesies import without_courtesies
from .decision import Decision, decide_row
from .lists import parts
from .spelling import correct_spelling


class AnswerScorer(Scorer):
    """Scores answers with a model, and lets rules for values decide where they are sure.

    `_score_alternatives` has the steps: read answer keys, run the model, compare values, reject what a key rejects.
    With `references_are="all"`, each required part is first scored like a row of its own.
    """

    version: ClassVar[str] = "1.3.0"
    # Whether references may be answer keys: "hemoglobin [accept Hb; do not accept myoglobin]".
    has_answer_keys: ClassVar[bool] = False
    # In int8, scores this close to the threshold are computed again in float32. These are 4% of the scores on the
    # board, where 3 of 15,725 verdicts then changed.
    int8_margin: ClassVar[float] = 0.03

    @property
    def embedded(self) -> bool:
        """Whether the metric runs its embedded model, or a matcher of `evaluate-qa fit`."""
        default = self.config_name == "default" and self.load_options.model is None
        return bool(getattr(self.model, "layers", default))

    def score(self, columns: Mapping[str, list[Any]], options: Any) -> Scored:
        """Score rows that have passed all checks."""
        if options.references_are == "any":
            return self._score_alternatives(columns, options)
        required = RequiredParts.of(columns)
        scored = self._score_alternatives(required.rows(columns), replace(options, references_are="any"))
        return required.summarize(scored)

    def _score_alternatives(self, columns: Mapping[str, list[Any]], options: Any) -> Scored:
        """Score rows whose references are alternatives."""
        reads_keys = self.has_answer_keys and self.embedded and options.typed
        read, keys = read_answer_keys(columns) if reads_keys else (columns, None)
        scored = self._compare_values(self._run_model(read, options), read, options)
        return scored if keys is None else _apply_keys(scored, keys, columns["predictions"])

    def _run_model(self, columns: Mapping[str, list[Any]], options: Any) -> Scored:
        """Score rows with the model; in int8, rows near the threshold get their scores in float32."""
        scored = super().score(columns, options)
        if self.model.options.dtype != "int8":
            return scored
        scores = enumerate(scored.per_example["score"])
        near = [row for row, score in scores if abs(score - options.threshold) < self.int8_margin]
        if near:
            rows = {name: [values[row] for row in near] for name, values in columns.items()}
            for name, values in Scorer.score(self._in_float32, rows, options).per_example.items():
                for row, value in zip(near, values, strict=True):
                    scored.per_example[name][row] = value
        return scored

    @cached_property
    def _in_float32(self) -> Scorer:
        return type(self)(self.config_name, **{**vars(self.load_options), "dtype": "float32"})

    def _compare_values(self, scored: Scored, columns: Mapping[str, list[Any]], options: Any) -> Scored:
        """Replace the scores of rows that the rules for values decide, and add their columns."""
        kinds = options.kinds(self.embedded)
        if not kinds:
            return scored
        rows = zip(columns["references"], columns["predictions"], columns["questions"], strict=True)
        decided = [decide_row(*row, kinds, options.tolerance) for row in rows]
        named = options.typed if options.typed == "auto" else "+".join(kinds)
        values: Columns = {
            "value_kind": [decision.kind if decision.equal is not None else None for decision, _ in decided],
            "value_reference": [decision.reference for decision, _ in decided],
            "value_answer": [decision.answer for decision, _ in decided],
            "value_verdict": [decision.equal for decision, _ in decided],
        }
        per_example = self.apply_decisions(scored.per_example, decided) | values
        return Scored(per_example, {**scored.settings, "typed": named})

    def apply_decisions(self, columns: Columns, decided: Sequence[tuple[Decision, int | None]]) -> Columns:
        """Return the scores with 1 for rows whose values are equal, and 0 for rows whose values differ."""
        changed = {name: list(values) for name, values in columns.items()}
        for row, (decision, best) in enumerate(decided):
            if decision.equal is not None:
                changed["score"][row], changed["verdict"][row] = float(decision.equal), decision.equal
            if best is not None:
                changed["best_reference"][row] = best
            if decision.equal and "not_attempted" in changed:
                changed["not_attempted"][row] = False
        return changed


def read_answer_keys(columns: Mapping[str, list[Any]]) -> tuple[dict[str, list[Any]], list[AnswerKey]]:
    """Return the columns with all accepted references, and the answer key of each row.

    Answers lose their courtesies and misspellings.
    """
    keys = list(map(read_key, columns["references"]))
    answers = [
        correct_spelling(without_courtesies(answer), key.accepted, " ".join([question, *key.rejected]))
        for answer, key, question in zip(columns["predictions"], keys, columns["questions"], strict=True)
    ]
    return {**columns, "predictions": answers, "references": [key.accepted for key in keys]}, keys


def _apply_keys(scored: Scored, keys: Sequence[AnswerKey], answers: Sequence[str]) -> Scored:
    """Score answers 0 that the keys reject, and number the references as the user gave them."""
    columns = {name: list(values) for name, values in scored.per_example.items()}
    for row, (key, answer) in enumerate(zip(keys, answers, strict=True)):
        columns["best_reference"][row] = key.sources[columns["best_reference"][row]]
        if key.rejects(answer):
            columns["score"][row], columns["verdict"][row] = 0.0, False
    return replace(scored, per_example=columns)


class RequiredParts(NamedTuple):
    """The rows that score references as required parts.

    Each required part is searched in the whole answer and in each part of the answer; the best match counts.

    Attributes:
        pairs: For each new row, its original row, the number of the required part, and a piece of the answer.
        tables: For each original row, the numbers of its new rows, of shape (required parts, pieces of the answer).
    """

    pairs: list[tuple[int, int, str]]
    tables: list[NDArray[np.int_]]

    @classmethod
    def of(cls, columns: Mapping[str, list[Any]]) -> "RequiredParts":
        """Pair each required part of a row with each piece of its answer."""
        pairs, tables = list[tuple[int, int, str]](), list[NDArray[np.int_]]()
        for row, (answer, references) in enumerate(zip(columns["predictions"], columns["references"], strict=True)):
            pieces = list(dict.fromkeys([answer, *parts(answer)]))
            size = len(references) * len(pieces)
            tables.append(np.arange(len(pairs), len(pairs) + size).reshape(len(references), len(pieces)))
            pairs += [(row, part, piece) for part in range(len(references)) for piece in pieces]
        return cls(pairs, tables)

    def rows(self, columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
        """Return a row for each pair, with the synthetic answers of its required part."""
        rows = {name: [values[row] for row, *_ in self.pairs] for name, values in columns.items()}
        for name in ("references", "synthetic_answers"):
            if name in columns:
                cells = [(columns[name][row], part, len(columns["references"][row])) for row, part, _ in self.pairs]
                rows[name] = [[texts[part]] if len(texts) == count else list(texts) for texts, part, count in cells]
        return rows | {"predictions": [piece for *_, piece in self.pairs]}

    def summarize(self, scored: Scored) -> Scored:
        """Return the scores of the original rows from those of the pairs.

        A score is the mean over the required parts, and a verdict is correct if all of them are found. Other columns
        are those of the required part with the lowest score.
        """
        scores, verdicts = np.array(scored.per_example["score"]), np.array(scored.per_example["verdict"])
        best = [table[np.arange(len(table)), scores[table].argmax(axis=1)] for table in self.tables]
        worst = [int(scores[pairs].argmin()) for pairs in best]
        lowest = [int(pairs[part]) for pairs, part in zip(best, worst, strict=True)]
        # The pieces of an answer after the first one are its parts; an answer without parts is one itself.
        pieces = [table[:, -max(table.shape[1] - 1, 1) :] for table in self.tables]
        changed: Columns = {
            "score": [float(scores[pairs].mean()) for pairs in best],
            "verdict": [bool(verdicts[pairs].all()) for pairs in best],
            "best_reference": worst,
            "part_recall": [float(verdicts[pairs].mean()) for pairs in best],
            "part_precision": [float(verdicts[table].any(axis=0).mean()) for table in pieces],
        }
        return Scored(scored.part(lowest).per_example | changed, {**scored.settings, "refs": "all"})
