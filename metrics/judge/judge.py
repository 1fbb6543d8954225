"""The judge as a metric of `evaluate`."""

import evaluate

from evaluate_qa.metrics._shared.adapter import Adapter
from evaluate_qa.metrics.judge.scorer import JudgeScorer


class Judge(Adapter, evaluate.Metric, scorer=JudgeScorer):
    """Documented by `JudgeScorer`."""
