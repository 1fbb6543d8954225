"""The options of BEM; its options at loading are those of all metrics with a model."""

from dataclasses import dataclass

from .._shared.matcher_options import MatcherOptions
from .._shared.options import FLAG, Control, option
from .._values.options import ValueOptions


@dataclass(frozen=True)
class BemOptions(MatcherOptions, ValueOptions):
    """The options of `compute`."""

    final_layer: bool | None = option(
        None,
        FLAG,
        "Apply the final layer, which adjusts for lengths and shared character trigrams (default: if there is one).",
        control=Control("Score from", values={None: "classifier and final layer", False: "classifier alone"}, info=""),
    )
