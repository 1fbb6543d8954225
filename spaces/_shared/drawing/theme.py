"""Colors and fonts of the pages."""

from pathlib import Path

import gradio as gr

STYLE = Path(__file__).with_name("style.css")

# System fonts, so that nothing is downloaded.
THEME = gr.themes.Default(
    primary_hue="indigo", font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]
).set(
    # The colors of Gradio have a contrast below 4.5 : 1.
    block_info_text_color="*neutral_600",
    block_info_text_color_dark="*neutral_300",
    body_text_color_subdued="*neutral_600",
    body_text_color_subdued_dark="*neutral_300",
    button_primary_background_fill="*primary_600",
    button_primary_background_fill_hover="*primary_700",
    button_primary_background_fill_dark="*primary_600",
    button_cancel_background_fill="*neutral_200",
    button_cancel_text_color="*neutral_900",
)
