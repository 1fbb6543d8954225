"""Simple baselines: scores of an answer by its best reference."""

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics.bleu import BLEU

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")

Score = Callable[[str, Sequence[str]], float]


def squad_normalize(text: str) -> str:
    """Lower-case, drop ASCII punctuation and the words a, an and the, collapse spaces (Rajpurkar et al. 2016).

    >>> squad_normalize("The  Beatles, of course!")
    'beatles of course'
    """
    without_articles = _ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION))
    return " ".join(without_articles.split())


def lexical_match(answer: str, references: Sequence[str]) -> float:
    """1 if a normalized reference is a substring of the normalized answer, else 0.

    An empty normalized reference ("+-*") matches every answer, as in EVOUNA's published figures.
    """
    normalized = squad_normalize(answer)
    return float(any(squad_normalize(reference) in normalized for reference in references))


def token_recall(answer: str, references: Sequence[str]) -> float:
    """Share of the reference's tokens, counted with repetition, that the answer contains."""
    return max(_common(answer, reference)[0] for reference in references)


def token_f1(answer: str, references: Sequence[str]) -> float:
    """SQuAD's F1: harmonic mean of token recall and token precision."""
    return max(_harmonic_mean(*_common(answer, reference)) for reference in references)


def rouge_l(answer: str, references: Sequence[str]) -> float:
    """ROUGE-L F1 by the package rouge-score, without stemming. It uses only Latin letters and digits."""
    return float(_rouge_scorer("rougeL").score_multi(references, answer)["rougeL"].fmeasure)


def always_correct(answer: str, references: Sequence[str]) -> float:
    """1 for every answer."""
    return 1.0


def bleu(answer: str, references: Sequence[str]) -> float:
    """Sentence BLEU by sacrebleu, in [0, 1], with effective order as in MORQA's paper."""
    return float(_bleu().sentence_score(answer, list(references)).score) / 100


def rouge_of_tokens(kind: str, answer: str, references: Sequence[str]) -> float:
    """ROUGE F1 of a kind such as `rougeL` on sacrebleu's tokens, which also split Chinese."""
    return float(_rouge_scorer(kind, of_tokens=True).score_multi(references, answer)[kind].fmeasure)


@dataclass(frozen=True)
class Baseline:
    """A simple metric: its name in tables, its score, and the rule for "correct", if it has one."""

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
"""Baselines for answers that are right or wrong."""

BOARD_BASELINES = SHORT_ANSWER_BASELINES[:3]
"""Baselines for several data sets side by side."""

LONG_ANSWER_BASELINES = (
    Baseline("bleu", bleu),
    Baseline("rouge_1", partial(rouge_of_tokens, "rouge1")),
    Baseline("rouge_2", partial(rouge_of_tokens, "rouge2")),
    Baseline("rouge_l", partial(rouge_of_tokens, "rougeL")),
)
"""Baselines for rated answers in English or Chinese."""

PREFERENCE_BASELINES = (
    Baseline("token_recall", token_recall),
    Baseline("token_f1", token_f1),
    Baseline("rouge_l", rouge_l),
)
"""Baselines for pairs of long answers that people compared."""


def _common(answer: str, reference: str) -> tuple[float, float]:
    """Return token recall and token precision; 0 for a text without tokens."""
    wanted, given = _tokens(reference), _tokens(answer)
    common = (wanted & given).total()
    return common / max(wanted.total(), 1), common / max(given.total(), 1)


@lru_cache(maxsize=1 << 14)
def _tokens(text: str) -> Counter[str]:
    return Counter(squad_normalize(text).split())


def _harmonic_mean(recall: float, precision: float) -> float:
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


class _Tokens:
    """sacrebleu's tokenizer with the interface of rouge-score."""

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

    # "zh" splits Chinese into characters and other text like "13a", so it serves both languages.
    return BLEU(tokenize="zh", effective_order=True)
