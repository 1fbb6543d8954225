"""What `compute` takes besides columns."""

import re
from dataclasses import dataclass

from sacrebleu.metrics.bleu import BLEU

from .scoring import ScoreOptions, whole_number

_LANGUAGE = re.compile(r"[A-Za-z]{2}([-_]\w+)*")


@dataclass(frozen=True)
class Options(ScoreOptions):
    """How texts become statistics, and how sure the score is to be; the rest is inherited.

    Args:
        tokenize: sacrebleu's name of a tokeniser; None chooses by `lang`.
        lang: Two-letter code of the language, with or without a region (`"zh"`, `"zh-CN"`): Chinese, Japanese and
            Korean have tokenisers of their own, all others, and None, take `"13a"`.
        lowercase: Ignore case.
        n_bootstrap: Resamples for a confidence interval; None makes none.
        n_trials: Trials of the test that compares two systems.
        seed: Seed of both.

    Raises:
        ValueError: a value outside its range.
    """

    tokenize: str | None = None
    lang: str | None = None
    lowercase: bool = False
    n_bootstrap: int | None = None
    n_trials: int = 10_000
    seed: int = 12345

    def __post_init__(self) -> None:
        super().__post_init__()
        there = list(BLEU.TOKENIZERS)
        if self.tokenize is not None and self.tokenize not in there:
            raise ValueError(f"deltableu: tokenize is {self.tokenize!r}; expected one of {', '.join(there)}")
        if self.lang is not None and not (isinstance(self.lang, str) and _LANGUAGE.fullmatch(self.lang)):
            raise ValueError(f"deltableu: lang is {self.lang!r}; expected a two-letter code such as 'en' or 'zh'")
        if not isinstance(self.lowercase, bool):
            raise ValueError(f"deltableu: lowercase is {self.lowercase!r}; expected True or False")
        if self.n_bootstrap is not None:
            whole_number("n_bootstrap", self.n_bootstrap, least=1)
        whole_number("n_trials", self.n_trials, least=1)
        whole_number("seed", self.seed, least=0)

    @property
    def language(self) -> str:
        """The code of the language alone, in lower case; `""` if none was given."""
        return self.lang[:2].lower() if self.lang else ""
