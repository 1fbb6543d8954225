"""The matcher during training: one encoder with a head for each metric."""

from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.arguments import ModelOptions
from evaluate_qa.metrics._shared.classifiers import PairClassifier
from evaluate_qa.metrics._shared.matcher import Matcher, blank, difference, read, save

from .learner import Learner
from .recipe import TrainingRecipe

# Limits of MiniLM.
_TOKENS, _LAYERS = 512, 6


def check_limits(recipe: TrainingRecipe) -> None:
    """Raise ValueError if a recipe has more tokens or layers than MiniLM."""
    if recipe.max_tokens > _TOKENS:
        raise ValueError(
            f"max_tokens is {recipe.max_tokens}; expected at most {_TOKENS}, the longest input of the matchers' encoder"
        )
    if recipe.frozen_layers > _LAYERS:
        raise ValueError(
            f"frozen_layers is {recipe.frozen_layers}; expected at most {_LAYERS}, the number of layers of the "
            "matchers' encoder"
        )


class Heads(Learner):
    """MiniLM with a head for each task; every head reads every example, in its own format."""

    def __init__(self, minilm: Path, recipe: TrainingRecipe) -> None:
        import torch

        torch.manual_seed(0)  # the same initial heads for every seed, so that runs can be averaged
        options = ModelOptions(device=recipe.device)
        self.base, _ = blank(minilm, recipe.tasks[0])
        self.classifiers: dict[str, PairClassifier] = {}
        for task in recipe.tasks:
            model, tokenizer = blank(minilm, task)
            if self.classifiers:
                model.bert = self.encoder  # one for all
            self.classifiers[task] = PairClassifier(model, tokenizer, options, recipe.max_tokens)
        for layer in self.encoder.encoder.layer:
            # Without dropout, torch uses its fused attention, which is faster and stores no probabilities.
            layer.attention.self.dropout.p = 0.0
        if recipe.bfloat16 and self.encoder.device.type == "cpu":
            # The backward pass of fused attention is slow in bfloat16 on a CPU: a step without it takes a quarter less.
            self.encoder.set_attn_implementation("eager")
        self._freeze(recipe.frozen_layers)
        torch.manual_seed(recipe.seed)

    def _freeze(self, layers: int) -> None:
        """Freeze the word embeddings and, with `layers`, all embeddings and that number of layers."""
        embeddings, blocks = self.encoder.embeddings, self.encoder.encoder.layer
        embeddings.word_embeddings.requires_grad_(False)
        for block in [embeddings, *blocks][: layers + 1 if layers else 0]:
            block.requires_grad_(False)

    @property
    def encoder(self) -> Any:
        """The torch module that all heads share."""
        return next(iter(self.classifiers.values())).model.bert

    @classmethod
    def read(cls, file: Path, minilm: Path, recipe: TrainingRecipe) -> "Heads":
        """Load a matcher that another one learns from."""
        heads = cls(minilm, recipe)
        heads.load(read(file))
        heads.train(False)
        return heads

    def load(self, matcher: Matcher) -> None:
        """Load the weights of a matcher."""
        import torch

        encoder = dict(self.encoder.named_parameters())
        with torch.no_grad():
            for name, values in matcher.difference.items():
                encoder[name] += torch.from_numpy(values).to(encoder[name].device)
            for task in self.classifiers:
                matrix, bias = matcher.heads[task]
                self.model(task).classifier.weight.copy_(torch.from_numpy(matrix))
                self.model(task).classifier.bias.copy_(torch.from_numpy(bias))

    def save(self, file: Path) -> None:
        """Write the matcher without final layers."""
        save(self.matcher(), file)

    def matcher(self) -> Matcher:
        """Return the trained weights as a matcher without final layers."""
        heads = {}
        for task in self.classifiers:
            head = self.model(task).classifier
            heads[task] = (head.weight.detach().float().cpu().numpy(), head.bias.detach().float().cpu().numpy())
        return Matcher(difference(self.base.bert, self.encoder), heads, {})
