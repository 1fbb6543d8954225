"""The Space of SMILE: which fields and examples it has, and how it explains a score."""

from typing import Any

from evaluate_qa.metrics.smile import text
from evaluate_qa.metrics.smile.scoring import score
from evaluate_qa.spaces._shared.metric import (
    RADIUM,
    Example,
    Field,
    HostedScorer,
    Mark,
    Outcome,
    Row,
    Specification,
    bars,
    boxes,
    find_run,
    words,
)
from evaluate_qa.spaces._shared.page import launch

COMPONENTS = {
    "semantic": ("Semantic", "how near the whole answer comes to the reference in meaning"),
    "lexical": ("Lexical", "mean of the two below"),
    "exact_match": ("Exact match", "1 if the reference's words stand in the answer"),
    "ngram_similarity": ("Best n-gram", "how near the marked words come to the reference"),
}


def explain(_: HostedScorer, row: Row, parts: Any, options: Any) -> Outcome:
    """Score the components, and mark the n-gram that came nearest to the best reference."""
    scores = score(parts, options)
    lemma = text.lemmatizer(options)
    # Alone, a word that is all punctuation would be kept as it is; behind another it goes, as it does in the answer.
    answer = words(row["predictions"], lambda word: text.words(f"x {word}", lemma)[1:])
    span = find_run(answer, scores.best_ngram[0].split())
    exact = bool(scores.exact_match[0])
    why = "is the reference" if exact else "comes nearest to the reference"
    return Outcome.of(
        scores,
        options,
        bars=bars(COMPONENTS, {name: getattr(scores, name)[0] for name in COMPONENTS}),
        marks=[Mark(*span, why, "for" if exact else "half")] if span else [],
        why=_why(row, scores, options),
    )


def _why(row: Row, scores: Any, options: Any) -> str:
    reference = f"“{row['references'][scores.best_reference[0]]}”"
    if scores.exact_match[0]:
        found = f"The answer contains {reference} word for word"
    else:
        found = f"The answer does not contain {reference}; “{scores.best_ngram[0]}” comes nearest to it"
    semantic = scores.semantic[0]
    near = next(word for least, word in ((0.8, "near"), (0.65, "not far from"), (-1, "far from")) if semantic >= least)
    side = "reaches" if scores.verdict[0] else "is below"
    target = "the synthetic answer" if row.get("synthetic_answers") else "it"
    return (
        f"{found}. As a whole, the answer is {near} {target} in meaning. With w = {options.w:g} for meaning, "
        f"the score {side} the threshold of {options.threshold:.2f}."
    )


FIELDS = (
    *boxes("For you to read; SMILE does not use it."),
    Field(
        "synthetic_answers",
        "Synthetic answers",
        "lines",
        "A reference put as a sentence: one for all, or one for each reference.",
        lines=1,
    ),
)
MARS = {"questions": "How many moons does Mars have?", "references": ["two"]}
GERMAN = {"questions": "Wer entdeckte das Radium?", "references": ["Marie Curie"]}
EXAMPLES = {
    **RADIUM,
    "With a synthetic answer": Example(
        {
            **MARS,
            "predictions": "Mars has 2 moons, Phobos and Deimos.",
            "synthetic_answers": ["Mars has two moons."],
        }
    ),
    "German": Example({**GERMAN, "predictions": "Entdeckt wurde es von der Physikerin Marie Curie."}),
}
SPECIFICATION = Specification("smile", FIELDS, EXAMPLES, explain)

if __name__ == "__main__":
    launch(SPECIFICATION)
