"""Train a matcher on labeled answers, choose its epoch, fit its final layers and write its file; or train a teacher."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluate_qa.metrics._shared.arrays import Floats
from evaluate_qa.metrics._shared.checkpoints import MINILM, find_checkpoint
from evaluate_qa.metrics._shared.classifiers import PairClassifier
from evaluate_qa.metrics._shared.matcher import Matcher, build, read, save
from evaluate_qa.metrics._shared.model_options import ModelOptions

from ..files.writing import replacing
from .epochs import TrainingCheckpoint, train
from .evaluation import BySet, format_estimate, mean_statistic, split_by_set
from .job import TrainingJob
from .layers import DEFAULT, LabeledOutputs, Layers, check_folds, classify, fit_layers, held_out_scores, row_scores
from .learner import Teacher
from .recipe import TrainingRecipe

Report = Callable[[str], None]

# A layer of the margin alone.
_BARE = {"margin": 1.0, "intercept": 0.0}


def run(job: TrainingJob, report: Report) -> dict[str, BySet]:
    """Run a job. The state of training remains until `job.forget`, so that later steps can fail without losing it.

    Return, by task or for `teacher`, the held-out answers with scores of the default layer, which was not fitted on
    them. Raise OSError or ValueError if rows are missing or have the wrong form.
    """
    check_folds([row for rows in job.dev.values() for row in rows])
    minilm = find_checkpoint("fit", MINILM).folder
    if job.recipe.teaches:
        return {"teacher": _run_teacher(job, minilm, report)}
    kept: dict[str, Layers] = {}
    if job.recipe.average:
        matchers = [read(file) for file in job.recipe.average]
        matcher, kept = average(matchers, job.recipe.tasks), _kept(matchers[0], job.recipe.refit_layers)
    else:
        matcher = read(_best_epoch(job, minilm, report))
    return _fit_and_save(job, matcher, minilm, kept)


def _fit_and_save(job: TrainingJob, matcher: Matcher, minilm: Path, kept: Mapping[str, Layers]) -> dict[str, BySet]:
    """Fit the final layers of a matcher, write it, and return the scores of held-out answers."""
    dev, test = job.dev, job.test
    weights: dict[str, Layers] = {}
    found: dict[str, BySet] = {}
    with replacing(job.output) as whole:
        save(matcher, whole)
        rounded = read(whole)  # the layers are fitted to the 8-bit weights that the file holds
        for task in matcher.heads:
            classifier = pair_classifier(minilm, rounded, task, job.recipe)
            outputs = classify(classifier, task, dev)
            weights[task] = fit_layers(outputs, task, kept.get(task))
            found[task] = _by_set(outputs, held_out_scores(outputs, task, kept.get(task)))
            if test:  # a user's own data: report figures on the held-out rows instead
                tested = classify(classifier, task, test)
                found[task] |= _by_set(tested, row_scores(tested, weights[task][DEFAULT]))
        save(replace(matcher, weights=weights), whole)
    return found


def _run_teacher(job: TrainingJob, minilm: Path, report: Report) -> BySet:
    """Train a teacher and write its best epoch; return the scores of its margin without a final layer."""
    best = _best_epoch(job, minilm, report)
    (classifier,) = Teacher.read(best, job.recipe).classifiers.values()
    outputs = classify(classifier, "bem", {**job.dev, **job.test})
    with replacing(job.output) as whole:
        shutil.copyfile(best, whole)  # not moved: a run that is killed now still finds its best epoch
    return _by_set(outputs, row_scores(outputs, _BARE))


def run_compared(job: TrainingJob) -> dict[str, BySet]:
    """Return the scores, for the same answers, of the matcher that the new one is compared with.

    A task is missing if that matcher has no final layer for it.
    """
    minilm, matcher = find_checkpoint("fit", MINILM).folder, read(job.compared)
    found = {}
    for task in (task for task in job.recipe.tasks if DEFAULT in matcher.weights.get(task, {})):
        classifier = pair_classifier(minilm, matcher, task, job.recipe)
        outputs = classify(classifier, task, {**job.dev, **job.test})
        found[task] = _by_set(outputs, row_scores(outputs, matcher.weights[task][DEFAULT]))
    return found


def average(matchers: Sequence[Matcher], tasks: Sequence[str]) -> Matcher:
    """Return the mean, tensor by tensor, of matchers that were trained from the same start."""
    heads = {
        task: (_mean([m.heads[task][0] for m in matchers]), _mean([m.heads[task][1] for m in matchers]))
        for task in tasks
    }
    names = matchers[0].difference
    return Matcher({name: _mean([m.difference[name] for m in matchers]) for name in names}, heads, {})


def pair_classifier(minilm: Path, matcher: Matcher, task: str, recipe: TrainingRecipe) -> PairClassifier:
    """Return the classifier of a matcher's head."""
    dtype = "bfloat16" if recipe.bfloat16 else "float32"
    return PairClassifier(*build(minilm, matcher, task, dtype), ModelOptions(device=recipe.device))


def _mean(arrays: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    return np.asarray(np.mean(arrays, axis=0), dtype=np.float32)


def _best_epoch(job: TrainingJob, minilm: Path, report: Report) -> Path:
    """Train, and return the file of the epoch with the best mean figure on dev rows: MCC, or a teacher's AUC."""
    dev, learner, teaches = job.dev, job.learner(minilm), job.recipe.teaches
    figure = "auc" if teaches else "mcc"
    answers, questions = sum(map(len, dev.values())), len({row.question for rows in dev.values() for row in rows})

    def scored(task: str) -> BySet:
        outputs = classify(learner.classifiers[task], "bem" if teaches else task, dev)
        return _by_set(outputs, row_scores(outputs, _BARE) if teaches else held_out_scores(outputs, task))

    def after_epoch(epoch: int, loss: float) -> float:
        learner.save(job.epoch_file(epoch))
        found = {task: mean_statistic({"": scored(task)}, figure)[""] for task in learner.classifiers}
        figures = ", ".join(f"{task} {format_estimate(one)}" for task, one in found.items())
        report(
            f"epoch {epoch}: loss {loss:.4f}; {figure.upper()} on {answers:,} dev answers to {questions:,} questions: "
            f"{figures}"
        )
        return float(np.mean([one.value or 0.0 for one in found.values()]))

    checkpoint = TrainingCheckpoint(job.training_file, job.key)
    epochs = train(learner, job.examples(minilm), job.recipe, after_epoch, checkpoint, job.teachers(minilm))
    return job.epoch_file(1 + int(np.argmax(epochs)))


def _by_set(outputs: LabeledOutputs, scores: Floats) -> BySet:
    return split_by_set(scores, outputs.labels, outputs.question_ids, outputs.sets)


def _kept(matcher: Matcher, fitted: Sequence[str] | None) -> dict[str, Layers]:
    """Return the layers that are not fitted again, by task."""
    if fitted is None:
        return {}
    return {
        task: {name: weights for name, weights in layers.items() if name not in fitted}
        for task, layers in matcher.weights.items()
    }
