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

    An empty normalized reference ("+-*") matches every answer, as in EVOUNA's published statistics.
    """
    normalized = squad_normalize(answer)
    return float(any(squad_normalize(reference) in normalized for reference in references))


def token_recall(answer: str, references: Sequence[str]) -> float:
    """Share of the reference's tokens, counted with repetition, that the answer contains."""
    return max(_common(answer, reference)[0] for reference in references)


def token_f1(answer: str, references: Sequence[str]) -> float:
    """SQuAD's F1: harmonic mean of token recall and token precision."""
    pairs = [_common(answer, reference) for reference in references]
    return max(2 * recall * precision / ((recall + precision) or 1) for recall, precision in pairs)


def rouge(kind: str, of_tokens: bool, answer: str, references: Sequence[str]) -> float:
    """ROUGE F1 of a kind such as `rougeL` by the package rouge-score, without stemming.

    It uses only Latin letters and digits or, with `of_tokens`, sacrebleu's tokens, which also split Chinese.
    """
    return float(_rouge_scorer(kind, of_tokens).score_multi(references, answer)[kind].fmeasure)


def always_correct(answer: str, references: Sequence[str]) -> float:
    """1 for every answer."""
    return 1.0


def bleu(answer: str, references: Sequence[str]) -> float:
    """Sentence BLEU by sacrebleu, in [0, 1], with effective order as in MORQA's paper."""
    return float(_bleu().sentence_score(answer, list(references)).score) / 100


@dataclass(frozen=True)
class Baseline:
    """A simple metric: its name in tables, its score, and the rule for "correct", if it has one."""

    name: str
    score: Score
    is_correct: Callable[[float], bool] | None = None


SHORT_ANSWER_BASELINES = (
    Baseline("lexical_match", lexical_match, bool),
    Baseline("token_recall", token_recall, lambda score: score >= 0.5),  # noqa: PLR2004
    # "values exceeding this threshold", DIVER-QA, appendix C
    Baseline("token_f1", token_f1, lambda score: score > 0.5),  # noqa: PLR2004
    Baseline("rouge_l", partial(rouge, "rougeL", False), lambda score: score > 0.5),  # noqa: PLR2004
    Baseline("always_correct", always_correct, bool),
)
"""Baselines for answers that are right or wrong."""

BOARD_BASELINES = SHORT_ANSWER_BASELINES[:3]
"""Baselines for several data sets side by side."""

LONG_ANSWER_BASELINES = (
    Baseline("bleu", bleu),
    Baseline("rouge_1", partial(rouge, "rouge1", True)),
    Baseline("rouge_2", partial(rouge, "rouge2", True)),
    Baseline("rouge_l", partial(rouge, "rougeL", True)),
)
"""Baselines for rated answers in English or Chinese."""

PREFERENCE_BASELINES = (
    Baseline("token_recall", token_recall),
    Baseline("token_f1", token_f1),
    Baseline("rouge_l", partial(rouge, "rougeL", False)),
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


class _Tokens:
    """sacrebleu's tokenizer with the interface of rouge-score."""

    def __init__(self) -> None:
        self._tokenizer = _bleu().tokenizer

    def tokenize(self, text: str) -> list[str]:
        tokens: str = self._tokenizer(text)
        return tokens.split()


@cache
def _rouge_scorer(kind: str, of_tokens: bool) -> "RougeScorer":
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer([kind], tokenizer=_Tokens() if of_tokens else None)


@cache
def _bleu() -> "BLEU":
    from sacrebleu.metrics.bleu import BLEU

    # "zh" splits Chinese into characters and other text like "13a", so it serves both languages.
    return BLEU(tokenize="zh", effective_order=True)
