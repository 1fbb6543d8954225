"""Turn a metric into a `compute_metrics` function for transformers' Trainer and Seq2SeqTrainer.

This follows transformers 5.23: ids are padded with -100; the ids that a causal model generates begin with the prompt;
every process gets all rows, and on several processes Seq2SeqTrainer repeats some; with `batch_eval_metrics`, there is
one call per batch, whose `inputs` are those of one process only.
"""

import inspect
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .messages import short_repr
from .options import is_number
from .rewards import isolate_from_training
from .scorer import Scorer
from .tracking import Tracker, check_tracker, track

T = TypeVar("T")
Ids = NDArray[np.int64]

# The trainer's padding of labels and predictions.
_PADDING = -100

logger = logging.getLogger("evaluate_qa")


class ForTraining(Scorer):
    """Adds `compute_metrics` to a scorer."""

    def compute_metrics(
        self,
        tokenizer: Any,
        questions: Any = None,
        references: Any = None,
        *,
        prefix: str = "",
        log: Tracker | None = None,
        **given: Any,
    ) -> "TrainingScores":
        """Return a function for `Trainer(compute_metrics=…)` and `Seq2SeqTrainer(compute_metrics=…)`.

        Args:
            tokenizer: Decodes predictions, labels and inputs, without special tokens.
            questions: One for each row of the evaluation set, in its order (default: the decoded inputs, if the
                training arguments have `include_for_metrics=["inputs"]`).
            references: A string or a list of strings for each row, in the same order (default: the decoded labels).
            prefix: Text before the names of the results, followed by an underscore.
            log: `"trackio"` or `"mlflow"`: log means, components and a table of the worst answers of each evaluation to
                the active run, under the metric's name.
            **given: Further columns, and options of `compute`.

        Raises:
            RowValueError, RowTypeError, TypeError, ValueError: A column or an option is not valid.
            ImportError: The package that `log` names is not installed.
        """
        check_tracker(self.name, log)
        columns, options = self.check_ahead(questions=questions, references=references, **given)
        if not hasattr(tokenizer, "batch_decode"):
            raise TypeError(f"{self.name}: tokenizer is {type(tokenizer).__name__}; expected one with batch_decode")
        return TrainingScores(self, tokenizer, columns, options, f"{prefix}_" if prefix else "", log)

    def teacher_forced(self, *, causal: bool = False) -> Callable[[Any, Any], Any]:
        """Return a function for `Trainer(preprocess_logits_for_metrics=…)`, which replaces logits by their arg-max.

        Use it if the trainer cannot generate. Every token is predicted from the reference's tokens before it, so the
        scores are too high to report; they only show progress within one training run.

        Args:
            causal: True for models that predict the next token at each position (GPT), False for encoder-decoders (T5).
        """
        logger.warning(
            "%s: teacher-forced scores are too high to report, because each token is predicted from the reference's "
            "tokens before it. Seq2SeqTrainer with predict_with_generate=True scores generated answers.",
            self.name,
        )
        return partial(_most_likely, causal=causal)


@dataclass
class _Evaluated:
    """The ids of the rows evaluated so far, without padding; `inputs` is None if the trainer does not pass them."""

    predictions: list[Ids] = field(default_factory=list)
    labels: list[Ids] = field(default_factory=list)
    inputs: list[Ids] | None = None
    largest_batch: int = 0

    def add(self, metric: str, batch: Any) -> None:
        """Append the rows of an `EvalPrediction`, which has one batch or all rows."""
        if getattr(batch, "label_ids", None) is None:
            expected = "expected an EvalPrediction(predictions=…, label_ids=…)"
            raise TypeError(f"{metric}: compute_metrics got {type(batch).__name__} without label_ids; {expected}")
        predictions = _id_rows(batch.predictions, metric, "predictions")
        inputs = _input_rows(getattr(batch, "inputs", None), metric)
        self.predictions += predictions
        self.labels += _id_rows(batch.label_ids, metric, "labels")
        if inputs is not None:
            # The trainer removes repeated rows from the predictions, but not from the inputs of several processes.
            self.inputs = (self.inputs or []) + inputs[: len(predictions)]
        self.largest_batch = max(self.largest_batch, len(predictions))


@dataclass(eq=False)
class TrainingScores:
    """A `compute_metrics` function, made by `metric.compute_metrics`."""

    _metric: Any
    _tokenizer: Any
    _columns: Mapping[str, Sequence[Any]]
    _options: Mapping[str, Any]
    _prefix: str
    _tracker: Tracker | None
    _evaluated: _Evaluated = field(default_factory=_Evaluated, init=False)

    def __call__(self, evaluated: Any, compute_result: bool = True) -> dict[str, float]:
        """Score the rows of an `EvalPrediction` and of all calls since the last one with `compute_result=True`.

        Returns:
            The metric's numbers, the same on every process; an empty dictionary if `compute_result` is False.

        Raises:
            ValueError: The predictions are logits, or columns do not fit the evaluation set.
        """
        try:
            self._evaluated.add(self._metric.name, evaluated)
        except BaseException:
            self._evaluated = _Evaluated()
            raise
        if not compute_result:
            return {}
        everything, self._evaluated = self._evaluated, _Evaluated()
        count = self._count(everything)
        return _run_on_first_process(lambda: self._score(self._rows(everything, count)))

    def _count(self, everything: _Evaluated) -> int:
        """Return the number of rows in the evaluation set; later rows are repetitions."""
        name, count = self._metric.name, len(everything.predictions)
        length, sorted_by_length = _evaluation_set()
        expected = length or count
        if count > expected and (_process_count() == 1 or count - expected >= everything.largest_batch):
            raise ValueError(
                f"{name}: {count} rows were evaluated, {expected} expected: an earlier evaluation was interrupted. "
                "Its rows have been dropped; evaluate again"
            )
        for column, rows in self._columns.items():
            if len(rows) != expected:
                raise ValueError(
                    f"{name}: {column} has length {len(rows)}, the evaluation set {expected}; expected one entry for "
                    "each of its rows, in its order (for several evaluation sets, leave out questions= and references=)"
                )
        if self._columns and sorted_by_length:
            raise ValueError(
                f"{name}: the trainer sorts the rows by length, so {next(iter(self._columns))} would go to wrong rows; "
                "leave it out, or do not group by length"
            )
        return min(count, expected)

    def _rows(self, everything: _Evaluated, count: int) -> dict[str, Sequence[Any]]:
        """Return the columns for `compute`."""
        answers, inputs = everything.predictions[:count], everything.inputs
        rows: dict[str, Sequence[Any]] = {"references": self._texts(everything.labels[:count])}
        if inputs is not None:
            answers = list(map(_strip_prompt, answers, inputs))
            rows["questions"] = _strip_answers(self._texts(inputs[:count]), rows["references"])
        rows["predictions"] = self._texts(answers)
        rows |= {column: values[:count] for column, values in self._columns.items()}
        if "questions" not in rows and "questions" in self._metric.required:
            raise ValueError(
                f"{self._metric.name}: the questions are missing; pass questions=[…] to compute_metrics, or set "
                'include_for_metrics=["inputs"] in the training arguments'
            )
        if (blank := next((row for row, text in enumerate(rows["references"]) if text == ""), None)) is not None:
            raise ValueError(
                f"{self._metric.name}: the labels of row {blank} of the evaluation set have no text; expected the "
                "tokens of a right answer. Remove rows whose labels are all -100, such as those with prompts that fill "
                "the maximum length, or pass references=[…] to compute_metrics"
            )
        pairs = zip(rows["predictions"], rows.get("questions") or [None] * count, strict=True)
        if inputs is None and all(question and answer.startswith(question) for answer, question in pairs):
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
        with isolate_from_training():
            result = self._metric.compute(**rows, **self._options, per_example=self._tracker is not None)
        figures = {name: float(value) for name, value in result.items() if is_number(value)}
        if self._tracker is not None:
            columns = {**rows, **result["per_example"]}
            table = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
            name = f"{self._prefix}{self._metric.name}"
            named = {f"{name}/{key}": value for key, value in figures.items()}
            track(self._tracker, name, named, table, getattr(_trainer(), "state", None))
        return {f"{self._prefix}{name}": value for name, value in figures.items()}


def _input_rows(inputs: Any, metric: str) -> list[Ids] | None:
    """Return the ids of the inputs of all processes; None if there are no inputs, or they are not token ids."""
    if isinstance(inputs, Mapping):  # one batch, of this process only
        return _gather_rows(_id_rows(inputs["input_ids"], metric, "inputs")) if "input_ids" in inputs else None
    some = inputs[0] if isinstance(inputs, list) else inputs
    return None if some is None or "float" in str(some.dtype) else _id_rows(inputs, metric, "inputs")


def _id_rows(values: Any, metric: str, column: str) -> list[Ids]:
    """Return the ids of each row without padding, from an array of shape (rows, positions) or a list of arrays.

    Models may return a tuple, whose first entry has the ids.
    """
    if isinstance(values, tuple):
        values = values[0]
    if isinstance(values, list):
        return [row for batch in values for row in _id_rows(batch, metric, column)]
    if not hasattr(values, "shape"):
        raise TypeError(
            f"{metric}: the {column} contain {short_repr(values)}; expected an array of token ids with one row for "
            "each answer, or a list of such arrays"
        )
    if len(values.shape) != 2 or "int" not in str(values.dtype):  # noqa: PLR2004
        raise ValueError(
            f"{metric}: the {column} have the shape {tuple(values.shape)} and the type {values.dtype}, so they may be "
            "logits; expected token ids, which a Seq2SeqTrainer with predict_with_generate=True generates (if it "
            "cannot, use preprocess_logits_for_metrics=metric.teacher_forced())"
        )
    array = values.cpu().numpy() if hasattr(values, "cpu") else np.asarray(values)
    return [row[row >= 0] for row in array]


def _strip_prompt(prediction: Ids, prompt: Ids) -> Ids:
    """Return the prediction without the prompt that a causal model repeats at its start."""
    begins = len(prompt) > 0 and np.array_equal(prediction[: len(prompt)], prompt)
    return prediction[len(prompt) :] if begins else prediction


def _strip_answers(questions: list[str], answers: Sequence[str]) -> list[str]:
    """Return the questions without the answers if all end with them, as the inputs of a causal model in training do."""
    pairs = list(zip(questions, answers, strict=True))
    if all(answer and answer != text and text.endswith(answer) for text, answer in pairs):
        return [text.removesuffix(answer).strip() for text, answer in pairs]
    return questions


def _most_likely(logits: Any, labels: Any, causal: bool) -> Any:
    """Return the arg-max of logits, shape (rows, positions, tokens), at the positions that have a label."""
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


def _evaluation_set() -> tuple[int | None, bool]:
    """Return the length of the set under evaluation, or None if unknown, and whether its rows are sorted by length.

    The length is needed because Seq2SeqTrainer on several processes fills the last batch with the set's first rows, and
    does not remove them.
    """
    trainer = _trainer()
    arguments = getattr(trainer, "args", None)
    by_length = getattr(arguments, "train_sampling_strategy", None) == "group_by_length"
    by_length = by_length or getattr(arguments, "group_by_length", False) is True  # transformers 4
    loader = getattr(getattr(trainer, "callback_handler", None), "eval_dataloader", None)
    try:
        return len(getattr(loader, "dataset", None)), by_length  # type: ignore[arg-type]
    except TypeError:  # an iterable set has no length
        return None, by_length


def _trainer() -> Any:
    """Return the trainer among the callers, because it passes neither its set nor its step; None if there is none."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_name != "evaluation_loop":
        frame = frame.f_back
    return frame.f_locals.get("self") if frame is not None else None


def _process_count() -> int:
    from torch import distributed

    return distributed.get_world_size() if distributed.is_available() and distributed.is_initialized() else 1


def _gather_rows(rows: list[T]) -> list[T]:
    """Return the rows of all processes, in the order of their ranks."""
    if _process_count() == 1:
        return rows
    from torch import distributed

    everything: list[list[T]] = [[] for _ in range(_process_count())]
    distributed.all_gather_object(everything, rows)
    return [row for given in everything for row in given]


def _run_on_first_process(work: Callable[[], T]) -> T:
    """Call a function on the first process; return its result on all processes, or raise on all if it raises."""
    if _process_count() == 1:
        return work()
    from torch import distributed

    outcome: list[Any] = [None, None]
    failure = None
    if distributed.get_rank() == 0:
        try:
            outcome[0] = work()
        except Exception as error:  # after any error, the other processes still wait for an outcome
            failure, outcome[1] = error, f"{type(error).__name__}: {error}"
    distributed.broadcast_object_list(outcome, src=0)
    if failure is not None:
        raise failure
    if outcome[1] is not None:
        raise RuntimeError(f"scoring failed on the first process: {outcome[1]}")
    result: T = outcome[0]
    return result
