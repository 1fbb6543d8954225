"""What happens on the tab where one answer is scored."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from . import code, drawing
from .answering import Analysed, analyse, explain, told
from .endpoints import given
from .form import Form
from .rows import from_form, to_form
from .scorer import Scorer
from .specification import Specification

Shown = tuple[str, str, str]
"""The result as HTML, and the Python lines: with evaluate, and with this Space's API."""


class FormEvents:
    """What the tab's buttons and sliders do.

    Args:
        specification: The Space.
        scorer: Its metric.
        names: What evaluate loads, and where the API is, for the Python lines.
    """

    def __init__(self, specification: Specification, scorer: Scorer, names: tuple[str, str]) -> None:
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
            return None, drawing.problem(told(error)), "", ""

    def rescore(self, analysed: Analysed | None, *entered: Any) -> Shown:
        """Score what is kept with other options; the model is not asked again."""
        if analysed is None:
            return drawing.problem("Press Score first."), "", ""
        try:
            return self._shown(analysed, self._specification.options(entered))
        except Exception as error:
            return drawing.problem(told(error)), "", ""

    def _shown(self, analysed: Analysed, options: Any) -> Shown:
        specification = self._specification
        outcome = explain(specification, self._scorer, analysed, options)
        videos = {field.column for field in specification.fields if field.kind == "video"}
        # Where the file lies on this machine is nobody's business.
        row = {c: Path(value).name if c in videos else value for c, value in analysed.row.items()}
        return (
            drawing.result(outcome, row["predictions"], specification.most),
            code.for_row(
                (self._metric, specification.configuration),
                specification.name,
                row,
                specification.arguments(options),
                analysed.loading,
            ),
            code.for_api(self._space, specification.fields, row, specification.changed(options)),
        )


def connect(page: gr.Blocks, form: Form, events: FormEvents, codes: Sequence[gr.Code], examples: Sequence[Any]) -> None:
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
