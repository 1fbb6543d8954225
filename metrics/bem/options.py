"""What BEM's `compute` takes besides columns; `evaluate.load` takes what it does for every model."""

from dataclasses import dataclass

from .arguments import Control, Flag, Number, option
from .long_texts import LengthOptions


@dataclass(frozen=True)
class BemOptions(LengthOptions):
    """What `compute` takes besides columns."""

    threshold: float = option(
        0.5, Number(0, 1), "A score above it is correct.", key="thr", control=Control("Threshold")
    )
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
