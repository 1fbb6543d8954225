"""The options of SMILE."""

import os
from dataclasses import dataclass
from typing import Literal, get_args

from .._shared.model_options import EngineKwargs, EngineOptions
from .._shared.options import Choice, Control, Number, Place, Text, Whole, option
from .._shared.stores import CacheOptions
from .._values.options import ValueOptions

Similarity = Literal["scaled", "cosine"]
ExactMatch = Literal["words", "fraction"]
Combine = Literal["arithmetic", "harmonic"]
Lemmatizer = Literal["simplemma", "wordnet", "wordnet-noun", "none"]

BINS = 6
# The paper's bin 4 of the bins 0 to 5, which it rounds to 0.67.
CORRECT = 4 / BINS


@dataclass(frozen=True)
class SmileOptions(ValueOptions):
    """The options of `compute`."""

    w: float = option(
        0.5,
        Number(0, 1),
        "Set the weight of the semantic score; the lexical score gets 1 − w.",
        key="w",
        always=True,
        control=Control("Weight of meaning (w)", info="0: only words count. 1: only meaning counts."),
    )
    similarity: Similarity = option(
        "scaled",
        Choice(*get_args(Similarity)),
        "Use the paper's (1 + cos) / 2 (`scaled`) or the released program's `cosine`.",
        key="sim",
        always=True,
    )
    exact_match: ExactMatch = option(
        "words",
        Choice(*get_args(ExactMatch)),
        "Test whether the reference occurs as a run of `words`, or measure the `fraction` of its words that occur.",
        key="em",
        always=True,
    )
    lemmatizer: Lemmatizer = option(
        "simplemma",
        Choice(*get_args(Lemmatizer)),
        "Lemmatize with `simplemma`, `none`, NLTK's `wordnet`, or `wordnet-noun`, which treats all words as nouns.",
        key="lemma",
        always=True,
    )
    lang: str = option(
        "en",
        Text("a language code without a region, such as 'en'", "[a-z]{2,3}"),
        "Set the language, for simplemma.",
        key="lang",
    )
    combine: Combine = option(
        "arithmetic", Choice(*get_args(Combine)), "Average with the `arithmetic` or the `harmonic` mean.", key="comb"
    )
    threshold: float = option(
        CORRECT,
        Number(0, 1),
        "Count answers that score at least this as correct.",
        key="thr",
        default_text="2/3",
        control=Control("Threshold", info="Answers that score at least this count as correct."),
    )
    ngram_candidates: int | None = option(
        None, Whole(), "Embed only the N most promising n-grams of a pair (default: all).", key="cand"
    )


@dataclass(frozen=True)
class SmileLoading(EngineOptions, CacheOptions):
    """The options at loading."""

    prompt_name: str | None = option(
        None,
        Text("the name of a prompt"),
        "Put this prompt of the checkpoint before texts (default: the checkpoint's choice).",
    )
    cache_dir: str | os.PathLike[str] | None = option(
        None, Place("a folder"), "Keep vectors and evaluate's temporary files in this folder."
    )


class SmileKwargs(EngineKwargs, total=False):
    """`SmileLoading` as keywords, so that editors complete them; a test compares both."""

    prompt_name: str | None
    cache_dir: str | os.PathLike[str] | None
