"""System One: the scorer answers the question whether an answer is right, in the shape of decision endpoints.

vLLM, Ollama, LiteLLM and others use the same schema: https://docs.vllm.ai, "Structured Decisions".
"""

import json
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException

from evaluate_qa.metrics._shared.columns import RowError
from evaluate_qa.metrics.judge.decision_api import ASPECTS

from ..scoring.columns import MetricColumns
from ..scoring.dynamic_batching import Columns
from .bodies import json_type, message_in_json

PROBABILISTIC = ("bem", "judge", "nli_lex")
"""The metrics whose score is the probability that an answer is right."""

_EXPECTED = "an object with question, references and prediction"
_CORRECT, _INCORRECT = "correct", "incorrect"


def read_row(body: Mapping[str, Any], metric: Any, options: Any) -> Columns:
    """Return the checked columns of the row that a request's state describes; raise ValueError if there is none."""
    questions = body.get("questions")
    if not isinstance(questions, dict) or not questions:
        raise ValueError(
            "questions is missing or empty; expected an object with named questions of type 'noul' or 'choice'"
        )
    for name, question in questions.items():
        kind = question.get("type") if isinstance(question, dict) else None
        if kind != "noul" and not (kind == "choice" and {_CORRECT, _INCORRECT} <= _criteria(question).keys()):
            found = "no type" if kind is None else f"the type {kind!r:.80}"
            raise ValueError(
                f"questions[{name!r:.80}] has {found}; expected 'noul', or 'choice' with the criteria "
                f"{_CORRECT} and {_INCORRECT}, because {metric.name} only decides whether the prediction is right"
            )
        if any(statement in str(question.get("instructions")) for statement in ASPECTS.values()):
            raise ValueError(f"questions[{name!r:.80}] is an aspect; {metric.name} only decides if answers are right")
    state = _read_state(body.get("state"))
    names = MetricColumns()
    for column in metric.required:
        if names.name_in(state, column) not in state:
            raise ValueError(f"state has no {column!r}; expected {_EXPECTED}")
    row = names.take([state], metric.columns, metric.required)
    try:
        checked: Columns = metric.check_columns(row, options)
    except RowError as error:
        place = f"state.{names.name_in(state, error.column)}"
        message = message_in_json(error, row).removeprefix(f"{metric.name}: ").replace(f"{error.column}[0]", place, 1)
        raise ValueError(message) from None
    return checked


def _read_state(given: Any) -> dict[str, Any]:
    """Return the state as an object; clients may send it as JSON text."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            raise ValueError(f"state is not JSON; expected {_EXPECTED}") from None
    if not isinstance(given, dict):
        raise ValueError(f"state is {json_type(given)}; expected {_EXPECTED}")
    return given


def _criteria(question: Mapping[str, Any]) -> Mapping[str, Any]:
    found = question.get("criteria")
    return found if isinstance(found, dict) else {}


def reply(body: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """Return for every question the probability from 0 to 1 that the prediction is right.

    Raise HTTPException if the row could not be scored.
    """
    rows = result["per_example"]
    if (score := rows["score"][0]) is None:
        raise HTTPException(500, rows["error"][0])
    answers = {name: _answer(question, score) for name, question in body["questions"].items()}
    # No tokens are billed; clients require the counts.
    usage = {"input_tokens": 0, "output_tokens": 0}
    return {"model": result["signature"], "answers": answers, "usage": usage}


def _answer(question: Mapping[str, Any], score: float) -> dict[str, Any]:
    """Return the answer to a question; criteria other than correct and incorrect have the probability 0."""
    if question["type"] == "noul":
        return {"type": "noul", "noul": score}
    chance = dict.fromkeys(_criteria(question), 0.0) | {_CORRECT: score, _INCORRECT: 1 - score}
    likeliest = max(chance, key=chance.__getitem__)
    # TypeSafe's formula, (max p - 1/n) / (1 - 1/n). Clients such as LiteLLM refuse a choice without a confidence.
    confidence = (len(chance) * chance[likeliest] - 1) / (len(chance) - 1)
    return {"type": "choice", "choice": likeliest, "probabilities": chance, "confidence": confidence}
