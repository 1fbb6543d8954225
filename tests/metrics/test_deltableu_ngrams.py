"""Statistics of one row, by hand and by definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_qa.metrics.deltableu.ngrams import paper_credit, released_credit, row_statistics

words = st.lists(st.sampled_from("abc"), max_size=8)
rows = st.lists(st.tuples(words, st.integers(-10, 10).map(lambda tenths: tenths / 10)), min_size=1, max_size=5).filter(
    lambda row: max(weight for _, weight in row) > 0
)


def statistics(prediction, row, order=4, variant="paper"):
    references, weights = zip(*row, strict=True)
    return row_statistics(prediction, references, weights, order, variant)


@pytest.mark.parametrize("credit", [paper_credit, released_credit])
def test_references_without_the_ngram_do_not_count(credit):
    # "bad" is in the first reference only, whose weight is negative: the second does not lift it to 0.
    assert credit([{"bad": 2}, {}], [-0.5, 1.0]) == {"bad": -1.0}


def by_definition(prediction, row, order):
    """Equation 3, n-gram by n-gram, reference by reference."""
    matches, totals = [0.0] * order, [0.0] * order
    for n in range(1, order + 1):
        grams = [tuple(prediction[i : i + n]) for i in range(len(prediction) - n + 1)]
        for gram in set(grams):
            in_h, credits = grams.count(gram), []
            for reference, weight in row:
                in_r = [tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)].count(gram)
                if in_r:
                    credits.append(weight * min(in_h, in_r))
            matches[n - 1] += max(credits, default=0.0)
            totals[n - 1] += max(weight * in_h for _, weight in row)
    return [*matches, *totals]


@given(words, rows, st.integers(1, 5))
def test_statistics_follow_the_definition(prediction, row, order):
    assert statistics(prediction, row, order)[2:] == pytest.approx(by_definition(prediction, row, order))


@given(words, rows, st.sampled_from(["paper", "released"]), st.randoms(use_true_random=False))
def test_order_and_repetition_of_references_do_not_matter(prediction, row, variant, random):
    shuffled = [*row, random.choice(row)]
    random.shuffle(shuffled)
    assert statistics(prediction, shuffled, variant=variant) == statistics(prediction, row, variant=variant)


@given(words, st.lists(words, min_size=1, max_size=5))
def test_variants_agree_if_weights_are_equal(prediction, references):
    row = [(reference, 0.5) for reference in references]
    assert statistics(prediction, row, variant="released") == statistics(prediction, row)
