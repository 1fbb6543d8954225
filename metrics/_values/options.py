"""The options of metrics that compare values by rules before their model decides."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from .._shared.options import Choice, Control, Kind, Options, option
from .decision import KINDS, TOLERANCE


def _accepts(value: Any) -> bool:
    named = isinstance(value, (list, tuple)) and bool(value) and all(kind in KINDS for kind in value)
    return named or value is False or value == "auto"


_TYPED = Kind(f"'auto', False, or a list of {', '.join(KINDS)}", _accepts)


@dataclass(frozen=True)
class ValueOptions(Options):
    """The options of `compute` for values and for several references."""

    typed: Collection[str] | Literal["auto", False] = option(
        "auto",
        _TYPED,
        "Let rules decide values such as numbers and dates: `auto` (all kinds, default models only), a list of kinds, "
        "or False (model only).",
        control=Control("Values", values={"auto": "compare numbers, dates, … by rules", False: "model only"}, info=""),
    )
    tolerance: float | None = option(
        None,
        TOLERANCE,
        "Count numbers as equal up to this relative difference (default: none for two whole numbers, otherwise half a "
        "unit of the last digit, at most 3%).",
        key="tol",
    )
    references_are: Literal["any", "all"] = option(
        "any",
        Choice("any", "all"),
        "Treat several references as alternatives (`any`), or as parts that the answer needs (`all`): the score is the "
        "mean over the parts, and the verdict needs each part.",
        key="refs",
    )

    def kinds(self, embedded: bool) -> Collection[str]:
        """Return the kinds of values to compare by a metric that runs its embedded model, or another one."""
        if self.typed == "auto":
            return KINDS if embedded else ()
        return tuple(kind for kind in KINDS if kind in (self.typed or ()))  # in one order, for the signature
