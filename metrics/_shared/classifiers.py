"""Classifiers of pairs of texts: which one a metric runs, how it is loaded, how it reads.

A metric runs the embedded matcher, one that `evaluate-qa fit` made, or a checkpoint.

Each text is tokenised once; pairs are assembled and run in batches. The two sides are assembled from token ids by the
tokenizer's own template, so that a text that contains a special token's name ("[SEP]") is text all the same.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from .arguments import EngineOptions, ModelOptions, is_file
from .batching import run
from .checkpoints import MINILM, check_whole
from .checkpoints import find as find_checkpoint
from .devices import best_device, check_device
from .engines import PairEngine, PairIds, Template, Tokens, check_packages, chosen, padded, torch_token_budget
from .lexical import COLUMNS, evidence
from .long_texts import MatcherOptions, Parts, exact_scores, expand, row_starts, search
from .matcher import MAX_LENGTH, TASKS, Matcher, build, find, read, tensors
from .onednn import multiply_with_onednn, read_first_token_only
from .onnx_engine import OnnxPairEngine
from .precision import settled

Logits = NDArray[np.float64]

# Texts tokenised at once.
_CHUNK = 4096
# What the final layers of a matcher may weigh.
_WEIGHED = frozenset({"margin", "entailment", "intercept", *COLUMNS})

# What torch models need.
_PACKAGES = ("torch", "transformers")

Texts = tuple[str, tuple[str, ...]]
Given = TypeVar("Given", bound=ModelOptions)


class Pair(NamedTuple):
    """The two sides of an input; the parts of the second are joined by the separator token."""

    first: str
    second: tuple[str, ...]


def sharing(pairs: Iterable[Pair]) -> list[Pair]:
    """Return the pairs with one object for equal texts: a text may stand in many pairs."""
    known: dict[str, str] = {}
    return [
        Pair(known.setdefault(first, first), tuple(known.setdefault(part, part) for part in second))
        for first, second in pairs
    ]


class PairReader:
    """A loaded classifier. It works the same with ONNX Runtime and with torch.

    Attributes:
        engine: Runs the model.
        labels: Names of the classes, in the order of the logits.
        max_length: Tokens of the longest input it takes.
    """

    def __init__(self, engine: PairEngine, options: ModelOptions, labels: Sequence[str], max_length: int) -> None:
        self.engine, self.labels, self.max_length = engine, list(labels), max_length
        self._options = options

    def tokenise(self, texts: Sequence[str]) -> dict[str, Tokens]:
        """Return the tokens of distinct texts, without special tokens."""
        tokens: dict[str, Tokens] = {}
        for start in range(0, len(texts), _CHUNK):
            chunk = list(texts[start : start + _CHUNK])
            tokens |= zip(chunk, self.engine.tokenise(chunk), strict=True)
        return tokens

    def logits(
        self, pairs: Sequence[Texts], tokens: Mapping[str, Tokens] | None = None, describe: str | None = None
    ) -> Logits:
        """Return the logits of every pair, shape (pairs, classes); equal pairs go through the model once.

        Args:
            pairs: The inputs; one that is too long loses tokens at the end of its longer side.
            tokens: Of those texts that are tokenised already.
            describe: Title of the progress bar.
        """
        numbers: dict[Texts, int] = {}
        number_of = np.array([numbers.setdefault(pair, len(numbers)) for pair in pairs], dtype=np.intp)
        distinct = list(numbers)
        known = self._with_tokens(distinct, tokens)
        # A text may stand in many pairs: their inputs are assembled batch by batch, never all at once.
        lengths = np.array([self.engine.template.length(*_sides(pair, known), self.max_length) for pair in distinct])
        outputs = np.empty((len(distinct), len(self.labels)))
        for indices, logits in run(
            lengths,
            lambda indices: self.forward(self.assembled([distinct[i] for i in indices], known)),
            token_budget=self._options.token_budget or self.engine.token_budget,
            batch_size=self._options.batch_size,
            describe=describe,
        ):
            outputs[indices] = logits
        return outputs[number_of]

    def encode(self, pairs: Sequence[Texts], tokens: Mapping[str, Tokens] | None = None) -> list[PairIds]:
        """Return token ids and token types of each pair, special tokens included."""
        return self.assembled(pairs, self._with_tokens(pairs, tokens))

    def assembled(self, pairs: Sequence[Texts], tokens: Mapping[str, Tokens]) -> list[PairIds]:
        """Return the same of pairs whose texts are all tokenised."""
        return [self.engine.template.assemble(*_sides(pair, tokens), self.max_length) for pair in pairs]

    def _with_tokens(self, pairs: Sequence[Texts], tokens: Mapping[str, Tokens] | None) -> Mapping[str, Tokens]:
        """Return the tokens that are known together with those of the pairs' other texts."""
        known = tokens or {}
        texts = dict.fromkeys(chain.from_iterable((first, *second) for first, second in pairs))
        unknown = [text for text in texts if text not in known]
        return {**known, **self.tokenise(unknown)} if unknown else known

    def forward(self, inputs: Sequence[PairIds]) -> NDArray[np.float32]:
        """Return the logits of one batch of encoded pairs, shape (inputs, classes)."""
        return self.engine.run(inputs)


class PairClassifier(PairReader):
    """A classifier that torch runs, which can also be trained.

    Attributes:
        model: The torch module.
        tokenizer: Its tokenizer.
    """

    def __init__(self, model: Any, tokenizer: Any, options: ModelOptions, max_length: int | None = None) -> None:
        self.model = model.to(options.device or best_device()).eval()
        self.tokenizer = tokenizer
        labels = [str(model.config.id2label[i]) for i in range(model.config.num_labels)]
        engine = TorchPairEngine(self.model, tokenizer)
        super().__init__(engine, options, labels, max_length or _max_length(model.config, tokenizer))

    def tensors(self, inputs: Sequence[PairIds], multiple: int = 1) -> dict[str, Any]:
        """Return a batch on the model's device, padded to the longest input and then to a multiple of `multiple`."""
        engine: Any = self.engine
        found: dict[str, Any] = engine.tensors(inputs, multiple)
        return found


class TorchPairEngine:
    """A sequence classifier of transformers, or of its kind, with its tokenizer."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        if tokenizer.sep_token_id is None:
            raise ValueError("the tokenizer has no separator token; expected one of a model for pairs of texts")
        self._model, self._tokenizer = model, tokenizer
        whole = tokenizer("a", "b")
        self._has_types = "token_type_ids" in whole and getattr(model.config, "type_vocab_size", 0) > 1
        sides = self.token_ids(["a", "b"], special=False)
        self.template = Template.of(sides, whole["input_ids"], tokenizer.sep_token_id)

    @property
    def device(self) -> str:
        """Kind of device that the model is on."""
        return str(self._model.device.type)

    @property
    def dtype(self) -> str:
        """Precision of the model's weights."""
        return str(self._model.dtype).removeprefix("torch.")

    @property
    def token_budget(self) -> int:
        """Tokens of a batch with which it is fast."""
        return torch_token_budget(self.device)

    def token_ids(self, texts: list[str], special: bool = True) -> list[list[int]]:
        """Return the token ids of texts."""
        ids: list[list[int]] = self._tokenizer(texts, add_special_tokens=special, verbose=False)["input_ids"]
        return ids

    def tokenise(self, texts: list[str]) -> list[Tokens]:
        """Return the tokens of texts, without special tokens; a special token's name in a text is text."""
        encoded = self._tokenizer(
            texts, add_special_tokens=False, split_special_tokens=True, return_offsets_mapping=True, verbose=False
        )
        return list(map(Tokens, encoded["input_ids"], encoded["offset_mapping"]))

    def tensors(self, inputs: Sequence[PairIds], multiple: int = 1) -> dict[str, Any]:
        """Return a batch on the model's device, see `padded`."""
        import torch

        batch = padded(inputs, self._tokenizer.pad_token_id or 0, multiple)
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


def _sides(pair: Texts, tokens: Mapping[str, Tokens]) -> tuple[list[int], list[list[int]]]:
    """Return the tokens of both sides, the second one's by its parts."""
    first, second = pair
    return tokens[first].ids, [tokens[part].ids for part in second]


def load_checkpoint(folder: Path, options: ModelOptions) -> PairClassifier:
    """Load a sequence-classification checkpoint from a folder, from safetensors.

    Raises:
        ValueError: it is damaged, or lacks weights.
    """
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        model, found = AutoModelForSequenceClassification.from_pretrained(
            folder,
            dtype=getattr(torch, options.dtype),
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            ignore_mismatched_sizes=True,  # told by `check_whole`, with the weight's name
            output_loading_info=True,
        )
        check_whole(found)
        return PairClassifier(model, tokenizer, options)
    except Exception as error:  # a file that is damaged, or made to do damage, may raise anything
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{folder} does not load as a classifier ({type(error).__name__}: {reason})") from error


def _max_length(config: Any, tokenizer: Any) -> int:
    positions = getattr(config, "max_position_embeddings", None) or tokenizer.model_max_length
    # RoBERTa's family counts positions from its padding token's id on.
    if config.model_type in {"roberta", "xlm-roberta", "camembert"}:
        positions -= config.pad_token_id + 1
    return int(min(positions, tokenizer.model_max_length))


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

    classifier: PairReader
    positive: int
    name: str
    options: ModelOptions
    layers: Mapping[str, Mapping[str, float]] | None = None

    @property
    def layer(self) -> str | None:
        """Name of the final layer that weighs by default; None of a checkpoint, which has none."""
        return ("lengths" if "lengths" in self.layers else "recall") if self.layers else None


def load(metric: str, preset: Preset, options: EngineOptions, find_positive: Callable[[list[str]], int]) -> Loaded:
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
    model, revision = (options.model, options.model_revision) if options.model else preset
    file = _matcher_file(metric, model)
    engine, options = chosen(metric, options, model, file is not None, _PACKAGES)
    if engine == "onnxruntime" and file is not None:
        return _matcher(metric, file, options, _onnx_classifier)
    loaded = _load_torch(metric, model, revision, options, find_positive)
    if isinstance(loaded.classifier, PairClassifier):
        read_first_token_only(loaded.classifier.model)
        multiply_with_onednn(loaded.classifier.model)
    return loaded


def load_plain(
    metric: str, preset: Preset, options: ModelOptions, find_positive: Callable[[list[str]], int] = lambda _: 1
) -> Loaded:
    """Load a classifier as transformers runs it; the rest is as for `load`."""
    model, revision = (options.model, options.model_revision) if options.model else preset
    check_packages(metric, f"model={model!r}", _PACKAGES)
    check_device(metric, options.device)
    return _load_torch(metric, model, revision, settled(options), find_positive)


def _load_torch(
    metric: str, model: Any, revision: str | None, options: ModelOptions, find_positive: Callable[[list[str]], int]
) -> Loaded:
    if (file := _matcher_file(metric, model)) is not None:
        return _matcher(metric, file, options, _torch_classifier)
    checkpoint = find_checkpoint(metric, model, revision)
    try:
        classifier = load_checkpoint(checkpoint.folder, options)
    except ValueError as error:
        raise ValueError(f"{metric}: {error}") from error
    return Loaded(classifier, find_positive(classifier.labels), checkpoint.name, options)


def _matcher_file(metric: str, model: Any) -> Path | None:
    """Return the file of a matcher: the one that comes with this version, or one of `evaluate-qa fit`."""
    if isinstance(model, BuiltIn):
        return find(metric)
    return file if is_file(file := Path(model).expanduser()) else None


def _matcher(
    metric: str, file: Path, options: Given, classifier: Callable[[Path, Matcher, str, Given], PairReader]
) -> Loaded:
    """Load a matcher from its file."""
    try:
        matcher = read(file)
    except Exception as error:  # a file that is damaged, or no such file at all, may raise anything
        raise ValueError(
            f"{metric}: {file} is no matcher of evaluate-qa fit ({type(error).__name__}: {error})"
        ) from error
    if metric not in matcher.weights:
        raise ValueError(f"{metric}: {file} has no head for it; fit one: evaluate-qa fit {metric}")
    weighed = {part for layer in matcher.weights[metric].values() for name in layer for part in name.split("*")}
    if unknown := sorted(weighed - _WEIGHED):
        raise ValueError(
            f"{metric}: {file} weighs {', '.join(unknown)}, which this version does not know; fit its final layers "
            f"again: evaluate-qa fit {metric} --recipe FILE -o NEW.safetensors, with `average: [{file}]` in FILE"
        )
    minilm = find_checkpoint(metric, MINILM)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    reader = classifier(minilm.folder, matcher, metric, options)
    return Loaded(reader, 1, f"{file.stem}@{digest[:8]}", options, matcher.weights[metric])


def _onnx_classifier(minilm: Path, matcher: Matcher, task: str, options: EngineOptions) -> PairReader:
    engine = OnnxPairEngine(tensors(minilm, matcher, task), minilm / "tokenizer.json", options.num_threads)
    return PairReader(engine, options, TASKS[task], MAX_LENGTH)


def _torch_classifier(minilm: Path, matcher: Matcher, task: str, options: ModelOptions) -> PairReader:
    import torch

    return PairClassifier(*build(minilm, matcher, task, getattr(torch, options.dtype)), options)


def read_pairs(
    model: Loaded,
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    questions: Sequence[str],
    options: MatcherOptions,
    pair: Callable[[str, str, str], Pair],
    value: Callable[[Logits, int], Logits],
    describe: str,
) -> Parts:
    """Return what the classifier and the words say of each pair of an answer and a reference, without weights.

    Args:
        model: The classifier.
        predictions: One a row.
        references: At least one a row.
        questions: One a row; `""` where there is none.
        options: What is done with long texts.
        pair: From question, answer and reference to what the classifier reads.
        value: From the logits and the number of the class that speaks for the answer to what the classifier says.
        describe: Title of the progress bar.
    """
    found, claims = search(questions, predictions, references, options.by_sentence)
    inputs = expand(*found, options, model.classifier)
    pairs = sharing(pair(*texts) for texts in inputs.texts)
    logits = model.classifier.logits(pairs, inputs.tokens, describe)
    return Parts(
        starts=row_starts(references),
        answered=inputs.answered,
        claims=claims,
        said=inputs.best_window(value(logits, model.positive)),
        evidence=claims.evidence(evidence(found.texts, found.wanted)),
        weights={},
        exact=exact_scores(questions, predictions, references, read=not model.layers),
    )
