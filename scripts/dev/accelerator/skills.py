"""How well metrics tell entailment and paraphrase from the rest on held-out pairs, by skill and language."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ...training.examples import TrainingExample

# bem needs a question for each row.
_QUESTION = "What is true?"


def skills(pairs: Sequence[TrainingExample], metrics: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, float]]:
    """Return the AUC of each metric on the pairs of each skill and language.

    The premise is the answer and the hypothesis is its reference.

    Args:
        pairs: Pairs, with the skill as `data_set`; each skill and language has both labels.
        metrics: Loaded metrics by name.
    """
    from sklearn.metrics import roc_auc_score

    groups = defaultdict[tuple[str, str], list[int]](list)
    for number, pair in enumerate(pairs):
        groups[pair.data_set, pair.language].append(number)
    columns = {
        "predictions": [pair.answer for pair in pairs],
        "references": [pair.reference for pair in pairs],
        "questions": [pair.question or _QUESTION for pair in pairs],
    }
    scores = {name: metric.compute(**columns)["per_example"]["score"] for name, metric in metrics.items()}
    return {
        group: {
            name: float(roc_auc_score([pairs[one].label for one in rows], [found[one] for one in rows]))
            for name, found in scores.items()
        }
        for group, rows in groups.items()
    }
