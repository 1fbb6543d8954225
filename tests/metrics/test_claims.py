"""Long references split into sentences: hand-derived numbers, and both metrics with the embedded matcher."""

import numpy as np
import pytest

import evaluate_qa
from evaluate_qa.metrics._shared.claims import Claims, new_words_f1, pair_claims, sentences

pytest.importorskip("sentencex")

METRICS = ("bem", "nli_lex")
PARTS = ("sentence_recall", "sentence_precision", "token_f1")
REFERENCE = (
    "Photosynthesis turns light into chemical energy. It takes place in the chloroplasts of plants. "
    "Water and carbon dioxide become sugar, and oxygen is released."
)
QUESTION = "What is photosynthesis?"
ANSWERS = {
    "same": REFERENCE,
    "reordered": " ".join(reversed([f"{part.rstrip('.')}." for part in REFERENCE.split(". ")])),
    "half": "Photosynthesis turns light into chemical energy.",
    "wrong": "Photosynthesis is how animals digest meat. It takes place in the stomach, where acid makes salt.",
    "blank": "",
}


@pytest.fixture(scope="module", params=METRICS)
def metric(request):
    return evaluate_qa.load(request.param, device="cpu")


def by_sentence(metric, answers, references, question=QUESTION, **options):
    questions = [question] * len(answers)
    return metric.compute(
        predictions=answers, references=references, questions=questions, long_references="sentences", **options
    )


@pytest.fixture(scope="module")
def result(metric):
    return by_sentence(metric, list(ANSWERS.values()), [REFERENCE] * len(ANSWERS))


def claims(starts, of_answer, token_f1):
    sides = np.array(of_answer)
    return Claims(np.array(starts), sides, np.array(token_f1, dtype=float), np.zeros(len(sides), dtype=bool))


def test_the_score_equals_hand_derived_numbers():
    # A pair of sentences: recall (.9 + .3) / 2 = .6, precision (.5 + .3 + .1) / 3 = .3, F1 = 2 · .18 / .9 = .4,
    # with token F1 .2: (.4 + .2) / 2 = .3. Then a pair with one claim, and a pair with a blank answer: recall 0.
    found = claims([0, 5, 6], np.array([0, 0, 1, 1, 1, 0, 0, 0], dtype=bool), [0.2, np.nan, 0.0])
    values = np.array([0.9, 0.3, 0.5, 0.3, 0.1, 0.7, 0.0, 0.0])
    assert found.recall(values) == pytest.approx([0.6, 0.7, 0])
    assert found.precision(values) == pytest.approx([0.3, np.nan, np.nan], nan_ok=True)
    assert found.score(values) == pytest.approx([0.3, 0.7, 0])
    assert found.score(values, lexical=False) == pytest.approx([0.4, 0.7, 0])
    assert found.score(values)[1] == 0.7  # to the last digit
    assert claims([0], np.array([False, True]), [0.5]).score(np.zeros(2)).tolist() == [0.25]  # F1 is 0, not undefined


def test_search_pairs_texts_with_claims():
    searches, made = pair_claims(
        ["q", "q"], ["One. Two.", ""], [["It rained. It snowed.", "e"], ["It rained. It snowed."]], by_sentence=True
    )
    assert searches == [
        ("q", "One. Two.", ["It rained.", "It snowed."]),
        ("q", "It rained. It snowed.", ["One.", "Two."]),
        ("q", "One. Two.", ["e"]),
        ("q", "", ["It rained.", "It snowed."]),
    ]
    assert made.starts.tolist() == [0, 4, 5]
    assert made.of_answer.tolist() == [False, False, True, True, False, False, False]
    searches, made = pair_claims(["q"], ["One. Two."], [["It rained. It snowed.", "e"]], by_sentence=False)
    assert searches == [("q", "One. Two.", [text]) for text in ("It rained. It snowed.", "e")]
    assert made.starts.tolist() == [0, 1]


def test_a_sentence_of_more_than_ten_words_is_long():
    short, long = ("It rained on day " + " ".join(map(str, range(n))) for n in (6, 7))
    _, made = pair_claims(["q"] * 3, ["So. It did."] * 3, [[short], [long], ["+ - " * 9]], by_sentence=True)
    assert made.starts.tolist() == [0, 1, 4]  # one claim of the reference and two of the answer
    assert np.isnan(made.token_f1).tolist() == [True, False, True]


def test_words_of_the_question_do_not_count():
    # without "who painted mona lisa": "leonardo did" and "leonardo da vinci", 2 · 1 / (2 + 3)
    assert new_words_f1("Who painted the Mona Lisa?", "Leonardo did, Mona Lisa", "Leonardo da Vinci") == 2 / 5
    assert new_words_f1("Who?", "", "Leonardo") == 0


def test_all_words_count_if_the_reference_repeats_the_question():
    # "it is" and "it is wet": 2 · 2 / (2 + 3); a copy is right
    assert new_words_f1("Is it wet?", "It is", "It is wet") == 4 / 5
    assert new_words_f1("Is it wet?", "It is wet.", "It is wet") == 1
    assert new_words_f1("Is it wet?", "", "It is wet") == 0


def test_a_copy_of_the_reference_is_correct_for_any_question(metric):
    question = (
        "Which is true: the moon shines by the light of the sun that it throws back at us, or the moon is a star that "
        "shines by itself?"
    )
    reference = "The moon shines by the light of the sun that it throws back at us."
    rows = by_sentence(metric, [reference], [reference], question)["per_example"]
    assert rows["token_f1"] == [1]
    assert rows["score"][0] > 0.9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It cost 3.50 at 5 p.m. in the U.S. on 3 May. Why? Ask!", 3),
        ("跖疣是病毒引起的。请看医生！", 2),
        ("यह है। वह है।", 2),
        ("One\n\n...\n\nTwo", 2),  # the line of dots is not a sentence
        ("Dr. Ames came in May. He brought:\n- bread\n- wine", 4),
        ("no full stop", 1),
        ("", 0),
    ],
)
def test_sentences_of_several_scripts(text, expected):
    assert len(sentences(text)) == expected


def test_more_of_the_reference_scores_higher(result):
    scores = dict(zip(ANSWERS, result["per_example"]["score"], strict=True))
    assert scores["same"] > 0.9
    assert scores["same"] > scores["half"] > scores["wrong"] > scores["blank"] == 0
    assert scores["reordered"] == pytest.approx(scores["same"], abs=0.05)
    assert all(0 <= score <= 1 for score in scores.values())


def test_repeated_sentences_are_marked():
    # "The water boils." and "Water boils!" are the same normalised words; nothing else of the first pair is.
    answer, reference = "The water boils. Ice melts at zero. It is wet.", "It is cold. Water boils! Steam rises up."
    searches, found = pair_claims(["", ""], [answer, "Ice is cold"], [[reference], ["Ice is cold", "Ice"]], True)
    assert searches[0].claims == ["It is cold.", "Water boils!", "Steam rises up."]
    assert found.repeated.tolist() == [False, True, False, True, False, False, False, False]
    words = {"same": np.array([0.0] * 6 + [1, 0]), "long": np.ones(8), "recall": np.arange(8.0)}
    features = found.adapt_word_features(words)
    assert features["same"].tolist() == [0, 1, 0, 1, 0, 0, 1, 0]
    assert features["long"].tolist() == [0] * 6 + [1] * 2  # whole references keep their values
    assert features["recall"] is words["recall"]


def test_the_result_has_the_parts_of_the_score(result, metric):
    rows = result["per_example"]
    parts = dict(zip(ANSWERS, zip(rows["sentence_recall"], rows["sentence_precision"], strict=True), strict=True))
    assert parts["half"][1] > parts["half"][0]  # it is right, but incomplete
    assert parts["blank"] == (0, None)
    assert rows["token_f1"][:2] == [1, 1]
    assert "|longref:sentences|" in result["signature"]
    assert result["sentence_recall"] == pytest.approx(np.mean(rows["sentence_recall"]))
    for score, recall, precision, words in zip(*(rows[n] for n in ("score", *PARTS)), strict=True):
        if precision is not None:
            assert score == pytest.approx((2 * recall * precision / (recall + precision) + words) / 2)


def test_without_words_only_sentences_count(metric):
    if metric.name == "nli_lex":
        rows = by_sentence(metric, [ANSWERS["half"]], [REFERENCE], lexical=False)["per_example"]
        recall, precision = rows["sentence_recall"][0], rows["sentence_precision"][0]
        assert rows["score"][0] == pytest.approx(2 * recall * precision / (recall + precision))
        assert rows["entailment"][0] == pytest.approx(recall)  # the mean over the reference's sentences


def test_short_references_score_as_whole_references(metric):
    rows = {
        "predictions": ["It was painted by Leonardo. He lived in Florence.", "Nobody knows.", "", "Leonardo did it."],
        "references": [["Leonardo da Vinci", "Leonardo"], "Leonardo da Vinci", "Leonardo", "Leonardo, who drew it too"],
        "questions": ["Who painted the Mona Lisa?"] * 4,
    }
    plain = metric.compute(**rows)
    found = metric.compute(**rows, long_references="sentences")
    assert found["per_example"].items() >= plain["per_example"].items()
    assert found["per_example"]["token_f1"] == [None] * 4
    assert found["sentence_recall"] is None
    assert not {*PARTS} & {*plain, *plain["per_example"]}


def test_scores_do_not_depend_on_other_rows(metric, result):
    alone = by_sentence(metric, [ANSWERS["half"]], [REFERENCE])["per_example"]["score"]
    assert alone[0] == pytest.approx(result["per_example"]["score"][2], abs=1e-5)
    mixed = by_sentence(metric, [ANSWERS["half"]], [["Salt.", REFERENCE]])["per_example"]
    assert mixed["score"][0] == pytest.approx(alone[0], abs=1e-5)
    assert mixed["best_reference"] == [1]


def test_fit_refuses_sentences():
    metric = evaluate_qa.load("nli_lex")
    with pytest.raises(ValueError, match="nli_lex: fit learns from whole references"):
        metric.fit(predictions=["a"], references=["b"], labels=[True], long_references="sentences")
