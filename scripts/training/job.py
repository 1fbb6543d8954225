"""What is to be trained, and what that lacks: files, heads, a device, told before any row is read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from evaluate_qa.metrics._shared import matcher as shipped
from evaluate_qa.metrics._shared.inference import check_device
from evaluate_qa.metrics._shared.matcher import read

from ..files.writing import check_different, check_place
from ..labeled_data.rows import LabeledRow
from .balance import Balance, Balanced, Examples, Pool
from .checkpoint import digest
from .examples import Generator, Mixture
from .heads import Heads, check_limits
from .layers import NAMES
from .learner import Learner
from .neighbours import nearest
from .recipe import Recipe
from .sources import LabeledSet, read_sets, sample, without
from .style import evening_weights
from .teacher import LANGUAGE, Teacher, is_teacher, sets_of

_SUFFIX = ".safetensors"


@dataclass(frozen=True)
class Job:
    """What is to be done.

    Args:
        data_dir: Folder with the data sets' source files, and split.json if EVOUNA's is not to be our own; None
            downloads them.
        output: The matcher's file; while training, each epoch is kept beside it.
        recipe: How the encoder is trained.
        mixture: What it is shown.
        teachers: Files of matchers or teachers to learn from as well.
        encoder: Train a teacher with this encoder, a folder or a name on the Hub, in place of a matcher.
        start: File of a matcher, or of a teacher where one is trained, to train on from.
        average: Files of matchers of which the mean is taken in place of training.
        limit: Use the first so many questions only, to try things out.
        data: Sets to train on, as for `read_sets`.
        balance: How much of each set an epoch shows; a single set is shown as it is, unless rows are given.
        left_out: Names of sets to do without.
        tested: Compute figures on at most so many answers of each set; None for all.
        layers: Names of the final layers that are fitted, where matchers are averaged; the others stay the first's.
            None fits all.
    """

    data_dir: Path | None
    output: Path
    recipe: Recipe
    mixture: Mixture
    teachers: Sequence[Path] = ()
    encoder: str | None = None
    start: Path | None = None
    average: Sequence[Path] = ()
    limit: int | None = None
    data: Sequence[str] = ("evouna",)
    balance: Balance = Balance()
    left_out: Sequence[str] = ()
    tested: int | None = None
    layers: Sequence[str] | None = None

    def __post_init__(self) -> None:
        _check(self)

    @property
    def training_file(self) -> Path:
        """Where the state of training is until all is done."""
        return self.output.with_suffix(".training.pt")

    def epoch_file(self, epoch: int) -> Path:
        """Return where the matcher of an epoch is kept, counted from 1."""
        return self.output.with_suffix(f".epoch-{epoch}.safetensors")

    def forget(self, epochs: bool) -> None:
        """Remove the state of the training that is done and, if so wished, what each epoch kept."""
        if self.average:
            return  # nothing was trained: what is there is another run's, which was interrupted
        self.training_file.unlink(missing_ok=True)
        for epoch in range(1, self.recipe.epochs + 1) if epochs else ():
            self.epoch_file(epoch).unlink(missing_ok=True)

    @cached_property
    def every_set(self) -> list[LabeledSet]:
        """The sets, those too that are left out."""
        return read_sets(self.data, self.data_dir, self.limit)

    @cached_property
    def sets(self) -> list[LabeledSet]:
        """The sets that are trained on."""
        found = without(self.every_set, self.left_out)
        if self.encoder is None:
            return found
        english = [one for one in found if all(row.language == LANGUAGE for row in one.train)]
        if not english:
            raise ValueError("a teacher learns from English answers, and --data has none")
        return english

    @property
    def dev(self) -> dict[str, list[LabeledRow]]:
        """What epoch and layers are chosen on, by set; with `layers` all that the shipped matcher has not seen."""
        rows_of = {found.name: found.left_out if self.layers else found.dev for found in self.sets}
        return {name: sample(rows, self.tested) for name, rows in rows_of.items() if rows}

    @property
    def test(self) -> dict[str, list[LabeledRow]]:
        """What nothing is chosen on, by set; of a user's own rows only."""
        return {found.name: sample(found.test, self.tested) for found in self.sets if found.test}

    @property
    def key(self) -> str:
        """Digest of all that decides the run: the same rows, recipe, mixture, balance and matchers."""
        texts = [
            (row.question, row.references, row.answer, row.label)
            for found in self.sets
            for row in (*found.train, *found.dev)
        ]
        described = (texts, replace(self.recipe, device=None), self.mixture, self.balance, self.tested, self.encoder)
        counts = len(self.teachers), len(self.average)  # what a file is for decides too
        files = [*self.teachers, *self.average, *filter(None, [self.start])]
        return digest([*described, self.layers, counts], files)

    @property
    def compared(self) -> Path:
        """The matcher that this one is compared with: what it begins with, or the one that comes with this version."""
        return self.start or shipped.find("fit")

    def learner(self, minilm: Path) -> Learner:
        """Return what is trained, as it begins."""
        if self.encoder:
            seen = [found.name for found in self.sets]
            if self.start:
                return Teacher.read(self.start, self.recipe, seen)
            return Teacher(self.encoder, self.recipe, seen)
        heads = Heads(minilm, self.recipe)
        if self.start:
            heads.load(read(self.start))
        return heads

    def tutors(self, minilm: Path) -> list[Learner]:
        """Return what is learned from."""
        return [
            Teacher.read(file, self.recipe) if is_teacher(file) else Heads.read(file, minilm, self.recipe)
            for file in self.teachers
        ]

    def examples(self, minilm: Path) -> Examples:
        """Return what draws the examples of each epoch."""
        pools = []
        for found in self.sets:
            neighbours = nearest([row.references[0] for row in found.train], minilm)
            weights = evening_weights(found.train) if found.written else None
            pools.append(Pool(Generator(found.train, self.mixture, neighbours), found.data_set, weights))
        if len(pools) == 1 and self.balance.rows is None and not self.balance.pairs:
            return pools[0].generator
        return Balanced(pools, self.balance)


def _check(job: Job) -> None:
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


def _check_start(job: Job) -> None:
    for file in filter(None, (*job.teachers, *job.average, job.start)):
        if not file.is_file():
            raise FileNotFoundError(f"there is no matcher {file}")
    if job.start and is_teacher(job.start) is (job.encoder is None):
        told = "a teacher, --encoder says what trains" if job.encoder is None else "no teacher of this version"
        raise ValueError(f"--start {job.start} is {told} on from it")


def _check_teachers(job: Job) -> None:
    if job.encoder and (job.average or job.teachers):
        raise ValueError("--encoder trains a teacher; --average and --teacher are for matchers")
    for teacher in job.teachers:
        seen = _names_of(sets_of(teacher)).intersection(job.left_out)
        if seen:
            raise ValueError(f"--teacher {teacher} was trained on {min(seen)}, which is left out: train one without it")
    if job.balance.pairs and not job.teachers:
        raise ValueError(f"pairs is {job.balance.pairs}, which nobody labelled: give a --teacher that judges them")


def _check_options(job: Job) -> None:
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


def _check_written(job: Job) -> None:
    """Check that what is written can be, in place of nothing that is read, and of no other run's state."""
    if job.output.suffix != _SUFFIX:
        raise ValueError(f"--output is {job.output}; expected a name that ends in {_SUFFIX}")
    epochs = {f"the matcher of epoch {n}": job.epoch_file(n) for n in range(1, job.recipe.epochs + 1)}
    for file in (job.output, job.training_file, *epochs.values()):
        check_place(file)
    given = {"--teacher": job.teachers, "--average": job.average, "--start": [job.start], "--data": job.data}
    for option, name in ((option, name) for option, names in given.items() for name in names):
        check_different({option: name, "--output": job.output, **epochs})


def _check_heads(job: Job) -> None:
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
