"""The options of NLI+lex; its options at loading are those of all metrics with a model."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from .._shared.lexical import features_by_length
from .._shared.logistic import WEIGHTS, read_weights
from .._shared.matcher_options import MatcherOptions
from .._shared.options import Choice, Control, Text, option
from .._values.options import ValueOptions

Lexical = Literal["match", "recall", "lengths", False]
Weights = Mapping[str, float]

TEMPLATE = "Question: {question} Answer: {answer}"

# The features that each lexical signal adds to the entailment probability.
SIGNALS: Mapping[Any, tuple[str, ...]] = {
    "match": ("match",),
    "recall": ("recall",),
    "lengths": features_by_length("entailment"),
    False: (),
}

_TEMPLATE = Text("a template with {answer} in it once", r"(?!.*\{answer\}.*\{answer\}).*\{answer\}.*")


@dataclass(frozen=True)
class NliLexOptions(MatcherOptions, ValueOptions):
    """The options of `compute`."""

    lexical: Lexical | None = option(
        None,
        Choice(*SIGNALS),
        "Select the lexical signal: the paper's `match`, the share of words (`recall`), that share with lengths and "
        "shared character trigrams (`lengths`), or `False` (default: by model).",
        control=Control(
            "Lexical signal",
            values={
                "lengths": "lengths and shared character trigrams",
                "recall": "share of reference words",
                "match": "whether the answer contains the reference",
                False: "none: entailment alone",
            },
            info="",
        ),
    )
    weights: Weights | str | Path | None = option(
        None,
        WEIGHTS,
        "Use these weights of `fit`, or a JSON file (default: by model). For the paper's `match`, `entailment` is w1, "
        "`match` is w2 and `intercept` is b.",
    )
    premise: str = option(
        TEMPLATE,
        _TEMPLATE,
        "Set the template of the premise, with `{answer}`, and `{question}` if rows have questions.",
    )
    hypothesis: str = option(
        TEMPLATE, _TEMPLATE, "Set the template of the hypothesis; `{answer}` stands for the reference."
    )

    def check(self) -> None:
        """Raise ValueError for an unknown field of a template, ValueError or FileNotFoundError for invalid weights."""
        super().check()
        for name, template in {"premise": self.premise, "hypothesis": self.hypothesis}.items():
            for field in re.findall(r"\{\w+\}", template):
                if field not in TEMPLATE:
                    raise ValueError(f"{name} has the unknown field {field}; expected {{question}} or {{answer}}")
        _ = self.given_weights

    @cached_property
    def given_weights(self) -> Weights | None:
        """The given weights after a check, which depends on the model if `lexical` is None; None without weights."""
        if self.weights is None:
            return None
        signals = SIGNALS.values() if self.lexical is None else [SIGNALS[self.lexical]]
        names = [{"entailment", "intercept", *signal} for signal in signals]
        return read_weights(self.weights, names, "" if self.lexical is None else f" with lexical={self.lexical!r}")
