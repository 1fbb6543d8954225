"""The tab that scores a file of answers."""

from collections.abc import Iterator, Mapping
from typing import Any

import gradio as gr
import numpy as np
import pandas as pd

from evaluate_qa.metrics._shared.messages import pluralize
from evaluate_qa.reporting.charts import histogram

from ..drawing import code, markup, summary
from ..metric.hosted import HostedScorer
from ..metric.specification import Specification
from ..scoring import batch
from ..scoring.answering import analyze, explain, message_of
from ..scoring.batch import ScoredFile
from ..scoring.certainty import certainty
from ..scoring.files import OTHER, SUFFIXES, UploadedTable, collect, read
from ..scoring.records import Record, changed_first, records_of, write
from ..visitors.endpoints import given
from ..visitors.limits import LIMITS, uploaded
from .answer_tab import Inputs

HELP = """\
Upload a **JSONL** or **CSV** file with one row per answer and the columns {columns}. In CSV, write several texts as a
JSON list: `["Paris", "Paris, France"]`. The limits are {rows:,} rows and {size} MB. The file is deleted after
{minutes} minutes. The options on the tab Answer apply here too.

To compare **two systems**, put the second system's answers into a column `{other}`. Each row then counts as two toward
the limit."""

QUICK: Mapping[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
# Two visitors' files are scored at a time.
LONG: Mapping[str, Any] = {**QUICK, "concurrency_id": "batch", "concurrency_limit": 2}
EXAMPLES = "Example data"


def file_tab(
    specification: Specification, events: "FileEvents", options: Inputs, endpoint: Inputs, code_box: gr.Code
) -> None:
    """Lay out the tab and connect its components; the options and the endpoint are on another tab."""
    table, scored = (gr.State(None, time_to_live=LIMITS.kept_seconds) for _ in range(2))
    columns = ", ".join(f"`{f.name}`{' (optional)' if f.is_optional else ''}" for f in specification.fields)
    size, minutes = LIMITS.file_bytes // 2**20, LIMITS.kept_seconds // 60
    gr.Markdown(HELP.format(columns=columns, rows=LIMITS.rows, size=size, minutes=minutes, other=OTHER))
    with gr.Row(elem_classes="qa-upload"):
        with gr.Column(min_width=300):
            file = gr.File(label="File of answers", file_types=list(SUFFIXES), elem_id="file", height=140)
        with gr.Column(min_width=300):
            examples = gr.Button("Use example data", elem_id="take-examples")
            with gr.Row():
                run = gr.Button("Score all", variant="primary", min_width=120, elem_id="score-file")
                stop = gr.Button("Stop", variant="stop", min_width=80, elem_id="stop")
    status = gr.HTML(elem_id="status")
    results = gr.HTML(elem_id="results")
    answers = gr.Dataframe(
        visible=False,
        interactive=False,
        label="Answers (select a row to see its explanation)",
        elem_id="answers",
        max_chars=60,
        max_height=480,
    )
    row = gr.HTML(elem_id="row")
    with gr.Row():
        downloads = [
            gr.DownloadButton(f"Download as {kind.upper()}", visible=False, elem_id=f"download-{kind}")
            for kind in ("csv", "jsonl")
        ]
    shown = [status, results, answers, row, *downloads]
    file.upload(events.upload, file, [table, file, status], **QUICK)
    examples.click(events.examples, None, [table, file, status], **QUICK)
    running = run.click(events.run, [table, *options, *endpoint], [scored, *shown, code_box], **LONG)
    stop.click(events.stop, scored, shown, cancels=[running], queue=False, **QUICK)
    answers.select(events.row, [scored, *endpoint], row, scroll_to_output=True, concurrency_limit=2, **QUICK)


class FileEvents:
    """The functions behind the tab's components."""

    def __init__(self, specification: Specification, scorer: HostedScorer, metric: str) -> None:
        self._specification, self._scorer, self._metric = specification, scorer, metric

    def upload(self, file: str) -> tuple[UploadedTable | None, None, str]:
        """Read an uploaded file."""
        try:
            table = read(uploaded("File", file), self._specification.fields)
        except Exception as error:
            return None, None, markup.problem(message_of(error))
        return table, None, _ready(table)

    def examples(self) -> tuple[UploadedTable, None, str]:
        """Return the worked examples as a file."""
        specification = self._specification
        rows = (example.row for example in specification.examples.values())
        table = collect(UploadedTable(EXAMPLES, ".jsonl"), enumerate(rows, 1), specification.fields)
        return table, None, _ready(table)

    def run(self, table: UploadedTable | None, *entered: Any) -> Iterator[tuple[Any, ...]]:
        """Score the rows; yield the progress, and at the end the results."""
        unchanged = [gr.skip()] * 6
        if table is None:
            yield None, markup.problem("Upload a file first, or use the example data."), *unchanged
            return
        try:
            count = len(self._specification.controls)
            options = self._specification.options(entered[:count])
            scorer, loading = self._specification.asked_at(self._scorer, given(entered[count:]))
            for scored in batch.score(self._specification, scorer, table, options):
                yield scored, markup.render("progress", table.name, scored.done, len(table.rows)), *unchanged
            yield scored, *self._results(scored), self._code(scored, loading)
        except Exception as error:
            yield None, markup.problem(f"{table.name}: {message_of(error)}"), *unchanged

    def stop(self, scored: ScoredFile | None) -> tuple[Any, ...]:
        """Show the rows that were scored before the visitor stopped."""
        unchanged = [gr.skip()] * 5
        if scored is None or not scored.kept:
            return markup.note("Stopped before anything was scored."), *unchanged
        try:
            return self._results(scored)
        except Exception as error:
            return markup.problem(message_of(error)), *unchanged

    def row(self, event: gr.SelectData, scored: ScoredFile | None, *entered: Any) -> str:
        """Explain the selected row as the tab Answer does; with two systems' answers, both."""
        if scored is None:
            return markup.note("The results have been deleted in the meantime. Score the file again.")
        try:
            # The table may be sorted, so the row is identified by its number in the file.
            place = int(event.row_value[0])
            number = scored.table.places.index(place)
            results = [self._explained(one, number, entered) for one in (scored, scored.other) if one]
            heading = markup.render("row", f"{scored.table.name}, {scored.table.word} {place}")
            return "".join([heading, *results])
        except Exception as error:
            return markup.problem(message_of(error))

    def _explained(self, scored: ScoredFile, number: int, entered: tuple[Any, ...]) -> str:
        specification, row, options = self._specification, scored.table.rows[number], scored.options
        analysis = analyze(specification, self._scorer, row, options, given(entered))
        outcome = explain(specification, self._scorer, analysis, options)
        return markup.result(outcome, analysis.row["predictions"], specification.most)

    def _results(self, scored: ScoredFile) -> tuple[Any, ...]:
        """Return the status, figures with plot, the table, an empty explanation, and the downloads."""
        specification, found, rows = self._specification, certainty(scored), records_of(scored)
        charts = {}
        for one in filter(None, (scored, scored.other)):
            caption = f"Distribution of the scores{f' of {one.table.answer}' if scored.other else ''}"
            if scores := batch.known_of(one.columns["score"]):
                charts[caption] = histogram(np.array(scores), caption)
        cards = summary.cards(scored, found, specification)
        compared = summary.comparison(scored, found, specification)
        shown = markup.render("results", cards, compared, list(summary.notes(found)), scored.problems, charts)
        left = len(scored.table.rows) - scored.done
        status = f"{scored.stopped or 'stopped'}; not scored: {pluralize(left, 'row')}." if left else "done."
        files = [gr.update(value=str(path), visible=True) for path in write(rows)]
        table = pd.DataFrame([_readable(row) for row in changed_first(rows)])
        return markup.note(f"{scored.table.name}: {status}"), shown, gr.update(value=table, visible=True), "", *files

    def _code(self, scored: ScoredFile, loading: Mapping[str, Any]) -> Any:
        if scored.table.name == EXAMPLES:
            return gr.update(visible=False)
        commands = code.for_file(self._specification, self._metric, scored.table, scored.options, loading)
        return gr.update(value=commands, visible=True)


def _ready(table: UploadedTable) -> str:
    rows = pluralize(len(table.rows), "row")
    return markup.note(f"{table.name}: {rows} to score.") + markup.render("skipped", table.problems)


def _readable(row: Record) -> dict[str, Any]:
    """Return a record as the page shows it: verdicts in words, lists joined, scores with three decimals."""
    return {name: _WORDS[value] if name in ("verdict", "verdict_b") else _cell(value) for name, value in row.items()}


_WORDS = {True: "correct", False: "incorrect", None: "no verdict"}


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return " · ".join(f"{part:.3g}" if isinstance(part, float) else str(part) for part in value)
    return round(value, 3) if isinstance(value, float) else value
