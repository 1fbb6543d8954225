"""The page: head, tabs, and the start of the server."""

import os
from pathlib import Path

import gradio as gr
from starlette.middleware import Middleware

from ..drawing import markup
from ..drawing.theme import STYLE, THEME
from ..metric import HostedScorer, Specification
from ..metric.declared import read_card
from ..scoring.answering import first_row
from ..visitors.guard import Guard
from ..visitors.limits import LIMITS
from ..visitors.uploads import separate
from .answer_tab import AnswerEvents, connect, filling, form
from .api import add_api
from .file_tab import file_tab

PYTHON = "Python code for what you just did on the other tabs. First run `pip install 'evaluate-qa[{}]'`."
CODES = ("This answer, in Python", "This answer, through the API of this Space", "This file, in Python")

# What scrolls must be reachable by the keyboard; tables come and go with the tab that holds them.
REACHABLE = """() => new MutationObserver(
    () => document.querySelectorAll(".qa-card table:not([tabindex])").forEach(table => table.tabIndex = 0)
).observe(document.body, {childList: true, subtree: true})"""


def build(specification: Specification, scorer: HostedScorer) -> gr.Blocks:
    """Return the page of a Space.

    Args:
        specification: The Space.
        scorer: Its metric.
    """
    card = read_card(scorer.name)
    # On the Hub, the name of the Space is that of the metric too.
    published = os.environ.get("SPACE_ID")
    here = f"http://127.0.0.1:{os.environ.get('GRADIO_SERVER_PORT', '7860')}"
    metric, space = published or specification.name, published or here
    with gr.Blocks(
        title=card.title, analytics_enabled=False, delete_cache=(LIMITS.kept_seconds // 6, LIMITS.kept_seconds)
    ) as page:
        # First, because what the page does takes names too, and a name is given once.
        add_api(specification, scorer)
        gr.HTML(markup.header(card.title, card.emoji, card.description))
        if specification.demo:
            with gr.Tab("Demo", id="demo"):
                specification.demo(scorer, page)
        with gr.Tab("Answer", id="form"):
            first = form(specification)
        # Made here, because the tabs before it write to it; shown on another.
        codes = [
            gr.Code(label=label, language="python", interactive=False, wrap_lines=True, render=False) for label in CODES
        ]
        codes[2].visible = False
        with gr.Tab("File", id="file"):
            file_tab(specification, scorer, first, metric, codes[2])
        with gr.Tab("Python", id="python"):
            gr.Markdown(PYTHON.format(specification.name))
            for box in codes:
                box.render()
        with gr.Tab("Card", id="card"):
            gr.Markdown(card.body, elem_classes="qa-card")
        events = AnswerEvents(specification, scorer, (metric, space))
        connect(page, first, events, codes[:2], filling(specification))
        page.load(None, None, None, js=REACHABLE, api_visibility="private")
        # Off the Hub gradio would answer POSTs to /run as well, past the queue and its limits.
        page.queue(max_size=LIMITS.waiting, api_open=False)
    return page


def launch(specification: Specification) -> None:
    """Serve a Space: the page at once, and answers as soon as the metric is loaded.

    Two threads that import at a time may wait for each other for ever (https://github.com/python/cpython/issues/91351,
    mended in Python 3.12). So the metric is loaded by this thread, after the server has imported what it needs; and
    what a request would be the first to import is imported before.
    """
    scorer = specification.scorer()
    separate()
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
        app_kwargs={"middleware": [Middleware(Guard, upload_bytes=_upload_bytes(specification))]},
        allowed_paths=_examples(specification),
        state_session_capacity=LIMITS.visitors,
        prevent_thread_lock=True,
    )
    scorer.warm(first_row(specification))
    page.block_thread()


def _upload_bytes(specification: Specification) -> int:
    """Return the size of all that may be uploaded at a time, with a little for what stands between the files."""
    return specification.file_bytes * (LIMITS.videos if specification.reader else 1) + 2**20


def _examples(specification: Specification) -> list[str]:
    """Return the folders of the examples' videos, the only files besides uploads that may be shown."""
    columns = [field.column for field in specification.fields if field.kind == "video"]
    return sorted({str(Path(e.row[c]).parent) for e in specification.examples.values() for c in columns})
