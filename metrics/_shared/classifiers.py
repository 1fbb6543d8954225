"""Classifiers of pairs of texts: which one a metric runs, how it is loaded, how it reads.

A metric runs the embedded matcher, one that `evaluate-qa fit` made, or a checkpoint.

Each text is tokenised once; pairs are assembled and run in batches. The two sides are assembled from token ids by the
tokenizer's own template, so that a text that contains a special token's name ("[SEP]") is text all the same.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arguments import ModelOptions, is_file
from .checkpoints import MINILM, check_whole
from .checkpoints import find as find_checkpoint
from .inference import best_device, check_device, multiply_with_onednn, read_first_token_only, run, settled
from .lexical import COLUMNS, evidence
from .long_texts import MatcherOptions, Parts, exact_scores, expand, row_starts, search
from .matcher import build, find, read

Logits = NDArray[np.float64]

# Tokens of a batch, padding counted. On a CPU a batch should stay within its caches; an accelerator wants enough work
# to be kept busy.
_TOKEN_BUDGET = {"cpu": 1024, "mps": 16384, "cuda": 65536}
# Texts tokenised at once.
_CHUNK = 4096
# What the final layers of a matcher may weigh.
_WEIGHED = frozenset({"margin", "entailment", "intercept", *COLUMNS})

Texts = tuple[str, tuple[str, ...]]


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


class Tokens(NamedTuple):
    """A text's tokens: their ids, and where in the text each begins and ends."""

    ids: list[int]
    spans: list[tuple[int, int]]


class PairClassifier:
    """A loaded classifier.

    Attributes:
        labels: Names of the classes, in the order of the logits.
        max_length: Tokens of the longest input it takes.
        model: The torch module.
        tokenizer: Its tokenizer.
    """

    def __init__(self, model: Any, tokenizer: Any, options: ModelOptions, max_length: int | None = None) -> None:
        self.model = model.to(options.device or best_device()).eval()
        self.tokenizer = tokenizer
        self._options = options
        self._template = _Template.of(tokenizer)
        self.labels = [str(model.config.id2label[i]) for i in range(model.config.num_labels)]
        self.max_length = max_length or _max_length(model.config, tokenizer)

    def tokenise(self, texts: Sequence[str]) -> dict[str, Tokens]:
        """Return the tokens of distinct texts, without special tokens."""
        tokens: dict[str, Tokens] = {}
        for start in range(0, len(texts), _CHUNK):
            chunk = list(texts[start : start + _CHUNK])
            encoded = self.tokenizer(
                chunk, add_special_tokens=False, split_special_tokens=True, return_offsets_mapping=True, verbose=False
            )
            tokens |= zip(chunk, map(Tokens, encoded["input_ids"], encoded["offset_mapping"]), strict=True)
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
        lengths = np.array([self._template.length(*_sides(pair, known), self.max_length) for pair in distinct])
        device = self.model.device.type
        outputs = np.empty((len(distinct), len(self.labels)))
        for indices, logits in run(
            lengths,
            lambda indices: self.forward(self.assembled([distinct[i] for i in indices], known)),
            token_budget=self._options.token_budget or _TOKEN_BUDGET.get(device, _TOKEN_BUDGET["cuda"]),
            batch_size=self._options.batch_size,
            describe=describe,
        ):
            outputs[indices] = logits
        return outputs[number_of]

    def encode(
        self, pairs: Sequence[Texts], tokens: Mapping[str, Tokens] | None = None
    ) -> list[tuple[list[int], list[int]]]:
        """Return token ids and token types of each pair, special tokens included."""
        return self.assembled(pairs, self._with_tokens(pairs, tokens))

    def assembled(self, pairs: Sequence[Texts], tokens: Mapping[str, Tokens]) -> list[tuple[list[int], list[int]]]:
        """Return the same of pairs whose texts are all tokenised."""
        return [self._template.assemble(*_sides(pair, tokens), self.max_length) for pair in pairs]

    def _with_tokens(self, pairs: Sequence[Texts], tokens: Mapping[str, Tokens] | None) -> Mapping[str, Tokens]:
        """Return the tokens that are known together with those of the pairs' other texts."""
        known = tokens or {}
        texts = dict.fromkeys(chain.from_iterable((first, *second) for first, second in pairs))
        unknown = [text for text in texts if text not in known]
        return {**known, **self.tokenise(unknown)} if unknown else known

    def forward(self, inputs: Sequence[tuple[list[int], list[int]]]) -> NDArray[np.float32]:
        """Return the logits of one batch of encoded pairs, shape (inputs, classes)."""
        import torch

        with torch.inference_mode():
            logits = self.model(**self.tensors(inputs)).logits
        result: NDArray[np.float32] = logits.float().cpu().numpy()
        return result

    def tensors(self, inputs: Sequence[tuple[list[int], list[int]]], multiple: int = 1) -> dict[str, Any]:
        """Return a batch on the model's device, padded to the longest input or on to a multiple of so many tokens."""
        import torch

        longest = max(len(ids) for ids, _ in inputs)
        shape = (len(inputs), math.ceil(longest / multiple) * multiple)
        ids = np.full(shape, self.tokenizer.pad_token_id or 0, dtype=np.int64)
        types, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        for row, (tokens, kinds) in enumerate(inputs):
            ids[row, : len(tokens)] = tokens
            types[row, : len(kinds)] = kinds
            mask[row, : len(tokens)] = 1
        batch = {"input_ids": ids, "attention_mask": mask}
        if self._template.has_types and getattr(self.model.config, "type_vocab_size", 0) > 1:
            batch["token_type_ids"] = types
        return {name: torch.from_numpy(values).to(self.model.device) for name, values in batch.items()}


@dataclass(frozen=True)
class _Template:
    """The special tokens that the tokenizer puts before, between and after the two sides of a pair."""

    before: list[int]
    between: list[int]
    after: list[int]
    separator: int
    has_types: bool

    @classmethod
    def of(cls, tokenizer: Any) -> "_Template":
        if tokenizer.sep_token_id is None:
            raise ValueError("the tokenizer has no separator token; expected one of a model for pairs of texts")
        sides = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in ("a", "b")]
        whole = tokenizer("a", "b")
        ids = whole["input_ids"]
        first = next(i for i in range(len(ids)) if ids[i : i + len(sides[0])] == sides[0])
        end = first + len(sides[0])
        second = next(i for i in range(end, len(ids)) if ids[i : i + len(sides[1])] == sides[1])
        return cls(
            before=ids[:first],
            between=ids[end:second],
            after=ids[second + len(sides[1]) :],
            separator=tokenizer.sep_token_id,
            has_types="token_type_ids" in whole,
        )

    def length(self, first: list[int], parts: list[list[int]], limit: int) -> int:
        """Return how many tokens `assemble` makes of them."""
        special = len(self.before) + len(self.between) + len(self.after) + len(parts) - 1
        return min(limit, special + len(first) + sum(map(len, parts)))

    def assemble(self, first: list[int], parts: list[list[int]], limit: int) -> tuple[list[int], list[int]]:
        """Return ids and types of `before first between part separator part … after`, at most `limit` of them."""
        second = parts[0] + [token for part in parts[1:] for token in (self.separator, *part)]
        room = limit - len(self.before) - len(self.between) - len(self.after)
        first, second = _longest_first(first, second, room)
        head, rest = [*self.before, *first, *self.between], [*second, *self.after]
        return head + rest, [0] * len(head) + [1] * len(rest)


def _sides(pair: Texts, tokens: Mapping[str, Tokens]) -> tuple[list[int], list[list[int]]]:
    """Return the tokens of both sides, the second one's by its parts."""
    first, second = pair
    return tokens[first].ids, [tokens[part].ids for part in second]


def _longest_first(first: list[int], second: list[int], room: int) -> tuple[list[int], list[int]]:
    """Cut the end of the longer side until both fit, as transformers' `truncation=True` does."""
    if len(first) + len(second) <= room:
        return first, second
    shorter = min(len(first), len(second), room // 2)
    if len(first) > len(second):
        return first[: room - shorter], second[:shorter]
    return first[:shorter], second[: room - shorter]


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

    classifier: PairClassifier
    positive: int
    name: str
    options: ModelOptions
    layers: Mapping[str, Mapping[str, float]] | None = None

    @property
    def layer(self) -> str | None:
        """Name of the final layer that weighs by default; None of a checkpoint, which has none."""
        return ("lengths" if "lengths" in self.layers else "recall") if self.layers else None


def load(metric: str, preset: Preset, options: ModelOptions, find_positive: Callable[[list[str]], int]) -> Loaded:
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
    loaded = load_plain(metric, preset, options, find_positive)
    read_first_token_only(loaded.classifier.model)
    multiply_with_onednn(loaded.classifier.model)
    return loaded


def load_plain(
    metric: str, preset: Preset, options: ModelOptions, find_positive: Callable[[list[str]], int] = lambda _: 1
) -> Loaded:
    """Load a classifier as transformers runs it; the rest is as for `load`."""
    try:
        import torch  # noqa: F401 - asked for here, so that their absence has a message of its own
        import transformers  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{metric}: {error.name} is missing: pip install torch transformers") from error
    check_device(metric, options.device)
    options = settled(options)
    model, revision = (options.model, options.model_revision) if options.model else preset
    if isinstance(model, BuiltIn):
        return _matcher(metric, find(metric), "matcher", options)
    if is_file(file := Path(model).expanduser()):
        return _matcher(metric, file, file.stem, options)
    checkpoint = find_checkpoint(metric, model, revision)
    try:
        classifier = load_checkpoint(checkpoint.folder, options)
    except ValueError as error:
        raise ValueError(f"{metric}: {error}") from error
    name = f"{checkpoint.label}@{checkpoint.weights[:8]}"
    return Loaded(classifier, find_positive(classifier.labels), name, options)


def _matcher(metric: str, file: Path, name: str, options: ModelOptions) -> Loaded:
    """Load a matcher from its file: the one that comes with this version, or one of `evaluate-qa fit`."""
    import torch

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
    network, tokenizer = build(minilm.folder, matcher, metric, getattr(torch, options.dtype))
    classifier = PairClassifier(network, tokenizer, options)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return Loaded(classifier, 1, f"{name}@{digest[:8]}", options, matcher.weights[metric])


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
