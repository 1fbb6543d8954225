"""Train the encoder with both heads on examples; an interrupted run resumes after its last whole epoch."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..metrics._shared.matcher import read
from ..metrics._shared.progress import progress
from .checkpoint import Checkpoint, State
from .examples import Example, Generator, batches
from .heads import FORMATS, Batch, Heads, load_teachers
from .recipe import Recipe


def train(
    minilm: Path,
    generator: Generator,
    recipe: Recipe,
    after_epoch: Callable[[int, Heads, float], float],
    checkpoint: Checkpoint,
    teachers: Sequence[Path] = (),
    start: Path | None = None,
) -> list[float]:
    """Train on the generator's examples.

    Args:
        minilm: Folder of all-MiniLM-L6-v2.
        generator: Draws the examples.
        recipe: How.
        after_epoch: Called with the number of epochs done, the averaged model and the mean training loss; keeps the
            model, and returns its accuracy.
        checkpoint: Where the state is kept after each epoch, and taken from if it is there.
        teachers: Files of matchers whose mean probability is learned beside the labels.
        start: File of a matcher to begin with, in place of MiniLM.

    Returns:
        What `after_epoch` returned, epoch by epoch.
    """
    heads = Heads(minilm, recipe)
    if start is not None:
        heads.load(read(start))
    drawn = [generator.epoch(recipe.seed * 1000 + epoch) for epoch in range(recipe.epochs)]
    epochs = [_prepared(heads, examples, recipe) for examples in drawn]
    tutors = load_teachers(minilm, teachers, recipe)
    course = Course(heads, recipe, steps=sum(map(len, epochs)))
    accuracies: list[float] = []
    if kept := checkpoint.load():
        state, accuracies = kept
        course.restore(state)
    for epoch in range(len(accuracies), recipe.epochs):
        heads.train(True)
        loss = _epoch(course, epochs[epoch], tutors, epoch)
        heads.train(False)
        with exchanged(course.named, course.mean):
            accuracies.append(after_epoch(epoch + 1, heads, loss))
        checkpoint.save(course.state(), accuracies)
    return accuracies


class Course:
    """What changes in the course of training: parameters, their running mean, and the optimizer's state.

    Args:
        heads: What is trained.
        recipe: How.
        steps: Batches of all epochs.
    """

    def __init__(self, heads: Heads, recipe: Recipe, steps: int) -> None:
        import torch

        self.heads, self.recipe = heads, recipe
        self.named = heads.parameters()
        self.mean = {name: parameter.detach().clone() for name, parameter in self.named.items()}
        self._optimizer = torch.optim.AdamW(self.named.values(), lr=recipe.learning_rate, weight_decay=0.01)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(self._optimizer, _warmed(steps))

    def step(self, batch: Batch, teachers: Sequence[Heads]) -> Any:
        """Learn from a batch; return its loss."""
        import torch

        self._optimizer.zero_grad()
        loss = backward(self.heads, batch, teachers, self.recipe)
        torch.nn.utils.clip_grad_norm_(self.named.values(), 1.0)
        self._optimizer.step()
        self._schedule.step()
        # The mean follows closely at first, when the weights still move far.
        decay = min(self.recipe.average, self._schedule.last_epoch / (self._schedule.last_epoch + 10))
        with torch.no_grad():
            for name, parameter in self.named.items():
                self.mean[name].lerp_(parameter, 1 - decay)
        return loss

    def state(self) -> State:
        """Return all that is needed to go on, the random numbers' state too."""
        import torch

        return {
            "parameters": {name: parameter.detach() for name, parameter in self.named.items()},
            "mean": self.mean,
            "optimizer": self._optimizer.state_dict(),
            "schedule": self._schedule.state_dict(),
            "random": torch.get_rng_state(),
            "cuda_random": torch.cuda.get_rng_state_all(),
        }

    def restore(self, state: State) -> None:
        """Go back to a state."""
        import torch

        with torch.no_grad():
            for name, parameter in self.named.items():
                parameter.copy_(state["parameters"][name])
                self.mean[name].copy_(state["mean"][name])
        self._optimizer.load_state_dict(state["optimizer"])
        self._schedule.load_state_dict(dict(state["schedule"]))
        torch.set_rng_state(state["random"])
        torch.cuda.set_rng_state_all(state["cuda_random"])


def _epoch(course: Course, prepared: Sequence[Batch], teachers: Sequence[Heads], epoch: int) -> float:
    """Learn from all batches once, in random order; return the mean loss."""
    recipe, losses = course.recipe, []
    with progress(f"epoch {epoch + 1} of {recipe.epochs}", len(prepared), "batch") as bar:
        for number in np.random.default_rng(recipe.seed + epoch).permutation(len(prepared)):
            losses.append(course.step(prepared[number], teachers))
            bar.update()
    return float(sum(losses) / len(losses))


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


def backward(heads: Heads, batch: Batch, teachers: Sequence[Heads], recipe: Recipe) -> Any:
    """Add the gradients of the heads' mean loss, one head after the other to save memory; return that loss.

    Args:
        heads: What is trained.
        batch: Examples.
        teachers: Matchers whose mean probability is learned beside the labels.
        recipe: Of smoothing, teaching and precision.
    """
    import torch

    targets = _targets(batch, teachers, recipe)
    losses = []
    for task in heads.classifiers:
        margin = heads.margin(task, batch, recipe.half)
        loss: Any = torch.nn.functional.binary_cross_entropy_with_logits(margin, targets.to(margin.device))
        (loss / len(heads.classifiers)).backward()
        losses.append(loss.detach())
    return torch.stack(losses).mean()


def _targets(batch: Batch, teachers: Sequence[Heads], recipe: Recipe) -> Any:
    """Return what is to be learned: smoothed labels, and with teachers mostly their mean probability."""
    import torch

    targets = torch.tensor(batch.labels) * (1 - recipe.smoothing) + recipe.smoothing / 2
    if not teachers:
        return targets
    with torch.no_grad():
        margins = [heads.margin(task, batch, recipe.half) for heads in teachers for task in heads.classifiers]
        taught = torch.stack(margins).mean(dim=0).sigmoid()
    return torch.lerp(targets.to(taught.device), taught, recipe.teaching)


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
