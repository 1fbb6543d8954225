"""Every row is checked and brought to one form; what cannot be scored is refused by name, row, value and cure."""

import enum
import math
import re

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_qa.metrics._shared.arguments import (
    RowTypeError,
    RowValueError,
    Unexpected,
    as_list,
    check_column,
    check_keywords,
    check_lengths,
    clean,
    optional_texts,
    prediction,
    question,
    texts,
)

REFERENCE = "expected a string or a non-empty list of strings"
ANSWERS = ["Paris", "", "Oslo"]
STRINGS_ONLY = {"numpy strings", "string Series"}
CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "generator": lambda rows: (row for row in rows),
    "numpy strings": np.array,
    "numpy objects": lambda rows: np.array(rows, dtype=object),
    "Series": pd.Series,
    "string Series": lambda rows: pd.Series(rows, dtype="string"),
    "Arrow array": pa.array,
    "Arrow chunks": lambda rows: pa.chunked_array([rows[:1], rows[1:]]),
    "datasets Column": lambda rows: datasets.Dataset.from_dict({"a": rows})["a"],
    "datasets Column as numpy": lambda rows: datasets.Dataset.from_dict({"a": rows}).with_format("numpy")["a"],
}


class City(enum.StrEnum):
    """Its `str()` is "City.PARIS", its text is "paris"."""

    PARIS = "paris"


def plain(texts):
    """Whether all are exactly `str`: numpy's own strings would reach results and JSON files."""
    return all(type(text) is str for text in texts)


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_rows_come_in_any_common_container(container):
    rows = check_column("smile", "predictions", container(ANSWERS), prediction)
    assert rows == ANSWERS
    assert plain(rows)


@pytest.mark.parametrize("container", [CONTAINERS[name] for name in sorted(CONTAINERS.keys() - STRINGS_ONLY)])
def test_references_come_in_any_common_container(container):
    rows = check_column("smile", "references", container([["Paris", "Lutetia"], ["Oslo"], ["Rome"]]), texts)
    assert rows == [["Paris", "Lutetia"], ["Oslo"], ["Rome"]]
    assert all(map(plain, rows))


@pytest.mark.parametrize("row", [("a", "b"), np.array(["a", "b"]), pd.Series(["a", "b"]), pa.array(["a", "b"])])
def test_one_rows_references_come_in_any_container(row):
    assert texts(row) == ["a", "b"]


def test_strings_and_lists_mix_freely_among_references():
    assert check_column("smile", "references", ["a", ["b", "c"], ("d",)], texts) == [["a"], ["b", "c"], ["d"]]


def test_the_message_names_metric_argument_row_value_and_what_is_expected():
    message = "smile: references[7] is None; expected a string or a non-empty list of strings"
    with pytest.raises(RowTypeError, match=f"^{re.escape(message)}$") as caught:
        check_column("smile", "references", [*"abcdefg", None], texts)
    assert (caught.value.column, caught.value.row) == ("references", 7)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("value", [None, 5, 2.5, math.nan, True, b"Paris", ["Paris"], {"a": 1}, pd.NA, np.str_])
def test_a_prediction_is_a_string(value):
    with pytest.raises(TypeError, match=r"^smile: predictions\[1\] is .*; expected a string$"):
        check_column("smile", "predictions", ["Paris", value], prediction)


@pytest.mark.parametrize(
    "value",
    [None, 5, math.nan, True, b"a", {"a": 1}, {"a"}, frozenset("a"), [None], ["a", 5], [b"a"], [["a"]], [math.nan]],
)
def test_a_row_of_references_is_a_string_or_strings(value):
    with pytest.raises(TypeError, match=rf"^smile: references\[0\] is .*; {REFERENCE}$"):
        check_column("smile", "references", [value], texts)


@pytest.mark.parametrize("value", ["", " \t\n", [], [""], ["a", " "], (), np.array([])])
def test_a_reference_is_not_empty(value):
    with pytest.raises(
        RowValueError,
        match=r"^smile: references\[0\] is .*; expected a non-empty string or a non-empty list of non-empty strings$",
    ):
        check_column("smile", "references", [value], texts)


@pytest.mark.parametrize("dtype", [None, object, "string", "category"])
def test_what_is_missing_from_a_pandas_series_is_none(dtype):
    series = pd.Series(["Who?", None, "When?"], dtype=dtype)
    assert check_column("smile", "questions", series, question) == ["Who?", "", "When?"]
    with pytest.raises(TypeError, match=r"predictions\[1\] is None; expected a string"):
        check_column("smile", "predictions", series, prediction)
    assert check_column("smile", "synthetic_answers", pd.Series([["a", "b"], None]), optional_texts) == [["a", "b"], []]


@pytest.mark.parametrize("value", [5, [None], [""], [], ["a", " "], [["a"]], {"a": 1}])
def test_a_row_of_an_optional_column_is_checked_as_well(value):
    with pytest.raises((TypeError, ValueError), match=r"^smile: synthetic_answers\[1\] is .*; expected a (non-empty )?string or"):
        check_column("smile", "synthetic_answers", ["a", value], optional_texts)


def test_none_is_a_row_without_a_question_or_a_synthetic_answer():
    assert check_column("smile", "questions", [None, "", "Who?"], question) == ["", "", "Who?"]
    assert check_column("smile", "synthetic_answers", [None, "a", ["b"]], optional_texts) == [[], ["a"], ["b"]]


@pytest.mark.parametrize(
    "values",
    ["Paris", b"Paris", 5, math.nan, {"a": "b"}, {"a"}, np.array("Paris"), pd.DataFrame({"a": ["b"]}), None, object()],
)
def test_a_column_is_a_list_of_rows(values):
    with pytest.raises(TypeError, match=r"^smile: predictions is [\s\S]*; expected a list .* predictions=\[…\]\)$"):
        check_column("smile", "predictions", values, prediction)


def test_a_table_is_not_a_column():
    """A DataFrame iterates over its column names, which would be scored in place of its rows."""
    assert as_list(pd.DataFrame({"answer": ["Paris"]})) is None
    with pytest.raises(RowTypeError, match="expected a string"):
        check_column("smile", "predictions", pa.table({"answer": ["Paris"]}), prediction)


def test_a_long_value_is_shortened_in_the_message():
    with pytest.raises(TypeError) as caught:
        check_column("smile", "predictions", [["x" * 1_000_000]], prediction)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("a\0b", "a\0b"),
        ("\ud800", "\ufffd"),
        ("a\udc80b", "a\ufffdb"),
        ("\udc00\ud800", "\ufffd\ufffd"),
        ("\ud83d\ude42", "🙂"),
        ("שלום 🙂 مرحبا", "שלום 🙂 مرحبا"),
        (City.PARIS, "paris"),
        (np.str_("Paris"), "Paris"),
    ],
)
def test_text_is_cleaned(text, expected):
    assert clean(text) == expected
    assert plain([clean(text)])


@given(st.text(st.characters(), max_size=20))
def test_any_text_can_be_stored_and_only_surrogates_change(text):
    cleaned = clean(text)
    assert cleaned.encode().decode() == cleaned
    assert clean(cleaned) == cleaned
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert cleaned == text


def test_lengths_that_differ_are_told():
    message = (
        "smile: the columns differ in length: predictions has 2, references has 3; expected one entry for each row"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_lengths("smile", {"predictions": [1, 2], "references": [1, 2, 3]})


def test_no_rows_are_refused():
    with pytest.raises(ValueError, match=r"^smile: predictions is empty; expected at least one row$"):
        check_lengths("smile", {"predictions": [], "references": []})


def test_equal_lengths_pass():
    check_lengths("smile", {"predictions": [1, 2], "references": [1, 2]})


@pytest.mark.parametrize(
    ("keyword", "hint"),
    [
        ("prediction", "did you mean 'predictions'?"),
        ("refrences", "did you mean 'references'?"),
        ("per_exmple", "did you mean 'per_example'?"),
        ("xyz", "expected one of per_example, predictions, references"),
    ],
)
def test_an_unknown_keyword_names_the_nearest(keyword, hint):
    with pytest.raises(TypeError, match=f"^smile: unknown keyword '{keyword}'; {re.escape(hint)}$"):
        check_keywords("smile", ["references", keyword], {"references", "predictions", "per_example"})


def test_known_keywords_pass():
    check_keywords("smile", ["references"], ["references", "predictions"])


@pytest.mark.parametrize(
    "text", [" \n", "\u200b", "\x00", "\ufeff\u00ad", "\u3164", "\u2800\ufe0f", "\U000e0041\u202e"]
)
def test_what_shows_nothing_is_empty(text):
    """An answer is then an empty one, and a reference is none; around what shows, it stays."""
    assert prediction(text) == ""
    assert prediction(f"a{text}") == f"a{text}"
    with pytest.raises(Unexpected, match="non-empty strings"):
        texts(text)


@pytest.mark.parametrize("text", [".", "0", "\ud800", "\u0301", "👍\ufe0f", "京"])
def test_what_shows_anything_is_no_empty_answer(text):
    assert prediction(text) != ""
