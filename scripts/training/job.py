"""A training job, and the checks of its files and options that run before any row is read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared import matcher as shipped
from evaluate_qa.metrics._shared.devices import check_device
from evaluate_qa.metrics._shared.matcher import read

from ..files.writing import check_different, check_place
from ..labeled_data.rows import LabeledRow
from .balance import Balanced, ExamplePool, Examples
from .checkpoint import digest
from .examples import Generator
from .heads import Heads, check_limits
from .layers import NAMES
from .learner import Learner
from .neighbors import nearest
from .recipe import TrainingRecipe
from .sources import KNOWN, LabeledSet, read_sets, sample, without
from .style import evening_weights
from .teacher import LANGUAGE, Teacher, is_teacher, sets_of

_SUFFIX = ".safetensors"
_ENCODER = "sentence-transformers/all-mpnet-base-v2"
# Default learning rates: of matchers, of matchers on a user's own rows alone, and of teachers.
_RATE, _OWN_RATE, _TEACHER_RATE = 1e-4, 3e-5, 5e-5


@dataclass(frozen=True)
class TrainingJob:
    """What to train, from which files, and where to write it.

    Args:
        recipe: How it is trained.
        output: The file of the matcher or teacher; during training, each epoch is saved beside it.
        data_dir: Folder with the source files of data sets, and split.json for another split of EVOUNA; None downloads
            the files.
        left_out: Names of the sets that are not trained on.
    """

    recipe: TrainingRecipe
    output: Path
    data_dir: Path | None = None
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check(self)

    @property
    def training_file(self) -> Path:
        """Where the state of training is until everything is done."""
        return self.output.with_suffix(".training.pt")

    def epoch_file(self, epoch: int) -> Path:
        """Return where the matcher of an epoch is saved; epochs count from 1."""
        return self.output.with_suffix(f".epoch-{epoch}.safetensors")

    def forget(self, epochs: bool) -> None:
        """Remove the state of a finished training and, if `epochs`, the file of each epoch."""
        if self.recipe.average:
            return  # nothing was trained: a state that is there belongs to another, interrupted run
        self.training_file.unlink(missing_ok=True)
        for epoch in range(1, self.recipe.epochs + 1) if epochs else ():
            self.epoch_file(epoch).unlink(missing_ok=True)

    @cached_property
    def every_set(self) -> list[LabeledSet]:
        """All sets, including those that are left out."""
        return read_sets(self.recipe.data, self.data_dir)

    @cached_property
    def sets(self) -> list[LabeledSet]:
        """The sets that are trained on; for a teacher, only those in English."""
        found = without(self.every_set, self.left_out)
        if not self.recipe.teaches:
            return found
        english = [one for one in found if all(row.language == LANGUAGE for row in one.train)]
        if not english:
            raise ValueError("a teacher learns from English answers, but none of the data sets is in English; add one")
        return english

    @property
    def dev(self) -> dict[str, list[LabeledRow]]:
        """The rows that choose epoch and final layers, by set.

        With `refit_layers`, they are all rows that the shipped matcher was not trained on.
        """
        rows_of = {found.name: found.left_out if self.recipe.refit_layers else found.dev for found in self.sets}
        return {name: sample(rows, self.recipe.eval_rows) for name, rows in rows_of.items() if rows}

    @property
    def test(self) -> dict[str, list[LabeledRow]]:
        """The rows that choose nothing, by set; only a user's own data has them."""
        return {found.name: sample(found.test, self.recipe.eval_rows) for found in self.sets if found.test}

    @property
    def key(self) -> str:
        """Digest of everything that decides the result: rows, recipe and the content of files."""
        texts = [
            (row.question, row.references, row.answer, row.label)
            for found in self.sets
            for row in (*found.train, *found.dev)
        ]
        recipe = self.recipe
        files = [*recipe.teachers, *recipe.average, *filter(None, [recipe.start])]
        counts = len(recipe.teachers), len(recipe.average)  # the same file may have several uses
        unnamed = replace(recipe, device=None, data=(), start=None, teachers=(), average=())
        return digest([texts, unnamed, counts], files)

    @property
    def compared(self) -> Path:
        """The matcher that this one is compared with: the one it starts from, or the shipped one."""
        return self.recipe.start or shipped.find("fit")

    def learner(self, minilm: Path) -> Learner:
        """Return the model at the beginning of training."""
        start = self.recipe.start
        if self.recipe.teaches:
            seen = [found.name for found in self.sets]
            return Teacher.read(start, self.recipe, seen) if start else Teacher(self._encoder, self.recipe, seen)
        heads = Heads(minilm, self.recipe)
        if start:
            heads.load(read(start))
        return heads

    def tutors(self, minilm: Path) -> list[Learner]:
        """Return the models to learn from."""
        return [
            Teacher.read(file, self.recipe) if is_teacher(file) else Heads.read(file, minilm, self.recipe)
            for file in self.recipe.teachers
        ]

    def examples(self, minilm: Path) -> Examples:
        """Return what draws the examples of each epoch."""
        pools, balance = [self._pool(found, minilm) for found in self.sets], self.recipe.balance
        if len(pools) == 1 and balance.rows is None and not balance.pairs:
            return pools[0].generator
        return Balanced(pools, balance)

    @property
    def _encoder(self) -> str:
        return self.recipe.encoder or _ENCODER

    def _pool(self, found: LabeledSet, minilm: Path) -> ExamplePool:
        mixture = self.recipe.mixture
        # Only `near` uses them, and they need sentence-transformers.
        neighbors = nearest([row.references[0] for row in found.train], minilm) if mixture.near else {}
        weights = evening_weights(found.train) if found.written else None
        return ExamplePool(Generator(found.train, mixture, neighbors), found.data_set, weights)


def complete(fields: Mapping[str, Any]) -> TrainingRecipe:
    """Return the recipe of some fields, with defaults that depend on the data.

    A user's own rows alone are too few for a matcher to learn from scratch: training starts from the shipped matcher,
    with a lower learning rate.
    """
    recipe = TrainingRecipe(**fields)
    own = not recipe.teaches and recipe.start is None and not set(recipe.data) & {*KNOWN}
    if own:
        recipe = replace(recipe, start=shipped.find("fit"))
    if "learning_rate" in fields:
        return recipe
    return replace(recipe, learning_rate=_TEACHER_RATE if recipe.teaches else _OWN_RATE if own else _RATE)


def _check(job: TrainingJob) -> None:
    """Check everything but the rows.

    Raises:
        FileNotFoundError, ValueError: a file is missing or of the wrong kind, or options contradict each other.
    """
    recipe = job.recipe
    for name, file in _files(recipe):
        if not file.is_file():
            raise FileNotFoundError(f"there is no file {file}; correct `{name}` in the recipe")
    if recipe.teaches:
        _check_teacher_recipe(recipe)
    else:
        _check_matcher_recipe(recipe)
        _check_left_out(job)
    _check_output(job)
    for name, file in _files(recipe):
        _check_heads(name, file, recipe)
    if recipe.device is not None:
        check_device("fit", recipe.device)


def _files(recipe: TrainingRecipe) -> Iterator[tuple[str, Path]]:
    """Yield the field and the path of each file that a recipe names."""
    yield from (("teachers", file) for file in recipe.teachers)
    yield from (("average", file) for file in recipe.average)
    if recipe.start:
        yield "start", recipe.start


def _check_teacher_recipe(recipe: TrainingRecipe) -> None:
    for name in ("teachers", "average", "refit_layers", "frozen_layers"):
        if getattr(recipe, name):
            raise ValueError(f"`{name}` is only for matchers, but the recipe trains a teacher; remove `{name}`")
    if recipe.start and recipe.encoder:
        raise ValueError(
            "the recipe has both `start` and `encoder`, but the file to start from names its encoder; remove `encoder`"
        )
    if recipe.start and not is_teacher(recipe.start):
        raise ValueError(
            f"`start` is {recipe.start}, which is not a teacher; give a file from a recipe with `kind: teacher`"
        )


def _check_matcher_recipe(recipe: TrainingRecipe) -> None:
    check_limits(recipe)
    if recipe.encoder:
        raise ValueError(
            f"`encoder` is {recipe.encoder!r}, but only teachers have another encoder; add `kind: teacher` or remove "
            "`encoder`"
        )
    if recipe.start and is_teacher(recipe.start):
        raise ValueError(
            f"`start` is {recipe.start}, which is a teacher, but the recipe trains a matcher; give a matcher or add "
            "`kind: teacher`"
        )
    if recipe.balance.pairs and not recipe.teachers:
        raise ValueError(
            f"`pairs` is {recipe.balance.pairs}, but pairs have no labels and the recipe has no teachers that judge "
            "them; add `teachers` or remove `pairs`"
        )
    _check_layers(recipe)


def _check_layers(recipe: TrainingRecipe) -> None:
    if recipe.refit_layers is None:
        return
    if not recipe.average:
        raise ValueError(
            "`refit_layers` copies the other layers from the first file in `average`, but the recipe has no `average`; "
            "add it or remove `refit_layers`"
        )
    for name in recipe.refit_layers:
        if name not in NAMES:
            raise ValueError(f"`refit_layers` has {name!r}, which is not a layer; expected some of {', '.join(NAMES)}")


def _check_left_out(job: TrainingJob) -> None:
    for teacher in job.recipe.teachers:
        for name in sets_of(teacher):
            if name in job.left_out:
                raise ValueError(
                    f"the teacher {teacher} was trained on {name}, which --leave-one-out leaves out; train a teacher "
                    "without it, or run without --leave-one-out"
                )


def _check_output(job: TrainingJob) -> None:
    """Check that the output can be written, and replaces no file that is read."""
    if job.output.suffix != _SUFFIX:
        raise ValueError(f"--output is {job.output}; expected a name that ends in {_SUFFIX}")
    epochs = {f"the file of epoch {n}": job.epoch_file(n) for n in range(1, job.recipe.epochs + 1)}
    for file in (job.output, job.training_file, *epochs.values()):
        check_place(file)
    for name, read_file in _files(job.recipe):
        check_different({name: read_file, "--output": job.output, **epochs})
    for data in job.recipe.data:
        check_different({"--data": data, "--output": job.output, **epochs})


def _check_heads(field: str, file: Path, recipe: TrainingRecipe) -> None:
    """Check that a matcher has the heads of all tasks; a teacher has one for all."""
    if is_teacher(file) and field != "average":
        return
    try:
        heads = read(file).heads
    except Exception as error:  # a damaged file, or one of another kind, may raise anything
        raise ValueError(
            f"`{field}` has {file}, which is not a matcher of evaluate-qa fit ({type(error).__name__}: {error}); give "
            "a file that this command wrote"
        ) from error
    for task in recipe.tasks:
        if task not in heads:
            raise ValueError(
                f"`{field}` has {file}, which has no head for {task}; give a matcher that has one, or train only "
                f"{_listed(heads)}"
            )


def _listed(names: Sequence[str] | Mapping[str, Any]) -> str:
    return " and ".join(names)
