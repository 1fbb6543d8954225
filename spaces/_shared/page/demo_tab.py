"""The tab that shows a cascade with sliders for its band."""

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from ..drawing import markup
from ..drawing.cascade import Band, Opinion, drawn
from ..scoring.answering import message_of


def demo_tab(
    page: gr.Blocks,
    text: str,
    known: Callable[[], Sequence[Opinion]],
    unsure: Callable[[Sequence[float], Band], Sequence[bool]],
    band: Band,
) -> None:
    """Lay out the tab and connect its components.

    `text` is Markdown. `known` returns the verdicts, and its first call may be slow. `unsure` returns True for each
    score that goes to the judge, and `band` is the band when the page opens.
    """

    def draw(low: float, high: float) -> str:
        try:
            ends = min(low, high), max(low, high)
            opinions = sorted(known(), key=lambda opinion: opinion.score)
            return drawn(opinions, unsure([opinion.score for opinion in opinions], ends), ends)
        except Exception as error:
            return markup.problem(message_of(error))

    gr.Markdown(text)
    with gr.Row():
        ends = [
            gr.Slider(0, 1, value, step=0.01, label=label, buttons=[], min_width=280, elem_id=f"demo-{name}")
            for name, label, value in zip(
                ("low", "high"), ("Ask the judge above", "Ask the judge below"), band, strict=True
            )
        ]
    shown = gr.HTML(markup.note("Loading the model …"), elem_id="demo-shown")
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    page.load(draw, ends, shown, **quiet)
    for end in ends:
        end.input(draw, ends, shown, queue=False, trigger_mode="always_last", **quiet)
