"""EVQAScore as a metric of `evaluate`."""

import evaluate

from evaluate_qa.metrics._shared.adapter import Adapter
from evaluate_qa.metrics.evqascore.scorer import EvqascoreScorer


class Evqascore(Adapter, evaluate.Metric, scorer=EvqascoreScorer):
    """Documented by `EvqascoreScorer`."""
