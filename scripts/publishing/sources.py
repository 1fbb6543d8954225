"""Find the metrics, data sets and models that can be published."""

import importlib.metadata
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from evaluate_qa import spaces
from evaluate_qa.metrics._shared.large_matcher import HEAD

from .. import metric_names, standalone
from ..loading import scorer_module
from .dataset import DATA_SETS
from .repository import KINDS, Kind

PACKAGE = Path(__file__).parent.parent
SPACES = Path(spaces.__path__[0])

MODELS = ("matcher",)


@cache
def names(kind: Kind) -> list[str]:
    """Return the names of all repositories of a kind."""
    apps = [name for name in metric_names() if (SPACES / name / "app.py").is_file()]
    builders = sorted(folder.name for folder in DATA_SETS.iterdir() if (folder / f"{folder.name}.py").is_file())
    return {"space": [*apps, *pages()], "dataset": builders, "model": [*MODELS]}[kind]


def choose_repositories(wanted: Iterable[str]) -> list[tuple[Kind, str]]:
    """Return kind and name of everything to publish: models first, because metrics need them.

    The name of a large matcher is the path of its folder.
    """
    chosen: set[tuple[Kind, str]] = set()
    groups: dict[str, Kind] = {"metrics": "space", "datasets": "dataset", "models": "model"}
    for name in wanted:
        if name in groups:
            chosen |= {(groups[name], member) for member in names(groups[name])}
        else:
            chosen |= {(kind, name) for kind in KINDS if name in names(kind)} or {("model", large_matcher(name))}
    metrics = {name for kind, name in chosen if kind == "space"} - {*pages()}
    metrics |= {other for name in metrics for other in needed_metrics(name)}
    chosen |= {("space", name) for name in metrics}
    chosen |= {("model", model) for name in metrics for model in needed_models(name)}
    return sorted(chosen, key=lambda one: (KINDS.index(one[0]), one[1]))


def large_matcher(name: str) -> str:
    """Return the path of a large matcher's folder; raise ValueError if it is none, or has the name of a model here."""
    folder = Path(name).expanduser().resolve()
    if not (folder / HEAD).is_file():
        known = ", ".join(known for kind in reversed(KINDS) for known in names(kind))
        raise ValueError(
            f"there is no {name!r} to publish. Available: {known}, metrics, datasets, models, and folders with {HEAD}."
        )
    if folder.name in MODELS:
        raise ValueError(f"{folder} would replace the model {folder.name} that the metrics load. Rename the folder.")
    return str(folder)


def pages() -> list[str]:
    """Return the names of static Spaces: their folder has a `page.py`, whose `build` returns the page."""
    return sorted(path.parent.name for path in SPACES.glob("*/page.py"))


def needed_models(metric: str) -> list[str]:
    """Return the models that a metric downloads from the Hub if this package is not installed."""
    needed = standalone.closure(scorer_module(metric))
    return [model for model in MODELS if f"evaluate_qa.metrics._shared.{model}" in needed]


def needed_metrics(metric: str) -> list[str]:
    """Return the other metrics that the Space of a metric loads: its requirements.txt includes theirs."""
    file = SPACES / metric / "requirements.txt"
    named = re.findall(r"^-r .*/metrics/(\w+)/requirements\.txt$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return [name for name in named if name != metric]


def license_text() -> str:
    """Return the text of this package's license, from the checkout or from the installed files."""
    checkout = PACKAGE.parent / "LICENSE"
    if checkout.is_file():
        return checkout.read_text(encoding="utf-8")
    # There may be several entries of this name, some without the file.
    for distribution in importlib.metadata.distributions(name="evaluate-qa"):
        if installed := distribution.read_text("licenses/LICENSE"):
            return installed
    raise FileNotFoundError("evaluate-qa is installed without its LICENSE. Reinstall it.")
