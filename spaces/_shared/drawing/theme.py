"""Colors and fonts of our pages, in light and dark."""

from pathlib import Path

import gradio as gr

STYLE = Path(__file__).with_name("style.css")

# Fonts of the visitor's own system: none is fetched from anywhere.
THEME = gr.themes.Default(
    primary_hue="indigo", font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]
).set(
    # Gradio's own are too pale to be read easily: they stay below a contrast of 4.5 : 1.
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
