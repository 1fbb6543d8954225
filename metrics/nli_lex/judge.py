"""The classifier that judges entailment: the embedded matcher, the paper's checkpoint, or any other."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .checkpoints import MINILM_SHA256, checkpoint, embedded_minilm, file_hash, weights_hash
from .matcher import build, find, read
from .pairs import PairClassifier, RunOptions, load_checkpoint
from .scoring import UNFITTED

EMBEDDED = "embedded"

# Configuration -> (model, revision).
PRESETS = {
    "default": (EMBEDDED, None),
    "paper": ("MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli", "main"),
}


@dataclass(frozen=True)
class LoadOptions(RunOptions):
    """What `evaluate.load("nli_lex", …)` takes; the rest is inherited.

    Args:
        model: An NLI checkpoint on the Hub or a folder; by default that of the configuration.
        model_revision: Branch, tag or commit of a Hub checkpoint (`revision` is evaluate's own keyword).
    """

    model: str | None = None
    model_revision: str | None = None


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
    try:
        import torch
        import transformers  # noqa: F401 - asked for here, so that its absence has a message of its own
    except ImportError as error:
        raise ImportError(f"nli_lex: {error.name} is missing: pip install torch transformers") from error
    if model == EMBEDDED:
        file, folder = find("nli_lex"), embedded_minilm("nli_lex")
        weights_hash("nli_lex", folder, MINILM_SHA256)
        matcher = read(file)
        network, tokenizer = build(folder, matcher, "nli_lex", getattr(torch, options.dtype))
        classifier = PairClassifier(network, tokenizer, options)
        return Judge(classifier, 1, f"matcher@{file_hash(file)[:8]}", matcher.weights["nli_lex"], "recall")
    folder = checkpoint("nli_lex", model, revision)
    classifier = load_checkpoint(folder, options)
    name = f"{Path(model).name or model}@{weights_hash('nli_lex', folder)[:8]}"
    return Judge(classifier, entailment_class(classifier.labels), name, UNFITTED, "match")


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
