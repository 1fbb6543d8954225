"""Sliders and drop-downs come from the options that the metric declares."""

from dataclasses import dataclass

import pytest

from evaluate_qa.metrics._shared.options import FLAG, Choice, Control, Number, Options, Whole, option
from evaluate_qa.spaces._shared.metric.declared import ChoiceControl, SliderControl, controls

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


@dataclass(frozen=True)
class Declared(Options):
    """An option of each kind."""

    share: float = option(2 / 3, Number(0, 1), "Set the share.", control=Control("Share"))
    order: int = option(4, Whole(), "Set the order.", control=Control("Order", most=9))
    mode: str = option("b", Choice("b", "a"), "Choose.", control=Control("Mode", info=""))
    exact: bool | None = option(None, FLAG, "Compare.", control=Control("Exact", values={None: "?", False: "no"}))
    hidden: int = option(1, Whole(), "Set without a control.")


def test_controls_have_the_options_values():
    assert controls(Declared) == [
        SliderControl("share", "Share", "Set the share.", 2 / 3, 0, 1, 0.01),
        SliderControl("order", "Order", "Set the order.", 4, 1, 9, 1),
        ChoiceControl("mode", "Mode", "", "b", {"b": "b", "a": "a"}),
        ChoiceControl("exact", "Exact", "Compare.", None, {None: "?", False: "no"}),
    ]
    assert [control.shown for control in controls(Declared)] == [0.67, 4, "b", "None"]


def test_a_slider_needs_bounds():
    @dataclass(frozen=True)
    class Unbounded(Options):
        order: int = option(4, Whole(), "Set the order.", control=Control("Order"))

    with pytest.raises(ValueError, match=r"^the option order has a slider but no bounds\. Set `most` in its control\."):
        controls(Unbounded)


def test_the_page_opens_with_the_metrics_defaults(specification, scorer):
    assert specification.changed(specification.options()) == {}
    assert vars(scorer.metric.options()) | specification.fixed == vars(specification.options())
