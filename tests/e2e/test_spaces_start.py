"""A Space starts with the page, then the metric, without imports in two threads."""

import pytest

pytest.importorskip("gradio")


def test_only_one_thread_imports_while_the_metric_is_loaded(evqascore):
    """Two threads may deadlock (python/cpython#91351), as about one in fifty starts did."""
    # The server was asked for a score as soon as the page was up, while the metric was being loaded.
    lines = evqascore.log.with_suffix(".imports").read_text().splitlines()
    threads, modules = zip(*(line.split("\t") for line in lines), strict=True)
    loading = modules.index("torch")
    assert threads[loading] == "MainThread"
    loaded = len(threads) - threads[::-1].index("MainThread")
    assert loaded - loading > 1000
    assert {*threads[loading:loaded]} == {"MainThread"}
