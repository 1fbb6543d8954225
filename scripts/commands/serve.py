"""`evaluate-qa serve`: score rows that programs send over HTTP."""

import os
from typing import Annotated

import typer

from ..parameters import Compute, Load
from ..terminal import options_of, reported_errors, warn

_server = options_of("Server")
_TOKEN = "EVALUATE_QA_TOKEN"
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def serve(
    metrics: Annotated[
        list[str], typer.Option("--metric", "-m", metavar="<str>", help="Serve this metric of the package.")
    ],
    load: Load = None,
    compute: Compute = None,
    host: Annotated[str, _server("Listen on this address; 0.0.0.0 is every address of this machine.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="Listen on this port; 0 is any free port.", min=0, max=65535, rich_help_panel="Server")
    ] = 8000,
) -> None:
    """Score rows over HTTP: POST /v1/score, POST /v1/systemone, /health, /metrics, /docs.

    Concurrent requests are scored together. If the variable EVALUATE_QA_TOKEN is set, requests need it as their bearer
    token. SIGTERM and Ctrl+C end the server after it has answered all requests.
    """
    with reported_errors("serve", "stopped"):
        from evaluate_qa.metrics._shared.devices import limit_shape_caches

        from ..files.rows import did_you_mean
        from ..loading import load as load_scorer
        from ..loading import metric_names
        from ..options import parse_options

        metric, *more = metrics
        if more:
            raise ValueError(f"--metric was given {len(metrics)} times. Start a server for each, with different ports.")
        loading = parse_options(load or [], metric)
        if metric not in metric_names():
            hint = did_you_mean(metric, metric_names())
            raise ValueError(f"serve only serves the metrics of this package; {metric!r} is not one of them. {hint}")
        scorer = load_scorer(metric, loading.pop("config", None), **loading)
        if "videos" in scorer.columns:
            raise ValueError(
                f"{metric} opens the files that its rows name, which a server must not do for its clients. "
                "Score a file with evaluate-qa score."
            )
        from ..serving.app import Server
        from ..serving.running import address, http_server, listen

        token = os.environ.get(_TOKEN) or None
        server = Server(scorer, parse_options(compute or [], metric), token)
        if token is None and host not in _LOOPBACK:
            warn("serve", [f"everyone who reaches {host} can use this server. Set {_TOKEN} to require a token."])
        with listen(host, port) as listening:
            os.environ["TQDM_DISABLE"] = "1"
            limit_shape_caches()
            typer.echo(f"Loading {metric}…", err=True)
            server.load()
            at = address(listening)
            typer.echo(f"Serving {metric} at {at}, described at {at}/docs. Press Ctrl+C to end.", err=True)
            http_server(server.app()).run([listening])
