"""The classifier that judges equivalence: the embedded matcher, the field's checkpoint, or any other."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .checkpoints import MINILM_SHA256, checkpoint, embedded_minilm, file_hash, weights_hash
from .matcher import build, find, read
from .pairs import PairClassifier, RunOptions, load_checkpoint

EMBEDDED = "embedded"

# Configuration -> (model, revision).
PRESETS = {
    "default": (EMBEDDED, None),
    "paper": ("kortukov/answer-equivalence-bem", "main"),
}


@dataclass(frozen=True)
class LoadOptions(RunOptions):
    """What `evaluate.load("bem", …)` takes; the rest is inherited.

    Args:
        model: A sequence-classification checkpoint on the Hub or a folder; by default that of the configuration.
        model_revision: Branch, tag or commit of a Hub checkpoint (`revision` is evaluate's own keyword).
    """

    model: str | None = None
    model_revision: str | None = None


@dataclass(frozen=True)
class Judge:
    """A loaded classifier.

    Args:
        classifier: Runs the model.
        equivalent: Number of its class "equivalent".
        name: Short name with the beginning of its weights' hash, for the signature.
        weights: Of the final logistic layer, by feature; empty where the classifier has none.
    """

    classifier: PairClassifier
    equivalent: int
    name: str
    weights: Mapping[str, float]


def load_judge(config: str, options: LoadOptions) -> Judge:
    """Load the configuration's classifier, or the one that was asked for.

    Raises:
        FileNotFoundError: it is nowhere; the message says where it was looked for and how to get it.
        ImportError: a package is missing.
        ValueError: it is no two-class checkpoint.
    """
    model, revision = (options.model, options.model_revision) if options.model else PRESETS[config]
    try:
        import torch
        import transformers  # noqa: F401 - asked for here, so that its absence has a message of its own
    except ImportError as error:
        raise ImportError(f"bem: {error.name} is missing: pip install torch transformers") from error
    if model == EMBEDDED:
        file, folder = find("bem"), embedded_minilm("bem")
        weights_hash("bem", folder, MINILM_SHA256)
        matcher = read(file)
        network, tokenizer = build(folder, matcher, "bem", getattr(torch, options.dtype))
        classifier = PairClassifier(network, tokenizer, options)
        return Judge(classifier, 1, f"matcher@{file_hash(file)[:8]}", matcher.weights["bem"]["features"])
    folder = checkpoint("bem", model, revision)
    classifier = load_checkpoint(folder, options)
    name = f"{Path(model).name or model}@{weights_hash('bem', folder)[:8]}"
    return Judge(classifier, _equivalent(classifier.labels), name, {})


def _equivalent(labels: list[str]) -> int:
    """Return the number of the class "equivalent": the one of that name, else class 1 of two."""
    named = [i for i, label in enumerate(labels) if label.lower() in {"equivalent", "equivalence", "entailment"}]
    if len(named) == 1:
        return named[0]
    if len(labels) != 2:  # noqa: PLR2004
        raise ValueError(
            f"bem: the checkpoint has the classes {', '.join(labels)}; expected two, or one named 'equivalent'"
        )
    return 1
