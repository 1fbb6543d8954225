"""The tab where a file is scored: its components and their places."""

from collections.abc import Mapping
from typing import Any

import gradio as gr

from .batch_events import BatchEvents
from .files import OTHER, SUFFIXES
from .form import Form
from .limits import LIMITS
from .scorer import Scorer
from .specification import Specification

HELP = """\
A row for each answer, as **JSONL**, **CSV** or **Parquet**, with the columns {columns}.{lists} At most {rows:,} rows
and {size} MB. The file is deleted once it has been read. The options are those of the tab Answer.

With **another system's answers** in a column `{other}`, both are scored on the same rows and compared; each row counts
twice then."""
LISTS = ' In CSV several texts are a JSON list: `["Paris", "Paris, France"]`.'
VIDEOS = """\
The column `{name}` holds the **name** of a video, such as `clip.mp4`. Upload the videos beside the file: {count} at
most, each of at most {seconds} seconds, 1920 x 1080 and {size} MB, as MP4, WebM or another usual format. They are read
at once, and deleted then."""

QUICK: Mapping[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
# What uses the model for long; two visitors at a time.
LONG: Mapping[str, Any] = {**QUICK, "concurrency_id": "batch", "concurrency_limit": 2}


def batch_tab(specification: Specification, scorer: Scorer, form: Form, metric: str, code_box: gr.Code) -> None:
    """Lay out the tab and connect its components."""
    table, videos, scored = (gr.State(None, time_to_live=LIMITS.kept_seconds) for _ in range(3))
    gr.Markdown(_help(specification))
    with gr.Row(elem_classes="qa-upload"):
        with gr.Column(min_width=300):
            file = gr.File(label="File of answers", file_types=list(SUFFIXES), elem_id="file", height=140)
        # Without videos both are there and not shown: what follows is the same for all.
        with gr.Column(min_width=300, visible=specification.reader is not None):
            clips = gr.File(label="Videos", file_types=["video"], file_count="multiple", elem_id="videos", height=140)
            clips_status = gr.HTML(elem_id="videos-status")
        with gr.Column(min_width=300):
            examples = gr.Button("Take the examples instead", elem_id="take-examples")
            with gr.Row():
                run = gr.Button("Score all", variant="primary", min_width=120, elem_id="score-file")
                stop = gr.Button("Stop", variant="stop", min_width=80, elem_id="stop")
    status = gr.HTML(elem_id="status")
    results = gr.HTML(elem_id="results")
    answers = gr.Dataframe(
        visible=False, interactive=False, label="Answers", elem_id="answers", max_chars=60, max_height=480
    )
    with gr.Row():
        downloads = [
            gr.DownloadButton(f"Download as {kind.upper()}", visible=False, elem_id=f"download-{kind}")
            for kind in ("csv", "jsonl")
        ]
    events = BatchEvents(specification, scorer, metric)
    shown, read = [status, results, answers, *downloads], [videos, clips_status, run]
    file.upload(events.upload, file, [table, file, status], **QUICK)
    reading = clips.upload(events.videos, [clips, videos], [clips, *read], **LONG)
    taking = examples.click(events.example_videos, None, read, **(LONG if specification.reader else QUICK))
    taking.then(events.examples, None, [table, file, status], **QUICK)
    running = run.click(events.run, [table, videos, *form.options, *form.endpoint], [scored, *shown, code_box], **LONG)
    stop.click(events.stop, scored, [*shown, run], cancels=[reading, taking, running], queue=False, **QUICK)


def _help(specification: Specification) -> str:
    fields, video = specification.file_fields, specification.video
    columns = ", ".join(
        f"`{f.name}`" if f.required or f.name == "prediction" else f"`{f.name}` (optional)" for f in fields
    )
    lists = LISTS if any(field.kind in ("lines", "numbers") for field in fields) else ""
    told = HELP.format(columns=columns, lists=lists, rows=LIMITS.rows, size=LIMITS.file_bytes // 2**20, other=OTHER)
    if video is None:
        return told
    size = specification.file_bytes // 2**20
    of_videos = VIDEOS.format(name=video.name, count=LIMITS.videos, seconds=LIMITS.video_seconds, size=size)
    return f"{told}\n\n{of_videos}"
