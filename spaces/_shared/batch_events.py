"""What happens on the tab where a file is scored."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import gradio as gr
import pandas as pd

from . import batch, code, download, drawing, figures, plot
from .answering import told
from .batch import Scored
from .certainty import certainty
from .endpoints import given
from .files import Table, collect, read
from .scorer import Row, Scorer
from .specification import Specification
from .uploads import delete, tidy, uploaded
from .videos import Videos, read_videos

EXAMPLES = "The examples"


class BatchEvents:
    """What the tab's buttons do.

    Args:
        specification: The Space.
        scorer: Its metric.
        metric: What evaluate loads, for the Python lines.
    """

    def __init__(self, specification: Specification, scorer: Scorer, metric: str) -> None:
        self._specification, self._scorer, self._metric = specification, scorer, metric

    def upload(self, file: str) -> tuple[Table | None, None, str]:
        """Read an uploaded file, and delete it."""
        path = Path(file)
        tidy()
        try:
            table = read(path, self._specification.file_fields)
        except Exception as error:
            return None, None, drawing.problem(told(error))
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
                yield None, videos, drawing.progress(done, len(paths), "videos"), wait
            yield None, videos, _known(videos), go_on
        except Exception as error:
            yield None, videos, drawing.problem(told(error)) + _known(videos), go_on

    def example_videos(self) -> tuple[Videos, str, Any]:
        """Take the videos of the worked examples, if they have any."""
        video, examples = self._specification.video, self._specification.examples.values()
        paths = sorted({Path(example.row[video.column]) for example in examples}) if video else []
        *_, videos = read_videos(self._specification, self._scorer, Videos(), paths)
        return videos, _known(videos), gr.skip()

    def examples(self) -> tuple[Table, None, str]:
        """Take the worked examples for a file."""
        rows = (self._as_in_a_file(example.row) for example in self._specification.examples.values())
        table = collect(Table(EXAMPLES, ".jsonl"), enumerate(rows, 1), self._specification.file_fields)
        return table, None, _ready(table)

    def run(self, table: Table | None, videos: Videos | None, *entered: Any) -> Iterator[tuple[Any, ...]]:
        """Score the rows; show how far it is, and in the end the results."""
        quiet = [gr.skip()] * 5
        if table is None:
            yield None, drawing.problem("Choose a file first, or take the examples."), *quiet
            return
        try:
            count = len(self._specification.controls)
            options = self._specification.options(entered[:count])
            scorer, loading = self._specification.asked_at(self._scorer, given(entered[count:]))
            for scored in batch.score(self._specification, scorer, table, options, videos or Videos()):
                yield scored, drawing.progress(scored.done, len(table.rows)), *quiet
            yield scored, *self._results(scored), self._code(scored, options, loading)
        except Exception as error:
            yield None, drawing.problem(told(error)), *quiet

    def stop(self, scored: Scored | None) -> tuple[Any, ...]:
        """Show what had been scored when the visitor stopped."""
        quiet, go_on = [gr.skip()] * 4, gr.update(interactive=True)
        if scored is None or not scored.kept:
            return drawing.note("Stopped; nothing was scored yet."), *quiet, go_on
        try:
            return *self._results(scored), go_on
        except Exception as error:
            return drawing.problem(told(error)), *quiet, go_on

    def _as_in_a_file(self, row: Row) -> dict[str, Any]:
        """Return a row by the names that a file has for its columns, and with the name of its video."""
        given = {f.name: (f, row[f.column]) for f in self._specification.fields if f.column in row}
        return {name: Path(value).name if f.kind == "video" else value for name, (f, value) in given.items()}

    def _results(self, scored: Scored) -> tuple[Any, ...]:
        """Return status, figures with plot, table and downloads."""
        specification, found, records = self._specification, certainty(scored), batch.records(scored)
        shown = drawing.summary(figures.cards(scored, found, specification))
        shown += drawing.comparison(figures.compared(scored, found, specification))
        shown += drawing.remarks(figures.notes(found)) + drawing.problems(scored.problems)
        for one in filter(None, (scored, scored.other)):
            of = f"the scores of {one.table.answer}" if scored.other else "the scores"
            if scores := batch.known_of(one.columns["score"]):
                verdicts = one.columns.get("verdict")
                shown += plot.distribution(scores, verdicts and batch.known_of(verdicts), specification.most, of)
        left = len(scored.table.rows) - scored.done
        status = scored.stopped or (f"Stopped: {left:,} rows were not scored." if left else "Done.")
        files = [gr.update(value=str(path), visible=True) for path in download.write(records)]
        table = _readable(pd.DataFrame(batch.changed_first(records)))
        return drawing.note(status), shown, gr.update(value=table, visible=True), *files

    def _code(self, scored: Scored, options: Any, loading: Mapping[str, Any]) -> Any:
        table = scored.table
        if table.name == EXAMPLES:
            return gr.update(visible=False)
        specification = self._specification
        arguments = specification.arguments(options)
        metric = (self._metric, specification.configuration)
        verdicts = "verdict" in scored.columns
        lines = code.for_file(
            metric, specification.name, table, specification.file_fields, arguments, verdicts, loading
        )
        return gr.update(value=lines, visible=True)


def _ready(table: Table) -> str:
    rows = "1 row" if len(table.rows) == 1 else f"{len(table.rows):,} rows"
    return drawing.note(f"{table.name}: {rows} to score.") + drawing.problems(table.problems)


def _known(videos: Videos) -> str:
    """Say which videos there are, and what is wrong with the others."""
    count = "1 video" if len(videos.read) == 1 else f"{len(videos.read)} videos"
    read = drawing.note(f"{count} read: {', '.join(videos.read)}.") if videos.read else ""
    return read + drawing.problems([f"{name}: {problem}" for name, problem in videos.problems.items()], of="video")


def _readable(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table as the page shows it: lists joined, scores with three decimals."""
    return frame.round(3).map(lambda cell: " · ".join(map(_short, cell)) if isinstance(cell, list) else cell)


def _short(part: Any) -> str:
    return f"{part:.3g}" if isinstance(part, float) else str(part)
