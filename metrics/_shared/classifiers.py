"""Which classifier a metric runs: the embedded matcher, one that `evaluate-qa fit` made, or a checkpoint."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from .arguments import ModelOptions
from .checkpoints import MINILM
from .checkpoints import find as find_checkpoint
from .inference import check_device, multiply_with_onednn, read_first_token_only, settled
from .matcher import build, find, read
from .pairs import PairClassifier, load_checkpoint


class BuiltIn(Enum):
    """What comes with a metric. No string, so that a folder of whatever name is a folder."""

    MATCHER = "the embedded matcher"


Preset = tuple[str | BuiltIn, str | None]
"""A model, and its revision on the Hub."""


@dataclass(frozen=True)
class Loaded:
    """A loaded classifier.

    Args:
        classifier: Runs the model.
        positive: Number of the class that speaks for the answer.
        name: Short name with the beginning of its file's hash, for the signature.
        options: What it was loaded with; the precision is the one that it has.
        layers: Weights of the final logistic layers that come with the embedded matcher; of a checkpoint None.
    """

    classifier: PairClassifier
    positive: int
    name: str
    options: ModelOptions
    layers: Mapping[str, Mapping[str, float]] | None = None


def load(metric: str, preset: Preset, options: ModelOptions, find_positive: Callable[[list[str]], int]) -> Loaded:
    """Load a classifier, ready to run as fast as it can.

    Args:
        metric: `"bem"` or `"nli_lex"`.
        preset: The configuration's model and its revision, which those of the options replace.
        options: Which model, and on what it is to run.
        find_positive: From the names of a checkpoint's classes to the number of the one that speaks for the answer.

    Raises:
        FileNotFoundError: it is nowhere; the message says where it was looked for and how to get it.
        ImportError: a package is missing.
        ValueError: it is damaged or has not the class, or the device cannot be used.
    """
    loaded = load_plain(metric, preset, options, find_positive)
    read_first_token_only(loaded.classifier.model)
    multiply_with_onednn(loaded.classifier.model)
    return loaded


def load_plain(
    metric: str, preset: Preset, options: ModelOptions, find_positive: Callable[[list[str]], int] = lambda _: 1
) -> Loaded:
    """Load a classifier as transformers runs it; the rest is as for `load`."""
    try:
        import torch  # noqa: F401 - asked for here, so that their absence has a message of its own
        import transformers  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{metric}: {error.name} is missing: pip install torch transformers") from error
    check_device(metric, options.device)
    options = settled(options)
    model, revision = (options.model, options.model_revision) if options.model else preset
    if isinstance(model, BuiltIn):
        return _matcher(metric, find(metric), "matcher", options)
    if (file := Path(model).expanduser()).is_file():
        return _matcher(metric, file, file.stem, options)
    checkpoint = find_checkpoint(metric, model, revision)
    try:
        classifier = load_checkpoint(checkpoint.folder, options)
    except ValueError as error:
        raise ValueError(f"{metric}: {error}") from error
    name = f"{checkpoint.label}@{checkpoint.weights[:8]}"
    return Loaded(classifier, find_positive(classifier.labels), name, options)


def _matcher(metric: str, file: Path, name: str, options: ModelOptions) -> Loaded:
    """Load a matcher from its file: the one that comes with this version, or one of `evaluate-qa fit`."""
    import torch

    try:
        matcher = read(file)
    except Exception as error:  # a file that is damaged, or no such file at all, may raise anything
        raise ValueError(
            f"{metric}: {file} is no matcher of evaluate-qa fit ({type(error).__name__}: {error})"
        ) from error
    if metric not in matcher.weights:
        raise ValueError(f"{metric}: {file} has no head for it; fit one: evaluate-qa fit {metric}")
    minilm = find_checkpoint(metric, MINILM)
    network, tokenizer = build(minilm.folder, matcher, metric, getattr(torch, options.dtype))
    classifier = PairClassifier(network, tokenizer, options)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return Loaded(classifier, 1, f"{name}@{digest[:8]}", options, matcher.weights[metric])
