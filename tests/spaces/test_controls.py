"""Sliders and drop-downs come from the options that the metric declares."""

import pytest

from evaluate_qa.spaces._shared.metric.declared import ChoiceControl, SliderControl

# Prints the modules that are imported to read the controls.
PROGRAM = """
import sys
from evaluate_qa.loading import scorer_class
from evaluate_qa.spaces._shared.metric.declared import controls
for name in sys.argv[1:]:
    assert controls(scorer_class(name).options)
print(*sys.modules)
"""


def test_controls_are_read_without_heavy_imports(processes, root):
    names = [path.parent.name for path in sorted((root / "spaces").glob("[a-z]*/app.py"))]
    done = processes.run("-c", PROGRAM, *names, cwd=root / "spaces" / "smile", check=True)
    assert names
    assert not {"evaluate", "torch", "datasets", "transformers", "gradio"} & {*done.stdout.split()}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("smile", {"typed": ["auto", False], "w": (0, 1, 0.01, 0.5), "threshold": (0, 1, 0.01, 0.67)}),
        ("bem", {"typed": ["auto", False], "threshold": (0, 1, 0.01, 0.5), "lexical": [None, False]}),
        (
            "nli_lex",
            {
                "typed": ["auto", False],
                "threshold": (0, 1, 0.01, 0.5),
                "lexical": ["lengths", "recall", "match", False],
            },
        ),
        (
            "deltableu",
            {"lang": ["en", "zh"], "max_ngram_order": (1, 4, 1, 4), "smooth_method": ["exp", "floor", "add-k", "none"]},
        ),
        ("judge", {"ask": [None, (0, 1), (0, 0)]}),
        ("evqascore", {"mode": ["auto", "caption"], "max_keywords": (1, 20, 1, 20)}),
    ],
)
def test_controls_have_the_options_values(specification_of, name, expected):
    found = {
        control.name: [*control.labels]
        if isinstance(control, ChoiceControl)
        else (control.low, control.high, control.step, control.shown)
        for control in specification_of(name).controls
    }
    assert found == expected


def test_a_control_describes_its_option(smile, specification_of):
    w = smile.controls[1]
    assert isinstance(w, SliderControl)
    assert (w.label, w.info) == ("Weight of meaning (w)", "0: only words count. 1: only meaning counts.")
    # The default description is the option's help text.
    assert specification_of("bem").controls[1].info == "Count answers that score above this as correct."


def test_the_page_opens_with_the_metrics_defaults(specification, scorer):
    assert specification.changed(specification.options()) == {}
    assert vars(scorer.metric.options()) | specification.fixed == vars(specification.options())
