"""Options as typed on the command line."""

import pytest

from evaluate_qa.options import parse_options


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("w=0.3", 0.3),
        ("w=1", 1),
        ("w=True", True),
        ("w=false", False),
        ("w=None", None),
        ("w=cosine", "cosine"),
        ("w=", ""),
        ("w=a=b", "a=b"),
        ("w='0.3'", "0.3"),
        ("w=['a', 'b']", ["a", "b"]),
        ("w=/path/to.model", "/path/to.model"),
        ('w={"a": [true, null]}', {"a": [True, None]}),
        ("w=(", "("),
        ("w=two\nlines", "two\nlines"),
    ],
)
def test_values_are_parsed_as_python_literals_or_text(text, expected):
    (value,) = parse_options([text]).values()
    assert value == expected
    assert type(value) is type(expected)


def test_a_prefix_restricts_an_option_to_a_metric():
    given = ["w=0.3", "smile.w=0.5", "bem.batch_size=2"]
    assert parse_options(given, "smile", ["bem"]) == {"w": 0.5}
    assert parse_options(given, "path/to/bem", ["metrics/smile"]) == {"w": 0.3, "batch_size": 2}


@pytest.mark.parametrize("metric", ["smile", "bem", None])
def test_an_option_of_a_metric_that_does_not_run_is_an_error(metric):
    with pytest.raises(ValueError, match=r"'smlie\.w=0\.3' is for the metric 'smlie', which is not used. "):
        parse_options(["smlie.w=0.3"], metric)


@pytest.mark.parametrize("text", ["w", "=3", "0w=3", "a-b=3", ""])
def test_options_without_a_name_are_refused(text):
    with pytest.raises(ValueError, match="Write name=value"):
        parse_options([text])
