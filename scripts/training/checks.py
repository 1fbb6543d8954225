"""What a job lacks, told before its rows are read: files, heads, options that do not go together, a device."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..files.writing import check_different, check_place
from ..metrics._shared.inference import check_device
from ..metrics._shared.matcher import read
from .heads import check_limits
from .layers import NAMES
from .teacher import is_teacher, sets_of

if TYPE_CHECKING:
    from .run import Job

_SUFFIX = ".safetensors"


def check(job: "Job") -> None:
    """Check all of a job but its rows.

    Raises:
        FileNotFoundError, ValueError: a file is missing or of another kind, or options do not go together.
    """
    _check_start(job)
    _check_teachers(job)
    _check_options(job)
    _check_written(job)
    _check_heads(job)
    if job.recipe.device is not None:
        check_device("fit", job.recipe.device)


def _check_start(job: "Job") -> None:
    for file in filter(None, (*job.teachers, *job.average, job.start)):
        if not file.is_file():
            raise FileNotFoundError(f"there is no matcher {file}")
    if job.start and is_teacher(job.start) is (job.encoder is None):
        told = "a teacher, --encoder says what trains" if job.encoder is None else "no teacher of this version"
        raise ValueError(f"--start {job.start} is {told} on from it")


def _check_teachers(job: "Job") -> None:
    if job.encoder and (job.average or job.teachers):
        raise ValueError("--encoder trains a teacher; --average and --teacher are for matchers")
    for teacher in job.teachers:
        seen = _names_of(sets_of(teacher)).intersection(job.left_out)
        if seen:
            raise ValueError(f"--teacher {teacher} was trained on {min(seen)}, which is left out: train one without it")
    if job.balance.pairs and not job.teachers:
        raise ValueError(f"pairs is {job.balance.pairs}, which nobody labelled: give a --teacher that judges them")


def _check_options(job: "Job") -> None:
    if job.encoder is None:
        check_limits(job.recipe)
    elif job.recipe.frozen:
        raise ValueError(f"frozen is {job.recipe.frozen}, which is for matchers; all layers of a teacher are trained")
    unknown = next((name for name in job.layers or () if name not in NAMES), None)
    if unknown is not None or (job.layers is not None and not job.average):
        told = f"there is no layer {unknown}" if unknown else "it says which layers of --average are fitted anew"
        raise ValueError(f"--layer: {told}; expected {', '.join(NAMES)}, with --average")
    if job.tested is not None and job.tested < 1:
        raise ValueError(f"tested is {job.tested}; expected at least 1 answer of each set")


def _check_written(job: "Job") -> None:
    """Check that what is written can be, in place of nothing that is read, and of no other run's state."""
    if job.output.suffix != _SUFFIX:
        raise ValueError(f"--output is {job.output}; expected a name that ends in {_SUFFIX}")
    epochs = {f"the matcher of epoch {n}": job.epoch_file(n) for n in range(1, job.recipe.epochs + 1)}
    for file in (job.output, job.training_file, *epochs.values()):
        check_place(file)
    given = {"--teacher": job.teachers, "--average": job.average, "--start": [job.start], "--data": job.data}
    for option, name in ((option, name) for option, names in given.items() for name in names):
        check_different({option: name, "--output": job.output, **epochs})


def _check_heads(job: "Job") -> None:
    """Check that each matcher that is given has a head of every task; a teacher judges for all."""
    if job.encoder is not None:
        return
    start = [job.start] if job.start else []
    for option, files in {"--teacher": job.teachers, "--average": job.average, "--start": start}.items():
        for file in files:
            if not is_teacher(file) or option == "--average":
                _check_matcher(option, file, job.recipe.tasks)


def _check_matcher(option: str, file: Path, tasks: Sequence[str]) -> None:
    try:
        heads = read(file).heads
    except Exception as error:  # a file that is damaged, or no such file at all, may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{option} {file} is no matcher of evaluate-qa fit ({reason})") from error
    lacking = next((task for task in tasks if task not in heads), None)
    if lacking:
        raise ValueError(
            f"{option} {file} has no head for {lacking}; give a matcher that has one, or fit what it is for: "
            f"{', '.join(heads)}"
        )


def _names_of(sets: Sequence[str]) -> set[str]:
    """Return the names that `left_out` may have for sets: `saf/English`, and `saf`."""
    return {*sets, *(name.partition("/")[0] for name in sets)}
