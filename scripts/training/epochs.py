"""Train an encoder with its heads on examples; an interrupted run resumes after its last whole epoch."""

import ctypes
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evaluate_qa.metrics._shared.arrays import Floats
from evaluate_qa.metrics._shared.progress import track_progress

from ..files.writing import replacing
from .balance import Examples
from .examples import TrainingExample, batches
from .learner import ROUNDED, Encoded, Learner, TrainingBatch
from .recipe import TrainingRecipe

# Decay of the moving average of the weights; the average is saved.
_DECAY = 0.999
# Labels are smoothed by this share, and half of the target of a labeled answer is the teachers' probability.
_SMOOTHING, _TEACHERS = 0.05, 0.5
_RIGHT = 0.5  # Probability above which an answer is right.
# Share of the training over which the learning rate rises, and where it starts, as a share of the highest rate.
_RISE, _LOWEST = 0.1, 0.01
# Freed memory is returned to the system after this number of batches.
_TRIMMED = 16

State = dict[str, Any]
"""Tensors, numbers, and lists and dicts of them."""


@dataclass(frozen=True)
class TrainingCheckpoint:
    """A file with the state after the last complete epoch.

    `key` is a digest of everything that decides the run; the state of another run is neither used nor replaced.
    """

    file: Path
    key: str

    def load(self) -> tuple[State, list[float]] | None:
        """Return the state and the statistic of each finished epoch; None if there is no file.

        Raise ValueError if it holds the state of another run, or something else.
        """
        import torch

        if not self.file.is_file():
            return None
        try:
            kept = torch.load(self.file, map_location="cpu", weights_only=True)
            key, found = kept["key"], (kept["state"], kept["accuracies"])
        except Exception as error:  # a damaged file, or one of another kind, may raise anything
            reason = " ".join(str(error).split())
            raise ValueError(
                f"{self.file} is not the state of a training ({type(error).__name__}: {reason}); start over after: "
                f"rm {self.file}"
            ) from error
        if key != self.key:
            raise ValueError(
                f"{self.file} holds another training that was interrupted; resume it with its options and data, or "
                f"start over after: rm {self.file}"
            )
        return found

    def save(self, state: State, accuracies: Sequence[float]) -> None:
        """Write the state; the old file is replaced once the new one is complete."""
        import torch

        with replacing(self.file) as whole, whole.open("wb") as file:
            try:
                torch.save({"key": self.key, "state": state, "accuracies": list(accuracies)}, file)
            except RuntimeError as error:  # it hides the OSError of a full disk
                raise error.__context__ or error from None


def train(
    learner: Learner,
    generator: Examples,
    recipe: TrainingRecipe,
    after_epoch: Callable[[int, float], float],
    checkpoint: TrainingCheckpoint,
    teachers: Sequence[Learner] = (),
) -> list[float]:
    """Train on the generator's examples, and return the statistic of each epoch.

    Unlabeled examples in a language that no teacher reads are dropped. The teachers' mean probability is learned in
    addition to the labels; where it contradicts a label, only the label counts.

    `after_epoch` is called with the number of finished epochs and the mean training loss, while the learner has its
    averaged weights; it saves them and returns their statistic. The checkpoint saves the state after each epoch, and
    restores it at the start.
    """
    course = Course(learner, recipe)
    found: list[float] = []
    if kept := checkpoint.load():
        state, found = kept
        course.restore(state)
    for epoch in range(len(found), recipe.epochs):
        examples = generator.epoch(recipe.seed * 1000 + epoch)
        taught = teachers_margins(teachers, examples, recipe)
        chosen = [i for i, one in enumerate(examples) if not (math.isnan(one.label) and math.isnan(taught[i]))]
        prepared = training_batches(learner.encode(examples), examples, chosen, recipe.token_budget, taught)
        learner.train(True)
        loss = run_epoch(course, prepared, epoch)
        del prepared  # large, and needed for this epoch only
        learner.train(False)
        own = learner.snapshot()
        learner.load(course.mean)
        found.append(after_epoch(epoch + 1, loss))
        learner.load(own)
        checkpoint.save(course.state(), found)
    return found


def teachers_margins(
    teachers: Sequence[Learner], examples: Sequence[TrainingExample], recipe: TrainingRecipe
) -> list[float]:
    """Return the mean margin of the teachers that read each example, NaN where none does.

    The margin of a teacher is the mean over its heads.
    """
    total, count = np.zeros(len(examples)), np.zeros(len(examples))
    for teacher in track_progress(teachers, "reading the examples", "teacher"):
        read = [i for i, example in enumerate(examples) if teacher.reads(example.language)]
        if not read:
            continue
        inputs = teacher.encode([examples[i] for i in read])
        total[read] += np.mean([*teacher.margins(inputs, recipe.token_budget, recipe.bfloat16).values()], axis=0)
        count[read] += 1
    means: Floats = np.divide(total, count, out=np.full(len(examples), np.nan), where=count > 0)
    return [float(mean) for mean in means]


class Course:
    """The state that training changes: parameters, their moving average, and the optimizer."""

    def __init__(self, learner: Learner, recipe: TrainingRecipe) -> None:
        import torch

        self.learner, self.recipe = learner, recipe
        self.named = learner.parameters()
        self.mean = learner.snapshot()
        encoder, heads = (
            [parameter for name, parameter in self.named.items() if name.startswith("encoder.") is of_encoder]
            for of_encoder in (True, False)
        )
        groups = [{"params": encoder, "rate": 1.0}, {"params": heads, "rate": learner.head_rate}]
        self._optimizer = torch.optim.AdamW(groups, lr=recipe.learning_rate, weight_decay=0.01)
        self._steps = 0

    def step(self, batch: TrainingBatch, done: float) -> Any:
        """Learn from a batch; return its loss."""
        import torch

        self._optimizer.zero_grad()
        for group in self._optimizer.param_groups:
            group["lr"] = self.recipe.learning_rate * warmed(done) * group["rate"]
        loss = backward(self.learner, batch, self.recipe.bfloat16)
        torch.nn.utils.clip_grad_norm_(self.named.values(), 1.0)
        self._optimizer.step()
        self._steps += 1
        # At first, when the weights still move far, the average follows them closely.
        decay = min(_DECAY, self._steps / (self._steps + 10))
        with torch.no_grad():
            for name, parameter in self.named.items():
                self.mean[name].lerp_(parameter, 1 - decay)
        return loss

    def state(self) -> State:
        """Return everything that is needed to resume, including the state of the random number generators."""
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
        """Restore a state."""
        import torch

        self.learner.load(state["parameters"])
        self.mean = {name: mean.to(self.named[name].device) for name, mean in state["mean"].items()}
        self._optimizer.load_state_dict(state["optimizer"])
        self._steps = state["steps"]
        torch.set_rng_state(state["random"])
        torch.cuda.set_rng_state_all(state["cuda_random"])


def run_epoch(
    course: Course, prepared: Sequence[TrainingBatch], epoch: int, before_step: Callable[[], None] = lambda: None
) -> float:
    """Train on all batches once, in random order; return the mean loss."""
    recipe, losses = course.recipe, []
    order = np.random.default_rng(recipe.seed + epoch).permutation(len(prepared))
    for place, number in enumerate(track_progress(order, f"epoch {epoch + 1} of {recipe.epochs}", "batch")):
        before_step()
        losses.append(course.step(prepared[number], (epoch + place / len(order)) / recipe.epochs))
        if place % _TRIMMED == 0:
            _give_back()
    return float(sum(losses) / len(losses))


def training_batches(
    inputs: Encoded,
    examples: Sequence[TrainingExample],
    chosen: Sequence[int],
    token_budget: int,
    taught: Sequence[float],
) -> list[TrainingBatch]:
    """Return batches of examples of similar length, each of at most `token_budget` tokens, padding included.

    `chosen` are the indices of the examples to use, in random order; `inputs` has all examples, encoded for each head,
    and `taught` the teachers' margin for each example, NaN where there is none.
    """
    longest = [max(len(listed[i][0]) for listed in inputs.values()) for i in chosen]
    lengths = [math.ceil(length / ROUNDED) * ROUNDED for length in longest]
    found = []
    for places in batches(lengths, token_budget):
        rows = [chosen[place] for place in places]
        found.append(
            TrainingBatch(
                {task: [listed[i] for i in rows] for task, listed in inputs.items()},
                [examples[i].label for i in rows],
                [taught[i] for i in rows],
            )
        )
    return found


def backward(learner: Learner, batch: TrainingBatch, bfloat16: bool = False) -> Any:
    """Add the gradients of the mean loss of all heads, one head after the other to save memory; return that loss."""
    import torch

    targets = _targets(batch)
    losses = []
    for task in learner.classifiers:
        margin = learner.margin(task, batch.inputs[task], bfloat16)
        loss: Any = torch.nn.functional.binary_cross_entropy_with_logits(margin, targets.to(margin.device))
        (loss / len(learner.classifiers)).backward()
        losses.append(loss.detach())
    return torch.stack(losses).mean()


def _targets(batch: TrainingBatch) -> Any:
    """Return smoothed labels, mixed with the teachers' probability if both agree; without a label, the probability."""
    import torch

    labels = torch.tensor(batch.labels) * (1 - _SMOOTHING) + _SMOOTHING / 2
    taught = torch.tensor(batch.taught).sigmoid()
    both = torch.where(labels.isnan(), taught, torch.lerp(labels, taught, _TEACHERS))
    contradicted = (labels - _RIGHT) * (taught - _RIGHT) < 0
    return torch.where(taught.isnan() | contradicted, labels, both)


def warmed(done: float) -> float:
    """Return the share of the highest learning rate, which rises over the first tenth of training, then falls to 0.

    >>> [round(warmed(done), 2) for done in (0, 0.05, 0.1, 0.55, 1)]
    [0.01, 0.5, 1.0, 0.5, 0.0]
    """
    return max(_LOWEST, done / _RISE) if done < _RISE else (1 - done) / (1 - _RISE)


def _give_back() -> None:
    """Return freed memory to the system if the C library is glibc; otherwise do nothing.

    Batches of different shapes leave holes between live objects that the next batch does not fit into.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
