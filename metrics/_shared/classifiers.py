"""Which classifier a judge runs, and on what: the embedded matcher or a checkpoint, in PyTorch or ONNX Runtime."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from .acceleration import multiply_with_onednn, read_first_token_only
from .checkpoints import MINILM, file_hash
from .checkpoints import find as find_checkpoint
from .matcher import build, find, read
from .onnx_backend import Network, check_onnx, use_onnx
from .pairs import Pair, PairClassifier, RunOptions, load_checkpoint

EMBEDDED = "embedded"

Backend = Literal["torch", "onnx"]

# Of different lengths, see `Network`.
_PROBE = [Pair("radium", ("radium",)), Pair("It was Marie Curie who discovered radium.", ("Marie Curie, in Paris",))]


@dataclass(frozen=True)
class LoadOptions(RunOptions):
    """What `evaluate.load` takes for a metric with a classifier; the rest is inherited.

    Args:
        model: A sequence-classification checkpoint on the Hub or a folder; by default that of the configuration.
        model_revision: Branch, tag or commit of a Hub checkpoint (`revision` is evaluate's own keyword).
        backend: `"torch"`, or `"onnx"` for ONNX Runtime on a CPU.
        cache_dir: Where exported models are kept (evaluate puts its temporary files there as well); by default in the
            Hugging Face cache.

    Raises:
        ValueError: a value outside its range.
    """

    model: str | os.PathLike[str] | None = None
    model_revision: str | None = None
    backend: Backend = "torch"
    cache_dir: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.backend not in get_args(Backend):
            raise ValueError(f"backend is {self.backend!r}; expected one of {', '.join(get_args(Backend))}")
        if self.backend == "onnx" and self.dtype != "float32":
            raise ValueError(f"dtype is {self.dtype!r}; backend='onnx' runs in float32")
        if self.backend == "onnx" and self.device not in {None, "cpu"}:
            raise ValueError(f"device is {self.device!r}; backend='onnx' runs on the CPU")

    @property
    def settings(self) -> dict[str, object]:
        """The signature's settings; those of an option that is the default are None."""
        return {
            "dtype": None if self.dtype == "float32" else self.dtype,
            "backend": None if self.backend == "torch" else self.backend,
        }


@dataclass(frozen=True)
class Loaded:
    """A loaded classifier.

    Args:
        classifier: Runs the model.
        name: Short name with the beginning of its file's hash, for the signature.
        fingerprint: Names all that its scores depend on.
        layers: Weights of the final logistic layers that come with the embedded matcher; of a checkpoint None.
    """

    classifier: PairClassifier
    name: str
    fingerprint: str
    layers: Mapping[str, Mapping[str, float]] | None = None


def load(metric: str, model: str | os.PathLike[str], revision: str | None, options: LoadOptions) -> Loaded:
    """Load a classifier, ready to run as fast as it can.

    Args:
        metric: `"bem"` or `"nli_lex"`.
        model: `EMBEDDED`, a folder, or a name on the Hub.
        revision: Of a checkpoint on the Hub.
        options: On what it is to run.

    Raises:
        FileNotFoundError: it is nowhere; the message says where it was looked for and how to get it.
        ImportError: a package is missing.
        ValueError: it is damaged, or cannot be exported to ONNX.
    """
    try:
        import torch  # noqa: F401 - asked for here, so that their absence has a message of its own
        import transformers  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{metric}: {error.name} is missing: pip install torch transformers") from error
    if options.backend == "onnx":
        check_onnx(metric)
    loaded = load_plain(metric, model, revision, options)
    network = loaded.classifier.model
    read_first_token_only(network)
    if options.backend == "onnx":
        use_onnx(_network(metric, loaded), Path(options.cache_dir).expanduser() if options.cache_dir else None)
    else:
        multiply_with_onednn(network)
    return loaded


def load_plain(metric: str, model: str | os.PathLike[str], revision: str | None, options: LoadOptions) -> Loaded:
    """Load a classifier as transformers runs it; the rest is as for `load`."""
    if model == EMBEDDED:
        return _embedded(metric, options)
    checkpoint = find_checkpoint(metric, model, revision)
    classifier = load_checkpoint(checkpoint.folder, _on_cpu(options))
    return Loaded(classifier, f"{checkpoint.label}@{checkpoint.weights[:8]}", checkpoint.fingerprint)


def _embedded(metric: str, options: LoadOptions) -> Loaded:
    import torch

    file, minilm = find(metric), find_checkpoint(metric, MINILM)
    digest, matcher = file_hash(file), read(file)
    network, tokenizer = build(minilm.folder, matcher, metric, getattr(torch, options.dtype))
    classifier = PairClassifier(network, tokenizer, _on_cpu(options))
    return Loaded(classifier, f"matcher@{digest[:8]}", f"{metric}-{digest}", matcher.weights[metric])


def _on_cpu(options: LoadOptions) -> LoadOptions:
    """Return the options with the CPU as the device where ONNX Runtime is to run."""
    return replace(options, device="cpu") if options.backend == "onnx" else options


def _network(metric: str, loaded: Loaded) -> Network:
    from transformers.modeling_outputs import SequenceClassifierOutput

    classifier = loaded.classifier
    inputs = classifier.encode(_PROBE)
    return Network(
        metric=metric,
        label=loaded.name,
        fingerprint=loaded.fingerprint,
        module=classifier.model,
        probe=classifier.tensors(inputs),
        results=lambda: classifier.forward(inputs),
        wrap=lambda logits: SequenceClassifierOutput(logits=logits),
    )
