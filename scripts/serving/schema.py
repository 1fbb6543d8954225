"""The OpenAPI descriptions of requests, from the columns that a metric declares."""

from typing import Any

Schema = dict[str, Any]

UNAUTHORIZED: dict[int | str, Schema] = {401: {"description": "Missing or wrong token, if the server has one"}}
ERRORS: dict[int | str, Schema] = {
    400: {"description": "Invalid input, with what was expected"},
    **UNAUTHORIZED,
    408: {"description": "The body did not arrive in time"},
    413: {"description": "Too many bytes"},
    415: {"description": "Another content type than JSON, or a compressed body"},
    429: {"description": "Too many waiting rows"},
    500: {"description": "The rows could not be scored"},
}
SYSTEMONE_ERRORS: dict[int | str, Schema] = ERRORS | {501: {"description": "The metric's score is not a probability"}}
_TYPES = {"string": "string", "float64": "number"}


def score(metric: Any) -> Schema:
    """Return the description of a request to score rows."""
    columns = {
        name: {"type": "array", "items": _row(column.feature, name in metric.required), "description": column.help}
        for name, column in metric.columns.items()
    }
    per_example = {"type": "boolean", "default": True, "description": "False leaves out the scores of each row."}
    example = {
        "predictions": ["It was Marie Curie."],
        "references": [["Marie Curie", "Curie"]],
        "questions": ["Who discovered radium?"],
    }
    return _request({**columns, "per_example": per_example}, list(metric.required), example)


def systemone() -> Schema:
    """Return the description of a System One request."""
    parts = {"type": {"enum": ["noul", "choice"]}, "instructions": {}, "criteria": {"type": "object"}}
    question = {"type": "object", "required": ["type"], "properties": parts}
    properties = {
        "model": {"description": "Not read: the server has one metric."},
        "state": {"description": "A row with question, references and prediction, as an object or as JSON text."},
        "questions": {
            "type": "object",
            "additionalProperties": question,
            "description": "The instructions are not read: the question is always whether the prediction is right.",
        },
    }
    row = {"question": "Who discovered radium?", "references": ["Marie Curie"], "prediction": "It was Marie Curie."}
    right = {"type": "noul", "instructions": "Is the prediction right?"}
    return _request(properties, ["state", "questions"], {"state": row, "questions": {"right": right}})


def _request(properties: Schema, required: list[str], example: Schema) -> Schema:
    body = {"type": "object", "required": required, "properties": properties}
    content = {"application/json": {"schema": body, "example": example}}
    return {"requestBody": {"required": True, "content": content}}


def _row(feature: str | list[str], required: bool) -> Schema:
    """Return the schema of one row of a column; a list of texts may be given as one text."""
    one = {"type": _TYPES[feature if isinstance(feature, str) else feature[0]]}
    types: list[Schema] = [one] if feature in ("string", ["string"]) else []
    types += [] if isinstance(feature, str) else [{"type": "array", "items": one}]
    return {"anyOf": types if required else [*types, {"type": "null"}]}
