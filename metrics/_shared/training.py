"""Score the answers of a model while it trains: a `compute_metrics` for transformers' `Trainer` and `Seq2SeqTrainer`.

What the trainers do (transformers 5.23) and this file answers to: ids are padded with -100; a causal model's generated
ids begin with the prompt; every process is given all rows, and with `Seq2SeqTrainer` on several processes some twice;
with `batch_eval_metrics` there is a call for every batch, whose `inputs` are those of one process only.
"""

import inspect
import logging
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .scorer import Scorer

T = TypeVar("T")
Ids = NDArray[np.int64]

_PADDING = -100  # of labels and of whatever a trainer has to pad

logger = logging.getLogger("evaluate_qa")


class ForTraining(Scorer):
    """Adds `compute_metrics` for a Trainer to a scorer."""

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
                f"{name}: {count} rows were evaluated, {expected} expected: an earlier evaluation was interrupted. "
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


def id_rows(values: Any, metric: str, column: str) -> list[Ids]:
    """Return the ids of each row, without the padding that a trainer adds.

    Args:
        values: An array or a tensor, shape (rows, positions); a list of those; a tuple whose first entry is one.
        metric: Name of the metric, for the message.
        column: What the values are, for the message.

    Raises:
        ValueError: logits.
    """
    if isinstance(values, tuple):
        values = values[0]
    if isinstance(values, list):
        return [row for batch in values for row in id_rows(batch, metric, column)]
    if len(values.shape) != 2 or "int" not in str(values.dtype):  # noqa: PLR2004
        raise ValueError(
            f"{metric}: the {column} have the shape {tuple(values.shape)} and the type {values.dtype}, as logits do; "
            "expected token ids: with predict_with_generate=True a Seq2SeqTrainer generates answers "
            "(preprocess_logits_for_metrics=metric.teacher_forced() takes the arg-max where that is impossible)"
        )
    array = values.cpu().numpy() if hasattr(values, "cpu") else np.asarray(values)
    return [row[row >= 0] for row in array]


def without_prompt(prediction: Ids, prompt: Ids) -> Ids:
    """Return what follows the prompt where the prediction begins with it, as a causal model's does."""
    begins = len(prompt) > 0 and np.array_equal(prediction[: len(prompt)], prompt)
    return prediction[len(prompt) :] if begins else prediction


def without_answers(questions: list[str], labels: list[str]) -> list[str]:
    """Return the questions without the labels where all end with them: a causal model's training rows hold both."""
    pairs = zip(questions, labels, strict=True)
    if all(label and label != text and text.endswith(label) for text, label in pairs):
        return [text.removesuffix(label).strip() for text, label in zip(questions, labels, strict=True)]
    return questions


def most_likely(logits: Any, labels: Any, causal: bool) -> Any:
    """Return the arg-max of logits, shape (rows, positions, tokens), at those positions that have a label."""
    logits = logits[0] if isinstance(logits, tuple) else logits
    if not logits.is_floating_point():
        return logits  # generated ids
    ids = logits.argmax(dim=-1)
    if ids.shape != labels.shape:
        raise ValueError(f"logits of shape {tuple(logits.shape)} do not fit labels of shape {tuple(labels.shape)}")
    if causal:
        ids = ids.roll(1, dims=1)
        ids[:, 0] = _PADDING
    return ids.masked_fill(labels == _PADDING, _PADDING)


@dataclass(frozen=True)
class EvaluationSet:
    """The set that is evaluated.

    Args:
        length: Its number of rows; None where that is not known, as of an iterable set.
        sorted_by_length: Whether its rows are evaluated in another order than their own.
    """

    length: int | None = None
    sorted_by_length: bool = False


def evaluation_set() -> EvaluationSet:
    """Return what is known of the set whose evaluation calls this, directly or not.

    The trainer is searched for among the callers, because it passes neither itself nor its set. The set's length is
    needed because `Seq2SeqTrainer` on several processes fills the last batch with the set's first rows, and keeps them.
    """
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_name != "evaluation_loop":
        frame = frame.f_back
    trainer = frame.f_locals.get("self") if frame is not None else None
    arguments = getattr(trainer, "args", None)
    by_length = getattr(arguments, "train_sampling_strategy", None) == "group_by_length"
    # What transformers 4 has instead.
    by_length = by_length or getattr(arguments, "group_by_length", False) is True
    return EvaluationSet(_length(trainer), by_length)


def _length(trainer: Any) -> int | None:
    loader = getattr(getattr(trainer, "callback_handler", None), "eval_dataloader", None)
    try:
        return len(getattr(loader, "dataset", None))  # type: ignore[arg-type]
    except TypeError:
        return None


def processes() -> int:
    """Return how many processes train together."""
    from torch import distributed

    return distributed.get_world_size() if distributed.is_available() and distributed.is_initialized() else 1


def of_all_processes(rows: list[T]) -> list[T]:
    """Return the rows of the first process, then those of the second, and so on."""
    if processes() == 1:
        return rows
    from torch import distributed

    everything: list[list[T]] = [[] for _ in range(processes())]
    distributed.all_gather_object(everything, rows)
    return [row for given in everything for row in given]


def on_the_first_process(work: Callable[[], T]) -> T:
    """Return on all processes what the first one's call returns; raise on all where it raises.

    Raises:
        RuntimeError: on the other processes, with the first one's message.
    """
    if processes() == 1:
        return work()
    from torch import distributed

    told: list[Any] = [None, None]
    failure = None
    if distributed.get_rank() == 0:
        try:
            told[0] = work()
        except Exception as error:  # whatever it is: the other processes wait for word
            failure, told[1] = error, f"{type(error).__name__}: {error}"
    distributed.broadcast_object_list(told, src=0)
    if failure is not None:
        raise failure
    if told[1] is not None:
        raise RuntimeError(f"scoring failed on the first process: {told[1]}")
    result: T = told[0]
    return result
