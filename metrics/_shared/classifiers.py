"""Classify pairs of texts with the embedded matcher, a matcher of `evaluate-qa fit`, or a checkpoint.

Each distinct text is tokenized once. Pairs are assembled from token ids with the tokenizer's own template, so the name
of a special token ("[SEP]") in a text stays text.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .batching import run_batches
from .checkpoints import MINILM, Checkpoint, file_hash, find_checkpoint, load_folder
from .devices import best_device
from .engines import PairIds, Template, Tokens, choose_engine, pad_batch, torch_token_budget
from .large_matcher import HEAD, read_large
from .lexical import WORD_FEATURES
from .matcher import MAX_LENGTH, TASKS, build, find_matcher, read, tensors
from .model_options import EngineOptions, ModelOptions
from .onnx_engine import OnnxPairEngine
from .probes import is_file

Logits = NDArray[np.float64]

# Texts that are tokenized in one call.
_CHUNK = 4096
# The features that the final layers of a matcher may use.
_KNOWN_FEATURES = frozenset({"margin", "entailment", "intercept", *WORD_FEATURES})

# The packages that torch models need.
_PACKAGES = ("torch", "transformers")

PairTexts = tuple[str, tuple[str, ...]]
"""The two sides of an input. The separator token joins the parts of the second side."""


class PairReader:
    """A loaded classifier, on ONNX Runtime or torch; `labels` are the classes in the order of the logits.

    `max_length` is the maximum number of tokens in an input.
    """

    def __init__(
        self, engine: "OnnxPairEngine | TorchPairEngine", options: ModelOptions, labels: Sequence[str], max_length: int
    ) -> None:
        self.engine, self.labels, self.max_length = engine, list(labels), max_length
        self._options = options

    def tokenize(self, texts: Sequence[str]) -> dict[str, Tokens]:
        """Return the tokens of distinct texts, without special tokens."""
        tokens: dict[str, Tokens] = {}
        for start in range(0, len(texts), _CHUNK):
            chunk = list(texts[start : start + _CHUNK])
            tokens |= zip(chunk, self.engine.tokenize(chunk), strict=True)
        return tokens

    def logits(
        self, pairs: Sequence[PairTexts], tokens: Mapping[str, Tokens] | None = None, describe: str | None = None
    ) -> Logits:
        """Return the logits of every pair, shape (pairs, classes). Equal pairs run once.

        The longer side of an input that is too long loses tokens at its end. `tokens` are those of texts that are
        already tokenized, and `describe` is the title of the progress bar.
        """
        numbers: dict[PairTexts, int] = {}
        number_of = np.array([numbers.setdefault(pair, len(numbers)) for pair in pairs], dtype=np.intp)
        distinct = list(numbers)
        known = self._with_tokens(distinct, tokens)
        # Inputs are assembled batch by batch, because a text may occur in many pairs.
        lengths = np.array([self.engine.template.length(*_side_ids(pair, known), self.max_length) for pair in distinct])
        outputs = np.empty((len(distinct), len(self.labels)))
        for indices, logits in run_batches(
            lengths,
            lambda indices: self.engine.run(self.encode([distinct[i] for i in indices], known)),
            token_budget=self._options.token_budget or self.engine.token_budget,
            batch_size=self._options.batch_size,
            describe=describe,
        ):
            outputs[indices] = logits
        return outputs[number_of]

    def encode(self, pairs: Sequence[PairTexts], tokens: Mapping[str, Tokens] | None = None) -> list[PairIds]:
        """Return token ids and token types of each pair, with special tokens."""
        known = self._with_tokens(pairs, tokens)
        return [self.engine.template.assemble(*_side_ids(pair, known), self.max_length) for pair in pairs]

    def _with_tokens(self, pairs: Sequence[PairTexts], tokens: Mapping[str, Tokens] | None) -> Mapping[str, Tokens]:
        """Return the known tokens and the tokens of all other texts in the pairs."""
        known = tokens or {}
        texts = dict.fromkeys(chain.from_iterable((first, *second) for first, second in pairs))
        unknown = [text for text in texts if text not in known]
        return {**known, **self.tokenize(unknown)} if unknown else known


class PairClassifier(PairReader):
    """A classifier on torch, which can also be trained; `tensors` returns a batch on the model's device."""

    def __init__(self, model: Any, tokenizer: Any, options: ModelOptions, max_length: int | None = None) -> None:
        self.model = model.to(options.device or best_device()).eval()
        self.tokenizer = tokenizer
        labels = [str(model.config.id2label[i]) for i in range(model.config.num_labels)]
        engine = TorchPairEngine(self.model, tokenizer)
        self.tensors = engine.tensors
        super().__init__(engine, options, labels, max_length or _max_length(model.config, tokenizer))


class TorchPairEngine:
    """A sequence classifier of transformers, with its tokenizer."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        if tokenizer.sep_token_id is None:
            raise ValueError("the tokenizer has no separator token; expected a model for pairs of texts")
        self._model, self._tokenizer = model, tokenizer
        whole = tokenizer("a", "b")
        self._has_types = "token_type_ids" in whole and getattr(model.config, "type_vocab_size", 0) > 1
        sides = tokenizer(["a", "b"], add_special_tokens=False)["input_ids"]
        self.template = Template.of(sides, whole["input_ids"], tokenizer.sep_token_id)

    @property
    def token_budget(self) -> int:
        """Number of tokens in a fast batch."""
        return torch_token_budget(str(self._model.device.type))

    def tokenize(self, texts: list[str]) -> list[Tokens]:
        """Return the tokens of texts, without special tokens; the name of a special token in a text is text."""
        encoded = self._tokenizer(
            texts, add_special_tokens=False, split_special_tokens=True, return_offsets_mapping=True, verbose=False
        )
        return list(map(Tokens, encoded["input_ids"], encoded["offset_mapping"]))

    def tensors(self, inputs: Sequence[PairIds], multiple: int = 1) -> dict[str, Any]:
        """Return a batch on the model's device, padded to the longest input and then to a multiple of `multiple`."""
        import torch

        batch = pad_batch(inputs, self._tokenizer.pad_token_id or 0, multiple)
        if not self._has_types:
            del batch["token_type_ids"]
        return {name: torch.from_numpy(values).to(self._model.device) for name, values in batch.items()}

    def run(self, batch: Sequence[PairIds]) -> NDArray[np.float32]:
        """Return the logits of one batch, shape (batch, classes)."""
        import torch

        with torch.inference_mode():
            logits = self._model(**self.tensors(batch)).logits
        result: NDArray[np.float32] = logits.float().cpu().numpy()
        return result


def _side_ids(pair: PairTexts, tokens: Mapping[str, Tokens]) -> tuple[list[int], list[list[int]]]:
    """Return the token ids of the first side, and of each part of the second side."""
    first, second = pair
    return tokens[first].ids, [tokens[part].ids for part in second]


def load_checkpoint(folder: Path, options: ModelOptions) -> PairClassifier:
    """Load a sequence-classification checkpoint from a folder, from safetensors; raise ValueError if it is damaged."""
    from transformers import AutoModelForSequenceClassification

    try:
        return PairClassifier(*load_folder(AutoModelForSequenceClassification, folder, options.dtype), options)
    except Exception as error:  # a damaged or malicious file may raise anything
        reason = str(error).partition("\n")[0]
        raise ValueError(
            f"{folder} does not load as a classifier ({type(error).__name__}: {reason}), and without {HEAD} it is not "
            "a large matcher"
        ) from error


def _max_length(config: Any, tokenizer: Any) -> int:
    positions = getattr(config, "max_position_embeddings", None) or tokenizer.model_max_length
    # Position ids of RoBERTa models start after the padding token's id.
    if config.model_type in {"roberta", "xlm-roberta", "camembert"}:
        positions -= config.pad_token_id + 1
    return int(min(positions, tokenizer.model_max_length))


Preset = tuple[str | None, str | None]
"""A model, None for the embedded matcher, and its revision on the Hub."""


@dataclass(frozen=True)
class LoadedClassifier:
    """A loaded classifier."""

    classifier: PairReader
    positive: int  # index of the positive class
    name: str  # short name with the first digits of its hash, for the signature
    options: ModelOptions  # the options at loading, with the precision that the model runs in
    # Weights of the matcher's final logistic layers; None for a checkpoint.
    layers: Mapping[str, Mapping[str, float]] | None = None

    @property
    def layer(self) -> str | None:
        """Name of the default final layer; None for a checkpoint."""
        return ("lengths" if "lengths" in self.layers else "recall") if self.layers else None


def load(
    metric: str, preset: Preset, options: EngineOptions, find_positive: Callable[[list[str]], int]
) -> LoadedClassifier:
    """Load the classifier of "bem" or "nli_lex"; the options' model and revision replace those of the preset.

    `find_positive` returns the index of the positive class of a checkpoint, by the names of its classes.

    Raises:
        FileNotFoundError: The model was not found.
        ImportError: A package is missing.
        ValueError: The model is damaged or lacks the positive class, or the device cannot be used.
    """
    model, revision = (options.model, options.model_revision) if options.model else preset
    file = find_matcher(metric) if model is None else Path(model).expanduser()
    embedded = is_file(file)
    engine, options = choose_engine(metric, options, model, embedded, _PACKAGES)
    if model is None or embedded:
        return _load_matcher(metric, file, options, engine)
    checkpoint = find_checkpoint(metric, model, revision)
    try:
        if (checkpoint.folder / HEAD).is_file():
            return _load_large(metric, checkpoint, options)
        classifier = load_checkpoint(checkpoint.folder, options)
    except ValueError as error:
        raise ValueError(f"{metric}: {error}") from error
    return LoadedClassifier(classifier, find_positive(classifier.labels), checkpoint.name, options)


def _load_large(metric: str, checkpoint: Checkpoint, options: ModelOptions) -> LoadedClassifier:
    if metric != "bem":
        raise ValueError(f"{checkpoint.folder} is a large matcher, which only bem reads; use bem")
    network, tokenizer, layers = read_large(checkpoint.folder, options.dtype)
    if unknown := _unknown_features(layers):
        raise ValueError(f"{checkpoint.folder / HEAD} uses the features {unknown}, which this version does not have")
    return LoadedClassifier(PairClassifier(network, tokenizer, options), 1, checkpoint.name, options, layers)


def _unknown_features(layers: Mapping[str, Mapping[str, float]]) -> str:
    """Return the features of final layers that this version does not have."""
    used = {part for layer in layers.values() for name in layer for part in name.split("*")}
    return ", ".join(sorted(used - _KNOWN_FEATURES))


def _load_matcher(metric: str, file: Path, options: EngineOptions, engine: str) -> LoadedClassifier:
    try:
        matcher = read(file)
    except Exception as error:  # a damaged file, or one of another format, may raise anything
        raise ValueError(
            f"{metric}: {file} is not a matcher written by evaluate-qa fit ({type(error).__name__}: {error})"
        ) from error
    if metric not in matcher.weights:
        raise ValueError(f"{metric}: {file} has no head for {metric}; fit one: evaluate-qa fit {metric}")
    if unknown := _unknown_features(matcher.weights[metric]):
        raise ValueError(
            f"{metric}: {file} uses the features {unknown}, which this version does not have; fit its final "
            f"layers again: evaluate-qa fit {metric} --recipe FILE -o NEW.safetensors, with `average: [{file}]` in FILE"
        )
    minilm = find_checkpoint(metric, MINILM).folder
    classifier: PairReader
    if engine == "onnxruntime":
        weights, tokenizer = tensors(minilm, matcher, metric), minilm / "tokenizer.json"
        onnx = OnnxPairEngine(weights, tokenizer, options.num_threads, options.dtype)
        classifier = PairReader(onnx, options, TASKS[metric], MAX_LENGTH)
    else:
        classifier = PairClassifier(*build(minilm, matcher, metric, options.dtype), options)
    return LoadedClassifier(classifier, 1, f"{file.stem}@{file_hash(file)[:8]}", options, matcher.weights[metric])
