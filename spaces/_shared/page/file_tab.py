"""The tab where a file is scored: its components and their places, and what happens there."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import gradio as gr
import pandas as pd

from ..drawing import code, figures, markup, plot
from ..metric import HostedScorer, Row, Specification
from ..scoring import batch
from ..scoring.answering import told
from ..scoring.batch import ScoredFile
from ..scoring.certainty import certainty
from ..scoring.files import OTHER, SUFFIXES, UploadedTable, collect, read
from ..scoring.records import changed_first, records_of, write
from ..scoring.videos import Videos, read_videos
from ..visitors.endpoints import given
from ..visitors.limits import LIMITS
from ..visitors.uploads import delete, tidy, uploaded
from .answer_tab import Form

HELP = """\
Upload one row per answer, as **JSONL**, **CSV** or **Parquet**, with the columns {columns}.{lists} The limits are
{rows:,} rows and {size} MB. The file is deleted as soon as it has been read. The options on the tab Answer apply here
too.

To compare **two systems**, put the second system's answers into a column `{other}`. Each row then counts as two toward
the limit."""
LISTS = ' In CSV, write several texts as a JSON list: `["Paris", "Paris, France"]`.'
VIDEOS = """\
The column `{name}` holds the **file name** of a video, such as `clip.mp4`. Upload the videos next to the file of
answers: at most {count} videos, each with at most {seconds} seconds, 1920 x 1080 pixels and {size} MB, as MP4, WebM or
another common format. Videos are read at once and then deleted."""

QUICK: Mapping[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
# What uses the model for long; two visitors at a time.
LONG: Mapping[str, Any] = {**QUICK, "concurrency_id": "batch", "concurrency_limit": 2}
EXAMPLES = "Example data"


def file_tab(specification: Specification, scorer: HostedScorer, form: Form, metric: str, code_box: gr.Code) -> None:
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
            examples = gr.Button("Use example data", elem_id="take-examples")
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
    events = FileEvents(specification, scorer, metric)
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


class FileEvents:
    """What the tab's buttons do.

    Args:
        specification: The Space.
        scorer: Its metric.
        metric: What evaluate loads, for the Python lines.
    """

    def __init__(self, specification: Specification, scorer: HostedScorer, metric: str) -> None:
        self._specification, self._scorer, self._metric = specification, scorer, metric

    def upload(self, file: str) -> tuple[UploadedTable | None, None, str]:
        """Read an uploaded file, and delete it."""
        path = Path(file)
        tidy()
        try:
            table = read(path, self._specification.file_fields)
        except Exception as error:
            return None, None, markup.problem(told(error))
        finally:
            delete(path)
        return table, None, _ready(table)

    def videos(self, files: list[str], known: Videos | None) -> Iterator[tuple[None, Videos, str, Any]]:
        """Read uploaded videos, and delete them; nothing can be scored until they are read."""
        tidy()
        videos, wait, go_on = known or Videos(), gr.update(interactive=False), gr.update(interactive=True)
        try:
            paths = [uploaded("Video", file) for file in files]
            for done, videos in enumerate(read_videos(self._specification, self._scorer, known or Videos(), paths)):
                yield None, videos, markup.progress(done, len(paths), "videos"), wait
            yield None, videos, _known(videos), go_on
        except Exception as error:
            yield None, videos, markup.problem(told(error)) + _known(videos), go_on

    def example_videos(self) -> tuple[Videos, str, Any]:
        """Take the videos of the worked examples, if they have any."""
        video, examples = self._specification.video, self._specification.examples.values()
        paths = sorted({Path(example.row[video.column]) for example in examples}) if video else []
        *_, videos = read_videos(self._specification, self._scorer, Videos(), paths)
        return videos, _known(videos), gr.skip()

    def examples(self) -> tuple[UploadedTable, None, str]:
        """Take the worked examples for a file."""
        rows = (self._as_in_a_file(example.row) for example in self._specification.examples.values())
        table = collect(UploadedTable(EXAMPLES, ".jsonl"), enumerate(rows, 1), self._specification.file_fields)
        return table, None, _ready(table)

    def run(self, table: UploadedTable | None, videos: Videos | None, *entered: Any) -> Iterator[tuple[Any, ...]]:
        """Score the rows; show how far it is, and in the end the results."""
        quiet = [gr.skip()] * 5
        if table is None:
            yield None, markup.problem("Upload a file first, or use the example data."), *quiet
            return
        try:
            count = len(self._specification.controls)
            options = self._specification.options(entered[:count])
            scorer, loading = self._specification.asked_at(self._scorer, given(entered[count:]))
            for scored in batch.score(self._specification, scorer, table, options, videos or Videos()):
                yield scored, markup.progress(scored.done, len(table.rows)), *quiet
            yield scored, *self._results(scored), self._code(scored, options, loading)
        except Exception as error:
            yield None, markup.problem(told(error)), *quiet

    def stop(self, scored: ScoredFile | None) -> tuple[Any, ...]:
        """Show what had been scored when the visitor stopped."""
        quiet, go_on = [gr.skip()] * 4, gr.update(interactive=True)
        if scored is None or not scored.kept:
            return markup.note("Stopped before anything was scored."), *quiet, go_on
        try:
            return *self._results(scored), go_on
        except Exception as error:
            return markup.problem(told(error)), *quiet, go_on

    def _as_in_a_file(self, row: Row) -> dict[str, Any]:
        """Return a row by the names that a file has for its columns, and with the name of its video."""
        given = {f.name: (f, row[f.column]) for f in self._specification.fields if f.column in row}
        return {name: Path(value).name if f.kind == "video" else value for name, (f, value) in given.items()}

    def _results(self, scored: ScoredFile) -> tuple[Any, ...]:
        """Return status, figures with plot, table and downloads."""
        specification, found, rows = self._specification, certainty(scored), records_of(scored)
        shown = markup.summary(figures.cards(scored, found, specification))
        shown += markup.comparison(figures.compared(scored, found, specification))
        shown += markup.remarks(figures.notes(found)) + markup.problems(scored.problems)
        for one in filter(None, (scored, scored.other)):
            of = f"the scores of {one.table.answer}" if scored.other else "the scores"
            if scores := batch.known_of(one.columns["score"]):
                verdicts = one.columns.get("verdict")
                shown += plot.distribution(scores, verdicts and batch.known_of(verdicts), specification.most, of)
        left = len(scored.table.rows) - scored.done
        status = scored.stopped or (f"Stopped: {left:,} rows were not scored." if left else "Done.")
        files = [gr.update(value=str(path), visible=True) for path in write(rows)]
        table = _readable(pd.DataFrame(changed_first(rows)))
        return markup.note(status), shown, gr.update(value=table, visible=True), *files

    def _code(self, scored: ScoredFile, options: Any, loading: Mapping[str, Any]) -> Any:
        table = scored.table
        if table.name == EXAMPLES:
            return gr.update(visible=False)
        specification = self._specification
        arguments = specification.arguments(options)
        metric = (self._metric, specification.configuration)
        verdicts = "verdict" in scored.columns
        lines = code.for_file(
            metric, specification.name, table, specification.file_fields, arguments, verdicts, loading, scored.problems
        )
        return gr.update(value=lines, visible=True)


def _ready(table: UploadedTable) -> str:
    rows = "1 row" if len(table.rows) == 1 else f"{len(table.rows):,} rows"
    return markup.note(f"{table.name}: {rows} to score.") + markup.problems(table.problems)


def _known(videos: Videos) -> str:
    """Say which videos there are, and what is wrong with the others."""
    count = "1 video" if len(videos.read) == 1 else f"{len(videos.read)} videos"
    read = markup.note(f"{count} read: {', '.join(videos.read)}.") if videos.read else ""
    return read + markup.problems([f"{name}: {problem}" for name, problem in videos.problems.items()], of="video")


def _readable(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table as the page shows it: lists joined, scores with three decimals."""
    return frame.round(3).map(lambda cell: " · ".join(map(_short, cell)) if isinstance(cell, list) else cell)


def _short(part: Any) -> str:
    return f"{part:.3g}" if isinstance(part, float) else str(part)
