"""NLI+lex as a metric of `evaluate`."""

import evaluate

from evaluate_qa.metrics._shared.adapter import Adapter
from evaluate_qa.metrics.nli_lex.scorer import NliLexScorer


class NliLex(Adapter, evaluate.Metric, scorer=NliLexScorer):
    """Documented by `NliLexScorer`."""
