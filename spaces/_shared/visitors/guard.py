"""What stands before the server: requests that are too large, do not get on, or name an address are refused.

Gradio limits the size of each uploaded file, and nothing else; uvicorn limits neither size nor time of a request. And
where file data hold an address in place of a path, Gradio downloads it, for any field, before it calls us.
"""

import asyncio
import json

from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .limits import LIMITS, Limits

_ADDRESS = "://"
# Not "/upload" alone: a function of a Space may be called so, as in /gradio_api/call/upload.
_UPLOAD = "/gradio_api/upload"
# Gradio writes all that a visitor has entered into a file, a key too, for everybody who has the link to it.
_LINK = "/deep_link"
_NO_LINKS = "This Space does not store what you entered. Share the Python code instead."
_NO_ADDRESSES = "This Space downloads nothing. Upload the file."


class Guard:
    """ASGI middleware that limits how large the body of a request is, and how long its next piece may take.

    It also refuses what would make the server fetch something: file data with an address, and `/file=http://…`; and
    what would make it keep what was entered.

    Args:
        app: The server.
        upload_bytes: Size of an upload, which may be several files.
        limits: Size of any other request, and the time.
    """

    def __init__(self, app: ASGIApp, upload_bytes: int, limits: Limits = LIMITS) -> None:
        self._app, self._upload_bytes, self._limits = app, upload_bytes, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, piece by piece."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        uploading = scope["path"].rstrip("/").endswith(_UPLOAD)
        most = self._upload_bytes if uploading else self._limits.file_bytes
        size = dict(scope["headers"]).get(b"content-length", b"0")
        if not size.isdigit() or int(size) > most:
            await JSONResponse({"detail": _too_large(most)}, 413)(scope, receive, send)
            return
        if _ADDRESS in scope["path"]:
            await JSONResponse({"detail": _NO_ADDRESSES}, 403)(scope, receive, send)
            return
        if scope["path"].rstrip("/").endswith(_LINK):
            await JSONResponse({"detail": _NO_LINKS}, 403)(scope, receive, send)
            return
        await self._app(scope, _Body(receive, most, self._limits.piece_seconds, uploading), send)


class _Body:
    """The pieces of a request's body as they come; once it is whole, whoever waits may wait as long as it likes."""

    def __init__(self, receive: Receive, most: int, seconds: float, uploading: bool) -> None:
        self._receive, self._left, self._most, self._seconds = receive, most, most, seconds
        self._uploading, self._whole = uploading, False
        self._content = bytearray()  # of an upload nothing is kept

    async def __call__(self) -> Message:
        if self._whole:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), self._seconds)
        except TimeoutError:  # until Python 3.11 another than TimeoutError
            raise self._broken_off(408, f"No data arrived for {self._seconds:g} seconds. Try again.") from None
        self._whole = not message.get("more_body", False)
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise self._broken_off(413, _too_large(self._most))
        if self._uploading and message["type"] == "http.disconnect":
            raise self._broken_off(400, "The upload was interrupted.")
        if not self._uploading:
            self._content += message.get("body", b"")
            if self._whole and _names_address(self._content):
                raise self._broken_off(400, _NO_ADDRESSES)
        return message

    def _broken_off(self, status: int, told: str) -> Exception:
        """Return the error that ends a request; of an upload the one at which Gradio deletes what has come of it."""
        return MultiPartException(told) if self._uploading else HTTPException(status, told)


def _names_address(content: bytearray) -> bool:
    """Whether file data in a request have an address for a path."""
    try:
        left = [json.loads(content)]
    except RecursionError:
        return True
    except ValueError:  # no JSON, which the server will say
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
    # Gradio answers an upload by these words: with "maximum allowed size" as too large, else as a bad request.
    return f"This is more than the maximum allowed size of {most / 2**20:.3g} MB. Send it in parts."
