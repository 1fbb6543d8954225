"""The model that is trained: one encoder with a head for each metric."""

from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.arguments import ModelOptions
from evaluate_qa.metrics._shared.classifiers import PairClassifier
from evaluate_qa.metrics._shared.matcher import Matcher, blank, difference, read, save

from .learner import Learner
from .recipe import Recipe

# Field of a recipe -> the most that MiniLM has of it, and what that is.
_LIMITS = {
    "max_tokens": (512, "the longest input of the matchers' encoder"),
    "frozen": (6, "the layers of the matchers' encoder"),
}


def check_limits(recipe: Recipe) -> None:
    """Raise ValueError where a recipe wants more tokens or layers than MiniLM has."""
    for name, (most, told) in _LIMITS.items():
        if getattr(recipe, name) > most:
            raise ValueError(f"{name} is {getattr(recipe, name)}; expected at most {most}, {told}")


class Heads(Learner):
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
        for block in [embeddings, *blocks][: layers + 1 if layers else 0]:
            block.requires_grad_(False)

    @property
    def encoder(self) -> Any:
        """The torch module that all heads share."""
        return next(iter(self.classifiers.values())).model.bert

    @classmethod
    def read(cls, file: Path, minilm: Path, recipe: Recipe) -> "Heads":
        """Load a matcher to learn from."""
        heads = cls(minilm, recipe)
        heads.load(read(file))
        heads.train(False)
        return heads

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

    def save(self, file: Path) -> None:
        """Write the matcher's file, without weights of final layers."""
        save(self.matcher(), file)

    def matcher(self) -> Matcher:
        """Return what was learned, as the file holds it, without weights of final layers."""
        heads = {}
        for task in self.classifiers:
            head = self.model(task).classifier
            heads[task] = (head.weight.detach().float().cpu().numpy(), head.bias.detach().float().cpu().numpy())
        return Matcher(difference(self.base.bert, self.encoder), heads, {})
