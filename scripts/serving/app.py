"""The HTTP application: scores rows, answers System One questions, and reports its state."""

import json
import logging
import secrets
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import PlainTextResponse, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException

from evaluate_qa.metrics._shared.columns import KNOWN_COLUMNS, check_kwargs
from evaluate_qa.metrics._shared.messages import pluralize
from evaluate_qa.metrics._shared.options import declarations

from .. import __version__
from ..options import compute_options
from ..scoring.dynamic_batching import AsyncBatcher, Columns, QueueFullError
from . import schema, systemone
from .bodies import message_in_json, read_object

logger = logging.getLogger("evaluate_qa")

_MOST_WAITING_ROWS = 10_000


class Server:
    """Answers requests with one scorer and one set of `compute` options; without a token, it lets everyone in."""

    def __init__(self, metric: Any, compute: Mapping[str, Any], token: str | None = None) -> None:
        self._metric, self._token = metric, token
        self._options = compute_options(metric, compute)
        self._batcher = AsyncBatcher(lambda calls: metric.compute_each(calls, self._options), _MOST_WAITING_ROWS)
        self._statuses: Counter[int] = Counter()

    def load(self) -> None:
        """Load the model."""
        self._metric.prepare(self._options)

    def app(self) -> FastAPI:
        """Return the ASGI application."""
        about = f"Scores answers with the metric `{self._metric.name}`. `compute` in Python returns the same results."
        app = FastAPI(title="evaluate-qa", version=__version__, description=about, redoc_url=None)
        # Errors have the shape that clients of OpenAI and of System One read.
        app.add_exception_handler(HTTPException, self._reply_error)
        app.add_exception_handler(Exception, self._reply_error)
        authorized = APIRouter(dependencies=[Depends(self._authorize)])
        score, systemone = schema.score(self._metric), schema.systemone()
        authorized.post("/v1/score", openapi_extra=score, responses=schema.ERRORS)(self.score)
        authorized.post("/v1/systemone", openapi_extra=systemone, responses=schema.SYSTEMONE_ERRORS)(self.systemone)
        authorized.get("/metrics", response_class=PlainTextResponse, responses=schema.UNAUTHORIZED)(self.metrics)
        app.include_router(authorized)
        app.get("/health")(self.health)
        return app

    async def score(self, request: Request) -> Response:
        """Score rows: the keywords of `compute` are the fields of the body, and its result is the reply."""
        body = await read_object(request)
        metric, per_example = self._metric, body.pop("per_example", True)
        if options := declarations(type(self._options)).keys() & body.keys():
            raise HTTPException(400, f"{min(options)} is an option of the server. Start the server with --compute.")
        if not isinstance(per_example, bool):
            given = json.dumps(per_example)
            raise HTTPException(400, f"per_example is {given:.80}; expected true or false.")
        try:
            check_kwargs(metric.name, body, {*KNOWN_COLUMNS, "per_example"})
            columns = metric.check_columns({name: body.get(name) for name in metric.columns}, self._options)
        except (ValueError, TypeError) as error:
            raise HTTPException(400, message_in_json(error, body)) from None
        result = await self._result(columns)
        if not per_example:
            result.pop("per_example")
        return self._reply(200, result)

    async def systemone(self, request: Request) -> Response:
        """Answer System One questions with the probability that a prediction is right."""
        metric = self._metric
        if metric.name not in systemone.PROBABILISTIC:
            names = ", ".join(systemone.PROBABILISTIC)
            raise HTTPException(501, f"The score of {metric.name} is not a probability. Serve one of {names}.")
        body = await read_object(request)
        try:
            row = systemone.read_row(body, metric, self._options)
        except ValueError as error:
            raise HTTPException(400, f"{metric.name}: {error}.") from None
        return self._reply(200, systemone.reply(body, await self._result(row)))

    async def health(self) -> dict[str, str]:
        """Report that the server is ready."""
        return {"status": "ok", "metric": self._metric.name}

    async def metrics(self) -> str:
        """Report counts in the text format of Prometheus."""
        batcher = self._batcher
        counters = {"rows": batcher.rows, "batches": batcher.batches, "scoring_seconds": batcher.seconds}
        lines = [
            line
            for name, value in counters.items()
            for line in (f"# TYPE evaluate_qa_{name}_total counter", f"evaluate_qa_{name}_total {value}")
        ]
        lines += ["# TYPE evaluate_qa_waiting_rows gauge", f"evaluate_qa_waiting_rows {batcher.waiting}"]
        lines += ["# TYPE evaluate_qa_requests_total counter"]
        lines += [f'evaluate_qa_requests_total{{status="{code}"}} {n}' for code, n in sorted(self._statuses.items())]
        return "\n".join([*lines, ""])

    async def _result(self, columns: Columns) -> dict[str, Any]:
        """Return the result for columns that have passed all checks; raise HTTPException if they cannot be scored."""
        try:
            return await self._batcher.result(columns, len(columns[self._metric.required[0]]))
        except QueueFullError:
            waits = f"{pluralize(self._batcher.waiting, 'row')} in the queue. Try again later."
            raise HTTPException(429, waits, {"Retry-After": "1"}) from None
        except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
            logger.error("%s", error)
            raise HTTPException(500, str(error)) from None

    async def _authorize(
        self, given: Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))]
    ) -> None:
        if self._token is None:
            return
        if given is None or not secrets.compare_digest(given.credentials.encode(), self._token.encode()):
            message = "The bearer token is missing or wrong; expected the header Authorization: Bearer TOKEN."
            raise HTTPException(401, message, {"WWW-Authenticate": "Bearer"})

    async def _reply_error(self, request: Request, error: Exception) -> Response:
        if not isinstance(error, HTTPException):
            return self._reply(500, {"error": {"message": "The server failed; its log has the reason.", "code": 500}})
        content = {"error": {"message": error.detail, "code": error.status_code}}
        return self._reply(error.status_code, content, error.headers)

    def _reply(self, status: int, content: Any, headers: Mapping[str, str] | None = None) -> Response:
        self._statuses[status] += 1
        # Only ASCII: an error may repeat half a surrogate pair, which UTF-8 cannot encode.
        return Response(json.dumps(content), status, headers, "application/json")
