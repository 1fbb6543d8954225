"""The Space of SMILE: which fields and options it has, and how it explains a score."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from space.frame import launch
from space.outcome import Bar, Mark, Outcome
from space.spans import find_run, words
from space.specification import Example, Field, Options, Parts, Row, Slider, Specification

if TYPE_CHECKING:
    from space.scorer import Scorer

RADIUM = {"questions": "Who discovered radium?", "references": ["Marie Curie", "Marie Skłodowska-Curie"]}


def analyse(scorer: "Scorer", row: Row) -> Parts:
    """Score the answer with each reference, and find the n-gram that came nearest to each."""
    parts = scorer.per_reference(row)
    text = scorer.sibling("text")
    lemma = text.lemmatizer(scorer.sibling("options").SmileOptions())
    # Alone, a word that is all punctuation would be kept as it is; behind another it goes, as it does in the answer.
    answer = words(row["predictions"], lambda word: text.words(f"x {word}", lemma)[1:])
    return {**parts, "spans": [find_run(answer, ngram.split()) for ngram in parts["best_ngram"]]}


def explain(scorer: "Scorer", row: Row, parts: Parts, options: Options) -> Outcome:
    """Weigh the components with `w` (equation 3), and take the best reference."""
    semantic, lexical = np.array(parts["semantic"]), np.array(parts["lexical"])
    scores = scorer.sibling("scoring").smile_score(semantic, lexical, options["w"])
    best = int(scores.argmax())
    score = float(scores[best])
    span, exact = parts["spans"][best], bool(parts["exact_match"][best])
    why = "is the reference" if exact else "comes nearest to the reference"
    return Outcome(
        score=score,
        verdict=score >= options["threshold"],
        threshold=options["threshold"],
        best_reference=best,
        bars=[
            Bar("Semantic", semantic[best], "how near the whole answer comes to the reference in meaning"),
            Bar("Lexical", lexical[best], "mean of the two below"),
            Bar("Exact match", parts["exact_match"][best], "1 if the reference's words stand in the answer"),
            Bar("Best n-gram", parts["ngram_similarity"][best], "how near the marked words come to the reference"),
        ],
        marks=[Mark(start, end, why, "for" if exact else "half") for start, end in filter(None, [span])],
        why=_why(row, parts, options, best, score),
    )


def _why(row: Row, parts: Parts, options: Options, best: int, score: float) -> str:
    if not row["predictions"].strip():
        return "An empty answer scores 0."
    reference = f"“{row['references'][best]}”"
    if parts["exact_match"][best]:
        found = f"The answer contains {reference} word for word"
    else:
        found = f"The answer does not contain {reference}; “{parts['best_ngram'][best]}” comes nearest to it"
    semantic = parts["semantic"][best]
    near = next(word for least, word in ((0.8, "near"), (0.65, "not far from"), (-1, "far from")) if semantic >= least)
    side = "reaches" if score >= options["threshold"] else "is below"
    target = "the synthetic answer" if row.get("synthetic_answers") else "it"
    return (
        f"{found}. As a whole, the answer is {near} {target} in meaning. With w = {options['w']:g} for meaning, "
        f"the score {side} the threshold of {options['threshold']:.2f}."
    )


SPECIFICATION = Specification(
    name="smile",
    fields=(
        Field("questions", "Question", info="For you to read; SMILE does not use it.", lines=1),
        Field("references", "References", "lines", "Right answers, one on each line.", required=True, lines=2),
        Field("predictions", "Answer", info="The answer to be scored.", lines=3),
        Field(
            "synthetic_answers",
            "Synthetic answers",
            "lines",
            "A reference put as a sentence: one for all, or one for each reference.",
            lines=1,
        ),
    ),
    options=(
        Slider("w", "Weight of meaning (w)", 0.5, info="0: only the words count. 1: only the meaning counts."),
        Slider("threshold", "Threshold", 2 / 3, info="A score from here on is correct."),
    ),
    examples={
        "Right": Example({**RADIUM, "predictions": "It was Marie Curie."}),
        "Wrong": Example({**RADIUM, "predictions": "It was Rosalind Franklin."}),
        "Verbose": Example(
            {
                **RADIUM,
                "predictions": "Radium is a radioactive metal of the second group. It was found in 1898 in Paris, "
                "in the mineral pitchblende, by Marie Curie together with her husband Pierre.",
            }
        ),
        "Negated": Example({**RADIUM, "predictions": "It was certainly not Marie Curie."}),
        "With a synthetic answer": Example(
            {
                "questions": "How many moons does Mars have?",
                "references": ["two"],
                "predictions": "Mars has 2 moons, Phobos and Deimos.",
                "synthetic_answers": ["Mars has two moons."],
            }
        ),
        "German": Example(
            {
                "questions": "Wer entdeckte das Radium?",
                "references": ["Marie Curie"],
                "predictions": "Entdeckt wurde es von der Physikerin Marie Curie.",
            }
        ),
    },
    analyse=analyse,
    explain=explain,
)

if __name__ == "__main__":
    launch(SPECIFICATION, Path(__file__).parent)
