"""The Space of BEM: which fields and options it has, and how it explains a score."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from space.frame import launch
from space.outcome import Bar, Mark, Outcome
from space.spans import find_each, words
from space.specification import Choice, Example, Field, Options, Parts, Row, Slider, Specification

if TYPE_CHECKING:
    from space.scorer import Scorer

MONA_LISA = {"questions": "Who painted the Mona Lisa?", "references": ["Leonardo da Vinci"]}


def analyse(scorer: "Scorer", row: Row) -> Parts:
    """Ask the classifier about the answer with each reference, and gather what the words say."""
    lexical = scorer.sibling("lexical")
    evidence = lexical.evidence([row["predictions"]], [row["references"]])
    answer = words(row["predictions"], lambda word: lexical.squad_normalise(word).split())
    return {
        "margin": scorer.per_reference(row)["margin"],
        "evidence": {name: values.tolist() for name, values in evidence.items()},
        "spans": [find_each(answer, lexical.normalised_words(reference)) for reference in row["references"]],
    }


def explain(scorer: "Scorer", row: Row, parts: Parts, options: Options) -> Outcome:
    """Put the classifier's margin and the words' evidence through the final layer, and take the best reference."""
    core, sigmoid = scorer.sibling("scoring"), scorer.sibling("arithmetic").sigmoid
    margin = np.array(parts["margin"])
    evidence = {name: np.array(values) for name, values in parts["evidence"].items()}
    weights = final_layer(scorer) if options["lexical"] == "words" else {}
    scores = sigmoid(core.combined(margin, evidence, weights)) * bool(row["predictions"].strip())
    best = int(scores.argmax())
    score, own = float(scores[best]), float(sigmoid(margin[best]))
    return Outcome(
        score=score,
        verdict=score > options["threshold"],
        threshold=options["threshold"],
        best_reference=best,
        bars=[
            Bar("Classifier", own, "probability of “equivalent”, by the classifier alone"),
            Bar("Words found", evidence["recall"][best], "share of the reference's words that the answer has"),
            Bar("Exact match", evidence["match"][best], "1 if the reference stands in the answer"),
            Bar("Missing numbers", evidence["missing_numbers"][best], "share of its numbers that the answer lacks"),
            Bar("Negations differ", evidence["negations_differ"][best], "1 if only one of the two has a negation"),
        ],
        marks=[Mark(start, end, "a word of the reference") for start, end in parts["spans"][best]],
        why=_why(row, options, best, score, own),
    )


@cache
def final_layer(scorer: "Scorer") -> dict[str, float]:
    """Return the weights of the embedded matcher's final layer."""
    matcher: Any = scorer.sibling("matcher")
    weights: dict[str, float] = matcher.read(matcher.find("bem")).weights["bem"]["features"]
    return weights


def _why(row: Row, options: Options, best: int, score: float, own: float) -> str:
    if not row["predictions"].strip():
        return "An empty answer scores 0."
    side = "above" if score > options["threshold"] else "not above"
    thinks = "takes" if own > 0.5 else "does not take"  # noqa: PLR2004
    change = ""
    if options["lexical"] == "words":
        change = f" The words raise its probability from {own:.2f} to {score:.2f}."
        if score < own:
            change = f" The words lower its probability from {own:.2f} to {score:.2f}."
    return (
        f"Given the question, the classifier {thinks} the answer for another way to say "
        f"“{row['references'][best]}”.{change} That is {side} the threshold of {options['threshold']:.2f}."
    )


SPECIFICATION = Specification(
    name="bem",
    fields=(
        Field("questions", "Question", info="BEM reads it too.", required=True, lines=1),
        Field("references", "References", "lines", "Right answers, one on each line.", required=True, lines=2),
        Field("predictions", "Answer", info="The answer to be scored.", lines=3),
    ),
    options=(
        Slider("threshold", "Threshold", 0.5, info="A score above it is correct."),
        Choice(
            "lexical",
            "What counts",
            {"words": "the classifier and what the words say", "none": "the classifier alone"},
        ),
    ),
    examples={
        "Right": Example({**MONA_LISA, "predictions": "It was painted by Leonardo."}),
        "Wrong": Example({**MONA_LISA, "predictions": "Raphael did."}),
        "Verbose": Example(
            {
                **MONA_LISA,
                "predictions": "The Mona Lisa hangs in the Louvre in Paris. It was begun in Florence in about 1503 and "
                "is the work of the Italian painter Leonardo da Vinci, who kept it until he died in France.",
            }
        ),
        "Negated": Example({**MONA_LISA, "predictions": "It was not Leonardo da Vinci."}),
        "A number": Example(
            {
                "questions": "How long is the Nile?",
                "references": ["6,650 km", "4,130 miles"],
                "predictions": "It is about 6650 km long.",
            }
        ),
    },
    analyse=analyse,
    explain=explain,
    arguments=lambda options: {**options, "lexical": None if options["lexical"] == "words" else False},
)

if __name__ == "__main__":
    launch(SPECIFICATION, Path(__file__).parent)
