"""Token ids as trainers hand them over: without their padding, prompts and the positions that nobody asked for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]

_PADDING = -100  # of labels and of whatever a trainer has to pad


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
