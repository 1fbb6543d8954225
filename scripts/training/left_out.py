"""Train without each set in turn and test on that set: how well a recipe works on answers of a new kind.

The figures of each run are written as soon as it is done. A run in the file is not repeated.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from evaluate_qa.metrics._shared.arithmetic import Floats
from evaluate_qa.metrics._shared.checkpoints import MINILM, find
from evaluate_qa.metrics._shared.matcher import read

from ..agreement.bootstrap import estimated, replicated
from ..agreement.comparison import Comparison
from ..files.writing import check_place, replacing
from ..labeled_data.rows import LabeledRow
from ..uncertainty.resampling import Bootstrap
from .checkpoint import digest
from .figures import THRESHOLD, Figures, figures
from .job import TrainingJob
from .run import Report, run, scored_by
from .sources import sample

LeftOut = dict[str, Any]
"""The content of the file.

    key: Digest of everything that decides the runs.
    recipe: The recipe.
    runs: For each set that was left out: `trained_on` and `chosen_on` (number of answers of each set), `epochs` (MCC on
        dev rows of each epoch), `seconds`, and in `sets` the `question_ids` and `labels` of the set's rows and, by
        layer, the `scores` and the figures, `before` and `after`.
    means: By layer, the mean MCC over sets `before` and `after` and their `difference`, each with its interval.
"""


def leave_one_out(job: TrainingJob, report: Report) -> LeftOut:
    """Train without each set in turn, and test on that set.

    Args:
        job: The job to repeat.
        report: Called with a line about each epoch and run.

    Raises:
        OSError, ValueError: rows are missing or have the wrong form, or the file has runs of another job.
    """
    _check(job)
    file, key = left_out_file(job.output), _key(job)
    check_place(file)
    runs = _load(file, key)
    jobs = {found.name: _without(job, found.name) for found in job.every_set}  # all of them first, for their checks
    for name in [name for name in jobs if name not in runs]:
        report(f"without {name}:")
        runs[name] = _run(jobs[name], report)
        _save(file, _left_out(job, key, runs))
        jobs[name].forget(epochs=True)  # not before: a run that is killed while it is tested continues from there
    return _left_out(job, key, runs)


def left_out_file(output: Path) -> Path:
    """Return the file with the figures of runs for a matcher."""
    return output.with_suffix(".left-out.json")


def means(runs: Mapping[str, Any], bootstrap: Bootstrap) -> dict[str, Any]:
    """Return the mean MCC over sets that were left out, as in `LeftOut`.

    Intervals resample the questions of each set. Layers that only one of the two matchers has are omitted.
    """
    sets = [found for one in runs.values() for found in one["sets"].values()]
    return {
        layer: _means([_replicated(found, layer, bootstrap) for found in sets], bootstrap)
        for layer in sets[0]["scores"]["after"]
        if layer in sets[0]["scores"]["before"]
    }


def _check(job: TrainingJob) -> None:
    if job.recipe.teaches:
        raise ValueError("--leave-one-out tests matchers, but the recipe trains a teacher; run without it")
    if len(job.every_set) == 1:
        raise ValueError(
            f"--leave-one-out needs at least two data sets, but there is only {job.every_set[0].name}; add another one "
            "with --data"
        )


def _without(job: TrainingJob, name: str) -> TrainingJob:
    stem = f"{job.output.stem}.without-{name.replace('/', '-')}"
    found = replace(job, left_out=(name,), output=job.output.with_name(f"{stem}.safetensors"))
    vars(found)["every_set"] = job.every_set  # else each would read all rows again
    return found


def _tested(job: TrainingJob) -> dict[str, list[LabeledRow]]:
    """Return the rows that the job's matcher is tested on: those of the sets that it is trained without."""
    return {
        found.name: sample(found.left_out, job.recipe.eval_rows)
        for found in job.every_set
        if found.name in job.left_out
    }


def _key(job: TrainingJob) -> str:
    texts = [(row.question, row.answer, row.label) for found in job.every_set for row in found.test]
    return digest([job.key, texts], [job.compared])


def _run(job: TrainingJob, report: Report) -> dict[str, Any]:
    began = time.monotonic()
    outcome = run(job, report)
    minilm, tested = find("fit", MINILM).folder, _tested(job)
    after, before = (scored_by(read(file), minilm, job.recipe, tested) for file in (job.output, job.compared))
    return {
        "trained_on": {found.name: len(found.train) for found in job.sets},
        "chosen_on": {name: len(rows) for name, rows in job.dev.items()},
        "epochs": list(outcome.epochs),
        "seconds": round(time.monotonic() - began),
        "sets": {name: _set(name, before, after) for name in tested},
    }


def _set(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a set that was left out."""
    classified = next(iter(after.values()))[0]
    rows = np.array([other == name for other in classified.sets])
    ids = [question for question, chosen in zip(classified.question_ids, rows, strict=True) if chosen]
    labels = classified.labels[rows]

    def of(scored: Mapping[str, Any]) -> dict[str, Figures]:
        return {layer: figures(scores[rows], labels, ids, Bootstrap()) for layer, (_, scores) in scored.items()}

    return {
        "question_ids": ids,
        "labels": [int(label) for label in labels],
        "scores": {
            which: {layer: np.round(scores[rows], 6).tolist() for layer, (_, scores) in scored.items()}
            for which, scored in (("before", before), ("after", after))
        },
        "before": of(before),
        "after": of(after),
    }


def _replicated(found: Mapping[str, Any], layer: str, bootstrap: Bootstrap) -> Mapping[str, Floats]:
    """Return the MCC of a set before and after, each followed by its replicates; both resample the same questions."""
    labels = np.array(found["labels"], float)
    questions = np.unique(found["question_ids"], return_inverse=True)[1].astype(np.int64)
    comparisons = {
        which: Comparison(
            scores := np.array(found["scores"][which][layer], float), scores > THRESHOLD, labels, questions
        )
        for which in ("before", "after")
    }
    values = replicated(comparisons, ["mcc"], bootstrap)
    return {which: values[which, "mcc"] for which in comparisons}


def _means(sets: Sequence[Mapping[str, Floats]], bootstrap: Bootstrap) -> dict[str, list[float | None]]:
    before, after = (np.mean([found[which] for found in sets], axis=0) for which in ("before", "after"))
    listed = {"before": before, "after": after, "difference": after - before}
    found = {name: estimated(values, bootstrap) for name, values in listed.items()}
    return {name: [value.value, value.low, value.high] for name, value in found.items()}


def _left_out(job: TrainingJob, key: str, runs: Mapping[str, Any]) -> LeftOut:
    recipe = json.loads(json.dumps(asdict(job.recipe), default=str))
    return {"key": key, "recipe": recipe, "runs": runs, "means": means(runs, Bootstrap())}


def _load(file: Path, key: str) -> dict[str, Any]:
    """Return the runs in the file; none if there is no file."""
    if not file.is_file():
        return {}
    try:
        found: LeftOut = json.loads(file.read_text("utf-8"))
        if found["key"] == key:
            return dict(found["runs"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{file} is not a file of fit --leave-one-out ({error!r}); move it or give another --output"
        ) from error
    raise ValueError(
        f"{file} has runs with other options or rows; give another --output, or start over after: rm {file}"
    )


def _save(file: Path, content: LeftOut) -> None:
    with replacing(file) as path:
        path.write_text(json.dumps(content, ensure_ascii=False) + "\n", "utf-8")
