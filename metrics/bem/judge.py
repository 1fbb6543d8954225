"""The classifier that judges equivalence: the embedded matcher, the field's checkpoint, or any other."""

from collections.abc import Mapping
from dataclasses import dataclass

from .classifiers import EMBEDDED, LoadOptions, load
from .pairs import PairClassifier

# Configuration -> (model, revision).
PRESETS = {
    "default": (EMBEDDED, None),
    "paper": ("kortukov/answer-equivalence-bem", "main"),
}


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
    loaded = load("bem", model, revision, options)
    if loaded.layers is not None:
        return Judge(loaded.classifier, 1, loaded.name, loaded.layers["features"])
    return Judge(loaded.classifier, _equivalent(loaded.classifier.labels), loaded.name, {})


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
