"""Write each metric's options into its card, between two markers: `python -m evaluate_qa.cards`.

A test compares the cards with the options' declarations, so that neither is changed alone.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from . import metric_names, path
from .metrics._shared.declarations import Declaration, ModelOptions, declarations

_BETWEEN = re.compile(r"(?<=<!-- options -->\n).*?(?=<!-- /options -->)", re.DOTALL)


def with_options(card: str, name: str) -> str:
    """Return the text of a card with the options of the metric `name` between its markers."""
    import evaluate

    metric = evaluate.load(path(name))
    tables = _table("compute", declarations(metric.options))
    own = {name: one for name, one in declarations(metric.loading).items() if name not in declarations(ModelOptions)}
    if own:
        tables += "\n" + _table("evaluate.load", own)
    if issubclass(metric.loading, ModelOptions):
        common = ", ".join(f"`{name}`" for name in declarations(ModelOptions))
        tables += f"\nLike all metrics with a model, `evaluate.load` takes {common}; `help({name})` tells more.\n"
    return _BETWEEN.sub(lambda _: tables, card)


def _table(call: str, options: Mapping[str, Declaration]) -> str:
    rows = [
        f"| `{name}` | {one.help} | {_expected(one.kind.expected)} | {one.told} |\n" for name, one in options.items()
    ]
    return "".join([f"| `{call}` | | | default |\n|---|---|---|---|\n", *rows])


def _expected(kind: str) -> str:
    return re.sub(r"^one of |^an? (?=number|positive|whole)", "", kind).replace("|", r"\|")


if __name__ == "__main__":
    for metric in metric_names():
        card = Path(path(metric)) / "README.md"
        card.write_text(with_options(card.read_text(encoding="utf-8"), metric), encoding="utf-8")
