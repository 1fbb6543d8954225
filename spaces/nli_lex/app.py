"""The Space of NLI+lex: which fields and options it has, and how it explains a score."""

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

TELEPHONE = {"questions": "Who was awarded the first US patent for the telephone?"} | {
    "references": ["Alexander Graham Bell", "Graham Bell"]
}

SIGNALS = {
    "recall": "the share of the reference's words",
    "match": "whether the reference stands in the answer",
    "features": "words, numbers and negations",
    "none": "nothing: entailment alone",
}
# From which entailment on the sentence says that the reference follows, or may follow.
SURE, UNSURE = 0.7, 0.3


def analyse(scorer: "Scorer", row: Row) -> Parts:
    """Ask the model whether the answer entails each reference, and gather what the words say."""
    lexical = scorer.sibling("lexical")
    answer = words(row["predictions"], lambda word: lexical.squad_normalise(word).split())
    spans = [find_each(answer, lexical.normalised_words(reference)) for reference in row["references"]]
    return {**scorer.per_reference(row), "spans": spans}


def explain(scorer: "Scorer", row: Row, parts: Parts, options: Options) -> Outcome:
    """Put entailment and the lexical signal through the logistic layer, and take the best reference."""
    columns = {name: np.array(values) for name, values in parts.items() if name != "spans"}
    weights = logistic_layers(scorer).get(options["lexical"], {})
    scores = scorer.sibling("scoring").probability(columns, weights) * bool(row["predictions"].strip())
    best = int(scores.argmax())
    score = float(scores[best])
    return Outcome(
        score=score,
        verdict=score > options["threshold"],
        threshold=options["threshold"],
        best_reference=best,
        bars=[
            Bar("Entailment", columns["entailment"][best], "how surely the reference follows from the answer"),
            Bar("Words found", columns["recall"][best], "share of the reference's words that the answer has"),
            Bar("Exact match", columns["match"][best], "1 if the reference stands in the answer"),
            Bar("Missing numbers", columns["missing_numbers"][best], "share of its numbers that the answer lacks"),
            Bar("Negations differ", columns["negations_differ"][best], "1 if only one of the two has a negation"),
        ],
        marks=[Mark(start, end, "a word of the reference") for start, end in parts["spans"][best]],
        why=_why(row, columns, options, best, score),
    )


@cache
def logistic_layers(scorer: "Scorer") -> dict[str, dict[str, float]]:
    """Return the weights that come with the embedded matcher, by the lexical signal."""
    matcher: Any = scorer.sibling("matcher")
    weights: dict[str, dict[str, float]] = matcher.read(matcher.find("nli_lex")).weights["nli_lex"]
    return weights


def _why(row: Row, columns: dict[str, Any], options: Options, best: int, score: float) -> str:
    if not row["predictions"].strip():
        return "An empty answer scores 0."
    entailment, found = columns["entailment"][best], columns["recall"][best]
    follows = "follows" if entailment >= SURE else "may follow" if entailment >= UNSURE else "does not follow"
    has = "all of its words" if found == 1 else f"{found:.0%} of its words" if found else "none of its words"
    side = "above" if score > options["threshold"] else "not above"
    joined = "Entailment alone" if options["lexical"] == "none" else f"With {SIGNALS[options['lexical']]} this"
    return (
        f"“{row['references'][best]}” {follows} from the answer, which has {has}. "
        f"{joined} makes {score:.2f}, {side} the threshold of {options['threshold']:.2f}."
    )


SPECIFICATION = Specification(
    name="nli_lex",
    fields=(
        Field("questions", "Question", info="Put before both texts; without one they are compared bare.", lines=1),
        Field("references", "References", "lines", "Right answers, one on each line.", required=True, lines=2),
        Field("predictions", "Answer", info="The answer to be scored.", lines=3),
    ),
    options=(
        Slider("threshold", "Threshold", 0.5, info="A score above it is correct."),
        Choice("lexical", "What counts beside entailment", SIGNALS),
    ),
    examples={
        "Right": Example({**TELEPHONE, "predictions": "The first patent went to Alexander Bell."}),
        "Wrong": Example({**TELEPHONE, "predictions": "Thomas Edison"}),
        "Verbose": Example(
            {
                **TELEPHONE,
                "predictions": "Several inventors worked on it at the same time, among them Elisha Gray and Antonio "
                "Meucci, but on 7 March 1876 the patent was granted to Alexander Graham Bell, a teacher of the deaf.",
            }
        ),
        "Negated": Example({**TELEPHONE, "predictions": "It was not Alexander Graham Bell."}),
        "A number": Example(
            {
                "questions": "How many bones does an adult human have?",
                "references": ["206"],
                "predictions": "An adult has 208 bones.",
            }
        ),
    },
    analyse=analyse,
    explain=explain,
    arguments=lambda options: {**options, "lexical": False if options["lexical"] == "none" else options["lexical"]},
)

if __name__ == "__main__":
    launch(SPECIFICATION, Path(__file__).parent)
