"""The HTTP server that runs the application: uvicorn, with limits of time and connections."""

import asyncio
import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

_HEADER_SECONDS = 30
_DRAIN_SECONDS = 60
_KEEP_ALIVE_SECONDS = 75
_CONNECTIONS = 1000


class _Protocol(H11Protocol):
    """Closes a connection whose headers do not arrive in time, which uvicorn does not."""

    _timer: asyncio.TimerHandle | None = None
    _receives = True  # whether a request has begun; between requests, the limit of uvicorn for idle connections applies

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop()

    def data_received(self, data: bytes) -> None:
        self._receives = True
        super().data_received(data)

    def handle_events(self) -> None:
        super().handle_events()
        self._watch()

    def _watch(self) -> None:
        busy = self.cycle is not None and not self.cycle.response_complete
        if busy:
            self._receives = False
            self._stop()
        elif self._timer is None and self._receives:
            self._timer = self.loop.call_later(_HEADER_SECONDS, self._late)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _late(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            self.transport.close()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address; port 0 is any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (")[0]
        raise OSError(f"cannot listen on {host}, port {port}: {reason}. Change --port or --host.") from error
    # Connections inherit it. Otherwise the body of a reply waits 40 ms until the client has confirmed the headers.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def address(listening: socket.socket) -> str:
    """Return the address of a server for people."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def http_server(app: Any) -> uvicorn.Server:
    """Return a server whose `run([socket])` ends with SIGTERM or Ctrl+C, after it has answered all requests."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=_Protocol,
            ws="none",
            lifespan="off",
            log_level="warning",
            access_log=False,
            limit_concurrency=_CONNECTIONS,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=_DRAIN_SECONDS,
        )
    )
