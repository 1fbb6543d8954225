"""What the tests of all metrics share. A new metric is covered by one entry in CASES."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_server import ChatServer

import evaluate_qa
from evaluate_qa.metrics._shared.scorer import Scorer


@dataclass(frozen=True)
class Case:
    """What the tests of the common contract need to know of one metric.

    Args:
        columns: Rows of different quality, in every column the metric has a use for.
        identical: Three rows with the best of answers, in the required columns; or what makes them, with a model.
        scores: Lowest and highest score.
        best: What `identical` rows score at least; by default the highest score.
        empty: What an empty answer scores; by default the lowest score.
        load: Options of `evaluate.load`, where the default is not to be had on every machine.
        needs: Columns that a row cannot do without, beside those that the metric requires of every row.
        model: Finds the loaded model in a metric that has been used; None for a metric without a model.
        loads: Modules that come with the model: no bad input may cause their import.
        unprepared: Options, if there are any, that pass all checks, but need what the environment of the tests lacks.
    """

    columns: Mapping[str, list[Any]]
    identical: Mapping[str, list[Any]] | Callable[[], Mapping[str, list[Any]]]
    scores: tuple[float, float]
    best: float | None = None
    empty: float | None = None
    load: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    model: Callable[[Scorer], object] | None = None
    loads: tuple[str, ...] = ()
    unprepared: Mapping[str, Any] = field(default_factory=dict)

    def rows(self, *numbers: int) -> dict[str, list[Any]]:
        """Return the columns with these rows only, in this order."""
        return {column: [values[number] for number in numbers] for column, values in self.columns.items()}

    def best_rows(self) -> Mapping[str, list[Any]]:
        """Return the rows with the best of answers."""
        return self.identical() if callable(self.identical) else self.identical

    def filled(self, metric: Scorer, **columns: list[Any]) -> dict[str, list[Any]]:
        """Return those columns that the metric has, beside an example in every other column that it requires."""
        count = len(columns["predictions"])
        examples = {column: [self.columns[column][0]] * count for column in self.needed(metric)}
        return examples | {column: rows for column, rows in columns.items() if column in metric.columns}

    def needed(self, metric: Scorer) -> tuple[str, ...]:
        """Return the columns without which nothing can be scored."""
        return (*metric.required, *self.needs)

    def allows(self, score: float) -> bool:
        """Whether a score is in range, but for the last digits of its arithmetic."""
        lowest, highest = self.scores
        return lowest <= score <= highest + 1e-9

    def __len__(self) -> int:
        return len(self.columns["predictions"])


PREDICTIONS = [
    "It was Marie Curie who discovered radium in 1898.",
    "Albert Einstein",
    "",
    "The capital of France is Paris, of course.",
    "I do not know.",
    "Everest, I think",
]
REFERENCES = [["Marie Curie", "Curie"], "Marie Curie", ["Marie Curie"], "Paris", ["42"], ("K2", "Mount Everest")]
QUESTIONS = ["Who discovered radium?", "Who won?", "Who?", "What is the capital of France?", "What is it?", "Highest?"]
IDENTICAL_QUESTIONS = ["Who discovered radium?", "What jumps?", "What is the capital of France?"]
IDENTICAL = ["Marie Curie discovered radium in 1898", "the quick brown fox jumps", "the capital of France is Paris"]

_DEMO = json.loads(Path(evaluate_qa.path("evqascore"), "demo_clip", "config.json").read_text())


def _features() -> list[list[list[float]]]:
    """Five frames of each of six videos, as no video would give them: v, −v, u, −u, u.

    With a_k = f_v·f_k and b_k = f_u·f_k, P = mean_k max(|a_k|, |b_k|) ≥ 0, and 5R = (max a − min a) + (max b − min b)
    + max b ≥ max b. If R < 0, all b_k < 0, so that P ≥ −max b ≥ 5|R|, and F = 2PR / (P + R) ≥ −2|R| · 5/4 ≥ −1/2, as
    |R| ≤ 1/5. Otherwise F is from 0 to 1; c is from −1 to 1. With n keywords a score is thus from −3/4 · ln(n + 1), for
    a caption −3/4, to ln(n + 1), for a caption 1.
    """
    u, v = np.random.default_rng(0).normal(size=(2, 6, _DEMO["projection_dim"])).round(3)
    return np.stack([v, -v, u, -u, u], axis=1).tolist()


FEATURES = _features()
# The judge of the judge's rows, as long as the tests run.
CHAT_SERVER = ChatServer()
MOST_KEYWORDS = math.log(20 + 1)


def seen(texts: list[str]) -> dict[str, list[Any]]:
    """Captions of which each is its own keyword and the one frame of its video: c = P = R = F = 1."""
    from evaluate_qa.metrics.evqascore.clip import Encoder
    from evaluate_qa.metrics.evqascore.clip_models import load_demo

    frames = Encoder(load_demo(), device="cpu").encode_texts(texts)[:, None]
    return {"predictions": texts, "keywords": [[text] for text in texts], "video_features": list(frames)}


CASES = {
    "smile": Case(
        columns={
            "predictions": PREDICTIONS,
            "references": REFERENCES,
            "questions": ["Who discovered radium?", None, "", "Capital of France?", "What is it?", "Highest?"],
            "synthetic_answers": [
                ["Marie Curie discovered radium.", "Curie did."],
                "It was Marie Curie.",
                None,
                ["It is Paris."],
                "The answer is 42.",
                "It is Mount Everest.",
            ],
        },
        identical={"predictions": IDENTICAL, "references": IDENTICAL},
        scores=(0.0, 1.0),
        model=lambda metric: metric._model,
        loads=("onnxruntime", "simplemma"),
        unprepared={"lang": "xx"},
    ),
    "deltableu": Case(
        columns={
            "predictions": PREDICTIONS,
            "references": REFERENCES,
            "reference_weights": [[0.5, 1.0], [1.0], None, [0.7], None, (1, -0.5)],
        },
        identical={"predictions": IDENTICAL, "references": IDENTICAL},
        scores=(0.0, 100.0),
        unprepared={"tokenize": "ko-mecab"},
    ),
    "bem": Case(
        columns={"predictions": PREDICTIONS, "references": REFERENCES, "questions": QUESTIONS},
        identical={"predictions": IDENTICAL, "references": IDENTICAL, "questions": IDENTICAL_QUESTIONS},
        scores=(0.0, 1.0),
        best=0.99,
        model=lambda metric: metric._model,
        loads=("onnxruntime",),
    ),
    "nli_lex": Case(
        columns={"predictions": PREDICTIONS, "references": REFERENCES, "questions": [*QUESTIONS[:4], None, ""]},
        identical={"predictions": IDENTICAL, "references": IDENTICAL},
        scores=(0.0, 1.0),
        best=0.99,
        model=lambda metric: metric._model,
        loads=("onnxruntime",),
        unprepared={"weights": "no/such/file.json"},
    ),
    "evqascore": Case(
        columns={
            "predictions": PREDICTIONS,
            "questions": QUESTIONS,
            "videos": [None] * 6,
            "video_features": FEATURES,
            "keywords": [["Marie Curie", "radium"], None, None, None, [], ["Everest"]],
        },
        identical=partial(seen, IDENTICAL),
        scores=(-0.75 * MOST_KEYWORDS, MOST_KEYWORDS),
        best=1.0,
        empty=0.0,
        load={"config": "demo"},
        needs=("video_features",),
        model=lambda metric: metric._model,
        loads=("transformers.models.clip.modeling_clip",),
        unprepared={"lang": "xx"},
    ),
    "judge": Case(
        columns={
            "predictions": [*PREDICTIONS[:5], "Everest, not a mount"],
            "references": REFERENCES,
            "questions": [*QUESTIONS[:4], None, ""],
        },
        identical={"predictions": IDENTICAL, "references": IDENTICAL},
        scores=(0.0, 1.0),
        best=0.9,
        load={"endpoint": CHAT_SERVER.url, "model": "by-words"},
        model=lambda metric: metric._model,
        loads=("aiohttp",),
    ),
}


@pytest.fixture(scope="session", params=evaluate_qa.metric_names())
def name(request: pytest.FixtureRequest) -> str:
    """Each metric in turn."""
    return request.param


@pytest.fixture(scope="session")
def cases() -> dict[str, Case]:
    """What the contract's tests know of all metrics."""
    return CASES


@pytest.fixture(scope="session")
def case(name: str) -> Case:
    """What they know of the metric."""
    assert name in CASES, f"no entry for {name!r} in CASES of {Path(__file__).name}"
    return CASES[name]


@pytest.fixture(scope="session")
def load(name: str, case: Case) -> Callable[..., Scorer]:
    """Loads the metric anew, with the options it is given."""
    return partial(evaluate_qa.load, name, **case.load)


@pytest.fixture(scope="session")
def metric(load: Callable[..., Scorer]) -> Scorer:
    """The metric, loaded once for all tests that leave it as it was."""
    return load()


@pytest.fixture(scope="session")
def load_with_model(load: Callable[..., Scorer], metric: Scorer) -> Callable[..., Scorer]:
    """Loads the metric anew, but for the model: it has that of `metric`, if one is there by now."""

    def load_again(**options: Any) -> Scorer:
        another = load(**options)
        another._model = metric._model
        return another

    return load_again
