"""ΔBLEU as a metric of `evaluate`."""

import evaluate

from evaluate_qa.metrics._shared.adapter import Adapter
from evaluate_qa.metrics.deltableu.scorer import DeltableuScorer


class Deltableu(Adapter, evaluate.Metric, scorer=DeltableuScorer):
    """Documented by `DeltableuScorer`."""
