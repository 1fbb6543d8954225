"""The options of ΔBLEU; except for `variant`, their names and meanings come from sacrebleu."""

from dataclasses import dataclass
from typing import Literal, get_args

from .._shared.options import FLAG, POSITIVE, Choice, Control, Kind, Options, Text, Whole, option

SmoothMethod = Literal["exp", "floor", "add-k", "none"]
Variant = Literal["paper", "released"]

# The defaults of sacrebleu, from Chen and Cherry 2014, http://aclweb.org/anthology/W14-3346
SMOOTH_VALUES = {"floor": 0.1, "add-k": 1.0}

# ISO 639-1. "cn" and "jp" are not language codes, and would silently select the 13a tokenizer without this check.
_LANGUAGES = (
    "a[abefkmnrsvyz]|b[aeghimnors]|c[aehorsuvy]|d[aevz]|e[elnostu]|f[afijory]|g[adlnuv]|h[aeiortuyz]|"
    "i[adegikostu]|j[av]|k[agijklmnorsuvwy]|l[abginotuv]|m[ghiklnrsty]|n[abdeglnorvy]|o[cjmrs]|p[ailst]|q[u]|"
    "r[mnouw]|s[acdeghiklmnoqrstuvw]|t[aeghiklnorstwy]|u[gkrz]|v[eio]|w[ao]|x[h]|y[io]|z[ahu]"
)

# Thai, Lao, Khmer and Burmese have no spaces between words, and 13a splits at spaces.
_WITHOUT_SPACES = {"th", "lo", "km", "my"}


def _is_tokenizer(value: object) -> bool:
    from sacrebleu.metrics.bleu import BLEU

    return isinstance(value, str) and value in BLEU.TOKENIZERS


@dataclass(frozen=True)
class DeltaBleuOptions(Options):
    """The options of `compute`."""

    tokenize: str | None = option(
        None,
        Kind("one of sacrebleu's tokenizers, such as 13a, zh or char", _is_tokenizer),
        "Select a tokenizer of sacrebleu (default: chosen by `lang`, otherwise `13a`).",
    )
    lang: str | None = option(
        None,
        Text("a two-letter ISO 639-1 code such as 'en' or 'zh'", rf"(?i)({_LANGUAGES})([-_]\w+)*"),
        "Set the language of the texts, with or without a region.",
        control=Control("Language", values={"en": "English, and most others", "zh": "Chinese"}, info=""),
    )
    lowercase: bool = option(False, FLAG, "Ignore case.")
    max_ngram_order: int = option(
        4,
        Whole(high=100),  # results and memory grow with it
        "Set the longest n-gram, in tokens (at most 100).",
        control=Control("Longest n-gram", most=4, info="In words."),
    )
    effective_order: bool = option(
        False, FLAG, "Leave out n-gram lengths for which every answer is too short; scores of single rows always do."
    )
    smooth_method: SmoothMethod = option(
        "exp",
        Choice(*get_args(SmoothMethod)),
        "Replace a precision of 0 by half a match (`exp`), a `floor`, added counts (`add-k`), or nothing (`none`).",
        control=Control(
            "Smoothing: if no n-gram of a length matches",
            values={
                "exp": "count half a match, then a quarter, … (exp)",
                "floor": "count a tenth of a match (floor)",
                "add-k": "add one match everywhere (add-k)",
                "none": "no smoothing: the score is 0",
            },
            info="",
        ),
    )
    smooth_value: float | None = option(
        None, POSITIVE, "Set the value of `floor` (default: 0.1) or `add-k` (default: 1)."
    )
    variant: Variant = option(
        "paper",
        Choice(*get_args(Variant)),
        "Use the formula of the `paper`, or of the `released` program, which MORQA used.",
    )
    n_bootstrap: int | None = option(
        None,
        Whole(1, 100_000),
        "Draw this many resamples for a 95% confidence interval (at most 100,000; default: no interval).",
    )
    n_trials: int = option(10_000, Whole(), "Run this many trials of the test that compares two systems.")
    seed: int = option(12345, Whole(0), "Set the random seed of resamples and trials.")

    def check(self) -> None:
        """Raise ValueError for a language without spaces and tokenizer, or a smoothing method without a value."""
        if self.tokenize is None and self.language in _WITHOUT_SPACES:
            raise ValueError(
                f"lang is {self.lang!r}, a language without spaces between words; expected tokenize='flores200' (needs "
                "sentencepiece) or 'char', too"
            )
        if self.smooth_value is not None and self.smooth_method not in SMOOTH_VALUES:
            raise ValueError(
                f"smooth_value is {self.smooth_value!r}, but smooth_method={self.smooth_method!r} has no value; "
                "leave it out, or choose smooth_method='floor' or 'add-k'"
            )

    @property
    def smoothing_value(self) -> float | None:
        """`smooth_value`, or the default of the method; None for a method without a value."""
        return self.smooth_value or SMOOTH_VALUES.get(self.smooth_method)

    @property
    def language(self) -> str:
        """The language code without a region, in lower case; `""` if no language was given."""
        return self.lang[:2].lower() if self.lang else ""
