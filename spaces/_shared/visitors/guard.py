"""ASGI middleware that refuses requests that are too large or too slow, or that name an address.

Gradio limits the size of each uploaded file and nothing else; uvicorn limits neither size nor time. And if file data
contain an address instead of a path, Gradio downloads it, for any field, before it calls the Space's functions.
"""

import asyncio
import json

from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .limits import LIMITS

_ADDRESS = "://"
# Not "/upload" alone, because a function of a Space may have this name, as in /gradio_api/call/upload.
_UPLOAD = "/gradio_api/upload"
# Gradio would write everything the visitor entered, a key included, to a file for everybody who has the link.
_LINK = "/deep_link"
_NO_LINKS = "This Space does not store what you entered. Share the Python code instead."
_NO_ADDRESSES = "This Space downloads nothing. Upload the file."


class Guard:
    """Limits the size of a request's body and the time until its next piece, and refuses addresses and deep links.

    The size of other requests than uploads is `LIMITS.file_bytes`.
    """

    def __init__(self, app: ASGIApp, upload_bytes: int) -> None:
        self._app, self._upload_bytes = app, upload_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, piece by piece."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"].rstrip("/")
        uploading = path.endswith(_UPLOAD)
        most = self._upload_bytes if uploading else LIMITS.file_bytes
        size = dict(scope["headers"]).get(b"content-length", b"0")
        refused = None
        if not size.isdigit() or int(size) > most:
            refused = _too_large(most), 413
        elif _ADDRESS in path:
            refused = _NO_ADDRESSES, 403
        elif path.endswith(_LINK):
            refused = _NO_LINKS, 403
        if refused:
            message, status = refused
            await JSONResponse({"detail": message}, status)(scope, receive, send)
        else:
            await self._app(scope, _Body(receive, most, uploading), send)


class _Body:
    """The pieces of a request's body as they arrive. Once the body is complete, waiting is not limited."""

    def __init__(self, receive: Receive, most: int, uploading: bool) -> None:
        self._receive, self._left, self._most = receive, most, most
        self._uploading, self._complete = uploading, False
        self._content = bytearray()  # stays empty for an upload

    async def __call__(self) -> Message:
        if self._complete:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), LIMITS.piece_seconds)
        except TimeoutError:
            raise self._error(408, f"No data arrived for {LIMITS.piece_seconds:g} seconds. Try again.") from None
        self._complete = not message.get("more_body", False)
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise self._error(413, _too_large(self._most))
        if self._uploading and message["type"] == "http.disconnect":
            raise self._error(400, "The upload was interrupted.")
        if not self._uploading:
            self._content += message.get("body", b"")
            if self._complete and _names_address(self._content):
                raise self._error(400, _NO_ADDRESSES)
        return message

    def _error(self, status: int, message: str) -> Exception:
        """Return the error that ends a request; for an upload, the error after which Gradio deletes the file."""
        return MultiPartException(message) if self._uploading else HTTPException(status, message)


def _names_address(content: bytearray) -> bool:
    """Return True if file data in a request have an address instead of a path."""
    try:
        left = [json.loads(content)]
    except RecursionError:
        return True
    except ValueError:  # not JSON, which the server reports
        return False
    while left:
        value = left.pop()
        if isinstance(value, dict):
            if "meta" in value and _ADDRESS in str(value.get("path")):
                return True
            left += value.values()
        elif isinstance(value, list):
            left += value
    return False


def _too_large(most: int) -> str:
    # Gradio looks for "maximum allowed size" in the message to answer with status 413.
    return f"This is more than the maximum allowed size of {most / 2**20:.3g} MB. Send it in parts."
