"""SMILE as a metric of `evaluate`."""

import evaluate

from evaluate_qa.metrics._shared.adapter import Adapter
from evaluate_qa.metrics.smile.scorer import SmileScorer


class Smile(Adapter, evaluate.Metric, scorer=SmileScorer):
    """Documented by `SmileScorer`."""
