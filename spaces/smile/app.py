"""The Space of SMILE."""

from typing import Any

from evaluate_qa.metrics.smile import text
from evaluate_qa.metrics.smile.scoring import score
from evaluate_qa.spaces._shared.metric.hosted import HostedScorer, Row
from evaluate_qa.spaces._shared.metric.outcome import Mark, Outcome, bars, find_run, words
from evaluate_qa.spaces._shared.metric.specification import RADIUM, Example, Field, Specification, boxes

COMPONENTS = {
    "semantic": ("Semantic", "similarity of the whole answer and the reference in meaning"),
    "lexical": ("Lexical", "mean of the two values below"),
    "exact_match": ("Exact match", "1 if the answer contains the reference's words"),
    "ngram_similarity": ("Best n-gram", "similarity of the marked words and the reference"),
}


def explain(_: HostedScorer, row: Row, features: Any, options: Any) -> Outcome:
    """Score the components, and mark the n-gram that is closest to the best reference."""
    scores = score(features, options)
    lemma = text.lemmatizer(options)
    # After another word, because a word that is only punctuation is dropped unless it stands alone.
    answer = words(row["predictions"], lambda word: text.words(f"x {word}", lemma)[1:])
    span = find_run(answer, scores.best_ngram[0].split())
    exact = bool(scores.exact_match[0])
    why = "the reference" if exact else "closest to the reference"
    return Outcome.of(
        scores,
        options,
        bars=bars(COMPONENTS, {name: getattr(scores, name)[0] for name in COMPONENTS}),
        marks=[Mark(*span, why, "for" if exact else "half")] if span else [],
        why=_why(row, scores, options, span),
    )


def _why(row: Row, scores: Any, options: Any, span: tuple[int, int] | None) -> str:
    reference = f"“{row['references'][scores.best_reference[0]]}”"
    if scores.exact_match[0]:
        found = f"The answer contains {reference} word for word"
    else:
        found = f"The answer does not contain {reference}"
        if span:  # quoted from the answer, because the n-gram consists of lemmas
            found += f"; “{row['predictions'][slice(*span)]}” is closest to it"
    semantic = scores.semantic[0]
    close = next(
        word for least, word in ((0.8, "close to"), (0.65, "fairly close to"), (-1, "far from")) if semantic >= least
    )
    side, verdict = ("at or above", "correct") if scores.verdict[0] else ("below", "incorrect")
    target = "the synthetic answer" if row.get("synthetic_answers") else "the reference"
    return (
        f"{found}. As a whole, the answer is {close} {target} in meaning, which has the weight {options.w:g}. "
        f"Score {scores.score[0]:.2f}, {side} the threshold of {options.threshold:.2f}: {verdict}."
    )


FIELDS = (
    *boxes("Optional. Only the rules for values, such as numbers and dates, read it."),
    Field(
        "synthetic_answers",
        "Synthetic answers",
        "lines",
        "The reference written as a sentence: one for all references, or one per reference.",
        lines=1,
    ),
)
MARS = {"questions": "How many moons does Mars have?", "references": ["two"]}
GERMAN = {"questions": "Wer entdeckte das Radium?", "references": ["Marie Curie"]}
EXAMPLES = {
    **RADIUM,
    "With a synthetic answer": Example(
        {**MARS, "predictions": "Mars has 2 moons, Phobos and Deimos.", "synthetic_answers": ["Mars has two moons."]}
    ),
    "German": Example({**GERMAN, "predictions": "Entdeckt wurde es von der Physikerin Marie Curie."}),
}
SPECIFICATION = Specification("smile", FIELDS, EXAMPLES, explain)

if __name__ == "__main__":
    from evaluate_qa.spaces._shared.page.frame import launch

    launch(SPECIFICATION)
