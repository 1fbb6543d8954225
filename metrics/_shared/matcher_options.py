"""The options of `compute` that both matchers have."""

from dataclasses import dataclass
from typing import Literal, get_args

from .options import Choice, Control, Number, Options, Whole, option

LongAnswers = Literal["window", "truncate"]
LongReferences = Literal["whole", "sentences"]


@dataclass(frozen=True)
class MatcherOptions(Options):
    """The options of `compute` that both matchers have: how long texts are read, and the threshold."""

    long_answers: LongAnswers = option(
        "window",
        Choice(*get_args(LongAnswers)),
        "Read a long answer in windows and keep the best (`window`), or cut it off (`truncate`).",
        key="long",
    )
    long_references: LongReferences = option(
        "whole",
        Choice(*get_args(LongReferences)),
        "Compare a reference of several sentences, or of more than ten words, `whole` or by `sentences`.",
        key="longref",
    )
    window: int = option(200, Whole(8), "Set the tokens per window; they overlap by a quarter.")
    question_tokens: int = option(96, Whole(), "Read only the last N tokens of a question.", key="q")
    threshold: float = option(
        0.5, Number(0, 1), "Count answers that score at least this as correct.", key="thr", control=Control("Threshold")
    )

    @property
    def by_sentence(self) -> bool:
        """Whether long references are split into sentences."""
        return self.long_references == "sentences"

    def settings(self) -> dict[str, object]:
        """Return the signature's values by key."""
        if self.long_answers == "truncate":
            return super().settings() | {"long": "truncate", "q": None}
        return super().settings() | {"long": f"window{self.window}", "q": self.question_tokens}
