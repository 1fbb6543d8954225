"""Local HTTP servers: one for the files of a folder, one whose replies a test gives, and one with any handler."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread


class _Quiet:
    def log_message(self, *_):
        pass


class _Files(_Quiet, SimpleHTTPRequestHandler):
    pass


class _Replies(_Quiet, BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, content = self.server.reply(self)
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_CONNECT = do_POST  # noqa: N815


@contextmanager
def replies_served(reply, context=None):
    """Answer each request with the status and body that `reply` returns. Yield the server; `context` turns on TLS."""
    with serving(_Replies, context) as server:
        server.reply = reply
        yield server


@contextmanager
def files_served(folder: Path) -> Iterator[str]:
    """Serve the files of a folder; yields the address."""
    with serving(partial(_Files, directory=str(folder))) as server:
        yield f"http://127.0.0.1:{server.server_port}"


@contextmanager
def serving(handler, context=None):
    """Serve with this class of handlers; yields the server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        if context:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
