"""Read the body of a request, within limits of size and time."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from evaluate_qa.metrics._shared.columns import RowError
from evaluate_qa.metrics._shared.messages import short_repr

MOST_BYTES = 16 * 2**20
"""Size of a body."""

MOST_SECONDS = 30
"""Time until a body is complete."""

_JSON_TYPES = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}


def json_type(value: Any) -> str:
    """Return the name of the JSON type of a value that is not an object."""
    return _JSON_TYPES.get(type(value), "a number")


def message_in_json(error: Exception, columns: Mapping[str, Any]) -> str:
    """Return the message of an error, in which the value of a row is JSON: `null` instead of `None`."""
    if not isinstance(error, RowError) or columns.get(error.column) is None:
        return str(error)
    value = columns[error.column][error.row]
    text = json.dumps(value, ensure_ascii=False)
    return str(error).replace(short_repr(value), text if len(text) <= 80 else f"{text[:79]}…", 1)  # noqa: PLR2004


async def read_object(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body of a request.

    Raise HTTPException if the body is too large (413), too slow (408), or not a JSON object (400, 415).
    """
    # Web pages can send any other content type to a server on this machine, but JSON only if the server agrees.
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, f"The content type is {kind!r}; expected the header Content-Type: application/json.")
    if coding := request.headers.get("content-encoding", "").strip().lower().replace("identity", ""):
        raise HTTPException(415, f"The content encoding is {coding!r}; expected an uncompressed body.")
    body = await _read(request)
    try:
        found = json.loads(body)
    except RecursionError:
        raise HTTPException(400, "The body is nested too deeply; expected a JSON object.") from None
    except ValueError as error:
        raise HTTPException(400, f"The body is not JSON ({error}); expected a JSON object.") from None
    if not isinstance(found, dict):
        raise HTTPException(400, f"The body is {json_type(found)}; expected a JSON object.")
    return found


async def _read(request: Request) -> bytearray:
    body, size = bytearray(), 0
    try:
        async with asyncio.timeout(MOST_SECONDS):
            # A body that is too large is read to its end, because many clients only read the reply after that.
            async for piece in request.stream():
                size += len(piece)
                if size <= MOST_BYTES:
                    body += piece
                else:
                    body.clear()
    except TimeoutError:
        late = f"The body did not arrive within {MOST_SECONDS:g} seconds. Send fewer rows at once."
        raise HTTPException(408, late, {"Connection": "close"}) from None
    except ClientDisconnect:
        raise HTTPException(400, "The connection was closed before the body was complete.") from None
    if size > MOST_BYTES:
        most = f"{MOST_BYTES / 2**20:g} MB"
        raise HTTPException(
            413, f"The body has {size / 2**20:.1f} MB; expected at most {most}. Send the rows in parts."
        )
    return body
