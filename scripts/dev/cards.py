"""Write each metric's options into its card, between two markers: `python -m evaluate_qa.dev.cards`.

A test compares the cards with the declared options, so that they cannot drift apart.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from evaluate_qa.metrics._shared.model_options import EngineOptions, ModelOptions
from evaluate_qa.metrics._shared.options import Declaration, declarations

from .. import metric_names, path
from ..loading import load_metric

_BETWEEN = re.compile(r"(?<=<!-- options -->\n).*?(?=<!-- /options -->)", re.DOTALL)


def with_options(card: str, name: str) -> str:
    """Return the text of a card with the options of the metric `name` between its markers."""
    metric = load_metric(name)
    loading = declarations(metric.loading)
    shared = declarations(EngineOptions if issubclass(metric.loading, EngineOptions) else ModelOptions)
    lines = _list("compute", declarations(metric.options))
    own = {name: one for name, one in loading.items() if name not in shared}
    if own:
        lines += ["", *_list("evaluate.load", own)]
    if shared.keys() <= loading.keys():
        names = f"{', '.join(f'`{name}`' for name in shared)}: see `help({name})`."
        lines += [f"- {names}"] if own else ["", f"Options of `evaluate.load`: {names}"]
    return _BETWEEN.sub(lambda _: "".join(f"{line}\n" for line in lines), card)


def _list(call: str, options: Mapping[str, Declaration]) -> list[str]:
    return [f"Options of `{call}`:", *(f"- `{_given(name, one)}`: {one.help}" for name, one in options.items())]


def _given(name: str, one: Declaration) -> str:
    """Return an option with its default, as a keyword argument."""
    if not one.default_text:
        return name
    default = f'"{one.default_text}"' if isinstance(one.default, str) else one.default_text
    return f"{name}={default}"


if __name__ == "__main__":
    for metric in metric_names():
        card = Path(path(metric)) / "README.md"
        card.write_text(with_options(card.read_text(encoding="utf-8"), metric), encoding="utf-8")
