"""The page with its tabs, and the start of the server."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gradio as gr
from starlette.middleware import Middleware

from evaluate_qa.metrics._shared.probes import is_installed

from ..drawing import markup
from ..drawing.theme import STYLE, THEME
from ..metric.declared import read_card
from ..metric.hosted import HostedScorer
from ..metric.specification import Specification
from ..visitors.guard import Guard
from ..visitors.limits import LIMITS
from .answer_tab import AnswerEvents, answer_tab
from .api import add_api
from .file_tab import FileEvents, file_tab

PYTHON = "Code that repeats your last steps on the other tabs. First run `pip install 'evaluate-qa[{}]'`."
CODES = {"This answer, in Python": "python", "This file, on the command line": "shell"}

# Make scrolling tables reachable by keyboard; they come and go with their tab.
REACHABLE = """() => new MutationObserver(
    () => document.querySelectorAll(".qa-card table:not([tabindex])").forEach(table => table.tabIndex = 0)
).observe(document.body, {childList: true, subtree: true})"""


def build(specification: Specification, scorer: HostedScorer) -> gr.Blocks:
    """Return the page of a Space."""
    matter, card = read_card(scorer.name)
    # On the Hub, the Space and the metric have the same name.
    metric = os.environ.get("SPACE_ID") or specification.name
    with gr.Blocks(
        title=matter["title"], analytics_enabled=False, delete_cache=(LIMITS.kept_seconds // 6, LIMITS.kept_seconds)
    ) as page:
        # First, so that the endpoints get their names before Gradio names the page's functions.
        add_api(page, specification, scorer)
        gr.HTML(markup.render("header", matter["title"], matter["emoji"], matter["description"]))
        if specification.demo:
            with gr.Tab("Demo", id="demo"):
                specification.demo(scorer, page)
        # Created before the tabs that write to them, and shown on a later tab.
        codes = [
            gr.Code(label=label, language=language, lines=1, interactive=False, wrap_lines=True, render=False)
            for label, language in CODES.items()
        ]
        codes[1].visible = False
        with gr.Tab("Answer", id="form"):
            events = AnswerEvents(specification, scorer, metric)
            options, endpoint = answer_tab(page, specification, events, codes[0])
        if specification.video is None:
            with gr.Tab("File", id="file"):
                file_tab(specification, FileEvents(specification, scorer, metric), options, endpoint, codes[1])
        with gr.Tab("Python", id="python"):
            gr.Markdown(PYTHON.format(specification.name))
            for box in codes:
                box.render()
        with gr.Tab("Card", id="card"):
            gr.Markdown(card, elem_classes="qa-card")
        page.load(None, None, None, js=REACHABLE, api_visibility="private")
        # Without api_open=False, Gradio would answer POSTs to /run without the queue and its limits.
        page.queue(max_size=LIMITS.waiting, api_open=False)
    return page


def launch(specification: Specification) -> None:
    """Serve a Space: the page immediately, and answers as soon as the metric is loaded.

    Two threads that import at the same time may deadlock (https://github.com/python/cpython/issues/91351, fixed in
    Python 3.12). So this thread loads the metric after the server has finished its imports, and modules that a request
    would import first are imported before.
    """
    scorer = specification.scorer()
    page = build(specification, scorer)
    page.launch(
        theme=THEME,
        css_paths=STYLE,
        footer_links=["api"],
        run_history=False,
        show_error=False,
        ssr_mode=False,
        enable_monitoring=False,
        max_file_size=specification.file_bytes,
        # With room for the multipart headers around the file.
        app_kwargs={"middleware": [Middleware(Guard, upload_bytes=specification.file_bytes + 2**20)]},
        allowed_paths=_examples(specification),
        state_session_capacity=LIMITS.visitors,
        prevent_thread_lock=True,
        # For agents; needs the package mcp, which a Space can do without.
        mcp_server=is_installed("mcp"),
    )
    if page.mcp_server_obj:
        page.mcp_server_obj.postprocess_output_data = _tool_result
    scorer.warm(specification.first)
    page.block_thread()


def _tool_result(results: Sequence[Any], _: str) -> list[Any]:
    """Return the results of an MCP tool as JSON. Gradio would return the text of a Python object."""
    from mcp.types import TextContent

    texts = (one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in results)
    return [TextContent(type="text", text=text) for text in texts]


def _examples(specification: Specification) -> list[str]:
    """Return the folders of the examples' videos, which the page may show."""
    columns = [field.column for field in specification.fields if field.kind == "video"]
    return sorted({str(Path(e.row[c]).parent) for e in specification.examples.values() for c in columns})
