"""Train all candidates of `STEPS` within a time budget, with figures on kinds of answers that they never saw."""

import json
import math
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from evaluate_qa.metrics._shared.large_matcher import save_head
from evaluate_qa.metrics._shared.matcher import read, save

from ...training.epochs import Course, run_epoch, training_batches
from ...training.examples import TrainingExample
from ...training.learner import Encoded, Heads, Learner, Teacher, Weights
from ...training.recipe import TrainingRecipe
from . import parcel
from .evaluation import FOLDS, KNOWN, Evaluator, Kinds, best_candidate, means
from .packing import LARGE, SMALL, Packed, kind_of, restore

SHIPPED = "shipped"


@dataclass(frozen=True)
class Step:
    """A model to train.

    Attributes:
        name: Its name.
        start: `SMALL` or `LARGE` for the encoder itself, `SHIPPED`, or a step.
        size: `SMALL` or `LARGE`.
        rate: Highest learning rate, for batches of 16,000 tokens.
        seeds: Number of runs, whose weights are averaged; without a kind, there is one.
        teacher: A large step whose margins are learned in addition to the labels.
        pairs: Whether to train on sentence pairs; otherwise on judged answers.
    """

    name: str
    start: str
    size: str
    rate: float
    seeds: int = 1
    teacher: str | None = None
    pairs: bool = False


STEPS = (
    Step("large-pairs", LARGE, LARGE, 5e-5, pairs=True),
    Step("large", "large-pairs", LARGE, 5e-5),
    Step("continued", SHIPPED, SMALL, 1e-4, seeds=2, teacher="large"),
    Step("pairs", SHIPPED, SMALL, 1e-4, pairs=True),
    Step("after-pairs", "pairs", SMALL, 1e-4, seeds=2, teacher="large"),
)
MEANS = {
    "continued+shipped": ("continued", SHIPPED),
    "after-pairs+shipped": ("after-pairs", SHIPPED),
    "both+shipped": ("continued", "after-pairs", SHIPPED),
}
"""Candidates that are the mean weights of others."""

# Largest file that is returned, and bits of the large encoder's differences.
_RETURNED_BYTES, _BITS = 16_000_000, 4


class OutOfTimeError(Exception):
    """The time budget is spent."""


class Clock:
    """A time budget in minutes, from now on; `now` returns seconds."""

    def __init__(self, minutes: float, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._start, self._seconds = now, now(), 60 * minutes

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return self._now() - self._start

    def check(self, needed: float = 0.0) -> None:
        """Raise OutOfTimeError unless some seconds are left."""
        if self.spent + needed >= self._seconds:
            raise OutOfTimeError


class Trainer:
    """Trains the steps, and writes figures and files after each run.

    `encoders` holds the checkpoints `SMALL` and `LARGE`; without the latter, its steps are skipped. `shipped` is the
    matcher to compare with and to continue from. `output` receives the results: `results.json`,
    `matcher.safetensors` (the best small candidate), and the parcel `large`; `work` is for all candidates' files.
    `recipe` sets device, precision, token budget and longest input.
    """

    def __init__(
        self,
        packed: Packed,
        encoders: Path,
        shipped: Path,
        output: Path,
        work: Path,
        recipe: TrainingRecipe,
        clock: Clock,
        report: Callable[[str], None],
    ) -> None:
        self._draws, self._encoders, self._output, self._work = len(packed.draws), encoders, output, work
        draws = {f"draw-{number}": draw for number, draw in enumerate(packed.draws)}
        self._examples: dict[str, list[TrainingExample]] = {"pairs": packed.pairs, **draws}
        self._recipe, self._clock, self._report = recipe, clock, report
        for folder in (output, work):
            folder.mkdir(parents=True, exist_ok=True)
        self._learners: dict[str, Learner] = {}
        self._encoded: dict[tuple[str, str], Encoded] = {}
        self._taught: dict[tuple[str, Kinds, int], list[float]] = {}
        self._weights: dict[tuple[str, Kinds], Weights] = {}
        self._weights[SHIPPED, ()] = Heads.read(shipped, encoders / SMALL, recipe).snapshot()
        self._evaluator = Evaluator(packed, 4 * recipe.token_budget, recipe.bfloat16)
        self._longest: dict[str, float] = {}
        self.results: dict[str, Any] = {"candidates": {}, "runs": [], "complete": False}

    def run(self) -> dict[str, Any]:
        """Train and evaluate everything that the time allows; return the results."""
        try:
            self._evaluate_all(SHIPPED)
            for step in STEPS:
                if (step.size == LARGE or step.teacher) and not (self._encoders / LARGE).is_dir():
                    continue
                self._train_all(step)
                for name, members in MEANS.items():
                    if name not in self.results["candidates"] and all((one, ()) in self._weights for one in members):
                        self._evaluate_all(name)
            self.results["complete"] = True
        except OutOfTimeError:
            self._report(
                f"the time budget ended after {self._clock.spent:.0f} s; the results so far are complete files"
            )
        self._write()
        return self.results

    def _train_all(self, step: Step) -> None:
        for fold in ((),) if step.pairs else ((), *FOLDS):
            self._clock.check(self._longest.get(step.name, 0.0))
            start, losses, found = self._clock.spent, [], []
            for seed in range(1 if fold else step.seeds):
                weights, loss = self._trained(step, fold, seed)
                losses.append(loss)
                found.append(weights)
            self._weights[step.name, fold] = _mean(found)
            seconds = self._clock.spent - start
            if fold:
                self._longest[step.name] = seconds
            run = {"step": step.name, "without": fold, "losses": losses, "seconds": round(seconds, 1)}
            self.results["runs"].append(run)
            self._report(f"{step.name}, without {fold or 'nothing'}: loss {losses} in {seconds:.1f} s")
            if not step.pairs:
                self._evaluate(step.name, fold, step.size)

    def _trained(self, step: Step, fold: Kinds, seed: int) -> tuple[Weights, float]:
        """Return the averaged weights of a run, and its mean loss."""
        import torch

        learner = self._learner(step.size)
        draw = seed % self._draws
        name = "pairs" if step.pairs else f"draw-{draw}"
        examples = self._examples[name]
        taught = self._margins_of(step.teacher, fold, draw) if step.teacher else [math.nan] * len(examples)
        chosen = [
            i
            for i, one in enumerate(examples)
            if learner.reads(one.language)
            and kind_of(one.data_set) not in fold
            and not (math.isnan(one.label) and math.isnan(taught[i]))
        ]
        order = np.random.default_rng(seed).permutation(chosen).tolist()
        inputs = self._inputs(step.size, name)
        batches = training_batches(inputs, examples, order, self._recipe.token_budget, taught)
        learner.load(self._of(step.start, fold))
        course = Course(learner, replace(self._recipe, learning_rate=step.rate, seed=seed, epochs=1))
        torch.manual_seed(seed)
        learner.train(True)
        loss = run_epoch(course, batches, 0, self._clock.check)
        learner.train(False)
        return course.mean, round(loss, 4)

    def _margins_of(self, teacher: str, fold: Kinds, draw: int) -> list[float]:
        """Return a teacher's margin for each example of a draw, NaN for languages that it does not read."""
        if (teacher, fold, draw) not in self._taught:
            learner, examples = self._learner(LARGE), self._examples[f"draw-{draw}"]
            learner.load(self._of(teacher, fold))
            (margins,) = self._evaluator.margins(learner, self._inputs(LARGE, f"draw-{draw}")).values()
            self._taught[teacher, fold, draw] = [
                float(margin) if learner.reads(example.language) else math.nan
                for margin, example in zip(margins, examples, strict=True)
            ]
        return self._taught[teacher, fold, draw]

    def _evaluate_all(self, name: str) -> None:
        for fold in ((), *FOLDS):
            self._clock.check()
            self._evaluate(name, fold, SMALL)

    def _evaluate(self, name: str, fold: Kinds, size: str) -> None:
        """Add figures on the kinds of a fold or, without one, on those that are never trained on; write the file."""
        candidate = self.results["candidates"].setdefault(name, {"kinds": {}})
        learner = self._learner(size)
        learner.load(self._of(name, fold))
        if not fold and name != SHIPPED:
            candidate |= self._saved(name, size)
        seen = KNOWN if _from_shipped(name) else frozenset[str]()
        candidate["kinds"] |= self._evaluator.kinds(learner, size, fold, seen)
        candidate["mean"] = means(candidate["kinds"])
        self._write()

    def _saved(self, name: str, size: str) -> dict[str, str]:
        """Write the loaded model with final layers, and load what its file holds; return a small one's file name."""
        learner = self._learner(size)
        if size == LARGE:
            before, after = self._of(LARGE, ()), learner.snapshot()
            content = parcel.rounded((_short(key), (after[key] - before[key]).cpu().numpy(), _BITS) for key in after)
            learner.load(_added(before, content))
            layers = json.dumps(self._evaluator.layers(learner, size)).encode()
            parcel.write(self._output / name, {"weights": content, "layers": layers}, _RETURNED_BYTES)
            return {}
        file = self._work / f"{name}.safetensors"
        learner.save(file)
        learner.load(Heads.read(file, self._encoders / SMALL, self._recipe).snapshot())
        save(replace(read(file), weights=self._evaluator.layers(learner, size)), file)
        return {"file": file.name}

    def _inputs(self, size: str, name: str) -> Encoded:
        if (size, name) not in self._encoded:
            self._encoded[size, name] = self._learner(size).encode(self._examples[name])
        return self._encoded[size, name]

    def _learner(self, size: str) -> Learner:
        if size not in self._learners:
            folder = self._encoders / size
            learner = Heads(folder, self._recipe) if size == SMALL else Teacher(str(folder), self._recipe)
            self._learners[size], self._weights[size, ()] = learner, learner.snapshot()
        return self._learners[size]

    def _of(self, name: str, fold: Kinds) -> Weights:
        """Return the weights of a step, an encoder or a mean of steps; those without a fold if it has no folds."""
        if name in MEANS:
            return _mean([self._of(one, fold) for one in MEANS[name]])
        folded = any(step.name == name and not step.pairs for step in STEPS)
        return self._weights[name, fold if folded else ()]

    def _write(self) -> None:
        """Write the results, and copy the best small candidate's file."""
        best = best_candidate(self.results["candidates"])
        if best and best != self.results.get("best"):
            shutil.copyfile(self._work / self.results["candidates"][best]["file"], self._output / "matcher.safetensors")
        self.results |= {"best": best, "seconds": round(self._clock.spent, 1)}
        (self._output / "results.json").write_text(json.dumps(self.results, indent=1))


def _from_shipped(name: str) -> bool:
    """Return whether a candidate was trained on all kinds of answers that the embedded matcher was trained on."""
    parents = MEANS.get(name) or [step.start for step in STEPS if step.name == name]
    return name == SHIPPED or any(map(_from_shipped, parents))


def _mean(found: Sequence[Weights]) -> Weights:
    return {name: sum(one[name] for one in found) / len(found) for name in found[0]}


def join(encoder: Path, returned: Path, output: Path) -> None:
    """Write a trained large encoder as a checkpoint that BEM loads, and as a teacher in `teacher.safetensors`.

    `encoder` is the parcel of the encoder, and `returned` the one with what training changed.
    """
    contents = parcel.read(returned)
    restore(parcel.read(encoder), output)
    teacher = Teacher(str(output), TrainingRecipe(device="cpu"))
    teacher.load(_added(teacher.snapshot(), contents["weights"]))
    teacher.encoder.save_pretrained(output)
    teacher.save(output / "teacher.safetensors")
    save_head(teacher.model(str(output)), json.loads(contents["layers"])["bem"], output)


def _added(weights: Weights, content: bytes) -> Weights:
    """Return weights with the differences in a file added."""
    import torch

    found = parcel.restored(content)
    return {name: value + torch.from_numpy(found[_short(name)]).to(value.device) for name, value in weights.items()}


def _short(name: str) -> str:
    """Return the name of a parameter without the folder of the encoder, which a teacher's head is named after."""
    return name if name.startswith("encoder.") else name.rpartition(".")[2]
