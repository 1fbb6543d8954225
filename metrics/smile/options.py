"""What SMILE's `evaluate.load` and `compute` take besides columns."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from .._shared.arguments import (
    Choice,
    Control,
    ModelKeywords,
    ModelOptions,
    Number,
    Options,
    Place,
    Text,
    Whole,
    option,
)

Similarity = Literal["scaled", "cosine"]
ExactMatch = Literal["words", "fraction"]
Combine = Literal["arithmetic", "harmonic"]
Lemmatizer = Literal["simplemma", "wordnet", "wordnet-noun", "none"]

BINS = 6
# The paper's bin 4 of the bins 0 to 5, which it rounds to 0.67.
CORRECT = 4 / BINS


@dataclass(frozen=True)
class SmileOptions(Options):
    """What `compute` takes besides columns: how texts become words, and components a score."""

    w: float = option(
        0.5,
        Number(0, 1),
        "Weight of the semantic score.",
        key="w",
        always=True,
        control=Control("Weight of meaning (w)", info="0: only the words count. 1: only the meaning counts."),
    )
    similarity: Similarity = option(
        "scaled",
        Choice(*get_args(Similarity)),
        "`scaled` is the paper's (1 + cos) / 2, `cosine` the released program's cosine.",
        key="sim",
        always=True,
    )
    exact_match: ExactMatch = option(
        "words",
        Choice(*get_args(ExactMatch)),
        "Whether the reference occurs as a run of `words`, or what `fraction` of its words does.",
        key="em",
        always=True,
    )
    lemmatizer: Lemmatizer = option(
        "simplemma",
        Choice(*get_args(Lemmatizer)),
        "What makes lemmas: `simplemma`, `none`, NLTK's `wordnet`, or `wordnet-noun`, which takes all words for nouns.",
        key="lemma",
        always=True,
    )
    lang: str = option("en", Text("a language code such as 'en'", "[a-z]{2,3}"), "Language, for simplemma.", key="lang")
    combine: Combine = option(
        "arithmetic", Choice(*get_args(Combine)), "The weighted mean: `arithmetic` or `harmonic`.", key="comb"
    )
    threshold: float = option(
        CORRECT,
        Number(0, 1),
        "A score of at least this is correct.",
        key="thr",
        told="2/3",
        control=Control("Threshold", info="A score from here on is correct."),
    )
    ngram_candidates: int | None = option(
        None, Whole(), "How many n-grams of a pair are embedded, the most promising first; by default all.", key="cand"
    )


@dataclass(frozen=True)
class LoadOptions(ModelOptions):
    """What `evaluate.load("smile", …)` takes."""

    prompt_name: str | None = option(
        None, Text("the name of a prompt"), "Which of the checkpoint's prompts to put before texts; by default its own."
    )
    cache_dir: str | os.PathLike[str] | None = option(
        None, Place("a folder"), "Folder that keeps vectors, and evaluate's temporary files."
    )

    @property
    def cache(self) -> Path | None:
        """`cache_dir` as a path."""
        return Path(self.cache_dir).expanduser() if self.cache_dir else None


class SmileKeywords(ModelKeywords, total=False):
    """`LoadOptions` as keywords, so that editors complete them; a test compares both."""

    prompt_name: str | None
    cache_dir: str | os.PathLike[str] | None
