"""Simple metrics that every other should beat: each takes an answer and its references.

Where there are several references, the best of them counts.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics.bleu import BLEU

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")

Score = Callable[[str, Sequence[str]], float]


def squad_normalise(text: str) -> str:
    """Lower-case, drop ASCII punctuation, drop the words a, an and the, squeeze spaces (Rajpurkar et al. 2016).

    >>> squad_normalise("The  Beatles, of course!")
    'beatles of course'
    """
    without_articles = _ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION))
    return " ".join(without_articles.split())


def lexical_match(answer: str, references: Sequence[str]) -> float:
    """1 if a normalised reference is a substring of the normalised answer, else 0.

    A reference that normalises to nothing ("+-*") lies in every answer. That is kept: the published figures of
    EVOUNA are met with it alone.
    """
    normalised = squad_normalise(answer)
    return float(any(squad_normalise(reference) in normalised for reference in references))


def token_recall(answer: str, references: Sequence[str]) -> float:
    """Share of the reference's tokens, counted with repetition, that the answer contains."""
    return max(_common(answer, reference)[0] for reference in references)


def token_f1(answer: str, references: Sequence[str]) -> float:
    """SQuAD's F1: harmonic mean of token recall and of the share of the answer's tokens that the reference has."""
    return max(_harmonic_mean(*_common(answer, reference)) for reference in references)


def rouge_l(answer: str, references: Sequence[str]) -> float:
    """ROUGE-L F1 by the package rouge-score, without stemming. It sees Latin letters and digits only."""
    return float(_rouge_scorer("rougeL").score_multi(references, answer)["rougeL"].fmeasure)


def always_correct(answer: str, references: Sequence[str]) -> float:
    """1 for every answer: what is reached without a look at any."""
    return 1.0


def bleu(answer: str, references: Sequence[str]) -> float:
    """Sentence BLEU by sacrebleu, in [0, 1], with effective order as MORQA's paper has it."""
    return float(_bleu().sentence_score(answer, list(references)).score) / 100


def rouge_of_tokens(kind: str, answer: str, references: Sequence[str]) -> float:
    """ROUGE F1 of a kind such as `rougeL` on sacrebleu's tokens, which Chinese has too."""
    return float(_rouge_scorer(kind, of_tokens=True).score_multi(references, answer)[kind].fmeasure)


@dataclass(frozen=True)
class Baseline:
    """A simple metric: its name in tables, its score, and when that means "correct", if it ever does."""

    name: str
    score: Score
    is_correct: Callable[[float], bool] | None = None


def _at_least_half(score: float) -> bool:
    return score >= 0.5  # noqa: PLR2004


def _above_half(score: float) -> bool:
    return score > 0.5  # noqa: PLR2004 - "values exceeding this threshold", DIVER-QA, appendix C


SHORT_ANSWER_BASELINES = (
    Baseline("lexical_match", lexical_match, bool),
    Baseline("token_recall", token_recall, _at_least_half),
    Baseline("token_f1", token_f1, _above_half),
    Baseline("rouge_l", rouge_l, _above_half),
    Baseline("always_correct", always_correct, bool),
)
"""For answers that are right or wrong."""

BOARD_BASELINES = SHORT_ANSWER_BASELINES[:3]
"""For several data sets side by side."""

LONG_ANSWER_BASELINES = (
    Baseline("bleu", bleu),
    Baseline("rouge_1", partial(rouge_of_tokens, "rouge1")),
    Baseline("rouge_2", partial(rouge_of_tokens, "rouge2")),
    Baseline("rouge_l", partial(rouge_of_tokens, "rougeL")),
)
"""For answers that are rated, in English or Chinese."""

PREFERENCE_BASELINES = (
    Baseline("token_recall", token_recall),
    Baseline("token_f1", token_f1),
    Baseline("rouge_l", rouge_l),
)
"""For pairs of long answers that people have compared."""


def _common(answer: str, reference: str) -> tuple[float, float]:
    """Return the shares of the reference's and of the answer's tokens that both have; 0 for a side without any."""
    wanted, given = Counter(squad_normalise(reference).split()), Counter(squad_normalise(answer).split())
    common = (wanted & given).total()
    return common / max(wanted.total(), 1), common / max(given.total(), 1)


def _harmonic_mean(recall: float, precision: float) -> float:
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


class _Tokens:
    """sacrebleu's tokens, in the form that rouge-score asks for."""

    def __init__(self) -> None:
        self._tokenizer = _bleu().tokenizer

    def tokenize(self, text: str) -> list[str]:
        tokens: str = self._tokenizer(text)
        return tokens.split()


@cache
def _rouge_scorer(kind: str, of_tokens: bool = False) -> "RougeScorer":
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer([kind], tokenizer=_Tokens() if of_tokens else None)


@cache
def _bleu() -> "BLEU":
    from sacrebleu.metrics.bleu import BLEU

    # "zh" takes Chinese characters for words and splits all else as "13a" does: one tokenizer for both languages.
    return BLEU(tokenize="zh", effective_order=True)
