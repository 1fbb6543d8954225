"""Requests to a Space, and a server from which nothing may be fetched."""

import json
import urllib.error
import urllib.request
from contextlib import contextmanager

from file_server import replies_served


def ask(url, body=None):
    """Return status and text of the response; the body is sent as JSON."""
    content = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, content, {"Content-Type": "application/json"}), timeout=60
        ) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def upload(server, content):
    """Upload a file, and return the object that the API expects for it."""
    body = b'--X\r\nContent-Disposition: form-data; name="files"; filename="a.mp4"\r\n\r\n%s\r\n--X--\r\n' % content
    headers = {"Content-Type": "multipart/form-data; boundary=X"}
    with urllib.request.urlopen(
        urllib.request.Request(f"{server.url}/gradio_api/upload", body, headers), timeout=20
    ) as answer:
        (path,) = json.load(answer)
    return {"path": path, "meta": {"_type": "gradio.FileData"}}


@contextmanager
def server_elsewhere():
    """Yield the address of a file on a server, and the list of requested paths."""
    asked = []
    with replies_served(lambda request: asked.append(request.path) or (200, b"found")) as there:
        yield f"http://127.0.0.1:{there.server_port}/secret.mp4", asked
