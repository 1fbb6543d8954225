"""The page: one file that loads nothing, and runs no script except for the board's. All data are escaped."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evaluate_qa.metrics._shared.messages import pluralize

from .. import __version__
from ..comparing.report import notes as paired_notes
from ..joining.labels import cluster_notes
from ..uncertainty.intervals import Interval, format_interval
from . import charts
from .examples import Section
from .facts import Facts


def fill(template: str, notes: Sequence[str], **values: Any) -> str:
    """Return a page of this folder, which extends `base.html`, filled with values and notes on how it was made."""
    from .templates import templates

    environment = templates(Path(__file__).parent)
    environment.filters |= {"interval": _interval, "counted": pluralize}
    return environment.get_template(template).render(notes=notes, version=__version__, **values)


def check_page_name(output: Path) -> None:
    """Raise ValueError unless the name of a page ends in .html."""
    if output.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--output is {output}; expected a file that ends in .html")


def render(facts: Facts, chosen: Sequence[Section]) -> str:
    """Return the page with the figures and the rows to show."""
    systems = facts.systems
    headline = [
        (one.name, one.by_labels.accuracy if one.by_labels else one.judged_correct or one.mean_score) for one in systems
    ]
    sources = ", ".join(file.source for file in facts.joined.files.values())
    return fill(
        "page.html",
        [*_notes(facts), f"Rows: {sources}"],
        facts=facts,
        chosen=chosen,
        overview=charts.intervals(headline, "Systems side by side") if len(systems) > 1 else "",
        histograms=[charts.histogram(scores, f"Scores of {name}") for name, scores in facts.joined.scores.items()],
        calibrations=[
            charts.calibration(one.scores, one.labels, one.weights, f"Calibration of the scores of {name}")
            for name, one in zip(facts.joined.files, facts.labeled, strict=False)  # perhaps no labels
        ],
    )


def _interval(found: Interval, sign: str = "") -> Any:
    """Return a figure and its interval as two parts, so that a narrow column breaks only between them."""
    from markupsafe import Markup

    value, _, ends = format_interval(found, sign).partition(" ")
    return Markup("<span>{}</span> <span>{}</span>").format(value, ends)


def _notes(facts: Facts) -> Iterator[str]:
    """Yield the notes on the figures, one or two sentences each."""
    joined = facts.joined
    if facts.pooling_metric:
        score = f"The score of {facts.pooling_metric} is computed from all rows together"
        yield f"{score}; it is not the mean of row scores. `evaluate-qa score` prints it."
    if facts.pairs:
        yield from paired_notes(joined, facts.pairs, facts.ppi)
        return
    yield f"{pluralize(facts.rows, 'row')}; 95% intervals."
    yield from cluster_notes(joined.cluster_column, facts.clusters, facts.rows)
    if facts.ppi is None:
        yield "These figures assume the metric is right; the intervals do not account for its errors."
    else:
        yield from facts.ppi.all.notes
        yield "Assumes that the labeled rows are a random sample of all rows, and that the labels are correct."
