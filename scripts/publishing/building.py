"""Build the folder of a repository from the files of this package."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from .. import dataset
from ..metrics._shared import matcher
from . import sources
from .naming import in_namespace
from .repository import Repository
from .requirements import pinned, version, wanted

# Metric and app have one each; what is published is made from them.
_MADE = ("README.md", "requirements.txt")
_TEXT = {".py", ".md"}


def build(repository: Repository, data_dir: Path | None = None, cache_dir: Path | None = None) -> None:
    """Build a repository's folder, which holds regular files only.

    Args:
        repository: What to build; its folder must not be there yet.
        data_dir: For a data set, the folder with the folder of its source files; None downloads them.
        cache_dir: For a data set, where downloads and unfinished work go.

    Raises:
        FileNotFoundError: something that belongs into it is missing.
        ValueError: it cannot be put together; the message says why.
    """
    repository.folder.mkdir(parents=True)
    if repository.kind == "dataset":
        _build_data_set(repository, data_dir, cache_dir)
        return  # whose licence is not this package's, and is in its card
    if repository.kind == "space":
        _build_space(repository)
    else:
        _build_model(repository)
    (repository.folder / "LICENSE").write_text(sources.licence(), encoding="utf-8")


def _build_space(repository: Repository) -> None:
    metric = sources.PACKAGE / "metrics" / repository.name
    app = sources.PACKAGE / "spaces" / repository.name
    if not (app / "app.py").is_file():
        raise FileNotFoundError(f"there is no app for {repository.name}: {app / 'app.py'} is missing")
    _copy(metric, repository)
    _copy(app, repository)
    constraints = (sources.PACKAGE / "constraints.txt").read_text(encoding="utf-8")
    (repository.folder / "requirements.txt").write_text(
        pinned(wanted(app / "requirements.txt"), constraints), encoding="utf-8"
    )
    yaml, body = _split(metric / "README.md")
    # The Hub installs this version of gradio whatever requirements.txt says.
    card = f"---\n{yaml}\nsdk_version: {version('gradio', constraints)}\n---\n{body}"
    repository.card.write_text(in_namespace(card, repository.namespace), encoding="utf-8")


def _copy(source: Path, repository: Repository) -> None:
    for name, path in _files(source):
        target = repository.folder / name
        if target.exists():
            raise ValueError(f"metric and app of {repository.name} both have a file {name}; rename one of them")
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in _TEXT:
            text = in_namespace(path.read_text(encoding="utf-8"), repository.namespace)
            target.write_text(text, encoding="utf-8", newline="")
        else:
            shutil.copyfile(path, target)


def _files(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the files of a folder by their paths in it, but not those that are made, hidden or left by Python."""
    for path in sorted(folder.iterdir()):
        if path.name in (*_MADE, "__pycache__") or path.name.startswith("."):
            continue
        if path.is_dir():
            yield from ((path.name / name, file) for name, file in _files(path))
        else:
            yield Path(path.name), path


def _split(card: Path) -> tuple[str, str]:
    """Return a card's YAML and its text below."""
    start, fence, rest = card.read_text(encoding="utf-8").partition("---\n")
    yaml, end, body = rest.partition("\n---\n")
    if start or not fence or not end:
        raise ValueError(f"{card} has no front matter: lines between two lines of three hyphens at its top")
    return yaml, body


def _build_data_set(repository: Repository, data_dir: Path | None, cache_dir: Path | None) -> None:
    built = dataset.build(repository.name, repository.folder, data_dir and data_dir / repository.name, cache_dir)
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
    described = _sections(sources.PACKAGE / "metrics" / "bem" / "README.md", "The embedded matcher", "Limitations")
    repository.card.write_text(in_namespace(f"{head}\n{described}", repository.namespace), encoding="utf-8")


def _sections(readme: Path, *titles: str) -> str:
    """Return the sections of a card whose titles start so."""
    sections = _split(readme)[1].split("\n## ")[1:]
    found = [section for title in titles for section in sections if section.startswith(title)]
    if len(found) != len(titles):
        raise ValueError(f"{readme} lacks one of the sections {', '.join(titles)}")
    return "".join(f"## {section.strip()}\n\n" for section in found)
