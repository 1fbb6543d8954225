"""Recipe files: YAML with fields of `TrainingRecipe`, checked one by one."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import yaml

from .balance import Balance
from .examples import Mixture
from .recipe import TrainingRecipe

_BY_COMMAND = ("tasks", "device")
_EXPECTED = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a text",
    Path: "the path of a file",
    tuple: "a list of texts, such as [one, two]",
}


def read_recipe(path: Path) -> dict[str, Any]:
    """Return the fields of `TrainingRecipe` that a recipe file sets.

    Paths in the file are relative to the current folder.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is not YAML, has an unknown field, or a value has the wrong type or is out of range.
    """
    return _fields(str(path), TrainingRecipe, _mapping(str(path), _loaded(path)))


def _loaded(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text("utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no recipe {path}; give --recipe the path of a YAML file") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path} is not valid YAML ({reason}); correct the file") from error


def _mapping(where: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{where} holds {value!r}; expected one field on each line, such as `epochs: 3`")
    return value


def _fields(where: str, of: type, given: Mapping[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(of)
    known = [field.name for field in fields(of) if field.name not in _BY_COMMAND]
    for name in given:
        if name not in known:
            raise ValueError(_unknown(where, str(name), known))
    found = {name: _value(f"{where}: {name}", hints[name], value) for name, value in given.items()}
    try:
        of(**found)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    return found


def _unknown(where: str, name: str, known: Iterable[str]) -> str:
    if near := difflib.get_close_matches(name, list(known), n=1):
        return f"{where} has an unknown field {name!r}; rename it to {near[0]!r}"
    return f"{where} has an unknown field {name!r}; expected some of {', '.join(known)}"


def _value(where: str, hint: Any, value: Any) -> Any:
    """Return a value as the type that a field has."""
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            raise ValueError(f"{where} is {value!r}; expected {' or '.join(get_args(hint))}")
        return value
    options = [option for option in get_args(hint) if option is not type(None)]
    if get_origin(hint) is tuple:
        return _tuple(where, options[0], value)
    if options:  # Optional: a field that is not wanted is left out of the file
        return _value(where, options[0], value)
    if hint in (Balance, Mixture):
        return hint(**_fields(where, hint, _mapping(where, value)))
    return _scalar(where, hint, value)


def _tuple(where: str, hint: type, value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"{where} is {value!r}; expected {_EXPECTED[tuple]}")
    return tuple(_scalar(where, hint, one) for one in value)


def _scalar(where: str, hint: type, value: Any) -> Any:
    if hint is float:
        value = _number(value)
    right = isinstance(value, str if hint is Path else hint)
    if not right or (hint is int and isinstance(value, bool)):
        raise ValueError(f"{where} is {value!r}; expected {_EXPECTED[hint]}")
    return Path(value) if hint is Path else value


def _number(value: Any) -> Any:
    """Return numbers as floats, also texts such as `1e-4`, which YAML does not take for a number."""
    if isinstance(value, bool):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        return value
