"""Scores and signatures of the sample do not change, with default options, and of its fourth with other options.

After an intended change, `python tests/metrics/test_snapshot.py smile` writes a new snapshot of smile (default: of all
metrics), and the changelog needs a line under "Scores".
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
SNAPSHOT = Path(__file__).with_name("snapshot.json")

# The configuration of each metric, and the options of each call.
CALLS: dict[str, tuple[str | None, list[dict[str, Any]]]] = {
    "smile": (
        None,
        [
            {},
            {"w": 0.3, "similarity": "cosine", "exact_match": "fraction", "combine": "harmonic", "threshold": 0.5},
            {"lang": "de", "ngram_candidates": 2},
            {"lemmatizer": "none"},
        ],
    ),
    "bem": (None, [{}, {"final_layer": False, "threshold": 0.4}, {"long_answers": "truncate"}, {"window": 16}]),
    "nli_lex": (
        None,
        [
            {},
            {"lexical": "match"},
            {"lexical": "recall", "threshold": 0.4},
            {"lexical": False, "premise": "Q: {question} A: {answer}"},
            {"long_answers": "truncate", "question_tokens": 8},
        ],
    ),
    "deltableu": (
        None,
        [
            {},
            {"lang": "zh", "lowercase": True, "max_ngram_order": 2},
            {"variant": "released", "smooth_method": "floor", "smooth_value": 0.2, "effective_order": True},
            {"n_bootstrap": 50, "seed": 1},
        ],
    ),
    "evqascore": (
        "demo",
        [
            {},
            {"mode": "caption", "interval": 2, "max_frames": 8, "long_text": "truncate"},
            {"max_keywords": 2, "threshold": 0.5, "unscored": "none"},
        ],
    ),
}


def sample(metric: str) -> dict[str, list[Any]]:
    """Return the columns of a metric."""
    lines = (ROOT / "scripts" / "sample.jsonl").read_text(encoding="utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    columns = {"predictions": [row["prediction"] for row in rows], "questions": [row["question"] for row in rows]}
    if metric == "evqascore":
        # For these frames P + R is at least .037 from 0. Near 0, F = 2PR / (P + R) amplifies rounding: with .001, two
        # processors differed by 4e-5.
        frames = np.random.default_rng(10).normal(loc=0.5, size=(len(rows), 5, 32))
        return columns | {"video_features": list(frames)}
    return columns | {"references": [row["references"] for row in rows]}


def results(name: str) -> list[dict[str, Any]]:
    """Return the result of each call, with only the scores of the rows. Only the first call scores the whole sample."""
    import evaluate

    configuration, calls = CALLS[name]
    with tempfile.TemporaryDirectory() as folder:
        kept = {"cache_dir": folder} if name == "smile" else {}  # its calls share nearly all texts
        metric = evaluate.load(str(ROOT / "metrics" / name), configuration, **kept)
        columns = sample(name)
        fourth = {column: values[::4] for column, values in columns.items()}
        found = [metric.compute(**fourth if options else columns, **options) for options in calls]
    return [{**result, "per_example": result["per_example"]["score"]} for result in found]


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_scores_and_signatures_equal_the_snapshot(name: str):
    expected = json.loads(SNAPSHOT.read_text(encoding="utf-8"))[name]
    for found, before in zip(results(name), expected, strict=True):
        assert found == like(before)


def like(value: Any) -> Any:
    """Return a value that equals the snapshot's up to 1e-5, because processors differ in the last digits."""
    if isinstance(value, dict):
        return {name: like(of_name) for name, of_name in value.items()}
    if isinstance(value, list):
        return [like(one) for one in value]
    return pytest.approx(value, abs=1e-5) if isinstance(value, float) else value


if __name__ == "__main__":
    snapshot = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
    snapshot |= {name: results(name) for name in sys.argv[1:] or CALLS}
    SNAPSHOT.write_text(json.dumps(snapshot, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
