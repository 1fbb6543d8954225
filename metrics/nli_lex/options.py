"""What NLI+lex's `compute` takes besides columns; `evaluate.load` takes what it does for every model."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .._shared.arguments import Choice, Control, Kind, Text, option
from .._shared.lexical import by_length
from .._shared.long_texts import MatcherOptions

Lexical = Literal["match", "recall", "lengths", False]
Weights = Mapping[str, float]

TEMPLATE = "Question: {question} Answer: {answer}"

# Lexical signal -> the columns beside the entailment probability.
SIGNALS: Mapping[Any, tuple[str, ...]] = {
    "match": ("match",),
    "recall": ("recall",),
    "lengths": by_length("entailment"),
    False: (),
}

_TEMPLATE = Text("a template with {answer} in it once", r"(?!.*\{answer\}.*\{answer\}).*\{answer\}.*")
_WEIGHTS = Kind("a mapping or the name of a JSON file", lambda value: isinstance(value, (Mapping, str, Path)))


@dataclass(frozen=True)
class NliLexOptions(MatcherOptions):
    """What `compute` takes besides columns."""

    lexical: Lexical | None = option(
        None,
        Choice(*SIGNALS),
        "Lexical signal: the paper's `match`, the share `recall`, this by the reference's length (`lengths`), or "
        "`False`; by default the model's.",
        control=Control(
            "What counts beside entailment",
            values={
                "lengths": "the share of the reference's words, by its length",
                "recall": "the share of the reference's words",
                "match": "whether the reference stands in the answer",
                False: "nothing: entailment alone",
            },
            info="",
        ),
    )
    weights: Weights | str | Path | None = option(
        None, _WEIGHTS, "Weights of the logistic layer, or the file that `fit` wrote; by default the model's."
    )
    premise: str = option(TEMPLATE, _TEMPLATE, "Template of the premise, with `{question}` and `{answer}`.")
    hypothesis: str = option(TEMPLATE, _TEMPLATE, "Template of the hypothesis, where `{answer}` is the reference.")
