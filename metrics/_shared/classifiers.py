"""Which classifier a metric runs: the embedded matcher, or a checkpoint of transformers."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from .acceleration import multiply_with_onednn, read_first_token_only
from .checkpoints import MINILM
from .checkpoints import find as find_checkpoint
from .declarations import ModelOptions
from .inference import check_device
from .matcher import FILE_SHA256, build, find, read
from .pairs import PairClassifier, load_checkpoint


class BuiltIn(Enum):
    """What comes with a metric. No string, so that a folder of whatever name is a folder."""

    MATCHER = "the embedded matcher"


Model = str | os.PathLike[str] | BuiltIn


@dataclass(frozen=True)
class Loaded:
    """A loaded classifier.

    Args:
        classifier: Runs the model.
        name: Short name with the beginning of its file's hash, for the signature.
        layers: Weights of the final logistic layers that come with the embedded matcher; of a checkpoint None.
    """

    classifier: PairClassifier
    name: str
    layers: Mapping[str, Mapping[str, float]] | None = None


def load(metric: str, model: Model, revision: str | None, options: ModelOptions) -> Loaded:
    """Load a classifier, ready to run as fast as it can.

    Args:
        metric: `"bem"` or `"nli_lex"`.
        model: The embedded matcher, a folder, or a name on the Hub.
        revision: Of a checkpoint on the Hub.
        options: On what it is to run.

    Raises:
        FileNotFoundError: it is nowhere; the message says where it was looked for and how to get it.
        ImportError: a package is missing.
        ValueError: it is damaged, or the device cannot be used.
    """
    loaded = load_plain(metric, model, revision, options)
    read_first_token_only(loaded.classifier.model)
    multiply_with_onednn(loaded.classifier.model)
    return loaded


def load_plain(metric: str, model: Model, revision: str | None, options: ModelOptions) -> Loaded:
    """Load a classifier as transformers runs it; the rest is as for `load`."""
    try:
        import torch  # noqa: F401 - asked for here, so that their absence has a message of its own
        import transformers  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{metric}: {error.name} is missing: pip install torch transformers") from error
    check_device(metric, options.device)
    if isinstance(model, BuiltIn):
        return _embedded(metric, options)
    checkpoint = find_checkpoint(metric, model, revision)
    classifier = load_checkpoint(checkpoint.folder, options)
    return Loaded(classifier, f"{checkpoint.label}@{checkpoint.weights[:8]}")


def _embedded(metric: str, options: ModelOptions) -> Loaded:
    import torch

    matcher, minilm = read(find(metric)), find_checkpoint(metric, MINILM)
    network, tokenizer = build(minilm.folder, matcher, metric, getattr(torch, options.dtype))
    classifier = PairClassifier(network, tokenizer, options)
    return Loaded(classifier, f"matcher@{FILE_SHA256[:8]}", matcher.weights[metric])
