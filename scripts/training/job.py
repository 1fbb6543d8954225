"""A training job, and the checks of its files and options that run before any row is read."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared import matcher as embedded
from evaluate_qa.metrics._shared.devices import check_device
from evaluate_qa.metrics._shared.matcher import read

from ..files.writing import check_different, check_writable
from ..labeled_data.rows import LabeledRow
from .balance import Balanced, Examples
from .examples import Generator, Mixture
from .layers import NAMES
from .learner import LANGUAGE, Heads, Learner, Teacher, is_teacher
from .recipe import TrainingRecipe
from .sources import KNOWN, LabeledSet, read_sets, sample

_SUFFIX = ".safetensors"
# Learning rate if a matcher learns only from a user's own rows.
_OWN_RATE = 3e-5


@dataclass(frozen=True)
class TrainingJob:
    """What to train, from which files, and where to write it.

    Raise FileNotFoundError or ValueError if a file is missing or of the wrong kind, or options contradict each other.
    """

    recipe: TrainingRecipe
    output: Path  # the file of the matcher or teacher; during training, each epoch is saved next to it
    # Folder with the source files of data sets, and split.json for another split of EVOUNA; None downloads the files.
    data_dir: Path | None = None

    def __post_init__(self) -> None:
        """Check everything but the rows."""
        recipe = self.recipe
        for name, file in _files(recipe):
            if not file.is_file():
                raise FileNotFoundError(f"there is no file {file}; correct `{name}` in the recipe")
        for name in ("teachers", "average", "refit_layers"):
            if recipe.teaches and getattr(recipe, name):
                raise ValueError(f"`{name}` is only for matchers, but the recipe trains a teacher; remove `{name}`")
        if recipe.balance.pairs and not recipe.teachers:
            raise ValueError(
                f"`pairs` is {recipe.balance.pairs}, but pairs have no labels and the recipe has no teachers that "
                "judge them; add `teachers` or remove `pairs`"
            )
        _check_shares(recipe)
        _check_layers(recipe)
        _check_output(self)
        for name, file in _files(recipe):
            _check_kind(name, file, recipe)
        if recipe.device is not None:
            check_device("fit", recipe.device)

    @property
    def training_file(self) -> Path:
        """Where the state of training is until everything is done."""
        return self.output.with_suffix(".training.pt")

    def epoch_file(self, epoch: int) -> Path:
        """Return where the matcher of an epoch is saved; epochs count from 1."""
        return self.output.with_suffix(f".epoch-{epoch}.safetensors")

    def forget(self) -> None:
        """Remove the state of a finished training and, for a teacher, the large file of each epoch."""
        if self.recipe.average:
            return  # nothing was trained: a state that exists belongs to another, interrupted run
        self.training_file.unlink(missing_ok=True)
        for epoch in range(1, self.recipe.epochs + 1) if self.recipe.teaches else ():
            self.epoch_file(epoch).unlink(missing_ok=True)

    @cached_property
    def sets(self) -> list[LabeledSet]:
        """The sets to train on; for a teacher, only the English ones."""
        found = read_sets(self.recipe.data, self.data_dir)
        if not self.recipe.teaches:
            return found
        english = [one for one in found if all(row.language == LANGUAGE for row in one.train)]
        if not english:
            raise ValueError("a teacher learns from English answers, but none of the data sets is in English; add one")
        return english

    @property
    def dev(self) -> dict[str, list[LabeledRow]]:
        """The rows for choosing the epoch and fitting the final layers, by set."""
        return {found.name: sample(found.dev, self.recipe.eval_rows) for found in self.sets if found.dev}

    @property
    def test(self) -> dict[str, list[LabeledRow]]:
        """The held-out rows for testing the result, by set; only a user's own data has them."""
        return {found.name: sample(found.test, self.recipe.eval_rows) for found in self.sets if found.test}

    @property
    def key(self) -> str:
        """Digest of everything that decides the result: rows, recipe and the content of files."""
        texts = [
            (row.question, row.references, row.answer, row.label)
            for found in self.sets
            for row in (*found.train, *found.dev)
        ]
        described = [repr(texts).encode(), repr(replace(self.recipe, device=None)).encode()]
        parts = [*described, *(file.read_bytes() for _, file in _files(self.recipe))]
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()

    @property
    def compared(self) -> Path:
        """The matcher that this one is compared with: the one it starts from, or the embedded one."""
        return self.recipe.start or embedded.find_matcher("fit")

    def learner(self, minilm: Path) -> Learner:
        """Return the model at the beginning of training."""
        start, encoder = self.recipe.start, self.recipe.encoder
        if encoder:
            return Teacher.read(start, self.recipe) if start else Teacher(encoder, self.recipe)
        return Heads.read(start, minilm, self.recipe) if start else Heads(minilm, self.recipe)

    def teachers(self, minilm: Path) -> list[Learner]:
        """Return the models to learn from."""
        return [
            Teacher.read(file, self.recipe) if is_teacher(file) else Heads.read(file, minilm, self.recipe)
            for file in self.recipe.teachers
        ]

    def examples(self, minilm: Path) -> Examples:
        """Return what draws the examples of each epoch."""
        generators = [generator_of(found, self.recipe.mixture, minilm) for found in self.sets if found.train]
        balance = self.recipe.balance
        if len(generators) == 1 and balance.rows is None and not balance.pairs:
            return generators[0]
        return Balanced(generators, balance)


def generator_of(found: LabeledSet, mixture: Mixture, minilm: Path) -> Generator:
    """Return what draws a set's examples; `minilm` is the folder of the model that finds near references."""
    # Only `near` uses them, and they need sentence-transformers.
    neighbors = _nearest([row.references[0] for row in found.train], minilm) if mixture.near else {}
    weights = None
    if found.generated:
        from .written.style import evening_weights  # not in the wheel, like the generated answers

        weights = evening_weights(found.train)
    return Generator(found.train, mixture, found.data_set, neighbors, weights)


def _nearest(texts: Sequence[str], minilm: Path, k: int = 12) -> Mapping[str, list[str]]:
    """Return for each distinct text its k nearest other texts by the cosine of all-MiniLM-L6-v2.

    A right answer is easily confused with them.
    """
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.util import semantic_search

    distinct = list(dict.fromkeys(texts))
    model = SentenceTransformer(str(minilm), local_files_only=True, trust_remote_code=False)
    vectors = model.encode(distinct, convert_to_tensor=True, show_progress_bar=False)
    nearest = [
        [distinct[int(hit["corpus_id"])] for hit in hits] for hits in semantic_search(vectors, vectors, top_k=k + 1)
    ]
    return {text: [other for other in near if other != text][:k] for text, near in zip(distinct, nearest, strict=True)}


def complete(fields: Mapping[str, Any]) -> TrainingRecipe:
    """Return the recipe of some fields, with defaults that depend on the data.

    A user's own rows alone are too few for a matcher to learn from scratch: training starts from the embedded matcher,
    with a lower learning rate.
    """
    recipe = TrainingRecipe(**fields)
    if recipe.teaches or recipe.start or set(recipe.data) & {*KNOWN}:
        return recipe
    return replace(recipe, start=embedded.find_matcher("fit"), learning_rate=fields.get("learning_rate", _OWN_RATE))


def _files(recipe: TrainingRecipe) -> Iterator[tuple[str, Path]]:
    """Yield the field and the path of each file that a recipe names."""
    yield from (("teachers", file) for file in recipe.teachers)
    yield from (("average", file) for file in recipe.average)
    if recipe.start:
        yield "start", recipe.start


def _check_shares(recipe: TrainingRecipe) -> None:
    names, shares = {Path(name).stem for name in recipe.data}, recipe.balance.shares
    for name in shares:
        if name not in names:
            raise ValueError(
                f"`shares` has {name!r}, which is not in `data`; expected some of {', '.join(sorted(names))}"
            )
    if shares and names <= shares.keys():
        raise ValueError("`shares` names all of `data`, but its sum is below 1; leave a data set out of it")


def _check_layers(recipe: TrainingRecipe) -> None:
    if recipe.refit_layers and not recipe.average:
        raise ValueError(
            "`refit_layers` copies the other layers from the first file in `average`, but the recipe has no `average`; "
            "add it or remove `refit_layers`"
        )
    for name in recipe.refit_layers or ():
        if name not in NAMES:
            raise ValueError(f"`refit_layers` has {name!r}, which is not a layer; expected some of {', '.join(NAMES)}")


def _check_output(job: TrainingJob) -> None:
    """Check that the output can be written, and replaces no file that is read."""
    if job.output.suffix != _SUFFIX:
        raise ValueError(f"--output is {job.output}; expected a name that ends in {_SUFFIX}")
    epochs = {f"the file of epoch {n}": job.epoch_file(n) for n in range(1, job.recipe.epochs + 1)}
    for file in (job.output, job.training_file, *epochs.values()):
        check_writable(file)
    read_files = [*_files(job.recipe), *(("--data", Path(data)) for data in job.recipe.data)]
    for name, file in read_files:
        check_different({name: file, "--output": job.output, **epochs})


def _check_kind(field: str, file: Path, recipe: TrainingRecipe) -> None:
    """Check that a file is a teacher where one is needed, and otherwise a matcher with the heads of all tasks."""
    if is_teacher(file) and (recipe.teaches or field == "teachers"):
        return
    if recipe.teaches:
        raise ValueError(f"`{field}` is {file}, which is not a teacher; give a file from a recipe with `encoder`")
    try:
        heads = read(file).heads
    except Exception as error:  # a damaged file, or one of another kind, may raise anything
        raise ValueError(
            f"`{field}` has {file}, which is not a matcher written by evaluate-qa fit ({type(error).__name__}: "
            f"{error}); give a file that this command wrote"
        ) from error
    for task in recipe.tasks:
        if task not in heads:
            raise ValueError(
                f"`{field}` has {file}, which has no head for {task}; give a matcher that has one, or train only "
                f"{' and '.join(heads)}"
            )
