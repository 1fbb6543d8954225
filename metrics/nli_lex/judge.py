"""The classifier that judges entailment: the embedded matcher, the paper's checkpoint, or any other."""

from collections.abc import Mapping
from dataclasses import dataclass

from .classifiers import EMBEDDED, LoadOptions, load
from .pairs import PairClassifier
from .scoring import UNFITTED

# Configuration -> (model, revision).
PRESETS = {
    "default": (EMBEDDED, None),
    "paper": ("MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli", "main"),
}


@dataclass(frozen=True)
class Judge:
    """A loaded classifier.

    Args:
        classifier: Runs the model.
        entailment: Number of its class "entailment".
        name: Short name with the beginning of its weights' hash, for the signature.
        weights: Default weights of the logistic layer, by the name of the lexical signal.
        lexical: Default lexical signal.
    """

    classifier: PairClassifier
    entailment: int
    name: str
    weights: Mapping[str, Mapping[str, float]]
    lexical: str


def load_judge(config: str, options: LoadOptions) -> Judge:
    """Load the configuration's classifier, or the one that was asked for.

    Raises:
        FileNotFoundError: it is nowhere; the message says where it was looked for and how to get it.
        ImportError: a package is missing.
        ValueError: it has no class "entailment".
    """
    model, revision = (options.model, options.model_revision) if options.model else PRESETS[config]
    loaded = load("nli_lex", model, revision, options)
    if loaded.layers is not None:
        return Judge(loaded.classifier, 1, loaded.name, loaded.layers, "recall")
    return Judge(loaded.classifier, entailment_class(loaded.classifier.labels), loaded.name, UNFITTED, "match")


def entailment_class(labels: list[str]) -> int:
    """Return the number of the class "entailment", whatever its place and case.

    >>> entailment_class(["not_entailment", "ENTAILMENT"])
    1
    """
    named = [i for i, label in enumerate(labels) if label.lower() in {"entailment", "entail", "entails"}]
    if len(named) != 1:
        raise ValueError(
            f"nli_lex: the checkpoint has the classes {', '.join(labels)}; expected exactly one named 'entailment' "
            "in its config.json (id2label)"
        )
    return named[0]
