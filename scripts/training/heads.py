"""The matcher during training: one encoder with a head for each metric."""

from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.arguments import ModelOptions
from evaluate_qa.metrics._shared.classifiers import PairClassifier
from evaluate_qa.metrics._shared.matcher import Matcher, blank, difference, read, save, tensors

from .learner import Learner
from .recipe import TrainingRecipe


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

        heads, matcher = cls(minilm, recipe), read(file)
        for task in heads.classifiers:
            weights = tensors(minilm, matcher, task)
            heads.model(task).load_state_dict({name: torch.from_numpy(values) for name, values in weights.items()})
        heads.train(False)
        return heads

    def save(self, file: Path) -> None:
        """Write the matcher without final layers."""
        heads = {}
        for task in self.classifiers:
            head = self.model(task).classifier
            heads[task] = (head.weight.detach().float().cpu().numpy(), head.bias.detach().float().cpu().numpy())
        save(Matcher(difference(self.base.bert, self.encoder), heads, {}), file)
