"""Columns: accepted containers and values, canonical forms, and errors."""

import enum

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from evaluate_qa.metrics._shared.columns import (
    RowValueError,
    Unexpected,
    check_column,
    check_kwargs,
    check_labels,
    clean,
    optional_texts,
    prediction,
    question,
    texts,
)

ANSWERS = ["Paris", "", "Oslo"]


def data_set(rows):
    from datasets import Dataset

    return Dataset.from_dict({"a": rows})


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
    "datasets Column": lambda rows: data_set(rows)["a"],
    "datasets Column as numpy": lambda rows: data_set(rows).with_format("numpy")["a"],
}


class City(enum.StrEnum):
    """A string enumeration, whose members have another `repr`."""

    PARIS = "paris"


def plain(texts):
    """Return whether all texts are exactly `str`, not numpy strings."""
    return all(type(text) is str for text in texts)


@pytest.mark.parametrize("text", ['["Paris", "paris"]', ' ["Paris"]\n'])
def test_a_list_of_references_written_as_text_is_refused(text):
    """As in a column of Parquet that was saved with json.dumps; a text in a list is one reference."""
    with pytest.raises(RowValueError, match=r"^bem: references\[1\] is .*; expected a list, not .*json\.loads"):
        check_column("bem", "references", ["a", text], texts)
    assert check_column("bem", "references", ["[0, 1]", "['a', 'b']", "[]", [text]], texts)[3] == [text]


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_a_column_may_be_any_common_container(container):
    rows = check_column("smile", "predictions", container(ANSWERS), prediction)
    assert rows == ANSWERS
    assert plain(rows)


@pytest.mark.parametrize("row", [("a", "b"), np.array(["a", "b"]), pd.Series(["a", "b"]), pa.array(["a", "b"])])
def test_a_row_of_references_may_be_any_common_container(row):
    assert texts(row) == ["a", "b"]


@pytest.mark.parametrize("dtype", [None, object, "string", "category"])
def test_missing_values_of_a_pandas_series_are_none(dtype):
    series = pd.Series(["Who?", None, "When?"], dtype=dtype)
    assert check_column("smile", "questions", series, question) == ["Who?", "", "When?"]
    with pytest.raises(TypeError, match=r'predictions\[1\] is None; expected a string \(use "" for a missing answer'):
        check_column("smile", "predictions", series, prediction)
    assert check_column("smile", "synthetic_answers", pd.Series([["a", "b"], None]), optional_texts) == [["a", "b"], []]


@pytest.mark.parametrize("value", [5, [None], [""], [], ["a", " "], [["a"]], {"a": 1}])
def test_a_row_of_an_optional_column_is_checked(value):
    with pytest.raises(
        (TypeError, ValueError), match=r"^smile: synthetic_answers\[1\] is .*; expected a (non-emp|str)"
    ):
        check_column("smile", "synthetic_answers", ["a", value], optional_texts)


def test_labels_may_be_numbers_of_python_and_numpy():
    labels = [True, 0, 1.0, np.bool_(True), np.int64(1), np.float32(0)]
    assert check_labels("bem", labels, ["Paris"] * 6) == [True, False, True, True, True, False]


@pytest.mark.parametrize(
    ("value", "fix"),
    [(42, "convert numbers with str(…)"), (float("nan"), 'use "" for a missing answer; it scores 0')],
)
def test_the_message_says_how_to_fix_numbers_and_missing_values(value, fix):
    with pytest.raises(TypeError) as caught:
        check_column("smile", "predictions", [value], prediction)
    assert str(caught.value) == f"smile: predictions[0] is {value!r}; expected a string ({fix})"


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


def test_a_keyword_that_is_near_no_other_names_all_keywords():
    message = "^smile: unknown keyword 'id'; expected one of predictions, references, window$"
    with pytest.raises(TypeError, match=message):
        check_kwargs("smile", ["references", "id"], {"references", "predictions", "window"})


def test_a_name_of_an_earlier_version_suggests_the_new_one():
    with pytest.raises(TypeError, match=r"^bem: unknown keyword 'lexical'; did you mean 'final_layer'\?$"):
        check_kwargs("bem", ["lexical"], {"final_layer", "threshold"})


def test_an_api_key_names_the_variable_for_it():
    with pytest.raises(
        TypeError, match=r"^judge: unknown keyword 'api_key'; .* the environment variable OPENAI_API_KEY$"
    ):
        check_kwargs("judge", ["api_key"], ["api"])


def test_a_keyword_of_another_function_names_the_function():
    with pytest.raises(TypeError, match=r"^bem: threshold is an option of compute; pass .*: --compute threshold=…\)$"):
        check_kwargs("bem", ["threshold"], ["num_threads"], elsewhere=["threshold"], place="compute")
    with pytest.raises(TypeError, match=r"^deltableu: unknown keyword 'device'; expected no keywords$"):
        check_kwargs("deltableu", ["device"], [])


@pytest.mark.parametrize(
    "text", [" \n", "\u200b", "\x00", "\ufeff\u00ad", "\u3164", "\u2800\ufe0f", "\U000e0041\u202e"]
)
def test_invisible_text_is_empty(text):
    assert prediction(text) == ""
    assert prediction(f"a{text}") == f"a{text}"
    with pytest.raises(Unexpected, match="non-empty strings"):
        texts(text)


def test_thoughts_are_no_part_of_an_answer():
    assert prediction("\n<think>Lyon? No, <think>Paris.</think></think>\n\nParis") == "Paris"
    assert [prediction(text) for text in ("<think>Paris, or", "Lyon? No.</think>", "a</think><think>b")] == [""] * 3
    assert prediction("Use the <think> tag.") == "Use the <think> tag."


@pytest.mark.parametrize("text", [".", "0", "\ud800", "\u0301", "👍\ufe0f", "京"])
def test_visible_text_is_not_empty(text):
    assert prediction(text) != ""
