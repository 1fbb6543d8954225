"""A cascade as HTML: a matcher that decides where it is sure, and a judge who is asked about the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle

from . import markup

Band = tuple[float, float]


@dataclass(frozen=True)
class Opinion:
    """What matcher and judge say of an answer.

    Args:
        question: The question.
        references: Its right answers.
        answer: The answer.
        score: How likely it is right, by the matcher.
        matched: The matcher's verdict.
        label: What the judge says.
        correct: The judge's verdict, which is the truth here.
        reason: Why, in a few words.
    """

    question: str
    references: Sequence[str]
    answer: str
    score: float
    matched: bool
    label: str
    correct: bool
    reason: str

    def verdict(self, asked: bool) -> bool:
        """Return what the cascade makes of the answer."""
        return self.correct if asked else self.matched


def drawn(opinions: Sequence[Opinion], asked: Sequence[bool], band: Band) -> str:
    """Return figures, a picture and lists of what the matcher decides and what the judge is asked about.

    Args:
        opinions: In the order of the matcher's score.
        asked: Whether the judge is asked about each.
        band: The scores about which it is.
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


def _picture(pairs: Sequence[tuple[Opinion, bool]], band: Band) -> str:
    """Return the answers as dots from 0 to 1, by the matcher's score, before the band."""
    dots = "".join(
        f'<i class="qa-dot {_LOOKS[_part(*pair)]}" style="left:{100 * pair[0].score:.4g}%;bottom:{height}px"></i>'
        for pair, height in zip(pairs, cycle(_HEIGHTS))
    )
    told_of = f"{len(pairs)} answers by bem's score; the judge decides from {band[0]:g} to {band[1]:g}"
    key = " ".join(f'<span class="qa-dot {look}"></span>{name}' for name, look in _LOOKS.items())
    left, width = 100 * band[0], 100 * (band[1] - band[0])
    return (
        f'<figure class="qa-strip"><div role="img" aria-label="{told_of}">'
        f'<span class="qa-band" style="left:{left:.4g}%;width:{width:.4g}%"></span>{dots}</div>'
        f'<figcaption class="qa-key"><span>0</span><span>1</span><div>{key}</div></figcaption></figure>'
    )


# Where dots stand that have much the same score.
_HEIGHTS = range(8, 78, 14)
# What became of an answer -> how its dot looks.
_LOOKS = {
    "decided by bem": "qa-any",
    "decided by the judge": "qa-asked",
    "wrong verdict": "qa-low",
}


def _part(opinion: Opinion, asked: bool) -> str:
    if opinion.verdict(asked) != opinion.correct:
        return "wrong verdict"
    return "decided by the judge" if asked else "decided by bem"


def _group(title: str, pairs: Sequence[tuple[Opinion, bool]]) -> str:
    items = "".join(_item(*pair) for pair in pairs) or '<li class="qa-empty">No answers</li>'
    return f"<section><h3>{title} ({len(pairs)})</h3><ul>{items}</ul></section>"


def _item(opinion: Opinion, asked: bool) -> str:
    verdict = opinion.verdict(asked)
    sign, said, look = ("✓", "correct", "qa-right") if verdict else ("✗", "incorrect", "qa-wrong")
    told_of = ""
    if asked:
        told_of = f"Judge: {opinion.label}. {opinion.reason}"
    elif verdict != opinion.correct:
        told_of = f"bem is wrong: this answer is {opinion.label}. {opinion.reason}"
    right = " or ".join(opinion.references)
    return (
        f'<li class="{look}"><span class="qa-tell" role="img" aria-label="{said}">{sign}</span>'
        f"<span><b>{escape(opinion.answer)}</b><span>{escape(opinion.question)} Reference: {escape(right)}</span>"
        f"{f'<em>{escape(told_of)}</em>' if told_of else ''}</span>"
        f'<span class="qa-value">{opinion.score:.2f}</span></li>'
    )
