"""The signature says what was set, in the order of the settings, and nothing of what was not."""

import pytest
from evaluate_qa.metrics._shared.signature import signature


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({}, "smile|v:1.0.0"),
        ({"w": 0.5, "emb": "MiniLM@53aa5117"}, "smile|v:1.0.0|w:0.5|emb:MiniLM@53aa5117"),
        ({"cand": None, "w": 0}, "smile|v:1.0.0|w:0"),
        ({"thr": 2 / 3}, "smile|v:1.0.0|thr:0.6666666666666666"),
        ({"lower": False, "prompt": ""}, "smile|v:1.0.0|lower:False|prompt:"),
    ],
)
def test_signature(settings, line):
    assert signature("smile", "1.0.0", settings) == line
