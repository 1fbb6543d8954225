"""Score the answers of a model while it trains: a `compute_metrics` for transformers' `Trainer` and `Seq2SeqTrainer`.

What the trainers do (transformers 5.23) and this file answers to: ids are padded with -100; a causal model's generated
ids begin with the prompt; every process is given all rows, and with `Seq2SeqTrainer` on several processes some twice;
with `batch_eval_metrics` there is a call for every batch, whose `inputs` are those of one process only.
"""

import logging
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from .token_ids import Ids, id_rows, most_likely, without_answers, without_prompt
from .trainers import evaluation_set, of_all_processes, on_the_first_process, processes

if TYPE_CHECKING:
    from evaluate import Metric as _Base
else:
    _Base = object  # a metric names evaluate.Metric as its last base

logger = logging.getLogger("evaluate_qa")


class ForTraining(_Base):
    """Mixin that stands before `CheckedInputs`: the metric in a trainer."""

    def compute_metrics(
        self,
        tokenizer: Any,
        questions: Any = None,
        references: Any = None,
        *,
        prefix: str = "",
        log_samples: int = 0,
        **given: Any,
    ) -> "TrainingScores":
        """Return what `Trainer(compute_metrics=…)` and `Seq2SeqTrainer(compute_metrics=…)` take.

        Args:
            tokenizer: Decodes predictions, labels and inputs; special tokens are left out.
            questions: One for each row of the evaluation set, in its order. By default the decoded inputs, if the
                training arguments have `include_for_metrics=["inputs"]`.
            references: Likewise, a string or a list of strings each; by default the decoded labels.
            prefix: Put before the names of the figures, with an underscore.
            log_samples: Log so many rows (the same ones in every evaluation) with their scores, to the logger
                "evaluate_qa" at level INFO.
            **given: Further columns and options, as for `compute`.

        Raises:
            RowValueError, RowTypeError, TypeError, ValueError: a column or an option that cannot be used.
        """
        columns, options = self.check_ahead(questions=questions, references=references, **given)
        if not hasattr(tokenizer, "batch_decode"):
            raise TypeError(f"{self.name}: tokenizer is {type(tokenizer).__name__}; expected one with batch_decode")
        if not isinstance(log_samples, int) or log_samples < 0:
            raise ValueError(f"{self.name}: log_samples is {log_samples!r}; expected a whole number from 0")
        return TrainingScores(self, tokenizer, columns, options, f"{prefix}_" if prefix else "", log_samples)

    def teacher_forced(self, *, causal: bool = False) -> Callable[[Any, Any], Any]:
        """Return what `Trainer(preprocess_logits_for_metrics=…)` takes where a trainer cannot generate: arg-max.

        Every token is then predicted from the reference's own tokens before it, so these figures are too high to be
        reported, and differ from those of generated answers; within one training run they show progress.

        Args:
            causal: For models that predict at each position the next one's token (GPT), as opposed to
                encoder-decoders (T5).
        """
        logger.warning(
            "%s: arg-max of logits is teacher-forced: each token is predicted from the reference's tokens before it. "
            "Scores are too high to report; Seq2SeqTrainer with predict_with_generate=True scores generated answers.",
            self.name,
        )
        return partial(most_likely, causal=causal)


@dataclass
class Evaluated:
    """Ids of the rows evaluated so far, without padding; `inputs` is None where the trainer does not give them."""

    predictions: list[Ids] = field(default_factory=list)
    labels: list[Ids] = field(default_factory=list)
    inputs: list[Ids] | None = None
    largest_batch: int = 0

    def add(self, metric: str, batch: Any) -> None:
        """Append the rows of an `EvalPrediction`, which may hold one batch or all."""
        predictions = id_rows(batch.predictions, metric, "predictions")
        inputs = _input_rows(getattr(batch, "inputs", None), metric)
        self.predictions += predictions
        self.labels += id_rows(batch.label_ids, metric, "labels")
        if inputs is not None:
            # Those of several processes were not cut to the rows of the set, the predictions perhaps were.
            self.inputs = (self.inputs or []) + inputs[: len(predictions)]
        self.largest_batch = max(self.largest_batch, len(predictions))

    def answers(self) -> list[Ids]:
        """Return the predictions without the prompt, with which a causal model's begin."""
        return self.predictions if self.inputs is None else list(map(without_prompt, self.predictions, self.inputs))


class TrainingScores:
    """Called by a trainer with ids, returns figures. Made by a metric's `compute_metrics`."""

    def __init__(
        self,
        metric: Any,
        tokenizer: Any,
        columns: Mapping[str, Sequence[Any]],
        options: Mapping[str, Any],
        prefix: str,
        log_samples: int,
    ) -> None:
        self._metric, self._tokenizer = metric, tokenizer
        self._columns, self._options = columns, options
        self._prefix, self._log_samples = prefix, log_samples
        self._evaluated = Evaluated()

    def __call__(self, evaluated: Any, compute_result: bool = True) -> dict[str, float]:
        """Score the rows of an `EvalPrediction` and of the calls since the last one with `compute_result=True`.

        Returns:
            The metric's figures, on every process the same; nothing where `compute_result` is False.

        Raises:
            ValueError: logits instead of ids; columns that do not fit the evaluation set; rows that cannot be scored.
        """
        try:
            self._evaluated.add(self._metric.name, evaluated)
        except BaseException:
            self._evaluated = Evaluated()
            raise
        if not compute_result:
            return {}
        everything, self._evaluated = self._evaluated, Evaluated()
        count = self._count(everything)
        return on_the_first_process(lambda: self._score(self._rows(everything, count)))

    def _count(self, everything: Evaluated) -> int:
        """Return how many of the rows are the evaluation set's own; those after them are repetitions."""
        name, count = self._metric.name, len(everything.predictions)
        evaluated = evaluation_set()
        expected = evaluated.length or count
        if count > expected and (processes() == 1 or count - expected >= everything.largest_batch):
            raise ValueError(
                f"{name}: {count} rows were evaluated, {expected} expected: an earlier evaluation was broken off. "
                "Its rows have been dropped; evaluate again"
            )
        for column, rows in self._columns.items():
            if len(rows) != expected:
                raise ValueError(
                    f"{name}: {column} has {len(rows)} rows, the evaluation set {expected}; expected one entry for "
                    "each of its rows, in its order (where there are several evaluation sets, leave out questions= "
                    "and references=: inputs and labels stand for them)"
                )
        if self._columns and evaluated.sorted_by_length:
            raise ValueError(
                f"{name}: the trainer evaluates the rows by length, so {next(iter(self._columns))} would go to wrong "
                "rows; leave it out, or do not group by length"
            )
        return min(count, expected)

    def _rows(self, everything: Evaluated, count: int) -> dict[str, Sequence[Any]]:
        """Return the columns for `compute`."""
        labels = self._texts(everything.labels[:count])
        rows: dict[str, Sequence[Any]] = {
            "predictions": self._texts(everything.answers()[:count]),
            "references": labels,
        }
        if everything.inputs is not None:
            rows["questions"] = without_answers(self._texts(everything.inputs[:count]), labels)
        rows |= {column: values[:count] for column, values in self._columns.items()}
        if "questions" not in rows and "questions" in self._metric.required:
            raise ValueError(
                f"{self._metric.name}: the questions are missing; pass questions=[…] to compute_metrics, or set "
                'include_for_metrics=["inputs"] in the training arguments'
            )
        if everything.inputs is None and _begin_with(rows["predictions"], rows.get("questions") or [None] * count):
            logger.warning(
                "%s: every prediction begins with its question. If these are prompts, the scores are wrong: set "
                'include_for_metrics=["inputs"] in the training arguments, and prompts are left out.',
                self._metric.name,
            )
        return rows

    def _texts(self, rows: Sequence[Ids]) -> list[str]:
        decoded = self._tokenizer.batch_decode([row.tolist() for row in rows], skip_special_tokens=True)
        return [text.strip() for text in decoded]

    def _score(self, rows: Mapping[str, Sequence[Any]]) -> dict[str, float]:
        import torch

        # The training run draws the same random numbers as without the metric, whose model may be loaded here.
        with torch.random.fork_rng(devices=[]):
            result = self._metric.compute(**rows, **self._options, per_example=bool(self._log_samples))
        if self._log_samples:
            self._log(rows, result["per_example"]["score"])
        return {f"{self._prefix}{name}": float(value) for name, value in result.items() if _is_number(value)}

    def _log(self, rows: Mapping[str, Sequence[Any]], scores: Sequence[float]) -> None:
        chosen = random.Random(0).sample(range(len(scores)), min(self._log_samples, len(scores)))
        for row in sorted(chosen):
            told = ", ".join(f"{column.removesuffix('s')}: {values[row]!r}" for column, values in rows.items())
            logger.info("%s: row %d: score: %.4f, %s", self._metric.name, row, scores[row], told)


def _input_rows(inputs: Any, metric: str) -> list[Ids] | None:
    """Return the ids of the inputs of all processes; None without such, or where they are no text."""
    if isinstance(inputs, Mapping):  # one batch, of this process only
        return of_all_processes(id_rows(inputs["input_ids"], metric, "inputs")) if "input_ids" in inputs else None
    some = inputs[0] if isinstance(inputs, list) else inputs
    return None if some is None or "float" in str(some.dtype) else id_rows(inputs, metric, "inputs")


def _begin_with(predictions: Sequence[str], questions: Sequence[str | None]) -> bool:
    pairs = zip(predictions, questions, strict=True)
    return all(question and prediction.startswith(question) for prediction, question in pairs)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
