"""The tab where one answer is scored: its components and their places, and what happens there."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from ..drawing import code, markup
from ..metric import Field, HostedScorer, Specification
from ..metric.declared import ChoiceControl, SliderControl
from ..scoring.answering import Analysed, analyse, explain, first_row, told
from ..scoring.rows import from_form, to_form
from ..visitors.endpoints import given
from ..visitors.limits import LIMITS

ENDPOINT = """\
This Space sends your texts and your key to an OpenAI-compatible server, from this tab and from the tab File. It stores
neither; the key is forgotten when you close the page."""


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
            result = gr.HTML(markup.note("Loading the model …"), elem_id="result")
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


def _option(control: SliderControl | ChoiceControl) -> gr.Slider | gr.Dropdown:
    named = {"label": control.label, "info": control.info or None, "elem_id": f"option-{control.name}"}
    if isinstance(control, SliderControl):
        # Gradio's button that resets a slider tells nobody that it did.
        return gr.Slider(control.low, control.high, control.shown, step=control.step, buttons=[], **named)
    return gr.Dropdown([(label, str(value)) for value, label in control.labels.items()], value=control.shown, **named)


Shown = tuple[str, str, str]
"""The result as HTML, and the Python lines: with evaluate, and with this Space's API."""


class AnswerEvents:
    """What the tab's buttons and sliders do.

    Args:
        specification: The Space.
        scorer: Its metric.
        names: What evaluate loads, and where the API is, for the Python lines.
    """

    def __init__(self, specification: Specification, scorer: HostedScorer, names: tuple[str, str]) -> None:
        self._specification, self._scorer = specification, scorer
        self._metric, self._space = names

    def score(self, *entered: Any) -> tuple[Analysed | None, str, str, str]:
        """Score what is in the boxes, with options and endpoint after them; return what `rescore` needs and does."""
        specification = self._specification
        count = len(specification.fields)
        end = count + len(specification.controls)
        try:
            row = from_form(specification.fields, entered[:count])
            options = specification.options(entered[count:end])
            analysed = analyse(specification, self._scorer, row, options, given(entered[end:]))
            return analysed, *self._shown(analysed, options)
        except Exception as error:
            return None, markup.problem(told(error)), "", ""

    def rescore(self, analysed: Analysed | None, *entered: Any) -> Shown:
        """Score what is kept with other options; the model is not asked again."""
        if analysed is None:
            return markup.problem("Press Score first."), "", ""
        try:
            return self._shown(analysed, self._specification.options(entered))
        except Exception as error:
            return markup.problem(told(error)), "", ""

    def _shown(self, analysed: Analysed, options: Any) -> Shown:
        specification = self._specification
        outcome = explain(specification, self._scorer, analysed, options)
        videos = {field.column for field in specification.fields if field.kind == "video"}
        # Where the file lies on this machine is nobody's business.
        row = {c: Path(value).name if c in videos else value for c, value in analysed.row.items()}
        return (
            markup.result(outcome, row["predictions"], specification.most),
            code.for_row(
                (self._metric, specification.configuration),
                specification.name,
                row,
                specification.arguments(options),
                analysed.loading,
            ),
            code.NO_API
            if analysed.elsewhere
            else code.for_api(self._space, specification.fields, row, specification.given(options)),
        )


def connect(
    page: gr.Blocks, form: Form, events: AnswerEvents, codes: Sequence[gr.Code], examples: Sequence[Any]
) -> None:
    """Connect the components with what they do; the page scores its first example when it opens.

    Args:
        page: The page.
        form: The tab.
        events: What is done.
        codes: Where the Python lines go.
        examples: What each worked example puts into boxes and options, as `filling` returns it.
    """
    filled_in, shown = [*form.boxes, *form.options], [form.result, *codes]
    entered = [*filled_in, *form.endpoint]
    # Requests that use the model wait in one line and are answered in order; an endpoint may let some of them wait.
    limit = 4 if form.endpoint else 1
    waiting: dict[str, Any] = {"concurrency_id": "score", "concurrency_limit": limit, "api_visibility": "private"}
    at_once: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
    triggers = [page.load, form.button.click, *(box.submit for box in form.boxes if isinstance(box, gr.Textbox))]
    gr.on(triggers, events.score, entered, [form.analysed, *shown], show_progress_on=[form.result], **waiting)
    for button, values in zip(form.examples, examples, strict=True):
        filled = button.click(partial(list, values), None, filled_in, **at_once)
        filled.then(events.score, entered, [form.analysed, *shown], show_progress_on=[form.result], **waiting)
    for option in form.options:
        option.input(events.rescore, [form.analysed, *form.options], shown, trigger_mode="always_last", **at_once)


def filling(specification: Specification) -> list[list[Any]]:
    """Return what each worked example puts into boxes and options; an option that none of them sets stays."""
    examples = specification.examples.values()
    set_by_one = {name for example in examples for name in example.options}
    return [
        [
            *to_form(specification.fields, example.row),
            *(
                example.options.get(control.name, control.shown) if control.name in set_by_one else gr.skip()
                for control in specification.controls
            ),
        ]
        for example in examples
    ]
