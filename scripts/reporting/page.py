"""The page: one file that runs no script and loads nothing. Everything that comes from data is escaped."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import __version__
from ..estimation.compared import notes as paired_notes
from ..estimation.report import interval
from ..uncertainty.intervals import Interval
from . import charts
from .examples import Chosen
from .facts import Facts

_TEMPLATE = Path(__file__).with_name("page.html")


def render(facts: Facts, chosen: Sequence[Chosen], title: str, notes: Sequence[str] = ()) -> str:
    """Return the page.

    Args:
        facts: What it says.
        chosen: The rows that it shows.
        title: Its title.
        notes: Lines that are put under "How this was made", such as the metric's signature.

    Raises:
        ImportError: jinja2 is not installed.
    """
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("Reports need jinja2, which is not installed. Run: pip install jinja2") from error
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"interval": interval, "signed": lambda found: interval(found, "+"), "ends": _ends}
    template = environment.from_string(_TEMPLATE.read_text("utf-8"))
    return template.render(
        facts=facts,
        chosen=chosen,
        title=title,
        notes=[*told_notes(facts), *notes],
        version=__version__,
        overview=charts.intervals(_headline(facts), "Systems side by side") if len(facts.systems) > 1 else "",
        histograms=[charts.histogram(scores, f"Scores of {name}") for name, scores in facts.joined.scores.items()],
        calibrations=_calibrations(facts),
    )


def _ends(text: str) -> Any:
    """Return a figure and its interval as two parts, so that a narrow column breaks only between them."""
    from markupsafe import Markup

    value, _, ends = text.partition(" ")
    return Markup("<span>{}</span> <span>{}</span>").format(value, ends)


def _headline(facts: Facts) -> list[tuple[str, Interval]]:
    """Return the most reliable figure that all systems have: accuracy by labels, verdicts, or the mean score."""
    return [(one.name, one.powered.accuracy if one.powered else one.right or one.score) for one in facts.systems]


def _calibrations(facts: Facts) -> list[str]:
    return [
        charts.calibration(
            charts.calibration_bins(joined.scores, joined.labels, joined.weights),
            f"Calibration of the scores of {name}",
        )
        for name, joined in zip(facts.joined.files, facts.labelled, strict=False)  # without labels there are none
    ]


def told_notes(facts: Facts) -> list[str]:
    """Return the notes on the figures, one sentence or two each."""
    if facts.pairs:
        return paired_notes(facts.joined, facts.pairs, facts.powered, facts.confidence)
    rows = len(next(iter(facts.joined.scores.values())))
    found = [f"{rows:,} rows; {facts.confidence:.0%} intervals."]
    if facts.clusters is not None:
        found.append(
            f"Rows with the same {facts.joined.cluster_column} count as one group ({facts.clusters:,} groups)."
        )
    if facts.joined.unscored:
        found.append(f"{facts.joined.unscored:,} rows without a score or verdict are left out.")
    if facts.powered is None:
        found.append("These figures trust the metric; the intervals do not account for its errors.")
    else:
        found += [*facts.powered.all.notes]
        found.append("Assumes that the labeled rows are a random sample of all rows, and that the labels are true.")
    return found
