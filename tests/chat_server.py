"""An OpenAI-compatible server for tests, which judges answers by their words unless a test scripts its replies.

It can also serve decision endpoints: requests and replies have the fields of OpenAI's package (`decisions`) and of
vLLM and llama.cpp (`systemone`), and it refuses requests with other fields, as vLLM does. With `files` and `batches`
among its paths, it answers batches of chat requests, in the shapes of OpenAI's package.
"""

import email
import json
import math
import re
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

LABELS = ("correct", "incorrect", "not attempted")
STATES = {"systemone": "state", "decisions": "input"}
FIELDS = {
    "Question": "Question",
    "Reference": "Reference",
    "Correct": "Reference",
    "Answer": "Answer",
    "Student": "Answer",
}
NAMES = {"question": "Question", "reference_answers": "Reference", "answer_to_judge": "Answer"}


def texts(body):
    """The strings in the last message of a request, by the first word of their label."""
    found = {}
    if "messages" not in body:
        state = json.loads(body["state"] if "state" in body else body["input"])
        return {NAMES[name]: text if isinstance(text, list) else [text] for name, text in state.items()}
    for line in body["messages"][-1]["content"].splitlines():
        if match := re.fullmatch(r"(\w+)[\w' ]*: (\".*\")", line):
            found[FIELDS[match[1]]] = json.loads(f"[{match[2]}]")
    return found


def prediction_of(body):
    """The prediction that a request asks about."""
    return texts(body).get("Answer", [""])[0]


def rows(*predictions):
    """Rows with the reference "right"; `by_words` judges an answer with this word as correct."""
    return {"predictions": [*predictions], "references": ["right"] * len(predictions)}


def numbered(count):
    """Rows with different answers; two thirds of the answers are correct."""
    return rows(*(f"{'right' if number % 3 else 'wrong'} {number}" for number in range(count)))


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
    """A verdict by words: P(correct) rises from .01, without a word of a reference, to .99, with all of them.

    The reply is a decision if the request asks for one.
    """
    found = texts(body)
    p = 0.01 + 0.98 * recall(found["Answer"][0], found["Reference"])
    if "messages" not in body:
        return decision(body, dict(zip(LABELS, (p, (1 - p) * 0.9, (1 - p) * 0.1), strict=True)))
    tops = {"correct": math.log(p), "in": math.log((1 - p) * 0.9), "not": math.log((1 - p) * 0.1)}
    return completion("correct" if p >= 0.5 else "incorrect", tops if body.get("logprobs") else None)


def decision(body, probabilities, refused=(), confidence=0.8, **aspects):
    """A reply with the probability of each label and of each aspect (default: .25), in the shape of the request."""
    choice = {"type": "choice", "choice": max(probabilities, key=probabilities.get), "confidence": confidence}
    if "state" in body:
        choice["probabilities"] = {**probabilities}
        answers = {
            name: choice if one["type"] == "choice" else {"type": "noul", "noul": aspects.get(name, 0.25)}
            for name, one in body["questions"].items()
            if name not in refused  # such servers leave out what they cannot answer
        }
        return {"model": "m", "answers": answers, "usage": {"input_tokens": 80, "output_tokens": 0}}
    choice["probabilities"] = [{"value": label, "probability": p} for label, p in probabilities.items()]
    answers = [
        {"type": "refusal", "name": one["name"]}
        if one["name"] in refused
        else {"name": one["name"], **choice}
        if one["type"] == "choice"
        else {"type": "predicate", "name": one["name"], "probability": aspects.get(one["name"], 0.25)}
        for one in body["questions"]
    ]
    details = {
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    usage = {"input_tokens": 80, "output_tokens": 0, "total_tokens": 80, **details}
    return {"model": "m", "answers": answers, "usage": usage}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are used again
    disable_nagle_algorithm = True

    def do_GET(self):
        server, path = self.server.of, self.path.rpartition("/v1/")[2]
        with server.lock:
            server.keys.append(self.headers["Authorization"])
            if path.startswith("files/") and path.endswith("/content"):
                self.send(200, server.files[path.split("/")[1]])
            elif path.startswith("batches/") and (batch := server.batches.get(path.split("/")[1])):
                self.send(200, json.dumps(server.advanced(batch)).encode())
            elif path.startswith("batches?"):
                after = parse_qs(urlsplit(path).query).get("after", [""])[0]
                left = [*server.batches.values()][[*server.batches, after].index(after) + 1 if after else 0 :]
                self.send(200, json.dumps({"data": left[:1], "has_more": len(left) > 1}).encode())
            else:
                self.send(404, b'{"error": {"message": "No such object"}}')

    def uploaded(self, content):
        """The reply to a file in a form."""
        form = email.message_from_bytes(f"Content-Type: {self.headers['Content-Type']}\n\n".encode() + content)
        fields = {part.get_param("name", header="Content-Disposition"): part for part in form.get_payload()}
        assert fields["purpose"].get_payload() == "batch"
        with self.server.of.lock:
            return {"id": self.server.of.save(fields["file"].get_payload(decode=True)), "object": "file"}

    def do_POST(self):
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        server = self.server.of
        api = self.path.rpartition("/v1/")[2]
        if api not in server.apis:
            with server.lock:
                server.refused.append(api)
            self.send(404, b'{"detail": "Not Found"}')
            return
        if api == "files":
            self.answer(self.uploaded(content))
            return
        body = json.loads(content)
        if api == "batches":
            self.answer(server.submitted(body))
            return
        if api in STATES and body.keys() != {"model", STATES[api], "questions"}:
            self.send(400, b'{"error": {"message": "Extra inputs are not permitted"}}')
            return
        with server.lock:
            server.keys.append(self.headers["Authorization"])
            action = server.received(body)
        time.sleep(server.seconds)
        self.answer(action(body) if callable(action) else action)

    def answer(self, done):
        """Send a reply, as `ChatServer.plan` describes it."""
        if isinstance(done, bytes):
            self.send(200, done)
        elif isinstance(done, tuple):
            self.send(*done)
        elif done == "drip":
            self.drip()
        else:
            self.send(200, json.dumps(completion(done) if isinstance(done, str) else done).encode())

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

    def handle_error(self, *_):
        pass  # connections that the client or the test broke off


class ChatServer:
    """A server that runs until it is closed.

    Attributes:
        plan: Subject → replies to its first requests: a text, a whole completion, bytes, (status, bytes, headers),
            `drip`, or a function of the request.
        reply: The reply to all other requests.
        seconds: How long a reply takes.
        subject: Returns the subject of a request (default: the prediction to judge).
        bodies: The requests.
        apis: The served paths.
        refused: The paths of requests to other paths.
        keys: Their headers `Authorization`.
        states: The states that the next requests for a batch get. The server answers at the first state that is an end.
        batches: The batches by id.
        files: The contents of files by id.
        create: Returns the reply to the creation of a batch (default: the batch).
        uploads: The `custom_id`s in each created batch.
    """

    def __init__(self, reply=by_words, seconds=0.0, subject=prediction_of):
        self.plan, self.reply, self.seconds, self.subject = {}, reply, seconds, subject
        self.apis, self.refused = {"chat/completions"}, []
        self.bodies, self.keys, self.lock = [], [], threading.Lock()
        self.states, self.batches, self.files, self.uploads = [], {}, {}, []
        self.create = lambda batch: batch
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.of = self
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def asked(self):
        """The number of requests by subject."""
        return dict(Counter(map(self.subject, self.bodies)))

    def received(self, body):
        """Store a request; return the reply, or a function that returns it."""
        self.bodies.append(body)
        actions = self.plan.get(self.subject(body), [])
        return actions.pop(0) if actions else self.reply

    def save(self, content):
        """Save a file and return its id."""
        self.files[name := f"file-{len(self.files)}"] = content
        return name

    def submitted(self, body):
        """The reply to a new batch."""
        assert body["endpoint"] == "/v1/chat/completions"
        assert body["completion_window"] == "24h"
        with self.lock:
            lines = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
            self.uploads.append([line["custom_id"] for line in lines])
            counts = {"total": len(lines), "completed": 0, "failed": 0}
            batch = {**body, "id": f"batch-{len(self.batches)}", "object": "batch", "status": "validating"}
            self.batches[batch["id"]] = batch = {**batch, "request_counts": counts, "errors": None}
            return self.create(batch)

    def advanced(self, batch):
        """The batch in its next state (default: completed), with its files at the end."""
        if "output_file_id" in batch:
            return batch
        batch["status"] = self.states.pop(0) if self.states else "completed"
        if batch["status"] == "failed":
            batch["errors"] = {"object": "list", "data": [{"code": "bad", "message": f"no room {self.keys[-1]}"}]}
        elif batch["status"] in ("completed", "expired"):
            lines = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
            done = [self.answered_line(line) for line in lines[: 1 if batch["status"] == "expired" else None]]
            expired = {"code": "batch_expired", "message": "This request could not be executed in time."}
            late = [{"custom_id": line["custom_id"], "response": None, "error": expired} for line in lines[len(done) :]]
            is_right = [line["response"]["status_code"] == 200 for line in done]
            right = [line for line, is_it in zip(done, is_right, strict=True) if is_it]
            wrong = [line for line, is_it in zip(done, is_right, strict=True) if not is_it] + late
            for name, lines in (("output_file_id", right[::-1]), ("error_file_id", wrong)):
                content = "".join(f"{json.dumps({'id': 'batch_req_1', **line})}\n" for line in lines)
                batch[name] = self.save(content.encode()) if lines else None
        return batch

    def answered_line(self, line):
        """The line of an output or error file for a line of an input file."""
        action = self.received(line["body"])
        done = action(line["body"]) if callable(action) else action
        status, done = (done[0], json.loads(done[1])) if isinstance(done, tuple) else (200, done)
        done = completion(done) if isinstance(done, str) else done
        response = {"status_code": status, "request_id": "1", "body": done}
        return {"custom_id": line["custom_id"], "response": response, "error": None}

    def close(self):
        """End it."""
        self._server.shutdown()
        self._server.server_close()
