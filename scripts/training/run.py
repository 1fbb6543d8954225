"""Train a matcher from labelled answers, choose its epoch, fit its final layers, and write its file; or a teacher."""

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
from .checkpoint import Checkpoint
from .epochs import train
from .figures import Figures, by_set, mean
from .job import Job
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
from .recipe import Recipe
from .teacher import Teacher

Report = Callable[[str], None]

# A layer that weighs the margin alone.
_BARE = {"margin": 1.0, "intercept": 0.0}


ByLayer = Mapping[str, Mapping[str, Figures]]
"""The figures of each set, by layer, named `task, layer`."""


@dataclass(frozen=True)
class Outcome:
    """What came of a job.

    Attributes:
        figures: Of each layer, on questions that it was not fitted on.
        epochs: What each epoch was worth: the mean MCC over sets, of tasks' default layers.
    """

    figures: ByLayer
    epochs: Sequence[float]


def run(job: Job, report: Report) -> Outcome:
    """Do the job. The state of training stays: `job.forget` removes it when what comes after is done too.

    Args:
        job: What is to be done.
        report: Told of each epoch.

    Raises:
        OSError, ValueError: rows are missing, or not what was expected.
    """
    dev, test = job.dev, job.test
    check_folds([row for rows in dev.values() for row in rows])
    minilm = find("fit", MINILM).folder
    if job.encoder:
        return _run_teacher(job, minilm, report)
    epochs: list[float] = []
    kept: dict[str, Layers] = {}
    if job.average:
        matchers = [_with_heads(read(file), job.recipe.tasks) for file in job.average]
        matcher, kept = average(matchers), _kept(matchers[0], job.layers)
    else:
        epochs = _train(job, minilm, report)
        matcher = read(job.epoch_file(1 + int(np.argmax(epochs))))
    save(matcher, job.output)
    rounded = read(job.output)  # the layers are fitted to what the file gives back
    weights: dict[str, Layers] = {}
    figures: dict[str, dict[str, Figures]] = {}
    for task in matcher.heads:
        classifier = pair_classifier(minilm, rounded, task, job.recipe)
        classified = classify(classifier, task, dev)
        weights[task] = fit_layers(classified, task, kept.get(task))
        tested = classify(classifier, task, test) if test else None
        for layer, scores in held_out_scores(classified, task, kept.get(task)).items():
            figures[f"{task}, {layer}"] = _by_set(classified, scores)
            if tested:  # a user's own rows: what nothing was chosen on stands in place of what something was
                figures[f"{task}, {layer}"] |= _by_set(tested, row_scores(tested, weights[task][layer]))
    save(replace(matcher, weights=weights), job.output)
    return Outcome(figures, epochs)


def _run_teacher(job: Job, minilm: Path, report: Report) -> Outcome:
    """Train a teacher; what is written is its best epoch. Its figures are those of its bare margin."""
    epochs = _train(job, minilm, report)
    best = job.epoch_file(1 + int(np.argmax(epochs)))
    (classifier,) = Teacher.read(best, job.recipe).classifiers.values()
    classified = classify(classifier, "bem", {**job.dev, **job.test})  # of own rows on what nothing was chosen on
    outcome = Outcome({"teacher": _by_set(classified, row_scores(classified, _BARE))}, epochs)
    with replacing(job.output) as whole:
        shutil.copyfile(best, whole)  # no move: a run that is killed now still finds its best epoch
    return outcome


def run_compared(job: Job) -> ByLayer:
    """Return the figures, on the same rows, of the matcher that the job's is compared with."""
    minilm = find("fit", MINILM).folder
    scored = scored_by(read(job.compared), minilm, job.recipe, {**job.dev, **job.test})
    return {name: _by_set(classified, scores) for name, (classified, scores) in scored.items()}


def average(matchers: Sequence[Matcher]) -> Matcher:
    """Return the mean of matchers that were trained from the same beginning, tensor by tensor."""
    first = matchers[0]
    heads = {
        task: (_mean([m.heads[task][0] for m in matchers]), _mean([m.heads[task][1] for m in matchers]))
        for task in first.heads
    }
    return Matcher({name: _mean([m.difference[name] for m in matchers]) for name in first.difference}, heads, {})


def pair_classifier(minilm: Path, matcher: Matcher, task: str, recipe: Recipe) -> PairClassifier:
    """Return what runs a matcher's head."""
    import torch

    dtype = torch.bfloat16 if recipe.half else torch.float32
    return PairClassifier(*build(minilm, matcher, task, dtype), ModelOptions(device=recipe.device))


def scored_by(
    matcher: Matcher, minilm: Path, recipe: Recipe, rows_of: Mapping[str, Sequence[LabeledRow]]
) -> dict[str, tuple[Classified, NDArray[np.float64]]]:
    """Return what a matcher with final layers makes of answers, and their scores, by `task, layer`."""
    found = {}
    for task in (task for task in recipe.tasks if task in matcher.weights):
        classified = classify(pair_classifier(minilm, matcher, task, recipe), task, rows_of)
        for layer, weights in matcher.weights[task].items():
            found[f"{task}, {layer}"] = classified, row_scores(classified, weights)
    return found


def _with_heads(matcher: Matcher, tasks: Sequence[str]) -> Matcher:
    """Return the matcher with the heads of the tasks alone."""
    return replace(matcher, heads={task: matcher.heads[task] for task in tasks})


def _mean(arrays: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    return np.asarray(np.mean(arrays, axis=0), dtype=np.float32)


def _train(job: Job, minilm: Path, report: Report) -> list[float]:
    """Train; return what each epoch is worth."""
    dev, learner = job.dev, job.learner(minilm)

    def worth(task: str) -> float:
        classifier = learner.classifiers[task]
        if job.encoder:
            classified = classify(classifier, "bem", dev)
            return mean(_by_set(classified, row_scores(classified, _BARE)), "auc") or 0.0
        classified = classify(classifier, task, dev)
        return mean(_by_set(classified, held_out_scores(classified, task)[DEFAULTS[task]]), "mcc") or 0.0

    def after_epoch(epoch: int, loss: float) -> float:
        learner.save(job.epoch_file(epoch))
        found = {task: worth(task) for task in learner.classifiers}
        told = ", ".join(f"{task} {value:.4f}" for task, value in found.items())
        report(f"epoch {epoch}: loss {loss:.4f}; {'AUC' if job.encoder else 'MCC'} on dev: {told}")
        return float(np.mean(list(found.values())))

    checkpoint = Checkpoint(job.training_file, job.key)
    return train(learner, job.examples(minilm), job.recipe, after_epoch, checkpoint, job.tutors(minilm))


def _by_set(classified: Classified, scores: NDArray[np.float64]) -> dict[str, Figures]:
    return by_set(scores, classified.labels, classified.question_ids, classified.sets)


def _kept(matcher: Matcher, fitted: Sequence[str] | None) -> dict[str, Layers]:
    """Return the layers that are not fitted anew, by task."""
    if fitted is None:
        return {}
    return {
        task: {name: weights for name, weights in layers.items() if name not in fitted}
        for task, layers in matcher.weights.items()
    }
