"""Statistics of one row, by hand and by definition."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_qa.metrics.deltableu.ngrams import (
    closest_length,
    matched_counts,
    ngrams,
    paper_credit,
    released_credit,
    row_statistics,
)

words = st.lists(st.sampled_from("abc"), max_size=8)
rows = st.lists(st.tuples(words, st.integers(-10, 10).map(lambda tenths: tenths / 10)), min_size=1, max_size=5).filter(
    lambda row: max(weight for _, weight in row) > 0
)


def statistics(prediction, row, order=4, variant="paper"):
    references, weights = zip(*row, strict=True)
    return row_statistics(prediction, references, weights, order, variant)


def test_matched_counts_are_clipped_on_both_sides():
    # h = a a b, r = a a a c b: a 2 (of 2 and 3), b 1, "a a" 1 (of 1 and 2); "a b" is not in r.
    counts = [Counter(ngrams("aab", n)) for n in (1, 2)]
    assert matched_counts("aaacb", counts) == {("a",): 2, ("b",): 1, ("a", "a"): 1}


def test_the_paper_weighs_each_reference_by_itself():
    # "the" matches 3 times at weight 0.2 and once at 1.0: max(0.6, 1.0); "cat" once at 1.0.
    matched = [{"the": 3}, {"the": 1, "cat": 1}]
    assert paper_credit(matched, [0.2, 1.0]) == pytest.approx({"the": 1.0, "cat": 1.0})


def test_the_released_program_mixes_references():
    # The count 3 is the first reference's, the weight 1.0 the second's: 3 · 1.0.
    matched = [{"the": 3}, {"the": 1, "cat": 1}]
    assert released_credit(matched, [0.2, 1.0]) == pytest.approx({"the": 3.0, "cat": 1.0})


@pytest.mark.parametrize("credit", [paper_credit, released_credit])
def test_references_without_the_ngram_do_not_count(credit):
    # "bad" is in the first reference only, whose weight is negative: the second does not lift it to 0.
    assert credit([{"bad": 2}, {}], [-0.5, 1.0]) == {"bad": -1.0}


def test_totals_carry_the_largest_weight_of_the_row():
    # max_j { w_j · c(g, h) } includes references without g: 0.9 · 4, 0.9 · 3, …
    row = [([], 0.9), (["a", "b"], 0.7)]
    expected = [4, 2, 1.4, 0.7, 0.0, 0.0, 3.6, 2.7, 1.8, 0.9]
    assert statistics("abcd", row) == pytest.approx(expected)


def test_matches_of_a_row_may_be_negative():
    # Every n-gram of h is in the reference of weight -1 only: -4, -3, -2, -1 of 1·4, 1·3, 1·2, 1·1.
    row = [("abcd", -1.0), ("efgh", 1.0)]
    assert statistics("abcd", row)[2:] == [-4, -3, -2, -1, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("length", "others", "expected"),
    [(4, [5, 3], 3), (4, [3, 5], 3), (4, [9, 5, 2], 5), (0, [7, 2], 2), (4, [4], 4)],
)
def test_closest_length_prefers_the_shorter(length, others, expected):
    assert closest_length(length, others) == expected


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


@given(words, rows, st.data())
def test_raising_a_weight_lowers_no_match_of_the_paper(prediction, row, data):
    """The totals stay the same if the largest weight does."""
    number = data.draw(st.integers(0, len(row) - 1))
    reference, weight = row[number]
    raised = data.draw(st.floats(weight, max(weight for _, weight in row)))
    before, after = (
        statistics(prediction, row),
        statistics(prediction, [*row[:number], (reference, raised), *row[number + 1 :]]),
    )
    assert after[6:] == before[6:]
    assert all(new >= old - 1e-12 for new, old in zip(after[2:6], before[2:6], strict=True))


@given(words, st.lists(words, min_size=1, max_size=5))
def test_variants_agree_if_weights_are_equal(prediction, references):
    row = [(reference, 0.5) for reference in references]
    assert statistics(prediction, row, variant="released") == statistics(prediction, row)
