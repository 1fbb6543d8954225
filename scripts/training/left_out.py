"""Train without each set in turn and test on it: what recipes are chosen by.

Every run's figures go to a file as soon as it is done, and a run that is in it is not done again. Runs of other options
or rows, which the file may have too, are told of and give way.
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
from .job import Job
from .run import Report, run, scored_by
from .sources import sample

Record = dict[str, Any]
"""What the file holds.

    runs: By what was left out: `key` (a digest of all that decides the run), `trained_on` and `chosen_on` (answers of
        each set), `epochs` (MCC on dev of each), `seconds`, and for each set that was left out, in `sets`, its
        `question_ids` and `labels`, and by layer the `scores` and the figures, `before` and `after`.
    means: By layer, the mean MCC over sets `before` and `after`, and their `difference`, each with its interval's ends.
"""


def leave_one_out(job: Job, names: Sequence[str], report: Report) -> Record:
    """Train without each set in turn, and test on it.

    Args:
        job: What is done each time.
        names: What is left out, one after the other; by default each set.
        report: Told of each epoch and run.

    Raises:
        OSError, ValueError: rows are missing, or not what was expected.
    """
    jobs = {name: _without(job, name) for name in names or [found.name for found in job.every_set]}
    keys = {name: _key(one) for name, one in jobs.items()}  # all of them first, so that a wrong name is told at once
    file = left_out_file(job.output)
    check_place(file)
    found: dict[str, Any] = _load(file)["runs"] if file.is_file() else {}
    runs = {name: run for name, run in found.items() if run["key"] == (keys.get(name) or _key_without(job, name))}
    others, missing = sorted(found.keys() - runs.keys()), [name for name in jobs if name not in runs]
    if others:
        report(
            f"{file} has runs of other options or rows, whose place these take: {', '.join(others)}; to keep them, "
            "stop now and give another --output"
        )
    for name in missing:
        report(f"without {name}:")
        runs[name] = {"key": keys[name], **_run(jobs[name], report)}
        _save(file, _record(job, runs))
        jobs[name].forget(epochs=True)  # not before: a run that is killed while it is tested goes on from there
    if others and not missing:
        _save(file, _record(job, runs))
    return _record(job, {name: runs[name] for name in jobs})


def left_out_file(output: Path) -> Path:
    """Return the file with the figures of runs for a matcher."""
    return output.with_suffix(".left-out.json")


def means(runs: Mapping[str, Any], bootstrap: Bootstrap) -> Record:
    """Return the mean MCC over sets that were left out, as `Record` has it.

    Intervals are drawn over the questions of each set. Layers that one of the two matchers lacks are left out.
    """
    sets = [found for one in runs.values() for found in one["sets"].values()]
    return {
        layer: _means([_replicated(found, layer, bootstrap) for found in sets], bootstrap)
        for layer in sets[0]["scores"]["after"]
        if layer in sets[0]["scores"]["before"]
    }


def _without(job: Job, name: str) -> Job:
    stem = f"{job.output.stem}.without-{name.replace('/', '-')}"
    found = replace(job, left_out=(name,), output=job.output.with_name(f"{stem}.safetensors"))
    vars(found)["every_set"] = job.every_set  # else each would read all rows again
    return found


def _tested(job: Job) -> dict[str, list[LabeledRow]]:
    """Return the rows that the job's matcher is tested on: those of the sets that it is trained without."""
    names = {found.name for found in job.sets}
    return {found.name: sample(found.left_out, job.tested) for found in job.every_set if found.name not in names}


def _key(job: Job) -> str:
    texts = [(row.question, row.references, row.answer, row.label) for rows in _tested(job).values() for row in rows]
    return digest([job.key, texts], [job.compared])


def _key_without(job: Job, name: str) -> str | None:
    """Return the key of what would be done without a set; None where that cannot be done, as without such a set."""
    try:
        return _key(_without(job, name))
    except ValueError:
        return None


def _run(job: Job, report: Report) -> Record:
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


def _set(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Record:
    """Return what is kept of a set that was left out."""
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


def _replicated(found: Record, layer: str, bootstrap: Bootstrap) -> Mapping[str, Floats]:
    """Return a set's MCC before and after, each followed by its replicates, of the same questions in both."""
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


def _record(job: Job, runs: Mapping[str, Any]) -> Record:
    return {"recipe": _described(job), "runs": runs, "means": means(runs, Bootstrap())}


def _described(job: Job) -> Record:
    return {
        "recipe": asdict(job.recipe),
        "mixture": asdict(job.mixture),
        "balance": asdict(job.balance),
        "start": str(job.start) if job.start else None,
        "teachers": [str(file) for file in job.teachers],
        "average": [str(file) for file in job.average],
        "layers": job.layers,
        "limit": job.limit,
        "tested": job.tested,
    }


def _load(file: Path) -> Record:
    try:
        found: Record = json.loads(file.read_text("utf-8"))
        if not {"runs", "means"} <= found.keys():
            raise ValueError("it lacks its runs")
    except ValueError as error:
        raise ValueError(f"{file}: not a file of fit --leave-one-out ({error}); move it away") from error
    return found


def _save(file: Path, record: Record) -> None:
    with replacing(file) as path:
        path.write_text(json.dumps(record, ensure_ascii=False) + "\n", "utf-8")
