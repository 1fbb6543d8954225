"""Answer keys and misspellings, which people who grade answers read as they are meant."""

import pytest

import evaluate_qa
from evaluate_qa.metrics._values.answer_keys import read_key
from evaluate_qa.metrics._values.spelling import correct_spelling


@pytest.mark.parametrize(
    ("answer", "reference", "right"),
    [
        ("Canbera, although many say Sydney", "Canberra", "Canberra, although many say Sydney"),  # a missing letter
        ("Tomas Jeferson", "(Thomas) Jefferson", "Thomas Jefferson"),
        ("jeferson", "Jefferson", "Jefferson"),
        ("Ghandi", "Gandhi", "Gandhi"),  # all the right letters
        ("the Avagadro's number", "Avogadro number", "the Avogadro's number"),  # another letter, in a long name
        ("it stops OVERFITTING and overfiting", "Overfitting", "it stops OVERFITTING and Overfitting"),
        ("They are seperated.", "separated", "They are separated."),
        ("posistive", "positive", "positive"),
        ("Lybia and Hitchcok", "Libya Hitchcock", "Libya and Hitchcock"),
        ("Frusturated", "frustrated", "Frustrated"),  # two errors in a long word
    ],
)
def test_misspellings_are_corrected(answer, reference, right):
    assert correct_spelling(answer, [reference], "What is it?") == right


@pytest.mark.parametrize(
    ("answer", "reference", "question"),
    [
        ("Manet", "Monet", "Who painted it?"),  # a short name with another letter may be another name
        ("Hansen", "Hanson", "Who?"),
        ("nitrite", "nitrate", "Which salt?"),
        ("methanal", "methanol", "Which substance?"),
        ("endoplasm", "Ectoplasm", "Which layer?"),  # two other letters at the beginning
        ("peroneal", "perineal", "Which nerve?"),  # a word of the dictionary
        ("Niger", "Nigeria", "Which country?"),
        ("Slovakia", "Slovenia", "Which country?"),
        ("voter", "voted", "What did they do?"),
        ("begginner", "beginner", "Which is the right spelling?"),
        ("childern", "children", "What is the plural of child?"),
        ("werden", "wurden", "Was ist das Verb?"),  # German has no dictionary here
        ("foo.recieve()", "receive", "Which call?"),  # code
        ("strcpy", "strncpy", "Which call copies at most n characters?"),
        ("adduction", "abduction", "Which movement is it?"),  # technical terms
        ("cystine", "cysteine", "Which amino acid?"),
        ("Freiburg", "Freiberg", "Which city?"),  # names with another vowel near their end, or another letter
        ("Fournier", "Fourier", "Who?"),
        ("Freiburg", "Freiberg", "Freiberg or Freiburg?"),  # a word of the question
        ("abduction, not adduction", "abduction", "Which movement?"),  # the right word is there
        ("tnahplee", "tnahpele", "Reverse the word elephant."),
        ("Zambia", "Gambia", "Which country?"),  # another first letter
        ("Palma", "Parma", "Which city?"),  # well-known names
        ("Delphi", "Delhi", "Which city?"),
        ("Kamala", "Kampala", "Which city?"),
        ("Rubeola", "Rubella", "Which disease?"),
    ],
)
def test_other_words_stay(answer, reference, question):
    assert correct_spelling(answer, [reference], question) == answer


@pytest.mark.parametrize(
    ("reference", "accepted", "rejected"),
    [
        ("Furies or Erinyes [accept Eumenides, Semnai, or Dirae]", "Furies Erinyes Eumenides Semnai Dirae", ""),
        ("ALUMINUM (ACCEPT: AL)", "ALUMINUM AL", ""),
        ("CMB [or CMBR; or relic]", "CMB CMBR relic", ""),
        ("China [or PRC; do not accept or prompt on “Taiwan”]", "China PRC", "Taiwan"),
        ("1980s [prompt on 80s before mention]", "1980s", "80s"),
        ("fires (accept flames; accept Atash until it is read; accept equivalents)", "fires flames Atash", ""),
        ("graphene [accept either name; reject graphite] (a note on the answer)", "graphene", "graphite"),
        ("Missouri (River)", "Missouri-River Missouri", ""),
        ("The (Holy) Grail", "The-Holy-Grail The-Grail", ""),
        ("(b) argon", "(b)-argon", ""),
        ("Ca(OH)2", "Ca(OH)2", ""),
        ("12 N (left) and 4 N (right)", "12-N-(left)-and-4-N-(right)", ""),
        ("Red [the color]", "Red-[the-color]", ""),
        ("golden [or yellow] apples", "golden-[or-yellow]-apples", ""),
        ("significant (reject H0)", "significant-(reject-H0)", ""),
        ("two buttons (Accept and Reject)", "two-buttons-Accept-and-Reject two-buttons", ""),
        ("(not) guilty", "(not)-guilty", ""),
        ("copper (II) oxide", "copper-(II)-oxide", ""),
        ("sin (theta)", "sin-(theta)", ""),
        ("12 [accept synonyms]", "12", ""),
    ],
)
def test_notes_of_answer_keys(reference, accepted, rejected):
    key = read_key([reference])
    assert [text.replace(" ", "-") for text in key.accepted] == accepted.split()
    assert key.rejected == rejected.split()


def test_rejected_texts_are_wrong_alone():
    key = read_key(["Duchenne muscular dystrophy [prompt on muscular dystrophy]", "China [reject Republic of China]"])
    assert not read_key(["Barack Obama [prompt on Obama]"]).rejects("Barack Hussein Obama")
    answers = ["muscular dystrophy", "It is Duchenne muscular dystrophy.", "the Republic of China", "China", "Peru"]
    assert [key.rejects(answer) for answer in answers] == [True, False, True, False, False]


@pytest.mark.parametrize("text", ["[" * 20_000, "(or " * 5_000, "a [accept " + " " * 900, "or " * 300 + "[accept x]"])
def test_hostile_keys_end_soon(text):
    assert read_key([text]).accepted


@pytest.mark.parametrize("answer", ["mo" * 10_000, "manda mondo mendi " * 1_000, "m" + "o" * 2_000])
def test_hostile_words_end_soon(answer):
    assert correct_spelling(answer, ["mande mondu menda " * 500, "m" + "a" * 2_000], "What?") == answer


@pytest.mark.parametrize("name", ["bem", "nli_lex"])
def test_matchers_grade_by_the_key(name):
    rows = {
        "predictions": ["myoglobin", "The Missisippi", "Avagadro's number", "tungsten"],
        "references": [
            ["hemoglobin [do not accept myoglobin]"],
            ["Ohio (River)", "Mississippi (River)"],
            ["Avogadro constant [accept Avogadro's number]"],
            ["wolfram [or tungsten]", "W"],
        ],
        "questions": ["Which protein?", "Which river?", "Which constant?", "Which metal?"],
    }
    found = evaluate_qa.load(name).compute(**rows)["per_example"]
    assert found["verdict"] == [False, True, True, True]
    assert found["best_reference"] == [0, 1, 0, 0]
    all_needed = evaluate_qa.load(name).compute(
        predictions=["The Missisippi and the Ohio"],
        references=[["Ohio (River)", "Mississippi (River)"]],
        questions=["Which rivers?"],
        references_are="all",
    )["per_example"]
    assert all_needed["part_recall"] == [1.0]
