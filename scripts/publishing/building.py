"""Build the folder of a repository from the files of this package."""

import shutil
from pathlib import Path

from evaluate_qa.metrics._shared import matcher

from .. import hub_folder, standalone
from ..loading import METRICS, scorer_module
from . import sources
from .naming import in_namespace, owned_by
from .repository import Repository
from .requirements import pinned, version, wanted

# The app has one of each; what is published is made from them and from the metric's.
_MADE = ("README.md", "requirements.txt")
_TEXT = {".py", ".md"}
# What modules read that lie in the same folder. The matcher's file is a repository of its own.
_DATA = ("*.css", "README.md", "demo_clip/*")


def build(repository: Repository, data_dir: Path | None = None) -> None:
    """Build a repository's folder, which holds regular files only.

    Args:
        repository: What to build; its folder must not be there yet.
        data_dir: For a data set, the folder with the folder of its source files; None downloads them.

    Raises:
        FileNotFoundError: something that belongs into it is missing.
        ValueError: it cannot be put together; the message says why.
    """
    repository.folder.mkdir(parents=True)
    if repository.kind == "dataset":
        _build_data_set(repository, data_dir)
        return  # whose licence is not this package's, and is in its card
    if repository.kind == "space":
        _build_space(repository)
    else:
        _build_model(repository)
    (repository.folder / "LICENSE").write_text(sources.licence(), encoding="utf-8")


def _build_space(repository: Repository) -> None:
    """Write the metric's standalone files, the app, and the part of this package that the app needs."""
    name, app = repository.name, sources.SPACES / repository.name
    if not (app / "app.py").is_file():
        raise FileNotFoundError(f"there is no app for {name}: {app / 'app.py'} is missing")
    for file, text in standalone.metric_files(name).items():
        _write(repository, file, text)
    for file, path in {**_app_files(app), **_package_files(name)}.items():
        if path.suffix not in _TEXT:
            _place(repository, file).write_bytes(path.read_bytes())
        elif file.startswith("evaluate_qa/"):
            # This copy of the package has its metrics under their own names.
            _place(repository, file).write_text(owned_by(_read(path), repository.namespace), "utf-8", newline="")
        else:
            _write(repository, file, _read(path))
    constraints = (sources.PACKAGE / "constraints.txt").read_text(encoding="utf-8")
    _write(repository, "requirements.txt", pinned(wanted(app / "requirements.txt"), constraints))
    yaml, body = _split(METRICS / name / "README.md")
    # The Hub installs this version of gradio whatever requirements.txt says.
    _write(repository, "README.md", f"---\n{yaml}\nsdk_version: {version('gradio', constraints)}\n---\n{body}")


def _app_files(app: Path) -> dict[str, Path]:
    """Return the files of an app's folder, except for those that are made and what Python left."""
    files = (path for path in sorted(app.rglob("*")) if path.is_file() and path.suffix != ".pyc")
    named = {path.relative_to(app).as_posix(): path for path in files}
    return {name: path for name, path in named.items() if name not in _MADE}


def _package_files(name: str) -> dict[str, Path]:
    """Return the part of this package that a Space needs, by its place in the Space."""
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
    """Return where a file goes, whose folder is made."""
    place = repository.folder / file
    if place.exists():
        raise ValueError(f"two files of {repository.name} would be {file}; rename one of them")
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _split(card: Path) -> tuple[str, str]:
    """Return a card's YAML and its text below."""
    start, fence, rest = card.read_text(encoding="utf-8").partition("---\n")
    yaml, end, body = rest.partition("\n---\n")
    if start or not fence or not end:
        raise ValueError(f"{card} has no front matter: lines between two lines of three hyphens at its top")
    return yaml, body


def _build_data_set(repository: Repository, data_dir: Path | None) -> None:
    built = hub_folder.build(repository.name, repository.folder, data_dir and data_dir / repository.name)
    if built.missing:
        missing = "; ".join(f"{config}: {reason}" for config, reason in built.missing.items())
        raise FileNotFoundError(f"{repository.name} is published whole or not at all, but {missing}")
    card = repository.card.read_text(encoding="utf-8").replace("path/to/this/folder", repository.id)
    repository.card.write_text(in_namespace(card, repository.namespace), encoding="utf-8")


def _build_model(repository: Repository) -> None:
    file = repository.folder / matcher.PUBLISHED
    file.parent.mkdir()
    shutil.copyfile(matcher.find("publish"), file)
    head = (Path(__file__).parent / f"{repository.name}.md").read_text(encoding="utf-8")
    described = _sections(METRICS / "bem" / "README.md", "The Embedded Matcher", "Limitations")
    repository.card.write_text(in_namespace(f"{head}\n{described}", repository.namespace), encoding="utf-8")


def _sections(readme: Path, *titles: str) -> str:
    """Return the sections of a card whose titles start so."""
    sections = _split(readme)[1].split("\n## ")[1:]
    found = [section for title in titles for section in sections if section.startswith(title)]
    if len(found) != len(titles):
        raise ValueError(f"{readme} lacks one of the sections {', '.join(titles)}")
    return "".join(f"## {section.strip()}\n\n" for section in found)
