"""The Space of ΔBLEU: which fields and options it has, and how it explains a score."""

from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from space.frame import launch
from space.outcome import Bar, Kind, Mark, Outcome
from space.specification import Choice, Example, Field, Options, Parts, Row, Slider, Specification

if TYPE_CHECKING:
    from space.scorer import Scorer

MOST = 4
LANGUAGES = {"en": "English, and most others", "zh": "Chinese"}
HAND = {
    "questions": "What is wrong with my hand?",
    "references": ["tinea of the hand", "most likely it is eczema", "it is nothing, wait and see"],
    "reference_weights": [1.0, 0.7, -0.5],
}


def analyse(scorer: "Scorer", row: Row) -> Parts:
    """Count matches and totals of n-grams, and find what each token of the answer earns, in either language."""
    weights = row.get("reference_weights") or [1.0] * len(row["references"])
    ngrams, tokens = scorer.sibling("ngrams"), scorer.sibling("tokens")
    parts: Parts = {}
    for language in LANGUAGES:
        split = tokens.load_tokenizer(None, language).split
        answer, references = split(row["predictions"]), [split(reference) for reference in row["references"]]
        counts = Counter((token,) for token in answer)
        credit = ngrams.paper_credit([ngrams.matched_counts(reference, [counts]) for reference in references], weights)
        earned = [credit[(token,)] / counts[(token,)] if (token,) in credit else None for token in answer]
        parts[language] = {
            "statistics": ngrams.row_statistics(answer, references, weights, MOST),
            "earned": list(zip(_places(row["predictions"], answer), earned, strict=True)),
        }
    return parts


def explain(scorer: "Scorer", row: Row, parts: Parts, options: Options) -> Outcome:
    """Score the statistics of as many orders as are asked for."""
    core, order = scorer.sibling("scoring"), options["max_ngram_order"]
    of_language = parts[options["lang"]]
    lengths, matches, totals = np.split(np.array([of_language["statistics"]]), [2, 2 + MOST], axis=1)
    # The score of one answer leaves out the orders it is too short for, as in the metric's rows.
    chosen = scorer.sibling("options").DeltaBleuOptions(
        max_ngram_order=order, smooth_method=options["smooth_method"], effective_order=True
    )
    scores = core.score(np.hstack([lengths, matches[:, :order], totals[:, :order]]), chosen)
    precisions = scores.precisions[0]
    names = ["Words", "Pairs of words", "Runs of three", "Runs of four"]
    bars = [Bar(names[n], precisions[n], _matched(scores, n), most=100.0) for n in range(order)]
    penalty = float(scores.brevity_penalty[0])
    length = f"{scores.sys_len[0]:g} tokens; the reference closest in length has {scores.ref_len[0]:g}"
    return Outcome(
        score=float(scores.score[0]),
        verdict=None,
        threshold=None,
        best_reference=None,
        bars=[*bars, Bar("Brevity penalty", penalty, length)],
        marks=_marks(of_language["earned"], max(row.get("reference_weights") or [1.0])),
        why=_why(row, precisions, penalty),
    )


def _matched(scores: Any, n: int) -> str:
    if not scores.totals[0, n]:
        return "the answer is too short for these"
    return f"matches weigh {scores.matches[0, n]:.3g} of {scores.totals[0, n]:.3g}, before smoothing"


def _places(text: str, tokens: list[str]) -> list[tuple[int, int]]:
    """Return where each token stands; an empty place for one that the tokeniser has altered."""
    places, end = [], 0
    for token in tokens:
        start = text.find(token, end)
        places.append((end, end) if start < 0 else (start, start + len(token)))
        end = places[-1][1]
    return places


def _marks(earned: list[tuple[tuple[int, int], float | None]], heaviest: float) -> list[Mark]:
    """Mark the runs of tokens that earn the same weight."""
    marks: list[Mark] = []
    for weight, run in groupby(earned, key=lambda token: token[1]):
        places = [place for place, _ in run]
        if weight:
            why = f"in a reference of weight {weight:g}"
            kind: Kind = "against" if weight < 0 else "for" if weight == heaviest else "half"
            marks.append(Mark(places[0][0], places[-1][1], why, kind))
    return marks


def _why(row: Row, precisions: Any, penalty: float) -> str:
    if not row["predictions"].strip():
        return "An empty answer scores 0."
    if not precisions.any():
        return "No word of the answer earns anything: it is in no reference with a weight above 0."
    short = f", times {penalty:.2f}, because the answer is shorter than the references" if penalty < 1 else ""
    return (
        "The score is the geometric mean of the precisions below, without those for which the answer is too short"
        f"{short}. A word earns the weight of the best reference that has it: green the most there is, yellow less, "
        "red takes away."
    )


SPECIFICATION = Specification(
    name="deltableu",
    fields=(
        Field("questions", "Question", info="For you to read; ΔBLEU does not use it.", lines=1),
        Field("references", "References", "lines", "Answers, good and bad, one on each line.", required=True, lines=3),
        Field("reference_weights", "Weights", "numbers", "One for each reference, from -1 to 1. Default: 1."),
        Field("predictions", "Answer", info="The answer to be scored.", lines=3),
    ),
    options=(
        Choice("lang", "Language", LANGUAGES),
        Slider("max_ngram_order", "Longest n-grams", MOST, low=1, high=MOST, step=1),
        Choice(
            "smooth_method",
            "Where there is no match",
            {
                "exp": "half a match, then a quarter, … (exp)",
                "floor": "a tenth of a match (floor)",
                "add-k": "one match more everywhere (add-k)",
                "none": "nothing: the score is 0",
            },
        ),
    ),
    examples={
        "Right": Example({**HAND, "predictions": "This is tinea of the hand."}),
        "Second best": Example({**HAND, "predictions": "I think it is eczema."}),
        "Wrong": Example({**HAND, "predictions": "It is nothing, wait and see."}),
        "Verbose": Example(
            {
                **HAND,
                "predictions": "Thank you for the picture. From what can be seen there it is most likely tinea of the "
                "hand, a fungal infection; a cream will help.",
            }
        ),
        "Negated": Example({**HAND, "predictions": "It is not eczema."}),
        "Chinese": Example(
            {
                "questions": "我的手怎么了?",
                "references": ["手掌有点像梅毒疹。", "可能是湿疹"],
                "reference_weights": [0.6, 1.0],
                "predictions": "手上像湿疹。",
            },
            {"lang": "zh"},
        ),
    },
    analyse=analyse,
    explain=explain,
    most=100.0,
    # The score of all rows is that of their sums, not the mean of their scores.
    chunk=None,
)

if __name__ == "__main__":
    launch(SPECIFICATION, Path(__file__).parent)
