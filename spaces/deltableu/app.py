"""The Space of ΔBLEU."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from evaluate_qa.metrics._shared.messages import pluralize
from evaluate_qa.metrics.deltableu.ngrams import matched_counts, paper_credit
from evaluate_qa.metrics.deltableu.results import row_scores
from evaluate_qa.metrics.deltableu.tokens import load_tokenizer
from evaluate_qa.spaces._shared.metric.hosted import HostedScorer, Row
from evaluate_qa.spaces._shared.metric.outcome import Bar, Mark, MarkKind, Outcome
from evaluate_qa.spaces._shared.metric.specification import (
    ANSWER,
    QUESTION,
    REFERENCES,
    Example,
    Field,
    Specification,
    worked,
)

ORDERS = ("Words", "Word pairs", "Runs of three words", "Runs of four words")
HAND = {
    "questions": "What is wrong with my hand?",
    "references": ["tinea of the hand", "most likely it is eczema", "it is nothing, wait and see"],
    "reference_weights": [1.0, 0.7, -0.5],
}


def explain(scorer: HostedScorer, row: Row, _: Any, options: Any) -> Outcome:
    """Score the row, which is fast, and mark the weight that each token of the answer earns."""
    scores = row_scores(scorer.features(row, options), options)
    precisions = scores.precisions[0]
    orders = ORDERS[: options.max_ngram_order]
    bars = [Bar(name, precisions[n], _matched(scores, n), most=100.0) for n, name in enumerate(orders)]
    penalty = float(scores.brevity_penalty[0])
    length = f"{pluralize(int(scores.sys_len[0]), 'token')}; the reference closest in length has {scores.ref_len[0]:g}"
    return Outcome(
        score=float(scores.score[0]),
        bars=[*bars, Bar("Brevity penalty", penalty, length)],
        marks=_marks(row, options),
        why=_why(precisions, penalty),
    )


def _matched(scores: Any, n: int) -> str:
    if not scores.totals[0, n]:
        return "the answer is too short"
    return f"matches earn {scores.matches[0, n]:.3g} of {scores.totals[0, n]:.3g}, before smoothing"


def _marks(row: Row, options: Any) -> list[Mark]:
    """Mark runs of tokens that earn the same weight."""
    marks: list[Mark] = []
    weights = row.get("reference_weights") or [1.0] * len(row["references"])
    for weight, run in groupby(_earned(row, weights, options), key=lambda token: token[1]):
        places = [place for place, _ in run]
        if weight:
            why = f"in a reference with weight {weight:g}"
            kind: MarkKind = "against" if weight < 0 else "for" if weight == max(weights) else "half"
            marks.append(Mark(places[0][0], places[-1][1], why, kind))
    return marks


def _earned(row: Row, weights: Sequence[float], options: Any) -> Iterator[tuple[tuple[int, int], float | None]]:
    """Yield the place and the weight of each token of the answer; None for tokens that are in no reference."""
    split = load_tokenizer(None, options.language).split
    tokens = split(row["predictions"])
    counts: Counter[tuple[str, ...]] = Counter((token,) for token in tokens)
    matched = [matched_counts(split(reference), [counts]) for reference in row["references"]]
    credit = paper_credit(matched, weights)
    end = 0
    for token in tokens:
        start = row["predictions"].find(token, end)
        # The place of a token that the tokenizer has changed is empty.
        place = (end, end) if start < 0 else (start, start + len(token))
        end = place[1]
        yield place, credit[(token,)] / counts[(token,)] if (token,) in credit else None


def _why(precisions: Any, penalty: float) -> str:
    if not precisions.any():
        return "No word of the answer occurs in a reference with a weight above 0."
    short = f", multiplied by {penalty:.2f} because the answer is shorter than the references" if penalty < 1 else ""
    return (
        f"The score is the geometric mean of the precisions below{short}. Precisions for which the answer is too short "
        "are left out. A word earns the weight of the best reference that contains it: green is the highest weight, "
        "yellow a lower weight, and red a negative weight."
    )


FIELDS = (
    replace(QUESTION, info="Optional. ΔBLEU scores the answer without it."),
    replace(REFERENCES, info="Good and bad answers.", lines=3),
    Field("reference_weights", "Weights", "numbers", "One per reference, from -1 to 1 (default: 1)."),
    ANSWER,
)
EXAMPLES = {
    **worked(
        HAND,
        right="This is tinea of the hand.",
        wrong="It is nothing, wait and see.",
        verbose="Thank you for the picture. From what can be seen there it is most likely tinea of the hand, a fungal "
        "infection; a cream will help.",
        negated="It is not eczema.",
    ),
    "Second best": Example({**HAND, "predictions": "I think it is eczema."}),
    "Chinese": Example(
        {
            "questions": "我的手怎么了?",
            "references": ["手掌有点像梅毒疹。", "可能是湿疹"],
            "reference_weights": [0.6, 1.0],
            "predictions": "手上像湿疹。",
        },
        {"lang": "zh"},
    ),
}
# No chunks, because the score of all rows is not the mean of their scores.
SPECIFICATION = Specification("deltableu", FIELDS, EXAMPLES, explain, most=100.0, chunk=None)

if __name__ == "__main__":
    from evaluate_qa.spaces._shared.page.frame import launch

    launch(SPECIFICATION)
