"""The classifier that says "equivalent": the embedded matcher, the field's checkpoint, or any other."""

from collections.abc import Mapping
from dataclasses import dataclass

from .classifiers import BuiltIn, Model, load
from .declarations import ModelOptions
from .pairs import Pair, PairClassifier

# Configuration -> (model, revision).
PRESETS: Mapping[str, tuple[Model, str | None]] = {
    "default": (BuiltIn.MATCHER, None),
    "paper": ("kortukov/answer-equivalence-bem", "main"),
}


@dataclass(frozen=True)
class Equivalence:
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


def load_classifier(config: str, options: ModelOptions) -> Equivalence:
    """Load the configuration's classifier, or the one that was asked for.

    Raises:
        FileNotFoundError: it is nowhere; the message says where it was looked for and how to get it.
        ImportError: a package is missing.
        ValueError: it is no two-class checkpoint.
    """
    model, revision = (options.model, options.model_revision) if options.model else PRESETS[config]
    loaded = load("bem", model, revision, options)
    if loaded.layers is not None:
        return Equivalence(loaded.classifier, 1, loaded.name, loaded.layers["features"])
    return Equivalence(loaded.classifier, _equivalent(loaded.classifier.labels), loaded.name, {})


def bem_pair(question: str, answer: str, reference: str) -> Pair:
    """Return `[CLS] answer [SEP] | reference [SEP] question [SEP]`; the bar parts the two segments.

    No further special tokens, as in the released checkpoint's own preparation.
    """
    return Pair(answer, (reference, question))


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
