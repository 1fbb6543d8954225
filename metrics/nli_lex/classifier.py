"""The classifier that says "entailment": the embedded matcher, the paper's checkpoint, or any other."""

from collections.abc import Mapping
from dataclasses import dataclass

from .classifiers import BuiltIn, Model, load
from .declarations import ModelOptions
from .options import TEMPLATE, Weights
from .pairs import Pair, PairClassifier
from .weights import UNFITTED

# Configuration -> (model, revision).
PRESETS: Mapping[str, tuple[Model, str | None]] = {
    "default": (BuiltIn.MATCHER, None),
    "paper": ("MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli", "main"),
}


@dataclass(frozen=True)
class Entailment:
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
    weights: Mapping[str, Weights]
    lexical: str


def load_classifier(config: str, options: ModelOptions) -> Entailment:
    """Load the configuration's classifier, or the one that was asked for.

    Raises:
        FileNotFoundError: it is nowhere; the message says where it was looked for and how to get it.
        ImportError: a package is missing.
        ValueError: it has no class "entailment".
    """
    model, revision = (options.model, options.model_revision) if options.model else PRESETS[config]
    loaded = load("nli_lex", model, revision, options)
    if loaded.layers is not None:
        return Entailment(loaded.classifier, 1, loaded.name, loaded.layers, "recall")
    return Entailment(loaded.classifier, entailment_class(loaded.classifier.labels), loaded.name, UNFITTED, "match")


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


def nli_pair(question: str, answer: str, reference: str, premise: str = TEMPLATE, hypothesis: str = TEMPLATE) -> Pair:
    """Return (premise, hypothesis): the templates filled; without a question, the bare texts."""
    if not question:
        return Pair(answer, (reference,))
    return Pair(fill(premise, question, answer), (fill(hypothesis, question, reference),))


def fill(template: str, question: str, answer: str) -> str:
    """Put question and answer into a template; braces in either are text."""
    before, _, after = template.partition("{answer}")
    return before.replace("{question}", question) + answer + after.replace("{question}", question)
