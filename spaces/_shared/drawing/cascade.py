"""A cascade as HTML: a matcher that decides where it is confident, and a judge for the other answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .markup import render

Band = tuple[float, float]

# Heights of dots with nearly the same score, in pixels.
_HEIGHTS = range(8, 78, 14)


@dataclass(frozen=True)
class Opinion:
    """The verdicts of matcher and judge on an answer; `asked` is True if the judge decides it."""

    question: str
    references: Sequence[str]
    answer: str
    score: float
    matched: bool
    label: str
    correct: bool
    reason: str
    asked: bool = False

    @property
    def verdict(self) -> bool:
        """The cascade's verdict."""
        return self.correct if self.asked else self.matched

    @property
    def is_mistake(self) -> bool:
        """True if the cascade's verdict is wrong."""
        return self.verdict != self.correct


def drawn(opinions: Sequence[Opinion], asked: Sequence[bool], band: Band) -> str:
    """Return figures, a picture and lists of the answers that the matcher and the judge decide.

    Opinions are in the order of the matcher's score; `asked` is True for each answer that the judge decides.
    """
    answers = [replace(opinion, asked=is_asked) for opinion, is_asked in zip(opinions, asked, strict=True)]
    low, high = band
    groups = {
        f"bem decides: below {low:g}": [one for one in answers if not one.asked and one.score < low],
        f"The judge decides: {low:g} to {high:g}": [one for one in answers if one.asked],
        f"bem decides: {high:g} or more": [one for one in answers if not one.asked and one.score >= low],
    }
    return render("cascade", _figures(answers), answers, low, high, _HEIGHTS, groups)


def _figures(answers: Sequence[Opinion]) -> dict[str, tuple[str, str]]:
    count, asked = len(answers), sum(one.asked for one in answers)
    alone = sum(one.matched == one.correct for one in answers)
    together = sum(not one.is_mistake for one in answers)
    return {
        "Answers sent to the judge": (f"{asked} of {count}", ""),
        "Requests per 1,000 answers": (f"{1000 * asked / count:.0f}", ""),
        "Correct verdicts: bem alone": (f"{alone} of {count}", ""),
        "Correct verdicts: bem and judge": (f"{together} of {count}", ""),
    }
