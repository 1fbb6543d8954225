"""The tab that scores one answer."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from ..drawing import code, markup
from ..metric.declared import Control, SliderControl
from ..metric.hosted import HostedScorer
from ..metric.specification import Field, Specification
from ..scoring.answering import Analysis, analyze, explain, message_of
from ..scoring.files import from_form, to_form
from ..visitors.endpoints import given
from ..visitors.limits import LIMITS

ENDPOINT = """\
This Space sends your texts and your key to an OpenAI-compatible server, from this tab and from the tab File. It stores
neither; the key is forgotten when you close the page."""

Inputs = Sequence[Any]
"""Components for the options and for the visitor's own endpoint, in the order in which `events` expects them."""


def answer_tab(
    page: gr.Blocks, specification: Specification, events: "AnswerEvents", code_box: gr.Code
) -> tuple[Inputs, Inputs]:
    """Lay out the tab and connect its components. The page scores its first example when it opens.

    Return the components of the options and of the endpoint, which apply to files too.
    """
    texts = to_form(specification.fields, specification.first)
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
    analysis = gr.State(None, time_to_live=LIMITS.kept_seconds)
    filled_in, shown = [*boxes, *options], [result, code_box]
    entered = [*filled_in, *endpoint]
    # Requests that use the model wait in one queue. Those to a visitor's endpoint may run in parallel.
    queued: dict[str, Any] = {
        "concurrency_id": "score",
        "concurrency_limit": 4 if endpoint else 1,
        "show_progress_on": [result],
        "api_visibility": "private",
    }
    direct: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
    triggers = [page.load, button.click, *(box.submit for box in boxes if isinstance(box, gr.Textbox))]
    gr.on(triggers, events.score, entered, [analysis, *shown], **queued)
    for example, values in zip(examples, filling(specification), strict=True):
        filled = example.click(partial(list, values), None, filled_in, **direct)
        filled.then(events.score, entered, [analysis, *shown], **queued)
    for option in options:
        option.input(events.rescore, [analysis, *options], shown, trigger_mode="always_last", **direct)
    return options, endpoint


def _box(field: Field, text: str) -> gr.Textbox | gr.Video:
    if field.kind == "video":
        return gr.Video(
            text, label=f"{field.label} ({field.info})", sources=["upload"], height=200, elem_id=f"box-{field.name}"
        )
    return gr.Textbox(
        text,
        label=f"{field.label} (optional)" if field.is_optional else field.label,
        info=f"{field.info} Write one per line." if field.is_list else field.info,
        lines=field.lines,
        max_lines=10,
        elem_id=f"box-{field.name}",
    )


def _endpoint() -> list[gr.Textbox]:
    plain = gr.InputHTMLAttributes(autocomplete="off", spellcheck=False)
    common: dict[str, Any] = {"lines": 1, "max_lines": 1, "html_attributes": plain}
    with gr.Accordion("Your own judge", open=False, elem_id="endpoint"):
        gr.Markdown(ENDPOINT, elem_classes="qa-hint")
        return [
            gr.Textbox(label="URL", placeholder="https://api.example.com/v1", elem_id="endpoint-url", **common),
            gr.Textbox(label="Model", elem_id="endpoint-model", **common),
            gr.Textbox(label="Key (optional)", type="password", elem_id="endpoint-key", **common),
        ]


def _option(control: Control) -> gr.Slider | gr.Dropdown:
    named = {"label": control.label, "info": control.info or None, "elem_id": f"option-{control.name}"}
    if isinstance(control, SliderControl):
        # Without Gradio's reset button, which changes the slider but triggers no event.
        return gr.Slider(control.low, control.high, control.shown, step=control.step, buttons=[], **named)
    return gr.Dropdown([(label, str(value)) for value, label in control.labels.items()], value=control.shown, **named)


Shown = tuple[str, str]
"""The result as HTML, and the Python code."""


class AnswerEvents:
    """The functions behind the tab's buttons and sliders."""

    def __init__(self, specification: Specification, scorer: HostedScorer, metric: str) -> None:
        self._specification, self._scorer, self._metric = specification, scorer, metric

    def score(self, *entered: Any) -> tuple[Analysis | None, str, str]:
        """Score the texts of the boxes with the options and endpoint after them; also return the input of `rescore`."""
        specification = self._specification
        count = len(specification.fields)
        end = count + len(specification.controls)
        try:
            row = from_form(specification.fields, entered[:count])
            options = specification.options(entered[count:end])
            analysis = analyze(specification, self._scorer, row, options, given(entered[end:]))
            return analysis, *self._shown(analysis, options)
        except Exception as error:
            return None, markup.problem(message_of(error)), ""

    def rescore(self, analysis: Analysis | None, *entered: Any) -> Shown:
        """Score the last answer with other options, without running the model again."""
        if analysis is None:
            return markup.problem("Press Score first."), ""
        try:
            return self._shown(analysis, self._specification.options(entered))
        except Exception as error:
            return markup.problem(message_of(error)), ""

    def _shown(self, analysis: Analysis, options: Any) -> Shown:
        specification = self._specification
        outcome = explain(specification, self._scorer, analysis, options)
        shown = markup.result(outcome, analysis.row["predictions"], specification.most)
        row, video = analysis.original, specification.video
        if video:  # do not reveal its folder on this server
            row = row | {video.column: Path(row[video.column]).name}
        return shown, code.for_row(specification, self._metric, row, options, analysis.loading)


def filling(specification: Specification) -> list[list[Any]]:
    """Return the values of boxes and options for each worked example. Options that no example sets do not change."""
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
