"""What BEM's `compute` takes besides columns; `evaluate.load` takes what it does for every model."""

from dataclasses import dataclass

from .._shared.arguments import Control, Flag, option
from .._shared.long_texts import MatcherOptions


@dataclass(frozen=True)
class BemOptions(MatcherOptions):
    """What `compute` takes besides columns."""

    lexical: bool | None = option(
        None,
        Flag(),
        "Whether a final layer weighs the words in common; by default if the classifier has one.",
        control=Control(
            "What decides",
            values={None: "the classifier and what the words say", False: "the classifier alone"},
            info="",
        ),
    )
