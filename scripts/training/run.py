"""Train a matcher on labeled answers, choose its epoch, fit its final layers and write its file; or train a teacher."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluate_qa.metrics._shared.arguments import ModelOptions
from evaluate_qa.metrics._shared.checkpoints import MINILM, find
from evaluate_qa.metrics._shared.classifiers import PairClassifier
from evaluate_qa.metrics._shared.matcher import Matcher, build, read, save

from ..files.writing import replacing
from ..labeled_data.rows import LabeledRow
from .checkpoint import TrainingCheckpoint
from .epochs import train
from .figures import Figures, by_set, mean
from .job import TrainingJob
from .layers import (
    DEFAULTS,
    Classified,
    Layers,
    check_folds,
    classify,
    fit_layers,
    held_out_scores,
    row_scores,
)
from .recipe import TrainingRecipe
from .teacher import Teacher

Report = Callable[[str], None]

# A layer of the margin alone.
_BARE = {"margin": 1.0, "intercept": 0.0}


ByLayer = Mapping[str, Mapping[str, Figures]]
"""The figures of each set, by layer, named `task, layer`."""


@dataclass(frozen=True)
class TrainingOutcome:
    """The result of a job.

    Attributes:
        figures: The figures of each layer, on questions that it was not fitted on.
        epochs: For each epoch, the mean over sets of the MCC of the default layers; of a teacher's AUC.
    """

    figures: ByLayer
    epochs: Sequence[float]


def run(job: TrainingJob, report: Report) -> TrainingOutcome:
    """Run a job. The state of training remains until `job.forget`, so that later steps can fail without losing it.

    Args:
        job: The job.
        report: Called with a line about each epoch.

    Raises:
        OSError, ValueError: rows are missing or have the wrong form.
    """
    check_folds([row for rows in job.dev.values() for row in rows])
    minilm = find("fit", MINILM).folder
    if job.recipe.teaches:
        return _run_teacher(job, minilm, report)
    epochs: list[float] = []
    kept: dict[str, Layers] = {}
    if job.recipe.average:
        matchers = [_with_heads(read(file), job.recipe.tasks) for file in job.recipe.average]
        matcher, kept = average(matchers), _kept(matchers[0], job.recipe.refit_layers)
    else:
        epochs = _train(job, minilm, report)
        matcher = read(job.epoch_file(1 + int(np.argmax(epochs))))
    return TrainingOutcome(_fit_and_save(job, matcher, minilm, kept), epochs)


def _fit_and_save(job: TrainingJob, matcher: Matcher, minilm: Path, kept: Mapping[str, Layers]) -> ByLayer:
    """Fit the final layers of a matcher, write it, and return the figures of each layer."""
    dev, test = job.dev, job.test
    save(matcher, job.output)
    rounded = read(job.output)  # the layers are fitted to the 8-bit weights that the file holds
    weights: dict[str, Layers] = {}
    figures: dict[str, dict[str, Figures]] = {}
    for task in matcher.heads:
        classifier = pair_classifier(minilm, rounded, task, job.recipe)
        classified = classify(classifier, task, dev)
        weights[task] = fit_layers(classified, task, kept.get(task))
        tested = classify(classifier, task, test) if test else None
        for layer, scores in held_out_scores(classified, task, kept.get(task)).items():
            figures[f"{task}, {layer}"] = _by_set(classified, scores)
            if tested:  # for a user's own rows, the rows that chose nothing replace those that did
                figures[f"{task}, {layer}"] |= _by_set(tested, row_scores(tested, weights[task][layer]))
    save(replace(matcher, weights=weights), job.output)
    return figures


def _run_teacher(job: TrainingJob, minilm: Path, report: Report) -> TrainingOutcome:
    """Train a teacher and write its best epoch. Its figures are those of its margin without a final layer."""
    epochs = _train(job, minilm, report)
    best = job.epoch_file(1 + int(np.argmax(epochs)))
    (classifier,) = Teacher.read(best, job.recipe).classifiers.values()
    classified = classify(classifier, "bem", {**job.dev, **job.test})  # own rows: those that chose nothing
    outcome = TrainingOutcome({"teacher": _by_set(classified, row_scores(classified, _BARE))}, epochs)
    with replacing(job.output) as whole:
        shutil.copyfile(best, whole)  # not moved: a run that is killed now still finds its best epoch
    return outcome


def run_compared(job: TrainingJob) -> ByLayer:
    """Return the figures, on the same rows, of the matcher that the new one is compared with."""
    minilm = find("fit", MINILM).folder
    scored = scored_by(read(job.compared), minilm, job.recipe, {**job.dev, **job.test})
    return {name: _by_set(classified, scores) for name, (classified, scores) in scored.items()}


def average(matchers: Sequence[Matcher]) -> Matcher:
    """Return the mean, tensor by tensor, of matchers that were trained from the same start."""
    first = matchers[0]
    heads = {
        task: (_mean([m.heads[task][0] for m in matchers]), _mean([m.heads[task][1] for m in matchers]))
        for task in first.heads
    }
    return Matcher({name: _mean([m.difference[name] for m in matchers]) for name in first.difference}, heads, {})


def pair_classifier(minilm: Path, matcher: Matcher, task: str, recipe: TrainingRecipe) -> PairClassifier:
    """Return the classifier of a matcher's head."""
    import torch

    dtype = torch.bfloat16 if recipe.bfloat16 else torch.float32
    return PairClassifier(*build(minilm, matcher, task, dtype), ModelOptions(device=recipe.device))


def scored_by(
    matcher: Matcher, minilm: Path, recipe: TrainingRecipe, rows_of: Mapping[str, Sequence[LabeledRow]]
) -> dict[str, tuple[Classified, NDArray[np.float64]]]:
    """Return a matcher's classifications of rows and their scores, by `task, layer`."""
    found = {}
    for task in (task for task in recipe.tasks if task in matcher.weights):
        classified = classify(pair_classifier(minilm, matcher, task, recipe), task, rows_of)
        for layer, weights in matcher.weights[task].items():
            found[f"{task}, {layer}"] = classified, row_scores(classified, weights)
    return found


def _with_heads(matcher: Matcher, tasks: Sequence[str]) -> Matcher:
    """Return the matcher with only the heads of the tasks."""
    return replace(matcher, heads={task: matcher.heads[task] for task in tasks})


def _mean(arrays: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    return np.asarray(np.mean(arrays, axis=0), dtype=np.float32)


def _train(job: TrainingJob, minilm: Path, report: Report) -> list[float]:
    """Train; return the figure by which each epoch is chosen."""
    dev, learner = job.dev, job.learner(minilm)

    def worth(task: str) -> float:
        classifier = learner.classifiers[task]
        if job.recipe.teaches:
            classified = classify(classifier, "bem", dev)
            return mean(_by_set(classified, row_scores(classified, _BARE)), "auc") or 0.0
        classified = classify(classifier, task, dev)
        return mean(_by_set(classified, held_out_scores(classified, task)[DEFAULTS[task]]), "mcc") or 0.0

    def after_epoch(epoch: int, loss: float) -> float:
        learner.save(job.epoch_file(epoch))
        found = {task: worth(task) for task in learner.classifiers}
        told = ", ".join(f"{task} {value:.4f}" for task, value in found.items())
        report(f"epoch {epoch}: loss {loss:.4f}; {'AUC' if job.recipe.teaches else 'MCC'} on dev: {told}")
        return float(np.mean(list(found.values())))

    checkpoint = TrainingCheckpoint(job.training_file, job.key)
    return train(learner, job.examples(minilm), job.recipe, after_epoch, checkpoint, job.tutors(minilm))


def _by_set(classified: Classified, scores: NDArray[np.float64]) -> dict[str, Figures]:
    return by_set(scores, classified.labels, classified.question_ids, classified.sets)


def _kept(matcher: Matcher, fitted: Sequence[str] | None) -> dict[str, Layers]:
    """Return the layers that are not fitted again, by task."""
    if fitted is None:
        return {}
    return {
        task: {name: weights for name, weights in layers.items() if name not in fitted}
        for task, layers in matcher.weights.items()
    }
