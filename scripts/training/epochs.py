"""Train an encoder with its heads on examples; an interrupted run resumes after its last whole epoch."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from evaluate_qa.metrics._shared.progress import progress

from .balance import Examples
from .checkpoint import Checkpoint, State
from .examples import Example, batches
from .learner import ROUNDED, Batch, Learner
from .memory import give_back
from .recipe import Recipe

# Share of the training over which the learning rate rises, and what it rises from, as a share of the highest.
_RISE, _LOWEST = 0.1, 0.01
# Batches after which freed memory is given back: often enough to stay small, too seldom to take time.
_GIVE_BACK = 16


def train(
    learner: Learner,
    generator: Examples,
    recipe: Recipe,
    after_epoch: Callable[[int, float], float],
    checkpoint: Checkpoint,
    teachers: Sequence[Learner] = (),
) -> list[float]:
    """Train on the generator's examples.

    Args:
        learner: What is trained.
        generator: Draws the examples; those without a label that no teacher reads are left out.
        recipe: How.
        after_epoch: Called with the number of epochs done and the mean training loss, while the learner has its
            averaged weights; keeps it, and says how good it is.
        checkpoint: Where the state is kept after each epoch, and taken from if it is there.
        teachers: Whose mean probability is learned beside the labels.

    Returns:
        What `after_epoch` returned, epoch by epoch.
    """
    course = Course(learner, recipe)
    found: list[float] = []
    if kept := checkpoint.load():
        state, found = kept
        course.restore(state)
    for epoch in range(len(found), recipe.epochs):
        learner.train(True)
        examples = [
            example
            for example in generator.epoch(recipe.seed * 1000 + epoch)
            if not math.isnan(example.label) or any(teacher.reads(example.language) for teacher in teachers)
        ]
        prepared = _prepared([*teachers, learner], examples, recipe)
        loss = _epoch(course, prepared, teachers, epoch)
        del prepared  # kept no longer than for the epoch
        learner.train(False)
        with exchanged(course.named, course.mean):
            found.append(after_epoch(epoch + 1, loss))
        checkpoint.save(course.state(), found)
    return found


class Course:
    """What changes in the course of training: parameters, their running mean, and the optimizer's state.

    Args:
        learner: What is trained.
        recipe: How.
    """

    def __init__(self, learner: Learner, recipe: Recipe) -> None:
        import torch

        self.learner, self.recipe = learner, recipe
        self.named = learner.parameters()
        self.mean = {name: parameter.detach().clone() for name, parameter in self.named.items()}
        encoder, heads = (
            [parameter for name, parameter in self.named.items() if name.startswith("encoder.") is of_encoder]
            for of_encoder in (True, False)
        )
        groups = [{"params": encoder, "rate": 1.0}, {"params": heads, "rate": learner.head_rate}]
        self._optimizer = torch.optim.AdamW(groups, lr=recipe.learning_rate, weight_decay=0.01)
        self._steps = 0

    def step(self, batch: Batch, teachers: Sequence[Learner], done: float) -> Any:
        """Learn from a batch; return its loss.

        Args:
            batch: Examples.
            teachers: As for `backward`.
            done: Share of the training that is done, from 0 to 1.
        """
        import torch

        self._optimizer.zero_grad()
        for group in self._optimizer.param_groups:
            group["lr"] = self.recipe.learning_rate * warmed(done) * group["rate"]
        loss = backward(self.learner, batch, teachers, self.recipe)
        torch.nn.utils.clip_grad_norm_(self.named.values(), 1.0)
        self._optimizer.step()
        self._steps += 1
        # The mean follows closely at first, when the weights still move far.
        decay = min(self.recipe.average, self._steps / (self._steps + 10))
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
            "steps": self._steps,
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
        self._steps = state["steps"]
        torch.set_rng_state(state["random"])
        torch.cuda.set_rng_state_all(state["cuda_random"])


def _epoch(course: Course, prepared: Sequence[Batch], teachers: Sequence[Learner], epoch: int) -> float:
    """Learn from all batches once, in random order; return the mean loss."""
    recipe, losses = course.recipe, []
    order = np.random.default_rng(recipe.seed + epoch).permutation(len(prepared))
    with progress(f"epoch {epoch + 1} of {recipe.epochs}", len(prepared), "batch") as bar:
        for place, number in enumerate(order):
            losses.append(course.step(prepared[number], teachers, (epoch + place / len(order)) / recipe.epochs))
            if place % _GIVE_BACK == 0:
                give_back()
            bar.update()
    return float(sum(losses) / len(losses))


def _prepared(learners: Sequence[Learner], examples: Sequence[Example], recipe: Recipe) -> list[Batch]:
    inputs = {task: listed for learner in learners for task, listed in learner.encode(examples).items()}
    longest = [max(len(listed[i][0]) for listed in inputs.values()) for i in range(len(examples))]
    lengths = [math.ceil(length / ROUNDED) * ROUNDED for length in longest]
    return [
        Batch(
            {task: [listed[i] for i in rows] for task, listed in inputs.items()},
            [examples[i].label for i in rows],
            [examples[i].language for i in rows],
        )
        for rows in batches(lengths, recipe.token_budget)
    ]


def backward(learner: Learner, batch: Batch, teachers: Sequence[Learner], recipe: Recipe) -> Any:
    """Add the gradients of the heads' mean loss, one head after the other to save memory; return that loss.

    Args:
        learner: What is trained.
        batch: Examples.
        teachers: Whose mean probability is learned beside the labels.
        recipe: Of smoothing, teaching and precision.
    """
    import torch

    targets = _targets(batch, teachers, recipe)
    losses = []
    for task in learner.classifiers:
        margin = learner.margin(task, batch, recipe.half)
        loss: Any = torch.nn.functional.binary_cross_entropy_with_logits(margin, targets.to(margin.device))
        (loss / len(learner.classifiers)).backward()
        losses.append(loss.detach())
    return torch.stack(losses).mean()


def _targets(batch: Batch, teachers: Sequence[Learner], recipe: Recipe) -> Any:
    """Return what is to be learned: smoothed labels, and with teachers their probability too, or in place of none."""
    import torch

    labels = torch.tensor(batch.labels) * (1 - recipe.smoothing) + recipe.smoothing / 2
    if not teachers:
        return labels
    taught, known = _taught(batch, teachers, recipe)
    labels, known = labels.to(taught.device), known.to(taught.device)
    both = torch.lerp(labels, taught, recipe.teaching * known.float())
    return torch.where(labels.isnan(), taught, both)


def _taught(batch: Batch, teachers: Sequence[Learner], recipe: Recipe) -> tuple[Any, Any]:
    """Return the probability by the mean margin of the teachers that read an example's language, and if there are any.

    A teacher's margin is the mean of its heads'.
    """
    import torch

    total, count = torch.zeros(len(batch.labels)), torch.zeros(len(batch.labels))
    with torch.no_grad():
        for teacher in teachers:
            reads = torch.tensor([teacher.reads(language) for language in batch.languages])
            margins = [teacher.margin(task, batch, recipe.half) for task in teacher.classifiers]
            margin = torch.stack(margins).mean(dim=0).to(total.device)
            total, count = total + torch.where(reads, margin, 0.0), count + reads
    return (total / count.clamp(min=1)).sigmoid(), count > 0


def warmed(done: float) -> float:
    """Return the share of the highest learning rate: it rises over the first tenth of the training, then falls to 0.

    >>> [round(warmed(done), 2) for done in (0, 0.05, 0.1, 0.55, 1)]
    [0.01, 0.5, 1.0, 0.5, 0.0]
    """
    return max(_LOWEST, done / _RISE) if done < _RISE else (1 - done) / (1 - _RISE)


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
