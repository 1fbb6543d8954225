"""An OpenAI-compatible server for tests, which judges answers by their words unless a test scripts its replies."""

import json
import math
import re
import struct
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SO_LINGER, SOL_SOCKET

LABELS = ("correct", "incorrect", "not attempted")


def texts(body):
    """The strings in the last message of a request, by the first word of their label."""
    found = {}
    for line in body["messages"][-1]["content"].splitlines():
        if match := re.fullmatch(r'(Question|Reference answers?|Answer to judge): (".*")', line):
            found[match[1].split()[0]] = json.loads(f"[{match[2]}]")
    return found


def prediction_of(body):
    """The prediction that a request asks about."""
    return texts(body).get("Answer", [""])[0]


def recall(prediction, references):
    """The largest share of a reference's words that the prediction contains."""
    words = set(re.findall(r"\w+", prediction.lower()))
    wanted = [set(re.findall(r"\w+", reference.lower())) for reference in references]
    return max((len(one & words) / len(one) for one in wanted if one), default=0.0)


def completion(text, tops=None, **more):
    """A completion; `tops` are the log-probabilities of candidates for its first token."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}, **more}
    if tops:
        first = [{"token": token, "logprob": value, "bytes": None} for token, value in tops.items()]
        rest = [{"token": text[len(max(tops, key=tops.get)) :], "logprob": 0.0, "bytes": None, "top_logprobs": []}]
        choice["logprobs"] = {"content": [{**max(first, key=lambda one: one["logprob"]), "top_logprobs": first}, *rest]}
    usage = {"prompt_tokens": 100, "completion_tokens": 2, "total_tokens": 102}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def by_words(body):
    """A verdict by words: P(correct) rises from .01, without a word of a reference, to .99, with all of them."""
    found = texts(body)
    p = 0.01 + 0.98 * recall(found["Answer"][0], found["Reference"])
    tops = {"correct": math.log(p), "in": math.log((1 - p) * 0.9), "not": math.log((1 - p) * 0.1)}
    return completion("correct" if p >= 0.5 else "incorrect", tops if body.get("logprobs") else None)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are used again
    disable_nagle_algorithm = True

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server.of
        subject = server.subject(body)
        with server.lock:
            server.bodies.append(body)
            server.keys.append(self.headers["Authorization"])
            server.ports.add(self.client_address[1])
            actions = server.plan.get(subject, [])
            action = actions.pop(0) if actions else server.reply
        time.sleep(server.seconds)
        done = action(body) if callable(action) else action
        if isinstance(done, bytes):
            self.send(200, done)
        elif isinstance(done, tuple):
            self.send(*done)
        elif done == "reset":
            self.connection.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
        elif done == "drip":
            self.drip()
        else:
            self.send(200, json.dumps(completion(done) if isinstance(done, str) else done).encode())
        with server.lock:
            server.answered.append(subject)

    def send(self, status, content, headers=None):
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def drip(self):
        """Send a byte now and then, and never finish."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "100000")
        self.end_headers()
        for _ in range(100):
            try:
                self.wfile.write(b" ")
                self.wfile.flush()
            except OSError:
                break
            time.sleep(0.05)
        self.close_connection = True

    def log_message(self, *_):
        pass


class _Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, *_):
        pass  # connections that the client or the test broke off


class ChatServer:
    """A server that runs until it is closed.

    Attributes:
        plan: Subject → replies to its first requests: a text, a whole completion, bytes, (status, bytes, headers),
            `reset`, `drip`, or a function of the request.
        reply: The reply to all other requests.
        seconds: How long a reply takes.
        subject: Returns the subject of a request (default: the prediction to judge).
        bodies: The requests.
        keys: Their headers `Authorization`.
        ports: The ports of the clients, one per connection.
        answered: The subjects of answered requests.
    """

    def __init__(self, reply=by_words, seconds=0.0, subject=prediction_of):
        self.plan, self.reply, self.seconds, self.subject = {}, reply, seconds, subject
        self.bodies, self.keys, self.ports, self.answered, self.lock = [], [], set(), [], threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.of = self
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def asked(self):
        """The number of requests by subject."""
        return dict(Counter(map(self.subject, self.bodies)))

    def close(self):
        """End it."""
        self._server.shutdown()
        self._server.server_close()
