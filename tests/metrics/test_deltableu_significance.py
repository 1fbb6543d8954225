"""Intervals and p-values: against sacrebleu's on whole counts, and what must hold of them."""

import itertools
import random

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

from evaluate_qa.metrics.deltableu.options import DeltaBleuOptions
from evaluate_qa.metrics.deltableu.scoring import score
from evaluate_qa.metrics.deltableu.significance import bootstrap_scores, interval, randomization_p_value

WORDS = ["the", "a", "cat", "dog", "sat", "lay", "on", "under", "mat", "rug", "in", "house"]


def texts(seed, rows=60):
    generator = random.Random(seed)
    return [" ".join(generator.choices(WORDS, k=generator.randint(4, 12))) for _ in range(rows)]


def worsened(texts, seed):
    """The texts with a fifth of their words changed."""
    generator = random.Random(seed)
    change = lambda word: generator.choice(WORDS) if generator.random() < 0.2 else word  # noqa: E731
    return [" ".join(map(change, text.split())) for text in texts]


@pytest.fixture(scope="module")
def bleu():
    return BLEU()


@pytest.fixture(scope="module")
def systems():
    references = texts(0)
    return worsened(references, 1), worsened(worsened(references, 2), 3), references


@pytest.fixture(scope="module")
def statistics(bleu, systems):
    """Both systems' statistics by sacrebleu, in the same columns as ours."""
    one, other, references = systems
    return [np.array(bleu._extract_corpus_statistics(texts, [references]), dtype=float) for texts in (one, other)]


def test_the_interval_is_sacrebleus(bleu, systems, statistics):
    expected = bleu.corpus_score(systems[0], [systems[2]], n_bootstrap=500)
    scores = bootstrap_scores(statistics[0], DeltaBleuOptions(), 500, seed=12345)
    low, high = interval(scores)
    # sacrebleu resamples in single precision.
    assert scores.mean() == pytest.approx(expected._mean, abs=1e-5)
    assert (high - low) / 2 == pytest.approx(expected._ci, abs=1e-5)


def test_the_p_value_is_sacrebleus(bleu, systems, statistics):
    one, other, references = systems
    test = PairedTest([("one", one), ("other", other)], {"BLEU": bleu}, [references], test_type="ar", n_samples=1000)
    expected = test()[1]["BLEU"][1].p_value
    assert 0 < expected < 1
    assert randomization_p_value(*statistics, DeltaBleuOptions(), 1000, seed=12345) == pytest.approx(expected)


def test_the_p_value_tends_to_the_share_of_all_swaps():
    """Six rows have 64 swaps: their share that differs as much as observed is what trials estimate."""
    generator = np.random.default_rng(5)
    one, other = (np.c_[np.full((6, 2), 5), generator.uniform(1, 4, (6, 4)), [[5, 4, 3, 2]] * 6] for _ in range(2))
    options = DeltaBleuOptions()

    def difference(swaps):
        first = np.where(np.array(swaps)[:, None], other, one).sum(axis=0)
        second = np.where(np.array(swaps)[:, None], one, other).sum(axis=0)
        return abs(score(first[None], options).score[0] - score(second[None], options).score[0])

    every = [difference(swaps) for swaps in itertools.product([False, True], repeat=6)]
    exact = np.mean(np.array(every) >= difference([False] * 6) - 1e-9)
    # 20,000 trials: a standard error of at most 0.0036.
    assert randomization_p_value(one, other, options, 20_000, seed=0) == pytest.approx(exact, abs=0.015)


def test_a_system_does_not_differ_from_itself(statistics):
    assert randomization_p_value(statistics[0], statistics[0], DeltaBleuOptions(), 200, seed=1) == 1


def test_the_comparison_does_not_depend_on_who_is_first(statistics):
    one, other = statistics
    first = randomization_p_value(one, other, DeltaBleuOptions(), 500, seed=1)
    assert first == randomization_p_value(other, one, DeltaBleuOptions(), 500, seed=1)


def test_a_seed_repeats_and_another_does_not(statistics):
    draw = lambda seed: bootstrap_scores(statistics[0], DeltaBleuOptions(), 50, seed).tolist()  # noqa: E731
    assert draw(3) == draw(3)
    assert draw(3) != draw(4)


def test_resamples_do_not_depend_on_how_many_are_held_at_once(statistics, monkeypatch):
    whole = bootstrap_scores(statistics[0], DeltaBleuOptions(), 100, 7)
    monkeypatch.setattr("evaluate_qa.metrics.deltableu.significance._HELD", len(statistics[0]))
    assert bootstrap_scores(statistics[0], DeltaBleuOptions(), 100, 7).tolist() == whole.tolist()


def test_one_row_has_no_spread(statistics):
    scores = bootstrap_scores(statistics[0][:1], DeltaBleuOptions(effective_order=True), 10, 0)
    assert interval(scores) == (scores[0], scores[0])


def test_the_interval_cuts_a_fortieth_at_each_end():
    # 80 values: two fall off at each end of 0 … 79.
    assert interval(np.random.default_rng(0).permutation(np.arange(80.0))) == (2, 77)
