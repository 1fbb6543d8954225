"""The OpenAPI descriptions of requests and replies, from the columns that a metric declares."""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

_NOUL: Schema = {
    "type": "object",
    "required": ["type"],
    "properties": {
        "type": {"const": "noul"},
        "instructions": {"description": "Not read: the question is always whether the prediction is right."},
    },
}


def described(body: Schema, example: Mapping[str, Any]) -> Schema:
    """Return the OpenAPI entry of an operation with this request body."""
    content = {"application/json": {"schema": body, "example": example}}
    errors = {"400": "Invalid input, with what was expected", "413": "Too many bytes", "429": "Too many waiting rows"}
    responses = {status: {"description": text} for status, text in errors.items()}
    return {"requestBody": {"required": True, "content": content}, "responses": responses}


def score_body(metric: Any) -> Schema:
    """Return the schema of the rows to score."""
    properties = {
        name: {"type": "array", "items": _values(column.feature, name in metric.required), "description": column.help}
        for name, column in metric.columns.items()
    }
    per_example = {"type": "boolean", "default": True, "description": "False leaves out the scores of each row."}
    return {
        "type": "object",
        "required": list(metric.required),
        "properties": properties | {"per_example": per_example},
    }


def systemone_body(metric: Any) -> Schema:
    """Return the schema of a System One request."""
    row = {
        name.removesuffix("s") if column.feature == "string" else name: _values(column.feature, name in metric.required)
        for name, column in metric.columns.items()
    }
    return {
        "type": "object",
        "required": ["state", "questions"],
        "properties": {
            "model": {"type": "string", "description": "Not read: the server has one metric."},
            "state": {"type": "object", "properties": row, "description": "One row, as an object or as JSON text."},
            "questions": {"type": "object", "additionalProperties": _NOUL},
        },
    }


def _values(feature: str | list[str], required: bool) -> Schema:
    """Return the schema of one row of a column."""
    kinds = {"string": "string", "float64": "number"}
    if isinstance(feature, str):
        types: list[Schema] = [{"type": kinds[feature]}]
    else:
        of = {"type": kinds[feature[0]]}
        types = [*([of] if of["type"] == "string" else []), {"type": "array", "items": of}]
    return {"anyOf": types if required else [*types, {"type": "null"}]}


def score_example() -> Schema:
    """Return an example of rows to score."""
    return {
        "predictions": ["It was Marie Curie."],
        "references": [["Marie Curie", "Curie"]],
        "questions": ["Who discovered radium?"],
    }


def systemone_example() -> Schema:
    """Return an example of a System One request."""
    row = {
        "question": "Who discovered radium?",
        "references": ["Marie Curie"],
        "prediction": "It was Marie Curie.",
    }
    right = {"type": "noul", "instructions": "Is the prediction right?"}
    return {"state": row, "questions": {"right": right}}
