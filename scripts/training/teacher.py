"""A teacher: a larger encoder that matchers learn from, with the matcher's head over its last layer.

It reads English only: texts in other languages are neither used to train it nor judged by it.
"""

from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.arguments import ModelOptions
from evaluate_qa.metrics._shared.checkpoints import find
from evaluate_qa.metrics._shared.classifiers import PairClassifier
from evaluate_qa.metrics._shared.pair_network import compared, scaled_mean
from evaluate_qa.metrics._shared.progress import library_bars

from ..files.writing import replacing
from .learner import Learner
from .recipe import TrainingRecipe

LANGUAGE = "en"
# Learning rate of the head as a multiple of the encoder's; with the same rate for both, it learned nothing.
_HEAD_RATE = 10.0
# The only key in the metadata of the file.
_ENCODER = "encoder"


class Teacher(Learner):
    """An encoder with a head over [c, |u − v|, u ∘ v, 10 cos(u, v)].

    c is the first token of the last layer, and u and v are the means over the tokens of answer and reference, each
    scaled to a mean square of 1. The input is BEM's: answer, reference, question.

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
        network, tokenizer = _blank(find("fit", encoder).folder)
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
        import torch
        from safetensors import safe_open

        with safe_open(file, framework="pt") as stored:
            teacher = cls(stored.metadata()[_ENCODER], recipe)
            named = teacher.parameters()
            if {*stored.keys()} != named.keys():
                raise ValueError(
                    f"{file} does not fit the encoder {teacher._name}, which has changed; train the teacher again"
                )
            with torch.no_grad():
                for name, parameter in named.items():
                    parameter.copy_(stored.get_tensor(name))
        teacher.train(False)
        return teacher

    def save(self, file: Path) -> None:
        """Write the trained weights and the name of the encoder."""
        from safetensors.torch import save_file

        tensors = {name: parameter.detach().cpu().contiguous() for name, parameter in self.parameters().items()}
        with replacing(file) as whole:
            save_file(tensors, whole, metadata={_ENCODER: self._name})

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


def _blank(folder: Path) -> tuple[Any, Any]:
    """Return the network, with a head of zeros, and the tokenizer."""
    import torch
    from transformers import AutoModel, AutoTokenizer
    from transformers.modeling_outputs import SequenceClassifierOutput

    class TeacherNetwork(torch.nn.Module):
        def __init__(self, body: Any, separator: int) -> None:
            super().__init__()
            self.body, self.config, self._separator = body, body.config, separator
            self.classifier = torch.nn.Linear(3 * body.config.hidden_size + 1, 2)
            torch.nn.init.zeros_(self.classifier.weight)
            torch.nn.init.zeros_(self.classifier.bias)

        @property
        def device(self) -> Any:
            return self.body.device

        def forward(self, input_ids: Any, attention_mask: Any, **types: Any) -> Any:
            read = self.body(input_ids, attention_mask, **types).last_hidden_state.float()
            sides = texts(input_ids, attention_mask, self._separator)
            c, u, v = (scaled_mean(read, side) for side in sides)
            with torch.autocast(read.device.type, enabled=False):
                return SequenceClassifierOutput(logits=self.classifier(compared(c, u, v)))

    try:
        with library_bars():
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
            body = AutoModel.from_pretrained(
                folder, dtype=torch.float32, local_files_only=True, trust_remote_code=False, use_safetensors=True
            )
    except Exception as error:  # a damaged or malicious file may raise anything
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{folder} does not load as an encoder ({type(error).__name__}: {reason})") from error
    if getattr(body, "pooler", None) is not None:
        body.pooler.requires_grad_(False)
    return TeacherNetwork(body, tokenizer.sep_token_id), tokenizer


def texts(input_ids: Any, attention_mask: Any, separator: int) -> tuple[Any, Any, Any]:
    """Return masks of the first token and of the tokens of the first and second text, each of shape (batch, tokens).

    Texts end at one separator or, as in the RoBERTa family, at two.

    >>> import torch
    >>> ids = torch.tensor([[0, 7, 8, 2, 2, 9, 2, 5, 2, 1]])
    >>> [side.int().tolist() for side in texts(ids, (ids != 1).int(), separator=2)[1:]]
    [[[0, 1, 1, 0, 0, 0, 0, 0, 0, 0]], [[0, 0, 0, 0, 0, 1, 0, 0, 0, 0]]]
    """
    ends = input_ids == separator
    begins = ends.clone()
    begins[:, 1:] &= ~ends[:, :-1]
    place = begins.cumsum(dim=1)
    inside = attention_mask.bool() & ~ends
    first = inside.clone()
    first[:, 1:] = False
    return first, inside & ~first & (place == 0), inside & (place == 1)
