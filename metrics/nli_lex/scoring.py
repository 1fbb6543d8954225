"""NLI+lex's score (Balamurali and Cheng 2025, section 3.2). Pure: numpy and nothing else.

    p = sigmoid(w1 · se + w2 · lm + b)

`se` is the entailment probability, `lm` the lexical signal; an answer is correct if p > 0.5.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Weights = Mapping[str, float]
Lexical = Literal["match", "recall", "features"]

# Lexical signal -> the columns beside the entailment probability.
SIGNALS: Mapping[str, tuple[str, ...]] = {
    "match": ("match",),
    "recall": ("recall",),
    "features": ("match", "recall", "missing_numbers", "negations_differ"),
}

# For a checkpoint that no weights were fitted for (the paper's were never released): entailment above one half
# decides; where the words match, any entailment at all does.
UNFITTED: Mapping[str, Weights] = {"match": {"entailment": 6.0, "match": 3.0, "intercept": -3.0}}


@dataclass(frozen=True)
class ScoreOptions:
    """How signals become a score.

    Args:
        lexical: `"match"`, the paper's flag (the reference occurs in the answer); `"recall"`, the share of the
            reference's words that do; `"features"`, both, with numbers that are missing and negations that differ;
            False for plain NLI. By default `"match"`, with the embedded matcher `"recall"`.
        weights: Of the logistic layer: a mapping, or a JSON file as `fit` writes it. By default those that come with
            the embedded matcher; other checkpoints have neutral ones for `"match"`.
        threshold: A score above this is correct.

    Raises:
        ValueError: a value outside its range.
    """

    lexical: Lexical | bool | None = None
    weights: Weights | str | Path | None = None
    threshold: float = 0.5

    def __post_init__(self) -> None:
        value = self.threshold
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise ValueError(f"nli_lex: threshold is {value!r}; expected a number from 0 to 1")
        if self.lexical not in (None, False, *SIGNALS):
            raise ValueError(f"nli_lex: lexical is {self.lexical!r}; expected {', '.join(SIGNALS)}, or False")
        if self.weights is not None and not isinstance(self.weights, (Mapping, str, Path)):
            raise ValueError(f"nli_lex: weights is {self.weights!r}; expected a mapping or the name of a JSON file")


def class_probability(logits: Floats, number: int) -> Floats:
    """Softmax probability of one class, shape (inputs,)."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    probability: Floats = shifted[:, number] / shifted.sum(axis=1)
    return probability


def probability(columns: Mapping[str, Floats], weights: Weights) -> Floats:
    """Return p = sigmoid(Σ w · column + b), shape (pairs,); without weights the entailment probability itself."""
    if not weights:
        return columns["entailment"]
    parts = [weight * columns[name] for name, weight in weights.items() if name != "intercept"]
    total = np.sum(parts, axis=0) + weights["intercept"]
    result: Floats = np.exp(-np.logaddexp(0, -total))
    return result


def chosen_weights(lexical: str | bool, given: Weights | str | Path | None, defaults: Mapping[str, Weights]) -> Weights:
    """Return the weights of the lexical signal, checked; none for plain NLI.

    Raises:
        ValueError: there are none, or they are not those of this signal.
    """
    if lexical is False:
        if given is not None:
            raise ValueError("nli_lex: weights are of no use with lexical=False; leave one of them out")
        return {}
    weights = read_weights(given) if isinstance(given, (str, Path)) else given or defaults.get(str(lexical))
    if weights is None:
        raise ValueError(
            f"nli_lex: there are no weights for lexical={lexical!r} with this model; pass weights=, see fit"
        )
    wanted = {"entailment", "intercept", *SIGNALS[str(lexical)]}
    numbers = all(isinstance(w, (int, float)) and np.isfinite(w) for w in weights.values())
    if set(weights) != wanted or not numbers:
        raise ValueError(
            f"nli_lex: weights are {dict(weights)!r}; with lexical={lexical!r} expected finite numbers for "
            f"{', '.join(sorted(wanted))}"
        )
    return weights


def read_weights(file: str | Path) -> Weights:
    """Read weights that `fit` has written.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not a JSON object of numbers.
    """
    path = Path(file).expanduser()
    if not path.is_file():
        raise FileNotFoundError(f"nli_lex: there is no file {path} with weights; fit(…, path=…) writes one")
    try:
        weights = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"nli_lex: {path} is not JSON: {error}") from None
    if not isinstance(weights, dict):
        raise ValueError(f"nli_lex: {path} holds {type(weights).__name__}; expected an object of numbers")
    return weights
