"""Build the folder of a repository from the files of this package, in which `smile` becomes `org/smile`."""

import importlib
import json
import re
import shutil
from pathlib import Path

from huggingface_hub import RepoCard

from evaluate_qa.metrics._shared import matcher
from evaluate_qa.metrics._shared.checkpoints import find_checkpoint
from evaluate_qa.metrics._shared.large_matcher import read_head

from .. import standalone
from ..loading import METRICS, scorer_module
from . import dataset, sources
from .repository import HUB, KINDS, Repository
from .requirements import pin_requirements, read_requirements, version

# Files of an app that are generated from the files of app and metric.
_GENERATED = ("README.md", "requirements.txt")
_TEXT = {".py", ".md"}
# Data that modules read from their own folder. The matcher's file has its own repository.
_DATA = ("*.b85", "*.bib", "*.css", "*.jinja", "*.tsv", "markup.html", "README.md", "demo_clip/*")

# Names of metrics, models and data sets in texts. In the files of this package, their namespace is evaluate-qa.
_LOAD = r"(?P<call>(?:evaluate\.load\(\s*|\bfirst(?:=|\": ))[\"'])(?P<name>{names})(?=[\"'])"
_OWNED = r"(?<![\w-])evaluate-qa/(?P<name>{names})(?![\w-])"
_CARD_LINK = r"\]\((?:\.\./)+(?:metrics/)?(?P<name>{names})/README\.md\)"


def build(repository: Repository, data_dir: Path | None = None) -> None:
    """Build the folder of a repository, which must not exist.

    `data_dir` is the parent of the folder with a data set's source files; None downloads them.
    """
    repository.folder.mkdir(parents=True)
    if repository.kind == "dataset":
        _build_data_set(repository, data_dir)
        return  # a data set has its own license, which its card names
    if repository.kind == "space" and repository.name in sources.pages():
        _build_page(repository)
    elif repository.kind == "space":
        _build_space(repository)
    elif repository.source:
        _build_large(repository, repository.source)
    else:
        _build_matcher(repository)
    (repository.folder / "LICENSE").write_text(sources.license_text(), encoding="utf-8")


def _build_space(repository: Repository) -> None:
    """Write the standalone metric, the app, and the modules of this package that the app needs."""
    name, app = repository.name, sources.SPACES / repository.name
    for file, text in standalone.metric_files(name).items():
        _write(repository, file, text)
    for file, path in {**_app_files(app), **_package_files(name)}.items():
        if path.suffix not in _TEXT:
            _place(repository, file).write_bytes(path.read_bytes())
        elif file.startswith("evaluate_qa/"):
            # In this copy of the package, metrics keep their own names.
            _place(repository, file).write_text(owned_by(_read(path), repository.namespace), "utf-8", newline="")
        else:
            _write(repository, file, _read(path))
    constraints = (sources.PACKAGE / "constraints.txt").read_text(encoding="utf-8")
    _write(repository, "requirements.txt", pin_requirements(read_requirements(app / "requirements.txt"), constraints))
    card = RepoCard.load(METRICS / name / "README.md")
    # The Hub installs this version of gradio and ignores requirements.txt.
    card.data["sdk_version"] = version("gradio", constraints)
    _write(repository, "README.md", str(card))


def _build_page(repository: Repository) -> None:
    """Write the page of a static Space and its card."""
    page = importlib.import_module(f"evaluate_qa.spaces.{repository.name}.page").build()
    _place(repository, "index.html").write_text(page, encoding="utf-8", newline="")
    _write(repository, "README.md", _read(sources.SPACES / repository.name / "README.md"))


def _app_files(app: Path) -> dict[str, Path]:
    """Return the files of an app's folder, except for generated and compiled ones."""
    files = (path for path in sorted(app.rglob("*")) if path.is_file() and path.suffix != ".pyc")
    named = {path.relative_to(app).as_posix(): path for path in files}
    return {name: path for name, path in named.items() if name not in _GENERATED}


def _package_files(name: str) -> dict[str, Path]:
    """Return the modules and data of this package that a Space needs, by their paths in the Space."""
    metrics = [scorer_module(metric) for metric in (name, *sources.needed_metrics(name))]
    app = f"evaluate_qa.spaces.{name}.app"
    modules = standalone.package_files("evaluate_qa", app, *metrics)
    del modules[f"evaluate_qa/spaces/{name}/app.py"]
    folders = {file.rpartition("/")[0]: path.parent for file, path in modules.items() if file.count("/") > 1}
    data = {
        f"{folder}/{path.relative_to(source).as_posix()}": path
        for folder, source in folders.items()
        for pattern in _DATA
        for path in source.glob(pattern)
    }
    return modules | data


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _write(repository: Repository, file: str, text: str) -> None:
    text = in_namespace(text, repository.namespace)
    _place(repository, file).write_text(text, encoding="utf-8", newline="")


def _place(repository: Repository, file: str) -> Path:
    """Return the path of a file, and create its folder."""
    place = repository.folder / file
    if place.exists():
        raise ValueError(f"Two files of {repository.name} are named {file}. Rename one of them.")
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _build_data_set(repository: Repository, data_dir: Path | None) -> None:
    _, missing = dataset.build(repository.name, repository.folder, data_dir and data_dir / repository.name)
    if missing:
        reasons = "; ".join(f"{config}: {reason}" for config, reason in missing.items())
        raise FileNotFoundError(f"Parts of {repository.name} are missing. {reasons}")
    card = repository.card.read_text(encoding="utf-8").replace("path/to/this/folder", repository.id)
    repository.card.write_text(in_namespace(card, repository.namespace), encoding="utf-8")


def _build_large(repository: Repository, source: Path) -> None:
    """Copy the files of a large matcher that its scores depend on, and write its card."""
    checkpoint = find_checkpoint("publish", source)
    read_head(source)
    encoder = json.loads(_read(source / "config.json")).get("model_type")
    if encoder != "mpnet":
        raise ValueError(
            f"The encoder in {source} is of the type {encoder!r}, but the card describes a large matcher from "
            "all-mpnet-base-v2 and its license. Publish the folder with your own card: hf upload"
        )
    for file in checkpoint.files:
        shutil.copyfile(source / file, _place(repository, file))
    card = _read(Path(__file__).with_name("large.md")).replace("ORG/NAME", repository.id)
    repository.card.write_text(card.replace("NAME@DIGEST", checkpoint.name), encoding="utf-8")


def _build_matcher(repository: Repository) -> None:
    file = repository.folder / matcher.PUBLISHED
    file.parent.mkdir()
    shutil.copyfile(matcher.find_matcher("publish"), file)
    head = (Path(__file__).parent / f"{repository.name}.md").read_text(encoding="utf-8")
    sections = RepoCard.load(METRICS / "bem" / "README.md").text.split("\n## ")
    described = [text for text in sections if text.startswith(("The Embedded Matcher", "Limitations"))]
    card = "\n".join([head, *(f"## {text.strip()}\n" for text in described)])
    repository.card.write_text(in_namespace(card, repository.namespace), encoding="utf-8")


def in_namespace(text: str, namespace: str) -> str:
    """Return a text with the names of metrics, data sets and models in a namespace."""
    metrics = "|".join(sources.names("space"))
    text = _add_namespace(_LOAD, metrics, rf"\g<call>{namespace}/\g<name>", text)
    text = _add_namespace(_CARD_LINK, metrics, rf"]({HUB}/spaces/{namespace}/\g<name>)", text)
    return owned_by(text, namespace)


def owned_by(text: str, namespace: str) -> str:
    """Return a text with the names of repositories in a namespace; `evaluate.load("smile")` stays."""
    everything = "|".join(name for kind in KINDS for name in sources.names(kind))
    return _add_namespace(_OWNED, everything, rf"{namespace}/\g<name>", text)


def _add_namespace(pattern: str, names: str, replacement: str, text: str) -> str:
    return re.sub(pattern.format(names=names), replacement, text)
