"""How a Space starts: the page first, then the metric, and no two threads that import at a time."""

from functools import partial
from pathlib import Path

import pytest
from space_server import ROOT, Server

pytest.importorskip("gradio")

RECORDER = Path(__file__).with_name("import_recorder.py")


def test_only_one_thread_imports_while_the_metric_is_loaded(processes, tmp_path):
    """Two may wait for each other for ever (python/cpython#91351), as one in some fifty starts did."""
    log = tmp_path / "imports"
    # It asks for a score as soon as the page is up, while the metric is still being loaded.
    start = partial(processes.start, RECORDER, log)
    server = Server("evqascore", ROOT / "spaces" / "evqascore" / "app.py", tmp_path, start)
    server.stop()
    threads, modules = zip(*(line.split("\t") for line in log.read_text().splitlines()), strict=True)
    loading = modules.index("torch")
    assert threads[loading] == "MainThread"
    loaded = len(threads) - threads[::-1].index("MainThread")
    assert loaded - loading > 1000
    assert {*threads[loading:loaded]} == {"MainThread"}
