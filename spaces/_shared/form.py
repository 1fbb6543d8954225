"""The tab where one answer is scored: its components and their places."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from . import drawing
from .answering import first_row
from .controls import Choice, Slider
from .limits import LIMITS
from .rows import to_form
from .specification import Field, Specification

ENDPOINT = """\
An OpenAI-compatible server, asked on this tab and on the tab File. This Space sends it your texts and your key, and
writes neither down: the key is forgotten with this page."""


@dataclass(frozen=True)
class Form:
    """The components of the tab.

    Attributes:
        boxes: One for each field, in their order.
        options: One for each option, in their order.
        endpoint: For the visitor's own endpoint: URL, model, key; none where it may not be given.
        button: Scores.
        examples: One for each worked example, in their order.
        result: Where the result is drawn.
        analysed: State: what was scored last.
    """

    boxes: Sequence[gr.Textbox | gr.Video]
    options: Sequence[gr.Slider | gr.Dropdown]
    endpoint: Sequence[gr.Textbox]
    button: gr.Button
    examples: Sequence[gr.Button]
    result: gr.HTML
    analysed: gr.State


def form(specification: Specification) -> Form:
    """Lay out the tab: what is entered on the left, what comes of it on the right; on a phone one below the other."""
    texts = to_form(specification.fields, first_row(specification))
    with gr.Row(elem_classes="qa-form"):
        with gr.Column(min_width=300):
            boxes = [_box(field, text) for field, text in zip(specification.fields, texts, strict=True)]
            button = gr.Button("Score", variant="primary", elem_id="score")
            gr.Markdown("Or try an example:", elem_classes="qa-hint")
            with gr.Row(elem_classes="qa-examples"):
                examples = [gr.Button(title, size="sm", min_width=80) for title in specification.examples]
        with gr.Column(min_width=300):
            result = gr.HTML(drawing.note("The model is being loaded …"), elem_id="result")
            with gr.Group():
                options = [_option(control) for control in specification.controls]
            endpoint = _endpoint() if specification.asking else []
    return Form(boxes, options, endpoint, button, examples, result, gr.State(None, time_to_live=LIMITS.kept_seconds))


def _box(field: Field, text: str) -> gr.Textbox | gr.Video:
    if field.kind == "video":
        return gr.Video(
            text, label=f"{field.label} ({field.info})", sources=["upload"], height=200, elem_id=f"box-{field.name}"
        )
    may_be_empty = not field.required and field.column != "predictions"
    return gr.Textbox(
        text,
        label=f"{field.label} (optional)" if may_be_empty else field.label,
        info=field.info or None,
        lines=field.lines,
        max_lines=10,
        elem_id=f"box-{field.name}",
    )


def _endpoint() -> list[gr.Textbox]:
    unfilled = gr.InputHTMLAttributes(autocomplete="off", spellcheck=False)
    told: dict[str, Any] = {"lines": 1, "max_lines": 1, "html_attributes": unfilled}
    with gr.Accordion("Your own judge", open=False, elem_id="endpoint"):
        gr.Markdown(ENDPOINT, elem_classes="qa-hint")
        return [
            gr.Textbox(label="URL", placeholder="https://api.example.com/v1", elem_id="endpoint-url", **told),
            gr.Textbox(label="Model", elem_id="endpoint-model", **told),
            gr.Textbox(label="Key (optional)", type="password", elem_id="endpoint-key", **told),
        ]


def _option(control: Slider | Choice) -> gr.Slider | gr.Dropdown:
    named = {"label": control.label, "info": control.info or None, "elem_id": f"option-{control.name}"}
    if isinstance(control, Slider):
        # Gradio's button that resets a slider tells nobody that it did.
        return gr.Slider(control.low, control.high, control.shown, step=control.step, buttons=[], **named)
    return gr.Dropdown([(label, str(value)) for value, label in control.labels.items()], value=control.shown, **named)
