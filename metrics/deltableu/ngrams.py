"""The statistics of one row for ΔBLEU: lengths, weighted n-gram matches and totals.

In the notation of Galley et al. 2015, equation 3, for a row with prediction h, references r_j and weights w_j:

    matches_n = Σ_{g ∈ n-grams(h)} max_{j: g ∈ r_j} { w_j · min(c(g, h), c(g, r_j)) }
    totals_n  = Σ_{g ∈ n-grams(h)} max_j { w_j · c(g, h) }

The statistics of a corpus are the sums over its rows.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

Ngram = tuple[str, ...]


def row_statistics(
    prediction: Sequence[str],
    references: Sequence[Sequence[str]],
    weights: Sequence[float],
    order: int = 4,
    variant: str = "paper",
) -> list[float]:
    """Return the statistics of one row, the input of `scoring.score`.

    Args:
        prediction: The tokens of the prediction.
        references: The tokens of each reference, at least one.
        weights: The weight of each reference, in [−1, 1], at least one above 0.
        order: Largest n-gram order N.
        variant: `"paper"` or `"released"`.

    Returns:
        2 + 2N numbers: length of the prediction, closest length of a reference, matches and totals of each order.
        Matches may be negative.

    >>> row_statistics(["the", "the", "cat"], [["the", "the"], ["the", "cat"]], [0.5, 1.0], order=2)
    [3, 2, 2.0, 1.5, 3.0, 2.0]
    """
    counts = [Counter(ngrams(prediction, n)) for n in range(1, order + 1)]
    matched = [matched_counts(reference, counts) for reference in references]
    credit = (paper_credit if variant == "paper" else released_credit)(matched, weights)
    # max_j { w_j · c(g, h) } = c(g, h) · max_j w_j, because counts are never negative.
    heaviest = max(weights)
    return [
        len(prediction),
        closest_length(len(prediction), [len(reference) for reference in references]),
        *(sum(credit[ngram] for ngram in of_order if ngram in credit) for of_order in counts),
        *(heaviest * sum(of_order.values()) for of_order in counts),
    ]


def ngrams(tokens: Sequence[str], n: int) -> Iterator[Ngram]:
    """Yield all runs of n tokens, from left to right.

    >>> list(ngrams(["a", "b", "c"], 2))
    [('a', 'b'), ('b', 'c')]
    """
    return zip(*[tokens[start:] for start in range(n)], strict=False)


def matched_counts(reference: Sequence[str], counts: Sequence[Counter[Ngram]]) -> dict[Ngram, int]:
    """Return min(c(g, h), c(g, r)) for each n-gram g that prediction h and reference r share.

    `counts` has c(g, h) for the n-grams of order 1, 2, ….
    """
    matched: dict[Ngram, int] = {}
    for n, of_order in enumerate(counts, start=1):
        shared = [ngram for ngram in ngrams(reference, n) if ngram in of_order]
        if not shared:
            # A longer shared n-gram would contain a shorter one.
            break
        for ngram in shared:
            matched[ngram] = min(of_order[ngram], matched.get(ngram, 0) + 1)
    return matched


def paper_credit(matched: Sequence[dict[Ngram, int]], weights: Sequence[float]) -> dict[Ngram, float]:
    """max_j { w_j · min(c(g, h), c(g, r_j)) } over the references r_j that contain the n-gram g."""
    credit: dict[Ngram, float] = {}
    for of_reference, weight in zip(matched, weights, strict=True):
        for ngram, count in of_reference.items():
            gain = weight * count
            if ngram not in credit or gain > credit[ngram]:
                credit[ngram] = gain
    return credit


def released_credit(matched: Sequence[dict[Ngram, int]], weights: Sequence[float]) -> dict[Ngram, float]:
    """max_j w_j · max_j min(c(g, h), c(g, r_j)): the two maxima may come from different references."""
    most: dict[Ngram, int] = {}
    heaviest: dict[Ngram, float] = {}
    for of_reference, weight in zip(matched, weights, strict=True):
        for ngram, count in of_reference.items():
            most[ngram] = max(count, most.get(ngram, count))
            heaviest[ngram] = max(weight, heaviest.get(ngram, weight))
    return {ngram: heaviest[ngram] * count for ngram, count in most.items()}


def closest_length(length: int, others: Sequence[int]) -> int:
    """Return the length in `others` that is closest to `length`; the shorter one of two equally close lengths.

    >>> closest_length(4, [5, 3])
    3
    """
    return min(others, key=lambda other: (abs(other - length), other))
