"""Train the encoder with both heads on examples, and turn what it learned into the file of the matchers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..metrics._shared.matcher import TASKS, Matcher, blank, difference, read
from ..metrics._shared.pairs import PairClassifier, RunOptions, Texts
from ..metrics.bem.formatting import bem_pair
from ..metrics.nli_lex.formatting import nli_pair
from .examples import Example, Generator, batches

FORMATS: dict[str, Callable[[str, str, str], Texts]] = {"bem": bem_pair, "nli_lex": nli_pair}
"""Task -> the input it reads."""


@dataclass(frozen=True)
class Recipe:
    """How the encoder is trained.

    Args:
        tasks: Whose heads are trained, keys of `TASKS`.
        epochs: Each draws its own examples.
        learning_rate: The highest; it rises over the first tenth of the steps and falls to 0 over the rest.
        token_budget: Tokens of a batch, padding counted.
        max_tokens: Longer inputs are cut.
        average: Decay of the running mean of the weights, which is what is kept.
        smoothing: Of the labels, towards a half.
        teaching: With teachers, the share of their mean probability in what is learned; the label has the rest.
        seed: Of examples, batches and dropout.
        device: As torch names it; by default the best there is.
        half: Compute in bfloat16 where it is safe (autocast).
    """

    tasks: tuple[str, ...] = tuple(TASKS)
    epochs: int = 5
    learning_rate: float = 1e-4
    token_budget: int = 4096
    max_tokens: int = 384
    average: float = 0.999
    smoothing: float = 0.05
    teaching: float = 0.7
    seed: int = 0
    device: str | None = None
    half: bool = False


class Heads:
    """MiniLM with a head for each task; all see every example, each in its own format."""

    def __init__(self, minilm: Path, recipe: Recipe) -> None:
        import torch

        torch.manual_seed(0)  # heads begin alike whatever the seed, so that runs can be averaged
        options = RunOptions(device=recipe.device)
        self.base, _ = blank(minilm, recipe.tasks[0])
        self.classifiers: dict[str, PairClassifier] = {}
        for task in recipe.tasks:
            model, tokenizer = blank(minilm, task)
            if self.classifiers:
                model.bert = self.encoder  # one for all
            self.classifiers[task] = PairClassifier(model, tokenizer, options, recipe.max_tokens)
        torch.manual_seed(recipe.seed)

    @property
    def encoder(self) -> Any:
        """The torch module that all heads share."""
        return next(iter(self.classifiers.values())).model.bert

    def model(self, task: str) -> Any:
        """Return the task's torch module."""
        return self.classifiers[task].model

    def parameters(self) -> dict[str, Any]:
        """Return the parameters that are trained, by name: all but the word embeddings."""
        encoder = self.encoder
        encoder.embeddings.word_embeddings.requires_grad_(False)
        named = {f"encoder.{name}": p for name, p in encoder.named_parameters() if p.requires_grad}
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

    def margins(self, batch: "Batch", half: bool) -> dict[str, Any]:
        """Return each task's logit of agreement, shape (batch,)."""
        import torch

        found = {}
        for task, classifier in self.classifiers.items():
            with torch.autocast(classifier.model.device.type, torch.bfloat16, enabled=half):
                logits = classifier.model(**classifier.tensors(batch.inputs[task])).logits.float()
            found[task] = logits[:, 1] - logits[:, 0]
        return found

    def matcher(self, weights: dict[str, dict[str, dict[str, float]]] | None = None) -> Matcher:
        """Return what was learned, as the file holds it."""
        heads = {}
        for task in self.classifiers:
            head = self.model(task).classifier
            heads[task] = (head.weight.detach().float().cpu().numpy(), head.bias.detach().float().cpu().numpy())
        return Matcher(difference(self.base.bert, self.encoder), heads, weights or {})


def train(
    minilm: Path,
    generator: Generator,
    recipe: Recipe,
    after_epoch: Callable[[int, Heads, float], None],
    teachers: Sequence[Path] = (),
    start: Path | None = None,
) -> Heads:
    """Train on the generator's examples.

    Args:
        minilm: Folder of all-MiniLM-L6-v2.
        generator: Draws the examples.
        recipe: How.
        start: File of a matcher to begin with, in place of MiniLM.
        teachers: Files of matchers whose mean probability is learned beside the labels.
        after_epoch: Called with the number of epochs done, the averaged model and the mean training loss.

    Returns:
        The averaged model after the last epoch.
    """
    import torch

    heads = Heads(minilm, recipe)
    if start is not None:
        heads.load(read(start))
    named = heads.parameters()
    mean = {name: parameter.detach().clone() for name, parameter in named.items()}
    optimizer = torch.optim.AdamW(named.values(), lr=recipe.learning_rate, weight_decay=0.01)
    drawn = [generator.epoch(recipe.seed * 1000 + epoch) for epoch in range(recipe.epochs)]
    epochs = [_prepared(heads, examples, recipe) for examples in drawn]
    tutors = load_teachers(minilm, teachers, recipe)
    rate = _warmed(sum(map(len, epochs)))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    for epoch, prepared in enumerate(epochs):
        losses = []
        heads.train(True)
        for number in np.random.default_rng(recipe.seed + epoch).permutation(len(prepared)):
            loss = _loss(heads, prepared[number], tutors, recipe)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(named.values(), 1.0)
            optimizer.step()
            schedule.step()
            # The mean follows closely at first, when the weights still move far.
            decay = min(recipe.average, schedule.last_epoch / (schedule.last_epoch + 10))
            with torch.no_grad():
                for name, parameter in named.items():
                    mean[name].lerp_(parameter, 1 - decay)
            losses.append(loss.detach())
        heads.train(False)
        with exchanged(named, mean):
            after_epoch(epoch + 1, heads, float(torch.stack(losses).mean()))
    exchange(named, mean)
    return heads


@dataclass(frozen=True)
class Batch:
    """Token ids and types of the same examples in each task's format, and their labels."""

    inputs: dict[str, list[tuple[list[int], list[int]]]]
    labels: list[float]


def _prepared(heads: Heads, examples: Sequence[Example], recipe: Recipe) -> list[Batch]:
    inputs = {
        task: classifier.encode([FORMATS[task](e.question, e.answer, e.reference) for e in examples])
        for task, classifier in heads.classifiers.items()
    }
    lengths = [max(len(listed[i][0]) for listed in inputs.values()) for i in range(len(examples))]
    return [
        Batch({task: [listed[i] for i in rows] for task, listed in inputs.items()}, [examples[i].label for i in rows])
        for rows in batches(lengths, recipe.token_budget)
    ]


def _loss(heads: Heads, batch: Batch, teachers: Sequence[Heads], recipe: Recipe) -> Any:
    import torch

    margins = heads.margins(batch, recipe.half)
    targets = torch.tensor(batch.labels, device=next(iter(margins.values())).device)
    targets = targets * (1 - recipe.smoothing) + recipe.smoothing / 2
    if teachers:
        with torch.no_grad():
            taught = [margin for teacher in teachers for margin in teacher.margins(batch, recipe.half).values()]
            targets = torch.lerp(targets, torch.stack(taught).mean(dim=0).sigmoid(), recipe.teaching)
    loss = torch.nn.functional.binary_cross_entropy_with_logits
    return torch.stack([loss(margin, targets) for margin in margins.values()]).mean()


def load_teachers(minilm: Path, files: Sequence[Path], recipe: Recipe) -> list[Heads]:
    """Load matchers that were trained before."""
    teachers = []
    for file in files:
        teacher = Heads(minilm, recipe)
        teacher.load(read(file))
        teacher.train(False)
        teachers.append(teacher)
    return teachers


def _warmed(steps: int) -> Callable[[int], float]:
    warm = max(1, steps // 10)
    return lambda step: min((step + 1) / warm, max(0.0, (steps - step) / (steps - warm)))


@contextmanager
def exchanged(named: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[None]:
    """Run the block with the values in the parameters, then put the parameters' own back."""
    exchange(named, values)
    try:
        yield
    finally:
        exchange(named, values)


def exchange(named: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Swap the contents of parameters and values."""
    import torch

    with torch.no_grad():
        for name, parameter in named.items():
            kept = parameter.detach().clone()
            parameter.copy_(values[name])
            values[name].copy_(kept)
