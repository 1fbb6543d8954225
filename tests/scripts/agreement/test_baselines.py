"""Baselines against hand-computed scores, their reference implementations, and released figures."""

import json
from collections import Counter

import pytest
import sacrebleu

from evaluate_qa.agreement.baselines import LONG_ANSWER_BASELINES, SHORT_ANSWER_BASELINES, squad_normalize
from evaluate_qa.agreement.data_sets import DATA
from evaluate_qa.labeled_data.rows import DataSelection

BASELINES = {baseline.name: baseline for baseline in SHORT_ANSWER_BASELINES}
LONG = {baseline.name: baseline for baseline in LONG_ANSWER_BASELINES}


def score(name, answer, *references):
    return BASELINES[name].score(answer, references)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Cat,  an Owl & a Dog!", "cat owl dog"),
        ("theatre an-other", "theatre another"),  # the article must be a word, punctuation goes first
        ("A.\tB\nC", "b c"),  # "A." is the article once its full stop is gone
        ("+-*", ""),
        ("Zürich’s", "zürich’s"),  # punctuation is ASCII's alone
    ],
)
def test_squad_normalization(text, expected):
    assert squad_normalize(text) == expected


@pytest.mark.parametrize(
    ("answer", "references", "expected"),
    [
        ("It was the Eiffel-Tower.", ["eiffeltower"], 1),
        ("18 men", ["8"], 1),  # a substring, not a word: as released
        ("Rome", ["Paris", "rome!"], 1),  # any reference
        ("Rome", ["Paris"], 0),
        ("", ["Paris"], 0),
        ("Rome", ["+-*"], 1),  # normalizes to nothing, which is a substring of everything
    ],
)
def test_lexical_match(answer, references, expected):
    assert score("lexical_match", answer, *references) == expected


def test_token_recall_counts_repetitions():
    # reference tokens: new new york; the answer has "new" once and "york": 2 of 3
    assert score("token_recall", "York is new", "New New York") == pytest.approx(2 / 3)
    assert score("token_recall", "York", "Rome", "the York") == 1
    assert score("token_recall", "anything", "+-*") == 0
    assert score("token_recall", "", "York") == 0


def test_token_f1():
    # common tokens: 2; recall 2/3, precision 2/4: 2·(2/3)(1/2) / (2/3 + 1/2) = 4/7
    assert score("token_f1", "york is so new", "New New York") == pytest.approx(4 / 7)
    assert score("token_f1", "york", "rome") == 0
    assert score("token_f1", "", "+-*") == 0


def test_rouge_l_is_the_best_over_references():
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"])
    answer, references = "the capital of France is Paris", ["Paris", "France has the capital Paris"]
    best = max(scorer.score(reference, answer)["rougeL"].fmeasure for reference in references)
    assert score("rouge_l", answer, *references) == best > 0


@pytest.mark.parametrize(
    ("name", "at_half"), [("token_recall", True), ("token_f1", False), ("rouge_l", False), ("lexical_match", True)]
)
def test_verdicts_at_one_half(name, at_half):
    assert BASELINES[name].is_correct(0.5) is at_half
    assert BASELINES[name].is_correct(0.51)
    assert not BASELINES[name].is_correct(0.0)


@pytest.mark.parametrize(
    ("answer", "references", "language"),
    [
        ("It is a plantar wart, I think.", ["Consider plantar wart.", "It is a corn"], "13a"),
        ("考虑是跖疣，建议就医", ["考虑：跖疣。", "湿疹"], "zh"),
        ("", ["Consider plantar wart."], "13a"),
    ],
)
def test_bleu_equals_sacrebleu_in_both_languages(answer, references, language):
    expected = sacrebleu.sentence_bleu(answer, references, use_effective_order=True, tokenize=language).score
    assert LONG["bleu"].score(answer, references) == pytest.approx(expected / 100, abs=1e-12)


def test_rouge_splits_chinese_into_characters():
    # Tokens are the characters: 跖 疣 against 是 跖 疣: recall 2/2, precision 2/3, F1 4/5; one bigram of 1 and 2: 2/3.
    assert LONG["rouge_1"].score("是跖疣", ["跖疣"]) == pytest.approx(4 / 5)
    assert LONG["rouge_2"].score("是跖疣", ["跖疣"]) == pytest.approx(2 / 3)
    # The longest common subsequence of 疣跖 and 是跖疣 is one character of 2 and 3: F1 2/5.
    assert LONG["rouge_l"].score("是跖疣", ["疣跖", "x"]) == pytest.approx(2 / 5)


def confusion(data, group, name):
    """Return the confusion matrix of a baseline, counted row by row."""
    baseline = BASELINES[name]
    said = [
        (baseline.is_correct(baseline.score(row.answer, row.references)), bool(row.label))
        for row in data.rows
        if group in row.groups
    ]
    cells = Counter(said)
    return {"tp": cells[1, 1], "fp": cells[1, 0], "fn": cells[0, 1], "tn": cells[0, 0]}


def test_lexical_match_equals_released_figures_of_evouna(shared):
    oracle = json.loads((shared / "oracles" / "evouna_released_lexical_match.json").read_text())
    data = DATA["evouna"](DataSelection(shared / "data"))
    assert len(oracle) == 10
    for group, expected in oracle.items():
        counts = confusion(data, group, "lexical_match")
        assert counts == {name: expected[name] for name in counts}, group
