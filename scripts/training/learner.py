"""Models that can be trained to judge answers: the matcher, a teacher that it learns from, and their inputs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evaluate_qa.metrics._shared import large_matcher, matcher
from evaluate_qa.metrics._shared.arrays import Floats
from evaluate_qa.metrics._shared.checkpoints import find_checkpoint
from evaluate_qa.metrics._shared.classifiers import PairClassifier, PairTexts
from evaluate_qa.metrics._shared.engines import PairIds
from evaluate_qa.metrics._shared.model_options import ModelOptions
from evaluate_qa.metrics.bem.scorer import bem_pair
from evaluate_qa.metrics.nli_lex.scorer import nli_pair

from ..files.writing import write_file
from .examples import TrainingExample, batches
from .recipe import TrainingRecipe

FORMATS: dict[str, Callable[[str, str, str], PairTexts]] = {"bem": bem_pair, "nli_lex": nli_pair}
"""Task to the input that its head reads; a teacher reads the input of BEM."""

ROUNDED = 16
"""Batches are padded to a multiple of this length: in bfloat16, torch caches compiled code for every shape."""

LANGUAGE = "en"
"""The only language that a teacher reads: texts in others are neither used to train it nor judged by it."""

# The only key in the metadata of a teacher's file.
_ENCODER = "encoder"

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
    """An encoder with one or more heads; each head reads every example."""

    classifiers: dict[str, PairClassifier]  # by task or, for a teacher, by the name of its encoder
    head_rate = 1.0  # learning rate of the heads as a multiple of the encoder's

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

    def margins(self, inputs: Encoded, token_budget: int, bfloat16: bool) -> dict[str, Floats]:
        """Return the logits of agreement of encoded examples by task, without gradients, each of shape (examples,)."""
        import torch

        found = {task: np.empty(len(listed)) for task, listed in inputs.items()}
        with torch.no_grad():
            for task, listed in inputs.items():
                for rows in batches([len(ids) for ids, _ in listed], token_budget):
                    found[task][rows] = self.margin(task, [listed[i] for i in rows], bfloat16).cpu().numpy()
        return found

    def margin(self, task: str, inputs: Sequence[PairIds], bfloat16: bool) -> Any:
        """Return the logits of agreement of a batch for a task, shape (batch,)."""
        import torch

        classifier = self.classifiers[task]
        with torch.autocast(classifier.model.device.type, torch.bfloat16, enabled=bfloat16):
            logits = classifier.model(**classifier.tensors(inputs, ROUNDED)).logits.float()
        return logits[:, 1] - logits[:, 0]


class Heads(Learner):
    """MiniLM with a head for each task; every head reads every example, in its own format."""

    def __init__(self, minilm: Path, recipe: TrainingRecipe) -> None:
        import torch

        torch.manual_seed(0)  # the same initial heads for every seed, so that runs can be averaged
        options = ModelOptions(device=recipe.device)
        self.base, _ = matcher.build_blank(minilm, recipe.tasks[0])
        self.classifiers: dict[str, PairClassifier] = {}
        for task in recipe.tasks:
            model, tokenizer = matcher.build_blank(minilm, task)
            if self.classifiers:
                model.bert = self.encoder  # one for all
            self.classifiers[task] = PairClassifier(model, tokenizer, options, recipe.max_tokens)
        for layer in self.encoder.encoder.layer:
            # Without dropout, torch uses its fused attention, which is faster and stores no probabilities.
            layer.attention.self.dropout.p = 0.0
        if recipe.bfloat16 and self.encoder.device.type == "cpu":
            # The backward pass of fused attention is slow in bfloat16 on a CPU: a step without it takes a quarter less.
            self.encoder.set_attn_implementation("eager")
        self.encoder.embeddings.word_embeddings.requires_grad_(False)
        torch.manual_seed(recipe.seed)

    @property
    def encoder(self) -> Any:
        """The torch module that all heads share."""
        return next(iter(self.classifiers.values())).model.bert

    @classmethod
    def read(cls, file: Path, minilm: Path, recipe: TrainingRecipe) -> "Heads":
        """Load the weights of a matcher."""
        import torch

        heads, trained = cls(minilm, recipe), matcher.read(file)
        for task in heads.classifiers:
            weights = matcher.tensors(minilm, trained, task)
            heads.model(task).load_state_dict({name: torch.from_numpy(values) for name, values in weights.items()})
        heads.train(False)
        return heads

    def save(self, file: Path) -> None:
        """Write the matcher without final layers."""
        heads = {}
        for task in self.classifiers:
            head = self.model(task).classifier
            heads[task] = (head.weight.detach().float().cpu().numpy(), head.bias.detach().float().cpu().numpy())
        matcher.save(matcher.Matcher(matcher.difference(self.base.bert, self.encoder), heads, {}), file)


class Teacher(Learner):
    """A larger encoder that matchers learn from, with the head of a large matcher; it reads BEM's input.

    The encoder is the folder of a checkpoint that transformers' AutoModel loads, or its name on the Hub. Raise
    FileNotFoundError or ValueError if there is none, or if it is damaged or of the wrong kind.
    """

    head_rate = 10.0  # with the encoder's rate, the head learned nothing

    def __init__(self, encoder: str, recipe: TrainingRecipe) -> None:
        import torch

        self._name = encoder
        network, tokenizer = large_matcher.build_blank(find_checkpoint("fit", encoder).folder)
        classifier = PairClassifier(network, tokenizer, ModelOptions(device=recipe.device))
        classifier.max_length = min(classifier.max_length, recipe.max_tokens)
        self.classifiers = {encoder: classifier}
        for module in network.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0  # one or two epochs do not overfit
        self.encoder.get_input_embeddings().requires_grad_(False)
        torch.manual_seed(recipe.seed)

    @classmethod
    def read(cls, file: Path, recipe: TrainingRecipe) -> "Teacher":
        """Load a file that `save` wrote."""
        from safetensors import safe_open

        with safe_open(file, framework="pt") as stored:
            teacher = cls(stored.metadata()[_ENCODER], recipe)
            names = list(stored.keys())
            if {*names} != teacher.parameters().keys():
                raise ValueError(
                    f"{file} does not fit the encoder {teacher._name}, which has changed; train the teacher again"
                )
            teacher.load({name: stored.get_tensor(name) for name in names})
        teacher.train(False)
        return teacher

    def save(self, file: Path) -> None:
        """Write the trained weights and the name of the encoder."""
        from safetensors.torch import save

        tensors = {name: parameter.detach().cpu().contiguous() for name, parameter in self.parameters().items()}
        write_file(file, save(tensors, metadata={_ENCODER: self._name}))

    @property
    def encoder(self) -> Any:
        """The torch module below the head."""
        return self.model(self._name).body

    def reads(self, language: str) -> bool:
        """Return whether the language is English."""
        return language == LANGUAGE


def is_teacher(file: Path) -> bool:
    """Return whether the file holds a teacher."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, framework="pt") as stored:
            return _ENCODER in (stored.metadata() or {})
    except (OSError, SafetensorError):
        return False
