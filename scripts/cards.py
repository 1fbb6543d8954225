"""Write each metric's options into its card, between two markers: `python -m evaluate_qa.cards`.

A test compares the cards with the options' declarations, so that neither is changed alone.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from . import metric_names, path
from .loading import load_metric
from .metrics._shared.declarations import Declaration, ModelOptions, declarations

_BETWEEN = re.compile(r"(?<=<!-- options -->\n).*?(?=<!-- /options -->)", re.DOTALL)


def with_options(card: str, name: str) -> str:
    """Return the text of a card with the options of the metric `name` between its markers."""
    metric = load_metric(name)
    tables = _table("compute", declarations(metric.options))
    loading, shared = declarations(metric.loading), declarations(ModelOptions)
    own = {name: one for name, one in loading.items() if name not in shared}
    if own:
        tables += "\n" + _table("evaluate.load", own)
    if shared.keys() <= loading.keys():
        common = ", ".join(f"`{name}`" for name in shared)
        tables += f"\n`evaluate.load` takes {common} too; see `help({name})`.\n"
    return _BETWEEN.sub(lambda _: tables, card)


def _table(call: str, options: Mapping[str, Declaration]) -> str:
    rows = [f"| `{name}` | {one.help} | {_values(one)} |\n" for name, one in options.items()]
    return "".join([f"| `{call}` | | default |\n|---|---|---|\n", *rows])


def _values(one: Declaration) -> str:
    """Return the default, and what else there is: other choices, the range of a number."""
    # By what it has, not by its class: a metric that evaluate has loaded brings classes of its own.
    choices, low = getattr(one.kind, "values", None), getattr(one.kind, "low", None)
    if choices is not None:
        return ", ".join(f"**{value}**" if value == one.default else str(value) for value in choices)
    bounds = f" ({low:g} to {one.kind.high:g})" if low is not None and hasattr(one.kind, "high") else ""
    return (one.told + bounds).replace("|", r"\|")


if __name__ == "__main__":
    for metric in metric_names():
        card = Path(path(metric)) / "README.md"
        card.write_text(with_options(card.read_text(encoding="utf-8"), metric), encoding="utf-8")
