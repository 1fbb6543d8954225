"""BEM as an `evaluate` metric. What it does stands in `scorer.py`."""

import evaluate

from evaluate_qa.metrics._shared.adapter import Adapter
from evaluate_qa.metrics.bem.scorer import BemScorer


class Bem(Adapter, evaluate.Metric):
    """Its documentation is the scorer's."""

    scorer_class = BemScorer
