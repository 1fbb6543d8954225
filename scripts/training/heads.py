"""The model that is trained: one encoder with a head for each metric, and what it reads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..metrics._shared.arguments import ModelOptions
from ..metrics._shared.classifiers import PairClassifier, Texts
from ..metrics._shared.matcher import Matcher, blank, difference, read
from ..metrics.bem.classifier import bem_pair
from ..metrics.nli_lex.classifier import nli_pair
from .recipe import Recipe

FORMATS: dict[str, Callable[[str, str, str], Texts]] = {"bem": bem_pair, "nli_lex": nli_pair}
"""Task -> the input it reads."""

ROUNDED = 16
"""Batches are padded to a multiple of so many tokens: in bfloat16 torch keeps what it compiled for each shape."""


@dataclass(frozen=True)
class Batch:
    """Token ids and types of the same examples in each task's format, and their labels."""

    inputs: dict[str, list[tuple[list[int], list[int]]]]
    labels: list[float]


class Heads:
    """MiniLM with a head for each task; all see every example, each in its own format."""

    def __init__(self, minilm: Path, recipe: Recipe) -> None:
        import torch

        torch.manual_seed(0)  # heads begin alike whatever the seed, so that runs can be averaged
        options = ModelOptions(device=recipe.device)
        self.base, _ = blank(minilm, recipe.tasks[0])
        self.classifiers: dict[str, PairClassifier] = {}
        for task in recipe.tasks:
            model, tokenizer = blank(minilm, task)
            if self.classifiers:
                model.bert = self.encoder  # one for all
            self.classifiers[task] = PairClassifier(model, tokenizer, options, recipe.max_tokens)
        for layer in self.encoder.encoder.layer:
            # Without dropout torch takes its fused attention, which needs less time and keeps no probabilities.
            layer.attention.self.dropout.p = 0.0
        if recipe.half and self.encoder.device.type == "cpu":
            # But there, on the way back in bfloat16, that is slow: without it a step takes three quarters of the time.
            self.encoder.set_attn_implementation("eager")
        self._freeze(recipe.frozen)
        torch.manual_seed(recipe.seed)

    def _freeze(self, layers: int) -> None:
        """Keep the word embeddings as they are, and with them all of the embeddings and so many layers."""
        embeddings, blocks = self.encoder.embeddings, self.encoder.encoder.layer
        embeddings.word_embeddings.requires_grad_(False)
        if layers > len(blocks):
            raise ValueError(f"frozen is {layers}; expected at most the encoder's {len(blocks)} layers")
        for block in [embeddings, *blocks][: layers + 1 if layers else 0]:
            block.requires_grad_(False)

    @property
    def encoder(self) -> Any:
        """The torch module that all heads share."""
        return next(iter(self.classifiers.values())).model.bert

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

    def load(self, matcher: Matcher) -> None:
        """Take over what a file holds."""
        import torch

        encoder = dict(self.encoder.named_parameters())
        with torch.no_grad():
            for name, values in matcher.difference.items():
                encoder[name] += torch.from_numpy(values).to(encoder[name].device)
            for task in self.classifiers:
                matrix, bias = matcher.heads[task]
                self.model(task).classifier.weight.copy_(torch.from_numpy(matrix))
                self.model(task).classifier.bias.copy_(torch.from_numpy(bias))

    def margin(self, task: str, batch: Batch, half: bool) -> Any:
        """Return a task's logit of agreement, shape (batch,)."""
        import torch

        classifier = self.classifiers[task]
        with torch.autocast(classifier.model.device.type, torch.bfloat16, enabled=half):
            logits = classifier.model(**classifier.tensors(batch.inputs[task], ROUNDED)).logits.float()
        return logits[:, 1] - logits[:, 0]

    def matcher(self) -> Matcher:
        """Return what was learned, as the file holds it, without weights of final layers."""
        heads = {}
        for task in self.classifiers:
            head = self.model(task).classifier
            heads[task] = (head.weight.detach().float().cpu().numpy(), head.bias.detach().float().cpu().numpy())
        return Matcher(difference(self.base.bert, self.encoder), heads, {})


def load_teachers(minilm: Path, files: Sequence[Path], recipe: Recipe) -> list[Heads]:
    """Load matchers that were trained before."""
    teachers = []
    for file in files:
        teacher = Heads(minilm, recipe)
        teacher.load(read(file))
        teacher.train(False)
        teachers.append(teacher)
    return teachers
