"""A model that can be trained to judge answers: an encoder with one or more heads, and their inputs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evaluate_qa.metrics._shared.arithmetic import Floats
from evaluate_qa.metrics._shared.classifiers import PairClassifier, Texts
from evaluate_qa.metrics._shared.engines import PairIds
from evaluate_qa.metrics.bem.scorer import bem_pair
from evaluate_qa.metrics.nli_lex.scorer import nli_pair

from .examples import TrainingExample, batches

FORMATS: dict[str, Callable[[str, str, str], Texts]] = {"bem": bem_pair, "nli_lex": nli_pair}
"""Task to the input that its head reads; a teacher reads the input of BEM."""

ROUNDED = 16
"""Batches are padded to a multiple of this length: in bfloat16, torch caches compiled code for every shape."""

Weights = dict[str, Any]
"""Trained parameters by name, as tensors of torch."""

Encoded = dict[str, list[PairIds]]
"""Token ids and types of the same examples, for each head."""


@dataclass(frozen=True)
class TrainingBatch:
    """The same examples for each head, with their labels and the teachers' margins; NaN where one is missing."""

    inputs: Encoded
    labels: list[float]
    taught: list[float]


class Learner(ABC):
    """An encoder with one or more heads; each head reads every example.

    Attributes:
        classifiers: By task or, for a teacher, by the name of its encoder.
        head_rate: Learning rate of the heads as a multiple of the encoder's.
    """

    classifiers: dict[str, PairClassifier]
    head_rate = 1.0

    @property
    @abstractmethod
    def encoder(self) -> Any:
        """The torch module that all heads share."""

    @abstractmethod
    def save(self, file: Path) -> None:
        """Write the trained weights."""

    def reads(self, language: str) -> bool:
        """Return whether the model reads a language, such as `en`."""
        return True

    def model(self, task: str) -> Any:
        """Return the task's torch module."""
        return self.classifiers[task].model

    def parameters(self) -> dict[str, Any]:
        """Return the trainable parameters by name: all but the word embeddings and frozen layers."""
        named = {f"encoder.{name}": p for name, p in self.encoder.named_parameters() if p.requires_grad}
        for task in self.classifiers:
            named |= {f"{task}.{name}": p for name, p in self.model(task).classifier.named_parameters()}
        return named

    def snapshot(self) -> Weights:
        """Return a copy of the trainable parameters."""
        return {name: parameter.detach().clone() for name, parameter in self.parameters().items()}

    def load(self, weights: Mapping[str, Any]) -> None:
        """Replace the trainable parameters."""
        import torch

        with torch.no_grad():
            for name, parameter in self.parameters().items():
                parameter.copy_(weights[name])

    def train(self, on: bool) -> None:
        """Switch dropout on or off."""
        for classifier in self.classifiers.values():
            classifier.model.train(on)

    def encode(self, examples: Sequence[TrainingExample]) -> Encoded:
        """Return the encoded examples for each head."""
        return {
            task: classifier.encode([FORMATS.get(task, bem_pair)(e.question, e.answer, e.reference) for e in examples])
            for task, classifier in self.classifiers.items()
        }

    def margins(self, inputs: Encoded, token_budget: int, half: bool) -> dict[str, Floats]:
        """Return the logits of agreement of encoded examples by task, without gradients, each of shape (examples,)."""
        import torch

        found = {task: np.empty(len(listed)) for task, listed in inputs.items()}
        with torch.no_grad():
            for task, listed in inputs.items():
                for rows in batches([len(ids) for ids, _ in listed], token_budget):
                    found[task][rows] = self.margin(task, [listed[i] for i in rows], half).cpu().numpy()
        return found

    def margin(self, task: str, inputs: Sequence[PairIds], half: bool) -> Any:
        """Return the logits of agreement of a batch for a task, shape (batch,)."""
        import torch

        classifier = self.classifiers[task]
        with torch.autocast(classifier.model.device.type, torch.bfloat16, enabled=half):
            logits = classifier.model(**classifier.tensors(inputs, ROUNDED)).logits.float()
        return logits[:, 1] - logits[:, 0]
