"""What ΔBLEU's `compute` takes besides columns; names and meanings are sacrebleu's but for `variant`."""

from dataclasses import dataclass
from typing import Literal, get_args

from .._shared.arguments import Choice, Control, Flag, Kind, Options, Text, Whole, option

SmoothMethod = Literal["exp", "floor", "add-k", "none"]
Variant = Literal["paper", "released"]

# sacrebleu's defaults, which it takes from Chen and Cherry 2014, http://aclweb.org/anthology/W14-3346
SMOOTH_VALUES = {"floor": 0.1, "add-k": 1.0}


def _is_tokenizer(value: object) -> bool:
    from sacrebleu.metrics.bleu import BLEU

    return isinstance(value, str) and value in BLEU.TOKENIZERS


def _is_positive(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < float("inf")


@dataclass(frozen=True)
class DeltaBleuOptions(Options):
    """How texts become statistics, statistics a score, and how sure the score is to be."""

    tokenize: str | None = option(
        None,
        Kind("one of sacrebleu's tokenizers, such as 13a, zh or char", _is_tokenizer),
        "Name of the tokenizer; by default `lang` chooses, and without it `13a`.",
    )
    lang: str | None = option(
        None,
        Text("a two-letter code such as 'en' or 'zh'", r"[A-Za-z]{2}([-_]\w+)*"),
        "Language of the texts, with or without a region.",
        control=Control("Language", values={"en": "English, and most others", "zh": "Chinese"}, info=""),
    )
    lowercase: bool = option(False, Flag(), "Ignore case.")
    max_ngram_order: int = option(
        4, Whole(), "Largest n-gram order N.", control=Control("Longest n-grams", most=4, info="")
    )
    effective_order: bool = option(
        False, Flag(), "Leave out orders for which all answers are too short, as scores of single rows always do."
    )
    smooth_method: SmoothMethod = option(
        "exp",
        Choice(*get_args(SmoothMethod)),
        "What replaces a precision of 0: half a match (`exp`), a `floor`, added counts (`add-k`), or `none`.",
        control=Control(
            "Where there is no match",
            values={
                "exp": "half a match, then a quarter, … (exp)",
                "floor": "a tenth of a match (floor)",
                "add-k": "one match more everywhere (add-k)",
                "none": "nothing: the score is 0",
            },
            info="",
        ),
    )
    smooth_value: float | None = option(
        None, Kind("a number above 0", _is_positive), "Value of `floor` (by default 0.1) or `add-k` (1)."
    )
    variant: Variant = option(
        "paper", Choice(*get_args(Variant)), "Formula of the `paper`, or of the `released` program, which MORQA used."
    )
    n_bootstrap: int | None = option(None, Whole(), "Resamples for a 95% confidence interval; by default none.")
    n_trials: int = option(10_000, Whole(), "Trials of the test that compares two systems.")
    seed: int = option(12345, Whole(0), "Seed of both.")

    def check(self) -> None:
        """Raise ValueError for a smoothing value of a method that takes none."""
        if self.smooth_value is not None and self.smooth_method not in SMOOTH_VALUES:
            raise ValueError(
                f"smooth_value is {self.smooth_value!r}, but smooth_method={self.smooth_method!r} takes none; "
                "leave it out, or choose smooth_method='floor' or 'add-k'"
            )

    @property
    def smoothing_value(self) -> float | None:
        """`smooth_value`, or the default of the method; None for a method that takes none."""
        return self.smooth_value or SMOOTH_VALUES.get(self.smooth_method)

    @property
    def language(self) -> str:
        """The code of the language alone, in lower case; `""` if none was given."""
        return self.lang[:2].lower() if self.lang else ""
