"""The page for labeling: one answer at a time, with keys or buttons. Each label is saved at once."""

from collections.abc import Callable
from html import escape

import gradio as gr

from evaluate_qa.spaces._shared.drawing.theme import STYLE, THEME

from ..files.rows import RowsError
from .sheet import SAYINGS, SKIP, Sheet, Shown

KEYS = {"right": "r", "wrong": "w", SKIP: "s", "back": "b"}

# A held key labels one row; a press on a button comes to the page as a click, not as a key.
_LISTEN = """() => document.addEventListener("keydown", event => {{
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    document.getElementById({ids}[event.key.toLowerCase()])?.click();
}})"""

_CSS = """
.qa-row { display: flex; flex-direction: column; gap: 14px; overflow-wrap: anywhere; }
.qa-row h2 { margin: 0; font-size: 1.3rem; font-weight: 600; white-space: pre-wrap; }
.qa-row ul { margin: 0; padding-left: 1.2rem; list-style: disc; white-space: pre-wrap; }
.qa-row .qa-answer { font-size: 1.15rem; max-height: none; }
#buttons { position: fixed; inset: auto 0 0; z-index: 1; padding: 12px 16px; background: var(--body-background-fill); }
.gradio-container { padding-bottom: 72px !important; }
#buttons button { min-width: 70px; padding-inline: 4px; }
"""

_View = tuple[int | None, str, str]
"""The number of the current row, and as HTML the row and the progress."""


def build(sheet: Sheet) -> gr.Blocks:
    """Return the page for a sheet."""
    with gr.Blocks(title=f"Labels: {sheet.path.name}", analytics_enabled=False) as page:
        place = gr.State(None)
        progress = gr.HTML()
        asked = gr.HTML(elem_id="asked")
        shown = [place, asked, progress]
        with gr.Row(elem_id="buttons"):
            for saying in SAYINGS:
                button = gr.Button(
                    f"{saying.capitalize()} ({KEYS[saying].upper()})", elem_id=saying, variant=_VARIANTS[saying]
                )
                button.click(_sayer(sheet, saying), place, shown, show_progress="hidden", api_visibility="private")
            back = gr.Button(f"Back ({KEYS['back'].upper()})", elem_id="back", variant="secondary")
            back.click(lambda row: previous(sheet, row), place, shown, show_progress="hidden", api_visibility="private")
        ids = str({key: name for name, key in KEYS.items()})
        page.load(lambda: view(sheet, sheet.next()), None, shown, api_visibility="private")
        page.load(None, None, None, js=_LISTEN.format(ids=ids), api_visibility="private")
    return page


_VARIANTS = {"right": "primary", "wrong": "stop", SKIP: "secondary"}


def launch(sheet: Sheet, port: int | None, browser: bool) -> gr.Blocks:
    """Serve the page to this machine only, and return at once; its `local_url` is the address."""
    page = build(sheet)
    page.launch(
        server_name="127.0.0.1",
        server_port=port,
        inbrowser=browser,
        share=False,
        quiet=True,
        theme=THEME,
        css=_CSS,
        css_paths=STYLE,
        footer_links=[],
        run_history=False,
        ssr_mode=False,
        enable_monitoring=False,
        prevent_thread_lock=True,
    )
    return page


def _sayer(sheet: Sheet, saying: str) -> Callable[[int | None], _View]:
    return lambda row: said(sheet, row, saying)


def said(sheet: Sheet, row: int | None, saying: str) -> _View:
    """Save the label of the current row; return the next row."""
    if row is None:
        return view(sheet, sheet.next())
    try:
        sheet.say(row, saying)
    except (RowsError, OSError) as error:
        return view(sheet, row, str(error))
    return view(sheet, sheet.next(row))


def previous(sheet: Sheet, row: int | None) -> _View:
    """Return the previous row; before the first row and after the end, the last one."""
    return view(sheet, (len(sheet.rows) if row is None else row or len(sheet.rows)) - 1)


def view(sheet: Sheet, row: int | None, problem: str = "") -> _View:
    """Return the view of a row, or of the end."""
    told = f'<section class="qa-problem" role="alert">{escape(problem)}</section>' if problem else ""
    asked = _end(sheet) if row is None else _asked(sheet.shown(row), row, len(sheet.rows))
    return row, told + asked, _progress(sheet)


def _asked(shown: Shown, row: int, count: int) -> str:
    items = "".join(f'<li dir="auto">{_plain(one)}</li>' for one in shown.references)
    references = f'<div><span class="qa-label">Reference</span><ul>{items}</ul></div>' if items else ""
    more = " · ".join(f"{_plain(name)}: {_plain(value)}" for name, value in shown.more.items())
    return (
        f'<section class="qa-row" aria-live="polite"><span class="qa-label">Row {row + 1:,} of {count:,}'
        f"{f', labeled: {_plain(shown.said)}' if shown.said else ''}</span>"
        f'<h2 dir="auto">{_plain(shown.question)}</h2>{references}'
        f'<p class="qa-answer"><span class="qa-label">Answer</span><span dir="auto">'
        f"{_plain(shown.answer) or '<em>(empty)</em>'}</span></p>"
        f"{f'<p class={chr(34)}qa-label{chr(34)}>{more}</p>' if more else ''}</section>"
    )


def _end(sheet: Sheet) -> str:
    return (
        '<section class="qa-row" aria-live="polite"><h2>All rows are labeled.</h2><p>Close this page, and stop '
        "the program with Ctrl+C. Then run: "
        f"evaluate-qa estimate --labels {_plain(str(sheet.path))} --scored …</p></section>"
    )


def _progress(sheet: Sheet) -> str:
    counts = sheet.counts()
    done, told = len(sheet.rows) - counts["left"], ", ".join(f"{count:,} {name}" for name, count in counts.items())
    return (
        f'<p class="qa-note"><progress value="{done}" max="{len(sheet.rows)}" aria-label="rows done"></progress> '
        f"{told}</p>"
    )


def _plain(text: str) -> str:
    """Escape text from data, including characters that gradio's templates interpret."""
    return escape(text).replace("{", "&#123;").replace("$", "&#36;")
