"""How a matcher or a teacher is trained, and recipe files: YAML with fields of `TrainingRecipe`."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import yaml

from evaluate_qa.metrics._shared.matcher import TASKS

from ..files.rows import did_you_mean
from .balance import Balance
from .examples import Mixture

_LOWEST = {"epochs": 1, "token_budget": 64, "max_tokens": 16, "eval_rows": 1}
# The longest input of the encoders.
_TOKENS = 512
# By the type of a field: the types that YAML may give it, and the description in errors.
_ACCEPTED: Mapping[type, tuple[set[type], str]] = {
    int: ({int}, "a whole number"),
    float: ({float, int, str}, "a number"),  # YAML reads 1e-4 as a string
    bool: ({bool}, "true or false"),
    str: ({str}, "a string"),
    Path: ({str}, "a path"),
}


@dataclass(frozen=True)
class TrainingRecipe:
    """How a matcher or a teacher is trained."""

    tasks: tuple[str, ...] = tuple(TASKS)  # the metrics whose heads are trained; the command sets them, not the file
    data: tuple[str, ...] = ("evouna",)  # data sets to train on, as for `read_sets`
    # Train a teacher, a larger model with one head that matchers learn from: folder of its encoder, or its name on the
    # Hub. None trains a matcher.
    encoder: str | None = None
    start: Path | None = None  # file of a matcher, or for a teacher of a teacher, to continue from
    teachers: tuple[Path, ...] = ()  # files of matchers or teachers to learn from in addition to the labels
    average: tuple[Path, ...] = ()  # files of matchers to average instead of training
    # With `average`: names of the final layers to fit again; the others are copied from the first file. None fits all.
    refit_layers: tuple[str, ...] | None = None
    epochs: int = 5  # each draws new examples
    learning_rate: float = 1e-4  # the highest; it rises over the first tenth of the steps and falls to 0 over the rest
    token_budget: int = 4096  # most tokens in a batch, padding included
    max_tokens: int = 384  # longer inputs are truncated
    seed: int = 0  # of examples, batches and dropout
    device: str | None = None  # as torch names it; None uses the fastest one
    bfloat16: bool = False  # train and evaluate in bfloat16 (autocast) where it is safe
    eval_rows: int | None = None  # most answers of each data set to compute figures on; None uses all of them
    balance: Balance = Balance()  # how many answers of each data set an epoch draws
    mixture: Mixture = Mixture()  # how many examples of each kind are made from the labeled answers

    def __post_init__(self) -> None:
        for name, least in _LOWEST.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} is {value}; expected a whole number of at least {least}")
        if self.max_tokens > _TOKENS:
            raise ValueError(f"max_tokens is {self.max_tokens}; expected at most {_TOKENS}")
        if not 0 < self.learning_rate < 1:  # NaN fails, too
            raise ValueError(f"learning_rate is {self.learning_rate}; expected a number between 0 and 1, such as 1e-4")

    @property
    def teaches(self) -> bool:
        """True if a teacher is trained."""
        return self.encoder is not None


def read_recipe(path: Path) -> dict[str, Any]:
    """Return the fields of `TrainingRecipe` that a recipe file sets; its paths are relative to the current folder.

    Raise ValueError if it is not YAML, has an unknown field, or a value has the wrong type or is out of range.
    """
    try:
        given = yaml.safe_load(path.read_text("utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no recipe {path}; give --recipe the path of a YAML file") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path} is not valid YAML ({reason}); correct the file") from error
    return _fields(str(path), TrainingRecipe, given)


def _fields(where: str, of: type, given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise ValueError(f"{where} holds {given!r}; expected one field on each line, such as `epochs: 3`")
    hints = get_type_hints(of)
    known = [field.name for field in fields(of) if field.name != "tasks"]
    for name in map(str, given):
        if name not in known:
            raise ValueError(f"{where} has an unknown field {name!r}. {did_you_mean(name, known)}")
    found = {name: _value(f"{where}: {name}", hints[name], value) for name, value in given.items()}
    try:
        of(**found)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    return found


def _value(where: str, hint: Any, value: Any) -> Any:
    """Return a value as the type that a field has."""
    if NoneType in get_args(hint):
        hint = get_args(hint)[0]
    if hint in (Balance, Mixture):
        return hint(**_fields(where, hint, value))
    if get_origin(hint) is Mapping:
        if not isinstance(value, dict) or not value:
            raise ValueError(f"{where} is {value!r}; expected a number for each name, such as polarity: 0.5")
        return {str(name): _value(f"{where}: {name}", get_args(hint)[1], one) for name, one in value.items()}
    if get_origin(hint) is tuple:
        if not isinstance(value, list) or not value:
            raise ValueError(f"{where} is {value!r}; expected a list, such as [one, two]")
        return tuple(_value(where, get_args(hint)[0], one) for one in value)
    types, expected = _ACCEPTED[hint]
    try:
        if type(value) in types:
            return hint(value)
    except ValueError:  # such as learning_rate: fast
        pass
    raise ValueError(f"{where} is {value!r}; expected {expected}")
