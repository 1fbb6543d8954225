"""Look through a repository's folder for what would be wrong with it on the Hub. Nothing in it is run."""

import ast
import doctest
import re
from collections.abc import Iterator
from typing import Any

from .repository import Repository

_REQUIRED = {
    "model": ("license",),
    "dataset": ("license", "language", "pretty_name", "task_categories", "configs", "dataset_info"),
    "space": ("title", "emoji", "colorFrom", "colorTo", "sdk", "app_file", "license", "tags", "description"),
}
_COLORS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
_METRIC_TAGS = {"evaluate", "metric"}
_EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


def problems(repository: Repository) -> list[str]:
    """Return what is wrong, each with where it is and what is expected; nothing if all is well."""
    try:
        data, text = _card(repository)
    except (ValueError, OSError) as error:
        return [f"README.md: {error}"]
    found = [*_front_matter(repository, data), *_links(repository, text), *_programs(repository)]
    if repository.kind == "space":
        found += [*_space(repository, data), *_examples(repository)]
    return found


def _card(repository: Repository) -> tuple[dict[str, Any], str]:
    """Return a card's data and its text below."""
    from huggingface_hub import DatasetCard, ModelCard, RepoCard, SpaceCard
    from yaml import YAMLError

    kinds: dict[str, type[RepoCard]] = {"model": ModelCard, "dataset": DatasetCard, "space": SpaceCard}
    try:
        card = kinds[repository.kind].load(repository.card)
    except YAMLError as error:
        raise ValueError(f"its front matter is no YAML: {' '.join(str(error).split())}") from error
    return card.data.to_dict(), card.text


def _front_matter(repository: Repository, data: dict[str, Any]) -> Iterator[str]:
    for field in _REQUIRED[repository.kind]:
        if not data.get(field):
            yield f"README.md: the front matter has no {field}; add it"


def _space(repository: Repository, data: dict[str, Any]) -> Iterator[str]:
    """What only the front matter of a Space can have wrong."""
    for field in ("colorFrom", "colorTo"):
        if data.get(field, "red") not in _COLORS:
            yield f"README.md: {field} is {data[field]!r}; expected one of {', '.join(sorted(_COLORS))}"
    if data.get("sdk", "gradio") != "gradio":
        yield f"README.md: sdk is {data['sdk']!r}; expected 'gradio'"
    if not (repository.folder / str(data.get("app_file"))).is_file():
        yield f"README.md: app_file is {data.get('app_file')!r}, which is not in the folder"
    if missing := _METRIC_TAGS - set(data.get("tags") or []):
        yield f"README.md: tags lack {', '.join(sorted(missing))}, without which the Hub does not list the metric"


def _examples(repository: Repository) -> Iterator[str]:
    """Say whether a metric's card lacks an example, which is what will be run."""
    try:
        examples = doctest.DocTestParser().get_examples(repository.card.read_text(encoding="utf-8"))
    except ValueError as error:
        yield f"README.md: an example cannot be read: {error}"
        return
    program = "".join(example.source for example in examples)
    if f'evaluate.load("{repository.id}"' not in program or ".compute(" not in program:
        yield "README.md: no example (>>>) loads the metric and computes; add one under How to Use"


def _links(repository: Repository, text: str) -> Iterator[str]:
    """Say which relative links of a card lead nowhere."""
    headings, links = _outline(text)
    for link in links:
        path, _, anchor = link.partition("#")
        if _EXTERNAL.match(link):
            continue
        if path and not (repository.folder / path).exists():
            yield f"README.md: the link {link} leads to nothing in the folder; make it absolute, or add the file"
        elif not path and anchor not in headings:
            yield f"README.md: the link {link} leads to no heading of the card"


def _outline(text: str) -> tuple[set[str], list[str]]:
    """Return the anchors of a card's headings, and where its links and pictures lead."""
    from markdown_it import MarkdownIt

    headings, links = set(), []
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if before is not None and before.type == "heading_open":
            words = re.sub(r"[^\w\- ]", "", token.content.lower())
            headings.add(words.replace(" ", "-"))
        for child in token.children or []:
            target = child.attrGet("href") or child.attrGet("src")
            if target:
                links.append(str(target))
    return headings, links


def _programs(repository: Repository) -> Iterator[str]:
    for name, path in repository.files().items():
        if path.suffix == ".py":
            try:
                ast.parse(path.read_bytes(), name)
            except SyntaxError as error:
                yield f"{name}: line {error.lineno} is no Python: {error.msg}"
