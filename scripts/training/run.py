"""Train a matcher from labelled answers, choose its epoch, fit its final layers, and write its file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..agreement.data_sets import evouna
from ..agreement.labelled import LabelledRow, Selection
from ..metrics._shared.arithmetic import first_best
from ..metrics._shared.checkpoints import MINILM, find
from ..metrics._shared.declarations import ModelOptions
from ..metrics._shared.matcher import Matcher, build, read, save
from ..metrics._shared.pairs import PairClassifier
from .checkpoint import Checkpoint, digest
from .epochs import train
from .examples import Generator, Mixture
from .heads import Heads
from .layers import classify, fit_layers, held_out_accuracy
from .neighbours import nearest
from .recipe import Recipe

Report = Callable[[str], None]


@dataclass(frozen=True)
class Job:
    """What is to be done.

    Args:
        data_dir: Folder with EVOUNA's source files, and split.json if it is not to be our own; None downloads them.
        output: The matcher's file; while training, each epoch is kept beside it.
        recipe: How the encoder is trained.
        mixture: What it is shown.
        teachers: Files of matchers to learn from as well.
        start: File of a matcher to train on from.
        average: Files of matchers of which the mean is taken in place of training.
        limit: Use the first so many questions only, to try things out.
    """

    data_dir: Path | None
    output: Path
    recipe: Recipe
    mixture: Mixture
    teachers: Sequence[Path] = ()
    start: Path | None = None
    average: Sequence[Path] = ()
    limit: int | None = None

    def __post_init__(self) -> None:
        for file in filter(None, (*self.teachers, *self.average, self.start)):
            if not file.is_file():
                raise FileNotFoundError(f"there is no matcher {file}")
        if not self.output.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {self.output.parent} to write {self.output.name} to")

    @property
    def training_file(self) -> Path:
        """Where the state of training is until all is done."""
        return self.output.with_suffix(".training.pt")

    def epoch_file(self, epoch: int) -> Path:
        """Return where the matcher of an epoch is kept, counted from 1."""
        return self.output.with_suffix(f".epoch-{epoch}.safetensors")

    def checkpoint(self, rows: Sequence[LabelledRow]) -> Checkpoint:
        """Return where interrupted training resumes from: with the same rows, recipe, mixture and matchers."""
        texts = [(row.question, row.references, row.answer, row.label) for row in rows]
        described = (texts, replace(self.recipe, device=None), self.mixture)
        files = [*self.teachers, *filter(None, [self.start])]
        return Checkpoint(self.training_file, digest(described, files))

    def rows(self, split: str) -> list[LabelledRow]:
        """Return the labelled answers of one split."""
        return evouna(Selection(data_dir=self.data_dir, split=split, limit=self.limit)).rows


def run(job: Job, report: Report) -> Mapping[str, float]:
    """Do the job; returns the development accuracy of each head with its layers, on questions not fitted on."""
    minilm = find("fit", MINILM).folder
    dev = job.rows("dev")
    matcher = mean([read(file) for file in job.average]) if job.average else _trained(job, minilm, dev, report)
    save(matcher, job.output)
    rounded = read(job.output)  # the layers are fitted to what the file gives back
    weights: dict[str, dict[str, dict[str, float]]] = {}
    accuracy: dict[str, float] = {}
    for task in matcher.heads:
        classified = classify(_classifier(minilm, rounded, task, job.recipe), task, dev)
        weights[task] = fit_layers(classified, task)
        accuracy |= {f"{task}, {layer}": value for layer, value in held_out_accuracy(classified, task).items()}
    save(replace(matcher, weights=weights), job.output)
    job.training_file.unlink(missing_ok=True)
    return accuracy


def mean(matchers: Sequence[Matcher]) -> Matcher:
    """Return the mean of matchers that were trained from the same beginning, tensor by tensor."""
    first = matchers[0]
    heads = {
        task: (_mean([m.heads[task][0] for m in matchers]), _mean([m.heads[task][1] for m in matchers]))
        for task in first.heads
    }
    return Matcher({name: _mean([m.difference[name] for m in matchers]) for name in first.difference}, heads, {})


def _mean(arrays: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    return np.asarray(np.mean(arrays, axis=0), dtype=np.float32)


def _trained(job: Job, minilm: Path, dev: Sequence[LabelledRow], report: Report) -> Matcher:
    """Train, and return the epoch that does best on the development questions."""

    def after_epoch(epoch: int, heads: Heads, loss: float) -> float:
        accuracy = {task: _accuracy(classifier, task, dev) for task, classifier in heads.classifiers.items()}
        save(heads.matcher(), job.epoch_file(epoch))
        told = ", ".join(f"{task} {value:.4f}" for task, value in accuracy.items())
        report(f"epoch {epoch}: loss {loss:.4f}; accuracy on dev: {told}")
        return float(np.mean(list(accuracy.values())))

    rows = job.rows("train")
    generator = Generator(rows, job.mixture, nearest([row.references[0] for row in rows], minilm))
    accuracies = train(minilm, generator, job.recipe, after_epoch, job.checkpoint(rows), job.teachers, job.start)
    return read(job.epoch_file(1 + int(np.argmax(accuracies))))


def _accuracy(classifier: PairClassifier, task: str, rows: Sequence[LabelledRow]) -> float:
    classified = classify(classifier, task, rows)
    score = next(iter(classified.columns.values()))
    verdicts = score[first_best(score, classified.starts)] > (0 if "margin" in classified.columns else 0.5)
    return float((verdicts == classified.labels).mean())


def _classifier(minilm: Path, matcher: Matcher, task: str, recipe: Recipe) -> PairClassifier:
    import torch

    return PairClassifier(*build(minilm, matcher, task, torch.float32), ModelOptions(device=recipe.device))
