"""What can be trained to judge answers: an encoder with one head or several, and what these read."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.classifiers import PairClassifier, Texts
from evaluate_qa.metrics.bem.classifier import bem_pair
from evaluate_qa.metrics.nli_lex.classifier import nli_pair

from .examples import Example

FORMATS: dict[str, Callable[[str, str, str], Texts]] = {"bem": bem_pair, "nli_lex": nli_pair}
"""Task -> the input it reads; a teacher reads what BEM does."""

ROUNDED = 16
"""Batches are padded to a multiple of so many tokens: in bfloat16 torch keeps what it compiled for each shape."""

Encoded = dict[str, list[tuple[list[int], list[int]]]]
"""Token ids and types of the same examples, as each head reads them."""


@dataclass(frozen=True)
class Batch:
    """The same examples as each head reads them, their labels (nan without one) and their languages."""

    inputs: Encoded
    labels: list[float]
    languages: list[str]


class Learner(ABC):
    """An encoder with one head or several; each reads every example.

    Attributes:
        classifiers: By task, or by the encoder's name where it is not the matchers'.
        head_rate: How much faster the heads learn than the encoder.
    """

    classifiers: dict[str, PairClassifier]
    head_rate = 1.0

    @property
    @abstractmethod
    def encoder(self) -> Any:
        """The torch module that all heads share."""

    @abstractmethod
    def save(self, file: Path) -> None:
        """Write what was learned."""

    def reads(self, language: str) -> bool:
        """Return whether it knows a language, such as `en`."""
        return True

    def model(self, task: str) -> Any:
        """Return the task's torch module."""
        return self.classifiers[task].model

    def parameters(self) -> dict[str, Any]:
        """Return the parameters that are trained, by name: all but the word embeddings and what is frozen."""
        named = {f"encoder.{name}": p for name, p in self.encoder.named_parameters() if p.requires_grad}
        for task in self.classifiers:
            named |= {f"{task}.{name}": p for name, p in self.model(task).classifier.named_parameters()}
        return named

    def train(self, on: bool) -> None:
        """Switch dropout on or off."""
        for classifier in self.classifiers.values():
            classifier.model.train(on)

    def encode(self, examples: Sequence[Example]) -> Encoded:
        """Return what each head reads of the examples."""
        return {
            task: classifier.encode([FORMATS.get(task, bem_pair)(e.question, e.answer, e.reference) for e in examples])
            for task, classifier in self.classifiers.items()
        }

    def margin(self, task: str, batch: Batch, half: bool) -> Any:
        """Return a task's logit of agreement, shape (batch,)."""
        import torch

        classifier = self.classifiers[task]
        with torch.autocast(classifier.model.device.type, torch.bfloat16, enabled=half):
            logits = classifier.model(**classifier.tensors(batch.inputs[task], ROUNDED)).logits.float()
        return logits[:, 1] - logits[:, 0]
