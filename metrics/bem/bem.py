"""BEM as a metric of `evaluate`."""

import evaluate

from evaluate_qa.metrics._shared.adapter import Adapter
from evaluate_qa.metrics.bem.scorer import BemScorer


class Bem(Adapter, evaluate.Metric, scorer=BemScorer):
    """Documented by `BemScorer`."""
