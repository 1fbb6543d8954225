"""Collect the modules that a metric or a Space needs, for use without this package.

`evaluate` copies the main file of a metric into its cache, with the files that it imports by `from .name import …`.
So a standalone metric is a flat folder whose main file imports all others.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any

from .loading import path

_PACKAGE = "evaluate_qa"
_METRICS = f"{_PACKAGE}.metrics."
# How a module reads a data file of its own folder. `evaluate` copies no data files, so their text goes into the module.
_READ_DATA = re.compile(r'Path\(__file__\)\.with_name\("([\w.]+)"\)\.read_text\(encoding="utf-8"\)')


def closure(*modules: str) -> dict[str, Path]:
    """Return modules and all modules of this package that they import, with their files.

    Imports inside functions are included; imports under `if TYPE_CHECKING` are not.
    """
    found: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in found:
            found[module] = _file(module)
            waiting += [imported for imported, _ in _imports(module)]
            parts = module.split(".")
            waiting += filter(_is_module, (".".join(parts[:depth]) for depth in range(1, len(parts))))
    return dict(sorted(found.items()))


def metric_files(name: str) -> dict[str, str]:
    """Return the files of a metric's standalone folder; raise ValueError for an unknown metric."""
    main = f"{_METRICS}{name}.{name}"
    path(name)
    modules = [
        module for module in closure(main) if module.startswith(_METRICS) and _file(module).name != "__init__.py"
    ]
    names = {module: _flat_name(module, name) for module in modules}
    if len(set(names.values())) < len(names):
        raise ValueError(f"Two modules of {name} have the same name in its standalone folder. Rename one of them.")
    files = {f"{flat}.py": _rewritten(module, names) for module, flat in names.items()}
    # evaluate copies only files that the main file imports itself.
    reached = {imported for imported, _ in _imports(main)}
    others = sorted(flat for module, flat in names.items() if module not in {main, *reached})
    head, class_, body = files[f"{name}.py"].partition("\n\nclass ")
    lines = "".join(f"from .{other} import __name__ as _\n" for other in others)
    return files | {f"{name}.py": f"{head.rstrip()}\n{lines}{class_}{body}"}


def package_files(*modules: str) -> dict[str, Path]:
    """Return the files of this package that modules need, by their paths in a copy: `evaluate_qa/loading.py`."""
    return {
        f"{module.replace('.', '/')}{'/__init__' if file.name == '__init__.py' else ''}.py": file
        for module, file in closure(*modules).items()
    }


def program(metric: Any) -> str:
    """Return an identifier of a metric's code: a hash of all metrics' modules, or the name of a module elsewhere."""
    module = type(getattr(metric, "scorer", metric)).__module__
    if not module.startswith("evaluate_qa."):
        return module
    # To find the modules that the metric needs would take longer than to read all of them.
    kinds = {".b85", ".jinja", ".py", ".tsv"}
    files = sorted(file for file in _file(module).parents[1].rglob("*.*") if file.suffix in kinds)
    texts = (file.read_bytes() for file in files)
    return f"{module}@{sha256(b''.join(texts)).hexdigest()[:16]}"


@cache
def _imports(module: str) -> list[tuple[str, ast.ImportFrom]]:
    """Return the modules of this package that a module imports, with the statements."""
    found: list[tuple[str, ast.ImportFrom]] = []
    lazy = _file(module).name != "__init__.py"  # users of a package import its lazy modules themselves
    for node in _statements(ast.parse(_text(module)), lazy):
        base = _target(module, node)
        if base is None:
            continue
        is_file = _is_module(base) and _file(base).name != "__init__.py"
        for alias in node.names:
            inner = f"{base}.{alias.name}"  # looking for it imports `base`
            found.append((inner if not is_file and _is_module(inner) else base, node))
    return found


def _statements(tree: ast.AST, lazy: bool) -> Iterator[ast.ImportFrom]:
    """Yield `from … import` statements, without those for type checkers, and in functions only if `lazy`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        elif lazy or not isinstance(node, ast.FunctionDef):
            yield from _statements(node, lazy)


def _target(module: str, node: ast.ImportFrom) -> str | None:
    """Return the absolute name after `from`; None for another package."""
    package = module if _file(module).name == "__init__.py" else module.rpartition(".")[0]
    base = resolve_name("." * node.level + (node.module or ""), package)
    return base if base.partition(".")[0] == _PACKAGE else None


def _rewritten(module: str, names: dict[str, str]) -> str:
    """Return a module's text with imports from the flat folder, and with the text of each data file that it reads."""
    lines = _text(module).splitlines(keepends=True)
    for imported, node in _imports(module):
        if imported not in names:
            continue
        number = node.lineno - 1
        before, _, after = lines[number].partition(" import ")
        indent = before[: len(before) - len(before.lstrip())]
        lines[number] = f"{indent}from .{names[imported]} import {after}"
    text = "".join(lines).replace(f"{_PACKAGE}.load(", "evaluate.load(")
    return _READ_DATA.sub(lambda match: repr(_file(module).with_name(match[1]).read_text(encoding="utf-8")), text)


def _flat_name(module: str, metric: str) -> str:
    folder, _, name = module.removeprefix(_METRICS).partition(".")
    return name if folder == metric else f"{folder.strip('_')}_{name}"


@cache
def _is_module(module: str) -> bool:
    try:
        return (found := find_spec(module)) is not None and found.origin is not None
    except ModuleNotFoundError:
        return False


@cache
def _file(module: str) -> Path:
    found = find_spec(module)
    if found is None or found.origin is None:
        raise ValueError(f"there is no module {module}")
    return Path(found.origin)


@cache
def _text(module: str) -> str:
    return _file(module).read_text(encoding="utf-8")
