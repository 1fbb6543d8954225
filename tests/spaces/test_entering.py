"""Input from forms, files and the API, and the error messages for it."""

import json

import pytest

from evaluate_qa.spaces._shared.metric.declared import ChoiceControl, SliderControl
from evaluate_qa.spaces._shared.metric.specification import Field
from evaluate_qa.spaces._shared.scoring.answering import BROKEN, message_of
from evaluate_qa.spaces._shared.scoring.files import (
    UploadedTable,
    collect,
    from_form,
    from_mapping,
    parse_rows,
    read,
    to_form,
)
from evaluate_qa.spaces._shared.visitors.limits import Refusal

FIELDS = (
    Field("questions", "Question"),
    Field("references", "References", "lines", required=True),
    Field("predictions", "Answer"),
    Field("reference_weights", "Weights", "numbers"),
)
ROW = {
    "questions": "Who?",
    "references": ["Curie", "Marie"],
    "predictions": "It was.",
    "reference_weights": [1.0, -0.5],
}


def test_a_form_becomes_a_row_and_back():
    assert from_form(FIELDS, ["Who?", " Curie \n\nMarie\n", "It was.", "1\n-0.5"]) == ROW
    assert from_form(FIELDS, to_form(FIELDS, ROW)) == ROW


def test_empty_optional_boxes_are_left_out():
    assert from_form(FIELDS, ["", "Curie", None, ""]) == {"references": ["Curie"], "predictions": ""}


@pytest.mark.parametrize(
    ("entered", "message"),
    [
        (["", " \n ", "a", ""], "There is no reference. Enter at least one."),
        (["", "a", "b", "1\nhalf"], "Weights: expected a number, not 'half'."),
        (["", "a", "b", "nan"], "Weights: expected a number, not 'nan'."),
        (["", "a", "x" * 21, ""], "Answer: the text has 21 characters; this Space accepts 20."),
        (["", "a" * 30, "b", ""], "References: the text has 30 characters; this Space accepts 20."),
        (["", "a\nb\nc", "b", ""], "References: there are 3; this Space accepts 2."),
    ],
)
def test_invalid_boxes_are_refused(entered, message, limit):
    limit(characters=20, references=2)
    with pytest.raises(Refusal, match="^" + message.replace(".", r"\.")):
        from_form(FIELDS, entered)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"prediction": 5, "references": ["a"]}, "Answer: expected a text, not 5."),
        ({"prediction": "a", "references": ["a", None]}, "References: expected a text, not None."),
        ({"prediction": "a", "references": {"a": 1}}, "References: expected a text, not an object."),
        ({"prediction": "a", "references": "b", "reference_weights": [True]}, "Weights: expected a number, not True."),
    ],
)
def test_values_of_a_wrong_type_are_refused(given, message):
    with pytest.raises(Refusal) as refused:
        from_mapping(FIELDS, given)
    assert str(refused.value) == message


def test_only_uploaded_videos_are_read(tmp_path, uploads):
    fields = (Field("videos", "Video", "video", required=True),)
    uploaded, other = uploads / "a" / "clip.mp4", tmp_path / "clip.mp4"
    uploaded.parent.mkdir(parents=True)
    for path in (uploaded, other):
        path.touch()
    assert from_form(fields, [str(uploaded)]) == {"videos": str(uploaded)}
    assert from_mapping(fields, {"video": {"path": str(uploaded)}}) == {"videos": str(uploaded)}
    (uploaded.parent / "link.mp4").symlink_to(other)
    for path in (other, uploaded.parent / "link.mp4", uploaded.parent.parent / ".." / "clip.mp4", "/etc/passwd"):
        with pytest.raises(Refusal, match=r"^Video: expected an uploaded file"):
            from_mapping(fields, {"video": {"path": str(path)}})
    uploaded.unlink()
    with pytest.raises(Refusal, match=r"^Video: the file has been deleted in the meantime"):
        from_form(fields, [str(uploaded)])


def test_columns_may_have_the_singular_or_the_plural_name():
    plural = {"predictions": "a", "references": "b"}
    expected = {"predictions": "a", "references": ["b"]}
    assert from_mapping(FIELDS, {"prediction": "a", "references": ["b"]}) == from_mapping(FIELDS, plural) == expected
    assert from_mapping(FIELDS, {"prediction": "a", "reference": "b", "references": None}) == expected


def test_a_list_that_is_written_as_text_is_read():
    found = from_mapping(FIELDS, {"prediction": "a", "references": '["b", "c"]'})["references"]
    assert found == ["b", "c"]
    assert from_mapping(FIELDS, {"prediction": "a", "references": '["b\\x"]'})["references"] == ['["b\\x"]']
    table = parse_rows('[{"prediction": "a", "reference": "b"}, {"reference": "b"}]', FIELDS)
    assert table.rows == [{"predictions": "a", "references": ["b"]}]
    assert table.problems == ["row 2: There is no answer. Enter one."]


W = SliderControl("w", "W", "", 0.5, 0, 1, 0.01)
N = SliderControl("n", "N", "", 4, 1, 4, 1)
C = ChoiceControl("c", "C", "", None, {"a": "A", False: "none"})


@pytest.mark.parametrize(
    ("option", "given", "message"),
    [
        (W, 1.5, "w: expected a number from 0 to 1, not 1.5."),
        (W, "1", "w: expected a number from 0 to 1, not '1'."),
        (W, True, "w: expected a number from 0 to 1, not True."),
        (W, float("nan"), "w: expected a number from 0 to 1, not nan."),
        (N, 2.5, "n: expected a whole number from 1 to 4, not 2.5."),
        (C, "d", "c: expected one of a, False, not 'd'."),
        (C, ["a"], "c: expected one of a, False, not a list."),
        (C, 0, "c: expected one of a, False, not 0."),
    ],
)
def test_options_out_of_range_are_refused(option, given, message):
    with pytest.raises(Refusal) as refused:
        option.value(given)
    assert str(refused.value) == message


def test_a_slider_that_was_not_moved_keeps_the_exact_default():
    threshold = SliderControl("threshold", "Threshold", "", 2 / 3, 0, 1, 0.01)
    assert threshold.shown == 0.67
    assert threshold.value(0.67) == 2 / 3
    assert threshold.value(0.66) == 0.66
    assert isinstance(N.value(2.0), int)


def test_a_choice_accepts_a_value_or_its_text():
    assert [C.value(given) for given in ("a", "False", False)] == [None, False, False]


RECORDS = [
    {
        "question": "Who?",
        "references": ["Curie", "Marie"],
        "prediction": "Curie, of course",
        "reference_weights": [1, 0.5],
    },
    {"question": "", "references": ["7"], "prediction": "[7]"},
]


# Only columns of lists are read as JSON. Other columns may have long cells.
CSV = (
    "question,references,prediction,reference_weights,context\n"
    f'Who?,"[""Curie"", ""Marie""]","Curie, of course","[1, 0.5]",{"x" * 200_000}\n'
    ",7,[7],,[]\n"
)


@pytest.mark.parametrize(
    ("name", "content"), [("a.jsonl", "\ufeff" + "\n\n".join(map(json.dumps, RECORDS))), ("a.csv", CSV)]
)
def test_both_formats_give_the_same_rows(name, content, tmp_path):
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    table = read(file, FIELDS)
    assert table.rows == [
        ROW | {"predictions": "Curie, of course", "reference_weights": [1.0, 0.5]},
        {"references": ["7"], "predictions": "[7]"},
    ]
    assert table.places == ([1, 3] if file.suffix == ".jsonl" else [1, 2])
    assert table.columns == {
        "questions": "question",
        "references": "references",
        "predictions": "prediction",
        "reference_weights": "reference_weights",
    }
    assert table.problems == []


def test_unusable_rows_are_named_and_skipped(tmp_path):
    path = tmp_path / "answers.jsonl"
    deep = "[" * 100_000
    lines = ['{"prediction": "a", "references": "b"}', "{", "[1]", '{"prediction": "a"}', deep]
    lines += ['{"references": ["b"]}', '{"references": ["b"], "prediction": ""}']
    path.write_text("\n".join(lines))
    table = read(path, FIELDS)
    assert table.rows == [{"references": ["b"], "predictions": "a"}, {"references": ["b"], "predictions": ""}]
    assert table.places == [1, 7]
    assert [problem[:40] for problem in table.problems] == [
        "line 2: not JSON (Expecting property nam",
        "line 3: a JSON list; expected one object",
        "line 4: There is no reference. Enter at ",
        "line 5: not JSON (maximum recursion dept",
        "line 6: There is no answer. Enter one.",
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"x", "a.txt: unknown file type. Use .jsonl or .csv."),
        ("a.jsonl", b"", "a.jsonl: no row can be scored; expected the columns question (optional), references, "
         "prediction, reference_weights (optional)."),
        ("a.csv", b"frage,antwort\n1,2\n", "a.csv: there is no column 'references' or 'prediction'. Found: frage, "
         "antwort. Expected: question (optional), references, prediction, reference_weights (optional). Rename"),
        # Without this error, all answers would be empty.
        ("a.csv", b"references,antwort\n1,2\n", "a.csv: there is no column 'prediction'. Found: references, "
         "antwort. Expected: question (optional), references, prediction"),
        ("a.csv", b"references,prediction\n,2\n", "a.csv: no row can be scored; expected the columns question "
         "(optional), references, prediction, reference_weights (optional). The first problem is in row 1: There is no "
         "reference. Enter at least one."),
        ("a.jsonl", b"{}\n" * 400, "There are more than 300 rows."),
        ("a.jsonl", b"x" * 1_000_001, "a.jsonl: the file is larger than 0 MB. Upload a part of it."),
    ],
)  # fmt: skip
def test_unusable_files_are_refused(tmp_path, name, content, message, limit):
    limit(rows=300, file_bytes=1_000_000)
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(Refusal) as refused:
        read(path, FIELDS)
    assert str(refused.value).startswith(message)


def test_rows_of_the_api_are_counted(limit):
    limit(rows=2)
    with pytest.raises(Refusal, match="more than 2 rows"):
        collect(UploadedTable("rows", ""), enumerate([RECORDS[0]] * 3), FIELDS)


def test_internal_errors_are_logged_and_not_shown(caplog):
    with pytest.raises(KeyError) as raised:
        {}["secret"]
    assert message_of(raised.value) == BROKEN
    assert "secret" in caplog.text
    assert "Traceback" in caplog.text
    assert message_of(Refusal("Enter a number.")) == "Enter a number."
