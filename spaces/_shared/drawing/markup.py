"""Results and messages as HTML."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from ..metric.outcome import Bar, Mark, Outcome, Picture


def result(outcome: Outcome, answer: str, most: float | None) -> str:
    """Return the result of one answer: verdict, explanation, the answer with its marks, and the components."""
    bars = "".join(_bar(bar) for bar in outcome.bars)
    return (
        f'<section class="qa-result" aria-label="Result">{_verdict(outcome, most)}'
        f'<p class="qa-why">{escape(outcome.why)}</p>'
        f'<p class="qa-answer"><span class="qa-label">Answer</span><span dir="auto">{_marked(answer, outcome.marks)}'
        f'</span></p><div class="qa-bars">{bars}</div>{_pictures(outcome.pictures)}</section>'
    )


def problem(message: str) -> str:
    """Return an error message."""
    return f'<section class="qa-problem" role="alert"><b>Not scored.</b> {escape(message)}</section>'


def note(message: str) -> str:
    """Return a status message."""
    return f'<p class="qa-note" role="status">{escape(message)}</p>' if message else ""


def progress(name: str, done: int, count: int) -> str:
    """Return a progress bar for the rows of a file."""
    label = f"{escape(name)}: {done:,} of {count:,} rows"
    return (
        f'<p class="qa-note"><progress value="{done}" max="{count}" aria-label="rows done">{label}</progress> '
        f"{label}</p>"
    )


def row(heading: str, results: Iterable[str]) -> str:
    """Return the results of a row of a file under a heading."""
    return f'<h3 class="qa-row-heading">{escape(heading)}</h3>{"".join(results)}'


def header(title: str, emoji: str, description: str) -> str:
    """Return the head of the page."""
    return (
        f'<header class="qa-header"><h1><span aria-hidden="true">{escape(emoji)}</span> {escape(title)}</h1>'
        f"<p>{escape(description)}</p></header>"
    )


def summary(figures: Mapping[str, tuple[str, str]]) -> str:
    """Return figures side by side, each with its name and a hint below."""
    items = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd>{f'<dd>{escape(hint)}</dd>' if hint else ''}</div>"
        for name, (value, hint) in figures.items()
    )
    return f'<dl class="qa-figures">{items}</dl>'


def comparison(lines: Mapping[str, Sequence[tuple[str, str]]]) -> str:
    """Return figures of two systems as a table; the first line has the headings."""
    if not lines:
        return ""
    (_, heads), *rows = lines.items()
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name, _ in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(f"<td><b>{escape(value)}</b> <span>{escape(hint)}</span></td>" for value, hint in cells)
        + "</tr>"
        for name, cells in rows
    )
    return f'<table class="qa-compared"><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>'


def chart(caption: str, svg: str) -> str:
    """Return a chart with its caption."""
    return f'<figure class="qa-plot"><figcaption>{escape(caption)}</figcaption>{svg}</figure>'


def remarks(messages: Iterable[str]) -> str:
    """Return remarks on the figures as a paragraph."""
    text = " ".join(messages)
    return f'<p class="qa-remarks">{escape(text)}</p>' if text else ""


def problems(messages: Sequence[str], shown: int = 10) -> str:
    """Return the number of rows that could not be scored, and the first reasons."""
    if not messages:
        return ""
    items = "".join(f"<li>{escape(message)}</li>" for message in messages[:shown])
    more = f"<p>… and {len(messages) - shown:,} more.</p>" if len(messages) > shown else ""
    count = "1 row was" if len(messages) == 1 else f"{len(messages):,} rows were"
    return f'<section class="qa-problem" role="alert"><b>{count} skipped.</b><ul>{items}</ul>{more}</section>'


def _verdict(outcome: Outcome, most: float | None) -> str:
    if outcome.score is None:
        return '<div class="qa-verdict qa-plain" role="status"><span class="qa-word">No verdict</span></div>'
    word, look, sign = {
        True: ("Correct", "qa-right", "✓"),
        False: ("Incorrect", "qa-wrong", "✗"),
        None: ("Score", "qa-plain", ""),
    }[outcome.verdict]
    sign = f'<span class="qa-sign" aria-hidden="true">{sign}</span>' if sign else ""
    out_of = "" if most is None else f' <span class="qa-most">of {most:g}</span>'
    return (
        f'<div class="qa-verdict {look}" role="status">{sign}<span class="qa-word">{word}</span>'
        f'<span class="qa-score">{number(outcome.score, most or 1.0)}{out_of}</span>'
        f"{'' if most is None else _scale(outcome.score, outcome.threshold, most)}</div>"
    )


def _scale(score: float, threshold: float | None, most: float) -> str:
    """Return the score as a bar, with a line at the threshold."""
    at = "" if threshold is None else f'<i style="left:{100 * threshold / most:.4g}%"></i>'
    width = _percent(score, most)
    return f'<div class="qa-scale" aria-hidden="true"><span style="width:{width}"></span>{at}</div>'


def _bar(bar: Bar) -> str:
    value = number(bar.value, bar.most)
    return (
        f'<div class="qa-bar"><span class="qa-name">{escape(bar.label)}</span><span class="qa-value">{value}</span>'
        f'<div class="qa-track" role="meter" aria-label="{escape(bar.label)}" aria-valuemin="0" '
        f'aria-valuemax="{bar.most:g}" aria-valuenow="{value}"><span style="width:{_percent(bar.value, bar.most)}">'
        f'</span></div><span class="qa-info">{escape(bar.info)}</span></div>'
    )


def _pictures(pictures: Sequence[Picture]) -> str:
    """Return the frames of a video, each with the key phrases that fit it best."""
    drawn = []
    for shown in pictures:
        fits = "".join(f"<b>{escape(phrase)}</b>" for phrase in shown.phrases)
        look = "qa-best" if shown.phrases else ""
        drawn.append(
            f'<figure class="{look}"><img src="{escape(shown.address)}" alt="Frame at {escape(shown.time)}">'
            f"<figcaption>{escape(shown.time)}{fits}</figcaption></figure>"
        )
    return (
        f'<div class="qa-frames" aria-label="Frames of the video" role="group">{"".join(drawn)}</div>' if drawn else ""
    )


def number(value: float, most: float) -> str:
    """Return a score with three decimals, or with one if it goes up to 100."""
    return f"{value:.3f}" if most <= 1 else f"{value:.1f}"


def _percent(value: float, most: float) -> str:
    return f"{100 * min(max(value / most, 0), 1):.4g}%"


def _marked(text: str, marks: Sequence[Mark]) -> str:
    """Return the text with its marks, without those that begin inside another."""
    parts, end = [], 0
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
        if mark.start >= end:
            parts.append(escape(text[end : mark.start]))
            inner = escape(text[mark.start : mark.end])
            parts.append(f'<mark class="qa-{mark.kind}" title="{escape(mark.why)}">{inner}</mark>')
            end = mark.end
    return "".join([*parts, escape(text[end:])]) or '<i class="qa-empty">(empty)</i>'
