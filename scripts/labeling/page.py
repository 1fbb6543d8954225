"""The labeling page: one answer at a time, labeled with keys or buttons."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from evaluate_qa.metrics._shared.columns import clean
from evaluate_qa.spaces._shared.drawing.theme import STYLE, THEME

from ..files.rows import RowsError
from ..reporting.templates import templates
from .sheet import SKIP, Sheet

BACK = "back"
KEYS = {"right": "r", "wrong": "w", SKIP: "s", BACK: "b"}

_FOLDER = Path(__file__).parent
_TEMPLATE = templates(_FOLDER).get_template("page.html")

_View = tuple[int | None, str, str]
"""The number of the current row (None after the last one), the row as HTML, and the progress as HTML."""


def launch(sheet: Sheet) -> gr.Blocks:
    """Serve the page to this machine only; the address is its `local_url`."""
    page = _build(sheet)
    page.launch(
        server_name="127.0.0.1",
        inbrowser=True,
        share=False,
        quiet=True,
        theme=THEME,
        css_paths=[_FOLDER / "page.css", STYLE],
        footer_links=[],
        run_history=False,
        ssr_mode=False,
        enable_monitoring=False,
        prevent_thread_lock=True,
    )
    return page


def _build(sheet: Sheet) -> gr.Blocks:
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    with gr.Blocks(title=f"Labels: {clean(sheet.path.name)}", analytics_enabled=False) as page:
        row = gr.State(None)
        progress = gr.HTML()
        asked = gr.HTML(elem_id="asked")
        shown = [row, asked, progress]
        with gr.Row(elem_id="buttons"):
            for name, key in KEYS.items():
                button = gr.Button(f"{name.capitalize()} ({key.upper()})", elem_id=name)
                clicked = button.click(partial(_press, sheet, name), row, shown, trigger_mode="multiple", **quiet)
                clicked.then(None, asked, js="row => window.pressDone(row)", api_visibility="private")
        page.load(lambda: _view(sheet, sheet.next()), None, shown, api_visibility="private")
        queue, ids = (_FOLDER / "page.js").read_text(encoding="utf-8"), {key: name for name, key in KEYS.items()}
        page.load(None, js=queue.replace("KEYS", json.dumps(ids)), api_visibility="private")
    return page


def _press(sheet: Sheet, name: str, row: int | None) -> _View:
    """Save the label of the current row and return the next row, or go back to the previous row."""
    if name == BACK:
        return _view(sheet, (row or len(sheet.rows)) - 1)
    if row is None:
        return _view(sheet, sheet.next())
    try:
        sheet.save(row, name)
    except (RowsError, OSError) as error:
        return _view(sheet, row, str(error))
    return _view(sheet, sheet.next(row))


def _view(sheet: Sheet, row: int | None, problem: str = "") -> _View:
    rows, counts = len(sheet.rows), sheet.counts()
    alert = _html("problem", problem) if problem else ""
    asked = _html("end", str(sheet.path)) if row is None else _html("answer", sheet.visible_row(row), row + 1, rows)
    counted = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    return row, alert + asked, _html("progress", rows - counts["left"], rows, counted)


def _html(macro: str, *values: Any) -> str:
    """Return a macro of `page.html`, and escape characters that Gradio's templates interpret."""
    html = clean(str(getattr(_TEMPLATE.module, macro)(*values)).strip())
    return html.replace("{", "&#123;").replace("$", "&#36;")
