"""`evaluate-qa fit`: the labels of generated examples, batches, and the number of examples of each set."""

import math
import random
from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest

from evaluate_qa.labeled_data.rows import LabeledRow
from evaluate_qa.metrics._shared.lexical import recall
from evaluate_qa.metrics._shared.words import exact_words
from evaluate_qa.training.balance import Balance, Balanced, drawn
from evaluate_qa.training.examples import Generator, Mixture
from evaluate_qa.training.wording import in_words, number_variant, sentences, yes_no
from evaluate_qa.training.written.style import chances, evening_weights

NOTHING = Mixture(**{field.name: 0.0 for field in fields(Mixture)})


def city(number, answer, reference, label):
    return LabeledRow(f"q{number}", f"which city has the number {number}", [reference], answer, label, frozenset())


CITIES = [
    city(1, "The city that you mean is Paris.", "Paris", 1.0),
    city(2, "It is Rome, of course.", "Rome", 1.0),
    city(3, "Berlin is the city.", "Berlin", 1.0),
    city(4, "I think it is Oslo.", "Madrid", 0.0),
]


def row(name, label, language="en"):
    return LabeledRow(
        name, f"question {name}?", [f"reference {name}"], f"answer {name}", label, frozenset(), (), (), language
    )


def made(kind):
    """Return the examples of one kind from 40 epochs, without the labeled answers themselves."""
    generator = Generator(CITIES, replace(NOTHING, **{kind: 1.0}))
    plain = {(r.question, r.answer, r.references[0], r.label) for r in CITIES}
    examples = [example for seed in range(40) for example in generator.epoch(seed)]
    return [e for e in examples if (e.question, e.answer, e.reference, e.label) not in plain]


def test_epoch_holds_all_labeled_answers():
    examples = Generator(CITIES, NOTHING).epoch(0)
    labeled = sorted((e.question, e.answer, e.label) for e in examples)
    assert labeled == [(r.question, r.answer, r.label) for r in CITIES]


@pytest.mark.parametrize("kind", ["wrong_reference", "swapped", "refused", "cut"])
def test_negative_examples_lack_the_reference(kind):
    examples = made(kind)
    assert examples
    for example in examples:
        assert example.label == 0
        assert recall(exact_words(example.answer), exact_words(example.reference)) == 0


def test_a_counterfactual_replaces_whole_words():
    rows = [city(1, "The art of the party started.", "art", 1.0), city(2, "It is Rome.", "Rome", 1.0)]
    generator = Generator(rows, replace(NOTHING, counterfactual=1.0))
    answers = {e.answer for e in generator.epoch(0) if e.reference == "Rome"}
    assert "The Rome of the party started." in answers


def test_a_swapped_answer_with_another_reference_is_no_example():
    rows = [
        replace(CITIES[0], answer="It is New York (NYC).", references=["NYC", "New York"]),
        city(2, "It is Old Rome.", "Old Rome", 1.0),
    ]
    examples = Generator(rows, replace(NOTHING, swapped=1.0)).epoch(0)
    assert not [e for e in examples if e.label == 0 and "NYC" in e.answer]


def test_counterfactuals_agree():
    examples = made("counterfactual")
    assert examples
    assert all(e.label == 1 and e.reference in e.answer for e in examples)


def test_rejected_reference_is_wrong_and_rejected_alternative_is_right():
    examples = made("rejected")
    assert {e.label for e in examples} == {0, 1}
    assert all(e.reference in e.answer for e in examples if e.label)


def test_padding_keeps_the_answer_and_adds_no_reference():
    for example in Generator(CITIES, replace(NOTHING, padded=1.0)).epoch(3):
        original = next(r for r in CITIES if r.question == example.question)
        assert original.answer in example.answer
        assert original.references[0] not in example.answer.replace(original.answer, "")


def test_epochs_differ_and_repeat():
    generator = Generator(CITIES, Mixture())
    assert generator.epoch(1) == generator.epoch(1) != generator.epoch(2)


@pytest.mark.parametrize("seed", range(30))
def test_yes_no_label_compares_the_claim_with_the_truth(seed):
    question, answer, reference, label = yes_no("capital?", "It is Paris.", "Paris", "Lyon", random.Random(seed))
    assert reference == ("yes" if "Paris" in question else "no")
    if answer.lower().startswith(("yes", "no")):
        claim = "yes" if answer.lower().startswith("yes") else "no"
        assert (claim == reference) == bool(label)
    else:
        assert label == 1


def test_numbers_and_dates_are_rewritten():
    assert number_variant("on 8 September 2010", random.Random(0)) == "on September 8, 2010"
    assert number_variant("on September 8, 2010", random.Random(0)) == "on 8 September 2010"
    variants = {number_variant("40 or seven, not 1987", random.Random(seed)) for seed in range(9)}
    assert variants == {"forty or seven, not 1987", "40 or 7, not 1987"}
    parts = "the 20th, 3pm, 1.5, twenty-one or two-thirds"
    assert {number_variant(parts, random.Random(seed)) for seed in range(9)} == {parts}
    assert [in_words(n) for n in (0, 13, 20, 99)] == ["zero", "thirteen", "twenty", "ninety-nine"]
    assert sentences('One. Two? "Three" e.g. four') == ["One.", "Two?", '"Three" e.g. four']


def test_share_of_a_set_is_its_size_to_the_temperature():
    sizes = [100, 400, 900]
    assert Balance(temperature=0).counts(90, sizes, "abc") == [30, 30, 30]
    # The roots are 10, 20 and 30, so the shares are a sixth, a third and a half.
    assert Balance(temperature=0.5).counts(90, sizes, "abc") == [15, 30, 45]
    assert Balance(temperature=1).counts(1400, sizes, "abc") == sizes
    # A third of 100 each: the ends 33.3, 66.7 and 100 are rounded, so that the sum holds.
    assert Balance(temperature=0).counts(100, sizes, "abc") == [33, 34, 33]


def test_share_of_a_data_set_does_not_depend_on_its_number_of_sets():
    # 100 answers, and 900 in sets of 400, 400 and 100. The roots of 100 and 900 are 10 and 30, a quarter and three
    # quarters; the roots of the sets are 20, 20 and 10, so of 300 two fifths are 120 and a fifth is 60.
    sizes, names = [100, 400, 400, 100], ["a", "b", "b", "b"]
    assert Balance(temperature=0.5).counts(400, sizes, names) == [100, 120, 120, 60]
    assert Balance(temperature=0).counts(400, sizes, names) == [200, 67, 66, 67]


def test_a_data_set_can_have_a_given_share():
    # b gets 60 of 100, split 40 to 20 by the roots of 400 and 100; a and c split the other 40 by those of 100 and 900.
    balance = Balance(temperature=0.5, shares={"b": 0.6})
    assert balance.counts(100, [100, 400, 100, 900], ["a", "b", "b", "c"]) == [10, 40, 20, 30]
    with pytest.raises(ValueError, match=r"^shares is {'b': 1.0}; expected shares above 0 with a sum below 1$"):
        Balance(shares={"b": 1.0})
    with pytest.raises(ValueError, match=r"^shares is {'b': nan}"):
        Balance(shares={"b": math.nan})


def test_a_peer_answers_for_the_same_reference():
    rows = [
        LabeledRow("is it free?", "Is it free?", [reference], answer, 1.0, frozenset())
        for reference, answers in (("Yes", ("at no cost", "nobody pays")), ("No", ("at a cost", "everybody pays")))
        for answer in answers
    ]
    found = Generator(rows, Mixture(peer=1.0, padded=0.0, reworded=0.0)).epoch(0)
    pairs = {(example.reference, example.answer) for example in found if example.reference not in {"Yes", "No"}}
    assert ("at no cost", "nobody pays") in pairs
    assert not {("at no cost", "at a cost"), ("at a cost", "at no cost"), ("at no cost", "everybody pays")} & pairs


def test_half_of_the_drawn_answers_are_right():
    rows = [row(f"r{n}", 1.0) for n in range(3)] + [row(f"w{n}", 0.0) for n in range(20)]
    found = Counter(one.question_id for one in drawn(rows, 15, random.Random(0)))
    # Half of 15 is 7 right ones, of three: 2, 2 and 3 times. The other 8 are wrong ones, each at most once.
    assert sorted(found[f"r{n}"] for n in range(3)) == [2, 2, 3]
    assert Counter(found[f"w{n}"] for n in range(20)) == {1: 8, 0: 12}
    one_kind = drawn(rows[:3], 4, random.Random(0))
    assert sorted(Counter(one.question_id for one in one_kind).values()) == [1, 1, 2]


def test_weights_decide_how_often_an_answer_is_drawn():
    rows = [row(f"r{n}", 1.0) for n in range(2)] + [row(f"w{n}", 0.0) for n in range(3)]
    weights, draw = np.array([1.0, 1.0, 3.0, 1.0, 1.0]), random.Random(0)
    found = Counter(one.question_id for _ in range(4000) for one in drawn(rows, 2, draw, weights))
    # One of two right answers with equal weights; one of three wrong ones, with chances 3/5, 1/5 and 1/5. Five standard
    # deviations of the largest count, sqrt(4000 * 1/4) = 32, are 160.
    expected = {"r0": 2000, "r1": 2000, "w0": 2400, "w1": 800, "w2": 800}
    assert {name: pytest.approx(count, abs=160) for name, count in expected.items()} == found


def in_a_style(usual, questions=400):
    """Return a right and a wrong answer to each question; for `usual` of ten questions, the wrong one has "because"."""
    rows = []
    for number in range(questions):
        word, other = ("because", "just") if number % 10 < usual else ("just", "because")
        question, references = f"question {number}?", [f"reference {number}"]
        for answer, label in ((f"thing{number} {other}", 1.0), (f"stuff{number} {word}", 0.0)):
            rows.append(LabeledRow(str(number), question, references, answer, label, frozenset()))
    return rows


def test_weights_even_out_the_habits_of_a_writer():
    rows = in_a_style(usual=8)
    weights, usual = evening_weights(rows), np.array([int(one.question_id) % 10 < 8 for one in rows])
    # "because" is wrong in 80 of 100 answers: by its words, an answer in the usual style has the chance .8, and the
    # others .2, so that they are drawn four times as often: 80 / .8 = 20 / .2. The penalty moves chances towards .5.
    ratio = weights[~usual].mean() / weights[usual].mean()
    assert 2 < ratio <= 4.5
    assert weights.min() == 1
    assert weights.max() <= 5
    even = evening_weights(in_a_style(usual=5))
    assert even.max() / even.min() < 1.5


def test_few_answers_have_equal_weights():
    rows = in_a_style(usual=8, questions=4)
    answers, verdicts = [one.answer for one in rows], [bool(one.label) for one in rows]
    assert chances(answers, verdicts, [one.question_id for one in rows]).tolist() == [0.5] * 8
    assert evening_weights(rows).tolist() == [1.0] * 8


def test_epoch_draws_from_each_set_according_to_the_balance():
    small = [row(f"small {n}", float(n == 0)) for n in range(4)]
    large = [row(f"large {n}", float(n % 2)) for n in range(64)]
    generators = [Generator(rows, NOTHING, name) for name, rows in (("small", small), ("large", large))]
    balanced = Balanced(generators, Balance(rows=40, temperature=0.5))
    examples = balanced.epoch(3)
    # The roots are 2 and 8: a fifth of 40 is 8 of the small set, 32 of the large one; half of each are right.
    found = Counter((example.question.split()[1], example.label) for example in examples)
    assert found == {("small", 1.0): 4, ("small", 0.0): 4, ("large", 1.0): 16, ("large", 0.0): 16}
    assert examples == balanced.epoch(3) != balanced.epoch(4)


def test_examples_of_a_set_have_only_texts_of_that_set():
    sets = [[row(f"{name} {n}", float(n % 3 > 0)) for n in range(12)] for name in ("alpha", "beta")]
    for example in Balanced([Generator(rows, Mixture(), "one") for rows in sets], Balance()).epoch(0):
        texts = f"{example.question} {example.answer} {example.reference}"
        assert ("alpha" in texts) != ("beta" in texts)


def test_english_wordings_are_added_only_to_english_texts():
    mixture = replace(NOTHING, refused=1.0, rejected=1.0, yes_no=1.0)
    for language, more in (("en", True), ("de", False)):
        rows = [row(str(n), 1.0, language) for n in range(4)]
        assert (len(Generator(rows, mixture).epoch(0)) > len(rows)) == more


def test_pairs_are_two_different_answers_to_a_question():
    def answered(question, answer, label):
        return LabeledRow(question, question, ["four"], answer, label, frozenset(), language="de")

    long = "and so on " * 20
    answers = [("a", "one", 0.0), ("a", "two", 1.0), ("a", " ", 0.0), ("a", long, 0.0), ("b", "two", 1.0)]
    rows = [answered(*one) for one in answers]
    found = Generator(rows, NOTHING).pairs(40, random.Random(0))
    assert {(e.question, e.answer, e.reference) for e in found} == {
        ("a", "one", "two"),
        ("a", "two", "one"),
        ("a", long, "one"),
        ("a", long, "two"),
    }
    assert len(found) == 40
    assert all(math.isnan(e.label) and e.language == "de" for e in found)
    generators = [Generator(kept, NOTHING, "own") for kept in (rows, rows[-1:])]  # the second one has no pairs
    # The first set's share of 12 pairs is √5 / (√5 + 1) = .69, 8 pairs; with the 6 labeled answers that is 14 examples.
    epoch = Balanced(generators, Balance(pairs=12)).epoch(1)
    assert [sum(math.isnan(e.label) for e in epoch), len(epoch)] == [8, 14]
    generators = [Generator(rows, NOTHING, name) for name in ("own", "shared")]  # only the first one draws pairs
    epoch = Balanced(generators, Balance(pairs=12, shares={"shared": 0.5})).epoch(1)
    assert [(e.data_set, math.isnan(e.label)) for e in epoch].count(("own", True)) == 12
    assert sum(math.isnan(e.label) for e in epoch) == 12
