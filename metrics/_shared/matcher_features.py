"""Compute the features of pairs of an answer and a reference with a classifier, and score the pairs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats, Indices, first_best, is_correct, run_starts
from .claims import Claims, pair_claims
from .classifiers import LoadedClassifier, Logits, PairReader, PairTexts
from .containment import containment_score
from .languages import is_unsupported
from .lexical import word_features
from .matcher_options import MatcherOptions
from .windows import Windows, split_into_windows


@dataclass(frozen=True)
class PairInputs:
    """Pairs of an answer and a reference, with what a classifier reads of them."""

    starts: Indices  # index of the first pair of each row, shape (rows,)
    claims: Claims
    answered: NDArray[np.bool_]  # False for a claim that is searched in a blank answer, shape (claims,)
    word_features: Mapping[str, Floats]  # the features from words and lengths by name, each of shape (claims,)
    windows: Windows
    texts: Sequence[PairTexts]  # the two sides of each window's input


@dataclass(frozen=True)
class PairFeatures(PairInputs):
    """Pairs with all features from which options make a score."""

    outputs: Floats  # BEM's margin, or the probability of entailment, of each claim; shape (claims,)
    weights: Mapping[str, float]  # the weights of the final logistic layer by feature; empty without a layer
    containment: Floats  # scores of pairs in a language that the classifier cannot read, else NaN; shape (pairs,)

    @property
    def unsupported(self) -> NDArray[np.bool_]:
        """Whether containment scores a pair, shape (pairs,)."""
        return ~np.isnan(self.containment)


def prepare_pairs(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    questions: Sequence[str],
    options: MatcherOptions,
    classifier: PairReader,
    format_pair: Callable[[str, str, str], PairTexts],
) -> PairInputs:
    """Return the inputs of a classifier; `format_pair` makes one of a question, an answer and a reference."""
    searches, claims = pair_claims(questions, predictions, references, options.by_sentence)
    windows = split_into_windows(searches, options, classifier)
    words = word_features([search.text for search in searches], [search.claims for search in searches])
    return PairInputs(
        starts=run_starts(map(len, references)),
        claims=claims,
        answered=np.array([bool(search.text.strip()) for search in searches for _ in search.claims]),
        word_features=claims.adapt_word_features(words),
        windows=windows,
        texts=[format_pair(*texts) for texts in windows.inputs],
    )


def compute_features(
    model: LoadedClassifier,
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    questions: Sequence[str],
    options: MatcherOptions,
    format_pair: Callable[[str, str, str], PairTexts],
    output: Callable[[Logits, int], Logits],
    describe: str,
) -> PairFeatures:
    """Return the features of each pair, without weights.

    `output` turns logits into outputs, given the positive class; `describe` is the title of the progress bar.
    """
    inputs = prepare_pairs(predictions, references, questions, options, model.classifier, format_pair)
    logits = model.classifier.logits(inputs.texts, inputs.windows.tokens, describe)
    return PairFeatures(
        **vars(inputs),
        outputs=inputs.windows.best(output(logits, model.positive)),
        weights={},
        containment=containment_scores(questions, predictions, references, reads_all=not model.layers),
    )


def containment_scores(
    questions: Sequence[str], predictions: Sequence[str], references: Sequence[Sequence[str]], reads_all: bool
) -> Floats:
    """Return the containment of pairs that the matcher cannot read, else NaN; shape (pairs,).

    `reads_all` assumes that the classifier reads all languages, as a user's own checkpoint may.
    """
    rows = zip(questions, predictions, references, strict=True)
    pairs = ((question, answer, reference) for question, answer, listed in rows for reference in listed)
    unsupported = (pair if not reads_all and is_unsupported(*pair) else None for pair in pairs)
    return np.array([containment_score(*pair[1:]) if pair else np.nan for pair in unsupported])


def best_pairs(
    features: PairFeatures, probabilities: Floats, options: MatcherOptions, lexical: bool
) -> tuple[Indices, dict[str, Any]]:
    """Return the index of each row's best pair (the first of equals), and the scores that all matchers have, by name.

    Probabilities that a claim is supported have the shape (claims,); those of a blank answer count as 0. `lexical` is
    True if token F1 counts for sentences.
    """
    probabilities = np.where(features.answered, probabilities, 0.0)
    scores = np.where(features.unsupported, features.containment, features.claims.score(probabilities, lexical))
    best = first_best(scores, features.starts)
    found = {
        "score": scores[best],
        "verdict": is_correct(scores[best], options.threshold),
        "best_reference": best - features.starts,
        "unsupported_language": np.logical_or.reduceat(features.unsupported, features.starts),
    }
    return best, found | features.claims.components(probabilities, best, options.by_sentence)
