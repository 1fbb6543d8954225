"""A teacher: a larger encoder that matchers learn from, with the matcher's head over its last layer.

It reads English only: texts in other languages are neither used to train it nor judged by it.
"""

from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.arguments import ModelOptions
from evaluate_qa.metrics._shared.checkpoints import find
from evaluate_qa.metrics._shared.classifiers import PairClassifier
from evaluate_qa.metrics._shared.large import blank

from ..files.writing import write_file
from .learner import Learner
from .recipe import TrainingRecipe

LANGUAGE = "en"
# Learning rate of the head as a multiple of the encoder's; with the same rate for both, it learned nothing.
_HEAD_RATE = 10.0
# The only key in the metadata of the file.
_ENCODER = "encoder"


class Teacher(Learner):
    """An encoder with the head of a large matcher; it reads BEM's input.

    Args:
        encoder: Folder of a checkpoint that transformers' AutoModel loads, or its name on the Hub.
        recipe: How to train or run it.

    Raises:
        FileNotFoundError, ValueError: there is no such checkpoint, or it is damaged or of the wrong kind.
    """

    head_rate = _HEAD_RATE

    def __init__(self, encoder: str, recipe: TrainingRecipe) -> None:
        import torch

        self._name = encoder
        network, tokenizer = blank(find("fit", encoder).folder)
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
