"""A cascade as HTML: a matcher that decides where it is confident, and a judge for the other answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle

from . import markup

Band = tuple[float, float]


@dataclass(frozen=True)
class Opinion:
    """The verdicts of matcher and judge on an answer."""

    question: str
    references: Sequence[str]
    answer: str
    score: float
    matched: bool
    label: str
    correct: bool
    reason: str

    def verdict(self, asked: bool) -> bool:
        """Return the cascade's verdict."""
        return self.correct if asked else self.matched


def drawn(opinions: Sequence[Opinion], asked: Sequence[bool], band: Band) -> str:
    """Return figures, a picture and lists of the answers that the matcher and the judge decide.

    Opinions are in the order of the matcher's score; `asked` is True for each answer that the judge decides.
    """
    pairs = list(zip(opinions, asked, strict=True))
    low, high = band
    titles = (
        f"bem decides: below {low:g}",
        f"The judge decides: {low:g} to {high:g}",
        f"bem decides: {high:g} or more",
    )
    groups: list[list[tuple[Opinion, bool]]] = [[], [], []]
    for opinion, is_asked in pairs:
        groups[1 if is_asked else 0 if opinion.score < low else 2].append((opinion, is_asked))
    lists = "".join(_group(title, group) for title, group in zip(titles, groups, strict=True))
    return f'{markup.summary(_figures(pairs))}{_picture(pairs, band)}<div class="qa-groups">{lists}</div>'


def _figures(pairs: Sequence[tuple[Opinion, bool]]) -> dict[str, tuple[str, str]]:
    count, asked = len(pairs), sum(is_asked for _, is_asked in pairs)
    alone = sum(opinion.matched == opinion.correct for opinion, _ in pairs)
    together = sum(opinion.verdict(is_asked) == opinion.correct for opinion, is_asked in pairs)
    return {
        "Answers sent to the judge": (f"{asked} of {count}", ""),
        "Requests per 1,000 answers": (f"{1000 * asked / count:.0f}", ""),
        "Correct verdicts: bem alone": (f"{alone} of {count}", ""),
        "Correct verdicts: bem and judge": (f"{together} of {count}", ""),
    }


# Heights of dots with nearly the same score, in pixels.
_HEIGHTS = range(8, 78, 14)
# Color shows who decides; a ring, not a color, shows a wrong verdict.
_KEY = {"decided by bem": "qa-any", "decided by the judge": "qa-asked", "wrong verdict": "qa-mistake"}


def _picture(pairs: Sequence[tuple[Opinion, bool]], band: Band) -> str:
    """Return the answers as dots between 0 and 1, by the matcher's score, in front of the band."""
    dots = "".join(
        f'<i class="qa-dot {"qa-asked" if asked else "qa-any"}{_mistake(opinion, asked)}" '
        f'style="left:{100 * opinion.score:.4g}%;bottom:{height}px"></i>'
        for (opinion, asked), height in zip(pairs, cycle(_HEIGHTS))
    )
    label = f"{len(pairs)} answers by bem's score; the judge decides from {band[0]:g} to {band[1]:g}"
    key = " ".join(f'<span class="qa-dot {look}"></span>{name}' for name, look in _KEY.items())
    left, width = 100 * band[0], 100 * (band[1] - band[0])
    return (
        f'<figure class="qa-strip"><div role="img" aria-label="{label}">'
        f'<span class="qa-band" style="left:{left:.4g}%;width:{width:.4g}%"></span>{dots}</div>'
        f'<figcaption class="qa-key"><span>0</span><span>1</span><div>{key}</div></figcaption></figure>'
    )


def _mistake(opinion: Opinion, asked: bool) -> str:
    return "" if opinion.verdict(asked) == opinion.correct else " qa-mistake"


def _group(title: str, pairs: Sequence[tuple[Opinion, bool]]) -> str:
    items = "".join(_item(*pair) for pair in pairs) or '<li class="qa-empty">No answers</li>'
    return f"<section><h3>{title} ({len(pairs)})</h3><ul>{items}</ul></section>"


def _item(opinion: Opinion, asked: bool) -> str:
    sign, verdict, look = ("✓", "correct", "qa-right") if opinion.verdict(asked) else ("✗", "incorrect", "qa-wrong")
    mistake, reason = _mistake(opinion, asked), ""
    if asked:
        reason = f"Judge: {opinion.label}. {opinion.reason}"
    elif mistake:
        reason = f"Wrong verdict: this answer is {opinion.label}. {opinion.reason}"
    references = " or ".join(opinion.references)
    return (
        f'<li class="{look}{mistake}"><span role="img" aria-label="{verdict}">{sign}</span>'
        f"<span><b>{escape(opinion.answer)}</b><span>{escape(opinion.question)} Reference: {escape(references)}</span>"
        f"{f'<em>{escape(reason)}</em>' if reason else ''}</span>"
        f'<span class="qa-value">{opinion.score:.2f}</span></li>'
    )
