"""Fixtures of the contract tests, which cover every metric; an entry in CASES describes an unusual one."""

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
from evaluate_qa.loading import scorer_class
from evaluate_qa.metrics._shared.scorer import Scorer


@dataclass(frozen=True)
class Case:
    """A metric in the contract tests.

    Args:
        columns: Rows of different quality, in every column that the metric uses.
        identical: Three rows with perfect answers in the required columns, or a function that returns them.
        scores: Lowest and highest score.
        best: Minimum score of the `identical` rows (default: the highest score).
        empty: Score of an empty answer (default: the lowest score).
        load: Options of `load` that the tests need.
        needs: Further columns that a row needs to be scored.
        loads: Modules that the model needs, and that invalid input must not import; empty for a metric without a model.
        unprepared: Valid options that need a file or package that the tests do not have.
    """

    columns: Mapping[str, list[Any]]
    identical: Mapping[str, list[Any]] | Callable[[], Mapping[str, list[Any]]]
    scores: tuple[float, float] = (0.0, 1.0)
    best: float | None = None
    empty: float | None = None
    load: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    loads: tuple[str, ...] = ()
    unprepared: Mapping[str, Any] = field(default_factory=dict)

    def rows(self, *numbers: int) -> dict[str, list[Any]]:
        """Return the columns with only these rows."""
        return {column: [values[number] for number in numbers] for column, values in self.columns.items()}

    def best_rows(self) -> Mapping[str, list[Any]]:
        """Return the rows with perfect answers."""
        return self.identical() if callable(self.identical) else self.identical

    def filled(self, metric: Scorer, **columns: list[Any]) -> dict[str, list[Any]]:
        """Return the given columns that the metric has, and examples in its other required columns."""
        count = len(columns["predictions"])
        examples = {column: [self.columns[column][0]] * count for column in self.needed(metric)}
        return examples | {column: rows for column, rows in columns.items() if column in metric.columns}

    def needed(self, metric: Scorer) -> tuple[str, ...]:
        """Return the columns that are needed to score a row."""
        return (*metric.required, *self.needs)

    def allows(self, score: float) -> bool:
        """Return whether a score is in range, up to rounding."""
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
ROWS = {"predictions": PREDICTIONS, "references": REFERENCES, "questions": QUESTIONS}
BEST_ROWS = {"predictions": IDENTICAL, "references": IDENTICAL, "questions": IDENTICAL_QUESTIONS}

_DEMO = json.loads(Path(evaluate_qa.path("evqascore"), "demo_clip", "config.json").read_text())


def _features() -> list[list[list[float]]]:
    """Return five frames v, −v, u, −u, u for each of six videos.

    With a_k = f_v·f_k and b_k = f_u·f_k, P = mean_k max(|a_k|, |b_k|) ≥ 0, and 5R = (max a − min a) + (max b − min b)
    + max b ≥ max b. If R < 0, all b_k < 0, so that P ≥ −max b ≥ 5|R|, and F = 2PR / (P + R) ≥ −2|R| · 5/4 ≥ −1/2, as
    |R| ≤ 1/5. Otherwise F is from 0 to 1; c is from −1 to 1. With n keywords a score is thus from −3/4 · ln(n + 1), for
    a caption −3/4, to ln(n + 1), for a caption 1.
    """
    u, v = np.random.default_rng(0).normal(size=(2, 6, _DEMO["projection_dim"])).round(3)
    return np.stack([v, -v, u, -u, u], axis=1).tolist()


FEATURES = _features()
# The chat model of judge, which runs as long as the tests.
CHAT_SERVER = ChatServer()
MOST_KEYWORDS = math.log(20 + 1)


def seen(texts: list[str]) -> dict[str, list[Any]]:
    """Return captions that are their own keyword and the only frame of their video: c = P = R = F = 1."""
    from evaluate_qa.metrics.evqascore.clip import Encoder
    from evaluate_qa.metrics.evqascore.clip_models import load_demo

    frames = Encoder(load_demo(), device="cpu").encode_texts(texts)[:, None]
    return {"predictions": texts, "keywords": [[text] for text in texts], "video_features": list(frames)}


PLAIN_BEST_ROWS = {"predictions": IDENTICAL, "references": IDENTICAL}
CASES = {
    "smile": Case(
        columns=ROWS
        | {
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
        identical=PLAIN_BEST_ROWS,
        loads=("onnxruntime", "simplemma"),
        unprepared={"lang": "xx"},
    ),
    "deltableu": Case(
        columns={
            "predictions": PREDICTIONS,
            "references": REFERENCES,
            "reference_weights": [[0.5, 1.0], [1.0], None, [0.7], None, (1, -0.5)],
            "against": ["Curie", "Curie", "Curie", "", "42", "Mount Everest"],
        },
        identical=PLAIN_BEST_ROWS,
        scores=(0.0, 100.0),
        unprepared={"tokenize": "ko-mecab"},
    ),
    "bem": Case(columns=ROWS, identical=BEST_ROWS, best=0.99, loads=("onnxruntime",)),
    "nli_lex": Case(
        columns=ROWS | {"questions": [*QUESTIONS[:4], None, ""]},
        identical=PLAIN_BEST_ROWS,
        best=0.99,
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
        loads=("transformers.models.clip.modeling_clip",),
        unprepared={"lang": "xx"},
    ),
    "judge": Case(
        columns=ROWS
        | {"predictions": [*PREDICTIONS[:5], "Everest, not a mount"], "questions": [*QUESTIONS[:4], None, ""]},
        identical=PLAIN_BEST_ROWS,
        best=0.9,
        load={"endpoint": CHAT_SERVER.url, "model": "by-words"},
        loads=("aiohttp",),
    ),
}


def usual(name: str) -> Case:
    """Return the case of a metric without an entry: usual columns, scores from 0 to 1, and no model."""
    used = scorer_class(name).columns
    return Case(*({column: rows[column] for column in rows if column in used} for rows in (ROWS, BEST_ROWS)))


CASES |= {name: usual(name) for name in evaluate_qa.metric_names() if name not in CASES}


@pytest.fixture(scope="session", params=evaluate_qa.metric_names())
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="session")
def cases() -> dict[str, Case]:
    return CASES


@pytest.fixture(scope="session")
def case(name: str) -> Case:
    loads_model = scorer_class(name).load is not Scorer.load
    assert bool(CASES[name].loads) == loads_model, f"the entry of {name!r} in CASES must name what its model loads"
    return CASES[name]


@pytest.fixture(scope="session")
def load(name: str, case: Case) -> Callable[..., Scorer]:
    return partial(evaluate_qa.load, name, **case.load)


@pytest.fixture(scope="session")
def metric(load: Callable[..., Scorer]) -> Scorer:
    """The metric, loaded once for all tests that do not change it."""
    return load()


@pytest.fixture(scope="session")
def result(metric: Scorer, case: Case) -> dict[str, Any]:
    """The metric's result for the columns of its case."""
    return metric.compute(**case.columns)


@pytest.fixture(scope="session")
def load_with_model(load: Callable[..., Scorer], metric: Scorer) -> Callable[..., Scorer]:
    """Return a function that loads the metric, but shares the model of `metric`."""

    def load_again(**options: Any) -> Scorer:
        another = load(**options)
        another._model = metric._model
        return another

    return load_again


@pytest.fixture(scope="session")
def deltableu() -> Scorer:
    """The metric without a model, which is fast."""
    return evaluate_qa.load("deltableu")
