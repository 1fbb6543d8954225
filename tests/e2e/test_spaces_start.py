"""A Space starts with the page, then the metric, without imports in two threads."""

from functools import partial
from pathlib import Path

import pytest
from space_server import ROOT, Server

pytest.importorskip("gradio")

RECORDER = Path(__file__).with_name("import_recorder.py")


def test_only_one_thread_imports_while_the_metric_is_loaded(processes, tmp_path):
    """Two threads may deadlock (python/cpython#91351), as about one in fifty starts did."""
    log = tmp_path / "imports"
    # The server requests a score as soon as the page is up, while the metric is being loaded.
    start = partial(processes.start, RECORDER, log)
    server = Server("evqascore", ROOT / "spaces" / "evqascore" / "app.py", tmp_path, start)
    server.stop()
    threads, modules = zip(*(line.split("\t") for line in log.read_text().splitlines()), strict=True)
    loading = modules.index("torch")
    assert threads[loading] == "MainThread"
    loaded = len(threads) - threads[::-1].index("MainThread")
    assert loaded - loading > 1000
    assert {*threads[loading:loaded]} == {"MainThread"}
