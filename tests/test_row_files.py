"""The sample, near names, traps and training answers have the documented format and balance."""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import roc_auc_score

import evaluate_qa
from evaluate_qa import training
from evaluate_qa.agreement.baselines import token_recall
from evaluate_qa.labeled_data.files import NEAR_NAMES, TRAPS
from evaluate_qa.metrics._shared import columns
from evaluate_qa.training.sources import GENERATED

KEYS = ["id", "question", "references", "prediction", "correct", "kind"]
KINDS = {
    *("short", "verbose", "wrong_but_similar", "negated", "numeric", "multi_reference", "non_english", "empty"),
    *("paraphrase", "yes_no", "medical", "partial"),
}
ALWAYS_WRONG = {"empty", "wrong_but_similar"}
TRAP_KINDS = {
    *("near_name", "number", "unit", "negation", "refusal", "candidates", "retraction", "echo", "instruction"),
    "empty_phrases",
}

Rows = list[dict[str, Any]]


def read_lines(path: Path) -> list[str]:
    # split at "\n" alone: splitlines() would also split at separators such as U+2028 inside a string
    *lines, rest = path.read_text(encoding="utf-8").split("\n")
    assert rest == "", "the file must end with a newline"
    return lines


LINES = {path.stem: read_lines(path) for path in (evaluate_qa.sample_path(), NEAR_NAMES, TRAPS)}
SAMPLE_ROWS, NEAR_NAME_ROWS, TRAP_ROWS = ([json.loads(line) for line in lines] for lines in LINES.values())


@pytest.fixture(params=[SAMPLE_ROWS, NEAR_NAME_ROWS, TRAP_ROWS], ids=LINES)
def rows(request: pytest.FixtureRequest) -> Rows:
    return request.param


def of_part(rows: Rows, part: str) -> Rows:
    return [row for row in rows if row["part"] == part]


def runs_of_words(texts: Iterable[str], length: int = 4) -> set[str]:
    """All runs of words of this length, in lower case and without punctuation."""
    words = re.findall(r"\w+|\0", "\0".join(texts).lower())  # a NUL between two texts
    runs = zip(*(words[at:] for at in range(length)), strict=False)
    return {" ".join(run) for run in runs if "\0" not in run}


def of_kind(rows: Rows, kind: str) -> Rows:
    return [row for row in rows if row["kind"] == kind]


HELD_OUT_WORDINGS = runs_of_words(row["prediction"] for row in of_part(TRAP_ROWS, "test"))
"""All runs of four words in the answers to traps for testing."""


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
def test_each_line_is_a_readable_row(lines: list[str]):
    assert lines == [json.dumps(json.loads(line), ensure_ascii=False) for line in lines]


def test_rows_have_these_keys_and_types(rows: Rows):
    for row in rows:
        assert list(row) == KEYS + ["part"] * ("part" in row)
        assert all(isinstance(row[key], str) for key in ("id", "question", "prediction", "kind"))
        assert isinstance(row["references"], list)
        assert isinstance(row["correct"], bool)
        assert row["question"].strip()


def test_metrics_accept_every_row(rows: Rows):
    for column, key, check in (
        ("references", "references", columns.texts),
        ("predictions", "prediction", columns.prediction),
        ("questions", "question", columns.question),
    ):
        values = [row[key] for row in rows]
        expected = [value if not isinstance(value, str) or value.strip() else "" for value in values]
        assert columns.check_column("any", column, values, check) == expected


def test_ids_and_answers_are_unique(rows: Rows):
    assert len({row["id"] for row in rows}) == len(rows)
    assert len({(row["question"], row["prediction"]) for row in rows}) == len(rows)
    assert all(len(set(row["references"])) == len(row["references"]) for row in rows)


def test_same_question_has_the_same_references(rows: Rows):
    references: dict[str, list[str]] = {}
    for row in rows:
        assert references.setdefault(row["question"], row["references"]) == row["references"]


def test_the_sample_is_balanced():
    counts = Counter(row["kind"] for row in SAMPLE_ROWS)
    assert set(counts) == KINDS
    assert min(counts.values()) >= 5
    assert len(SAMPLE_ROWS) >= 80
    assert 0.4 <= sum(row["correct"] for row in SAMPLE_ROWS) / len(SAMPLE_ROWS) <= 0.6


def test_each_kind_has_right_and_wrong_answers():
    for kind in KINDS:
        verdicts = {row["correct"] for row in of_kind(SAMPLE_ROWS, kind)}
        assert verdicts == ({False} if kind in ALWAYS_WRONG else {True, False}), kind


def test_near_names_hold_right_and_wrong_answers_to_the_same_questions():
    answers: dict[str, list[bool]] = {}
    for row in NEAR_NAME_ROWS:
        answers.setdefault(row["question"], []).append(row["correct"])
    assert sorted(answers.values(), key=len) == [[True]] * 5 + [[True, False]] * 40


def test_a_near_name_never_contains_the_reference():
    for row in NEAR_NAME_ROWS:
        if not row["correct"]:
            assert not any(text.lower() in row["prediction"].lower() for text in row["references"]), row["id"]


@pytest.mark.parametrize(("part", "least"), [("train", 24), ("test", 14)])
def test_half_of_the_answers_to_each_kind_of_trap_are_right(part: str, least: int):
    rows = of_part(TRAP_ROWS, part)
    assert {row["kind"] for row in rows} == TRAP_KINDS
    for kind in TRAP_KINDS:
        right = [row["correct"] for row in of_kind(rows, kind)]
        assert len(right) >= least
        assert 2 * sum(right) == len(right), kind


def test_a_third_of_the_traps_is_for_testing():
    train, test = of_part(TRAP_ROWS, "train"), of_part(TRAP_ROWS, "test")
    assert len(train) + len(test) == len(TRAP_ROWS) >= 360
    assert len(test) >= len(TRAP_ROWS) / 3
    assert not {row["question"] for row in train} & {row["question"] for row in test}


def test_traps_share_no_question_with_other_files():
    assert not {row["question"] for row in TRAP_ROWS} & {row["question"] for row in [*SAMPLE_ROWS, *NEAR_NAME_ROWS]}


def test_traps_for_testing_share_no_wording_with_training():
    assert not HELD_OUT_WORDINGS & runs_of_words(row["prediction"] for row in of_part(TRAP_ROWS, "train"))


def test_traps_for_training_share_no_wording_with_test_files():
    found = runs_of_words(row["prediction"] for row in of_part(TRAP_ROWS, "train"))
    assert not found & runs_of_words(row["prediction"] for row in [*SAMPLE_ROWS, *NEAR_NAME_ROWS])


def test_generated_training_examples_share_no_wording_with_traps_for_testing():
    """If this fails, change the templates in the training modules, not the traps."""
    modules = [ast.parse(path.read_text()) for path in Path(training.__file__).parent.glob("*.py")]
    nodes = (node for module in modules for node in ast.walk(module))
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert len(texts) >= 100
    assert not HELD_OUT_WORDINGS & runs_of_words(part for text in texts for part in re.split(r"\{.*?\}", text))


def test_word_overlap_does_not_separate_right_from_wrong_traps():
    for part in ("train", "test"):
        rows = of_part(TRAP_ROWS, part)
        agreed = [(token_recall(row["prediction"], row["references"]) >= 0.5) == row["correct"] for row in rows]
        assert 0.4 <= sum(agreed) / len(rows) <= 0.6, part


def lines_of(name: str) -> Rows:
    return [json.loads(line) for path in sorted(GENERATED[name].glob("*.jsonl")) for line in read_lines(path)]


@pytest.fixture(scope="module")
def written() -> Rows:
    """The lines of all training files that a language model wrote."""
    return [line for name in GENERATED for line in lines_of(name)]


def answers(rows: Rows, *sides: str) -> list[str]:
    return [answer for row in rows for side in sides for answer in row[side]]


def test_written_lines_hold_right_and_wrong_answers(written: Rows):
    assert len({(row["question"].lower(), *row["references"]) for row in written}) == len(written) >= 1000
    # In `polarity`, a question may have a line for each of two references.
    asked, everyday = Counter(row["question"].lower() for row in written), lines_of("everyday")
    twice = {row["question"].lower() for row in lines_of("polarity")}
    assert all(count <= (2 if question in twice else 1) for question, count in asked.items())
    for row in written:
        assert list(row) == ["question", "references", "right", "wrong"]
        assert row["references"]
        assert not set(row["right"]) & set(row["wrong"])
        assert (row["right"] or row["wrong"]) if row in everyday else (row["right"] and row["wrong"])
        for texts in (row["references"], row["right"], row["wrong"]):
            assert len(set(texts)) == len(texts)
            assert all(isinstance(text, str) and text.strip() for text in texts)


def test_written_answers_share_no_question_and_no_wording_with_test_files(written: Rows):
    reported = [*SAMPLE_ROWS, *NEAR_NAME_ROWS, *of_part(TRAP_ROWS, "test")]
    bare = {" ".join(re.findall(r"\w+", row["question"].lower())) for row in reported}
    assert not bare & {" ".join(re.findall(r"\w+", row["question"].lower())) for row in written}
    wordings = HELD_OUT_WORDINGS | runs_of_words(row["prediction"] for row in [*SAMPLE_ROWS, *NEAR_NAME_ROWS])
    assert not wordings & runs_of_words(answers(written, "right", "wrong"))


def long_words(question: str) -> set[str]:
    return {word for word in re.findall(r"\w+", question.lower()) if len(word) > 3}


def test_written_answers_paraphrase_no_question_of_test_files(written: Rows):
    """A paraphrase has the same reference and shares 30% of the words with four or more letters."""
    asked: dict[str, list[set[str]]] = {}
    for row in [*SAMPLE_ROWS, *NEAR_NAME_ROWS, *of_part(TRAP_ROWS, "test")]:
        for reference in row["references"]:
            asked.setdefault(" ".join(re.findall(r"\w+", reference.lower())), []).append(long_words(row["question"]))
    for row in written:
        words = long_words(row["question"])
        for reference in row["references"]:
            for others in asked.get(" ".join(re.findall(r"\w+", reference.lower())), []):
                assert not words or len(words & others) < 0.3 * len(words | others), (row["question"], reference)


def test_neither_word_overlap_nor_length_separates_written_answers():
    pairs = [
        (answer, row["references"], side == "right")
        for row in lines_of("written")
        for side in ("right", "wrong")
        for answer in row[side]
    ]
    labels = [right for _, _, right in pairs]
    assert 0.4 <= sum(labels) / len(labels) <= 0.6
    assert 0.4 <= roc_auc_score(labels, [token_recall(answer, references) for answer, references, _ in pairs]) <= 0.65
    assert 0.45 <= roc_auc_score(labels, [len(answer) for answer, _, _ in pairs]) <= 0.55
