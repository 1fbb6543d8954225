"""Score completions while a model is trained by reinforcement: a function for TRL's `reward_funcs`.

What TRL's trainers do (1.16) and this file answers to: every process calls with its own completions, by keyword, with
each further column of the data set; the completions of a conversation are lists of messages; a reward of None leaves
a completion out; figures go by the function's `__name__`; asynchronous ones pickle the function.

The answer is the completion's text, or what of it stands in a tag or matches an expression.
"""

import copy
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .arguments import (
    KNOWN_COLUMNS,
    Kind,
    Number,
    Options,
    RowError,
    RowTypeError,
    Text,
    as_list,
    declarations,
    made,
    option,
    shown,
)
from .devices import best_device
from .scorer import Scorer

Value = str | tuple[float, float]

Extract = str | re.Pattern[str] | Callable[[str], str | None] | None
"""Where the answer stands; None for the whole text."""

Extraction = Callable[[str], str | None]
"""Takes a completion's text, returns its answer, None if there is none."""

# By whom the texts are: the question is the user's last, the answer the assistant's.
_ROLES = {"prompts": "user", "completions": "assistant"}


@dataclass(frozen=True)
class InTag:
    """What stands in the last pair of a tag, without spaces around it.

    >>> InTag("answer")("<answer>4</answer>, or rather <answer> 5 </answer>.")
    '5'
    """

    tag: str

    def __call__(self, text: str) -> str | None:
        """Return it, None without such a pair."""
        before, closed, _ = text.rpartition(f"</{self.tag}>")
        _, opened, answer = before.rpartition(f"<{self.tag}>")
        return answer.strip() if closed and opened else None


@dataclass(frozen=True)
class Matching:
    r"""The last match of an expression, of it the first group if there is one, without spaces around it.

    >>> Matching(re.compile(r"#### (.+)"))("3 + 4 makes 7.\n#### 7")
    '7'
    """

    pattern: re.Pattern[str]

    def __call__(self, text: str) -> str | None:
        """Return it, None without a match."""
        found = [match[1 if self.pattern.groups else 0] for match in self.pattern.finditer(text)]
        return found[-1].strip() if found and found[-1] is not None else None


@dataclass(frozen=True)
class Calling:
    """What a function makes of the text; checks that this is a text or None."""

    metric: str
    function: Callable[[str], Any]

    def __call__(self, text: str) -> str | None:
        """Return it."""
        found = self.function(text)
        if found is not None and not isinstance(found, str):
            raise TypeError(f"{self.metric}: extract returned {found!r}; expected a string, or None for no answer")
        return found


def extractor(metric: str, extract: Extract) -> Extraction | None:
    """Return what finds the answer in a text; None where the whole text is the answer.

    Args:
        metric: Name of the metric, for messages.
        extract: A tag's name (letters, digits, `-`, `_`), a regular expression, or a callable.

    Raises:
        ValueError: the regular expression is none.
        TypeError: it is something else.
    """
    if extract is None:
        return None
    if isinstance(extract, str) and re.fullmatch(r"[\w-]+", extract):
        return InTag(extract)
    if isinstance(extract, str):
        try:
            return Matching(re.compile(extract))
        except re.error as error:
            raise ValueError(f"{metric}: extract is {extract!r}, no regular expression ({error})") from error
    if isinstance(extract, re.Pattern) and isinstance(extract.pattern, str):
        return Matching(extract)
    if callable(extract):
        return Calling(metric, extract)
    raise TypeError(f"{metric}: extract is {extract!r}; expected a tag, a regular expression or a callable")


def message_text(metric: str, column: str, row: int, value: Any) -> str:
    """Return a text, or of a conversation the last words of the user (`prompts`) or the assistant (`completions`).

    Args:
        metric: Name of the metric, for the message.
        column: `"prompts"` or `"completions"`.
        row: Its number, for the message.
        value: A text, or a list of messages, whose content is a text, or a list of blocks of which some have a text.

    Raises:
        RowTypeError: it is something else.
    """
    if isinstance(value, str):
        return value
    try:
        return _last_words(value, _ROLES[column])
    except (TypeError, KeyError, AttributeError):
        expected = "a text or a list of messages, {'role': …, 'content': …}"
        raise RowTypeError(f"{metric}: {column}[{row}] is {value!r:.80}; expected {expected}", column, row) from None


def _last_words(messages: Sequence[Mapping[str, Any]], role: str) -> str:
    """Return the content of the last message of this role; "" if there is none, or it has no text."""
    contents = [message.get("content") for message in messages if message["role"] == role]
    content = contents[-1] if contents else None
    if content is None or isinstance(content, str):
        return content or ""
    return " ".join(block["text"] for block in content if block.get("type", "text") == "text")


def _rising(value: Any, low: float) -> bool:
    return (
        isinstance(value, (tuple, list))
        and len(value) == 2  # noqa: PLR2004
        and all(isinstance(one, (int, float)) and not isinstance(one, bool) and math.isfinite(one) for one in value)
        and low <= value[0] < value[1]
    )


_WORTH = Kind(
    "'score', 'verdict' or two numbers, (low, high), the lower first",
    lambda value: value in ("score", "verdict") if isinstance(value, str) else _rising(value, -math.inf),
)
_LENGTHS = Kind("two lengths in tokens, (soft, hard), the shorter first", lambda value: _rising(value, 0))


@dataclass(frozen=True)
class Shape(Options):
    """How scores become rewards; what `ForReward.reward` takes of it is explained there."""

    value: Value = option("score", _WORTH, "What a reward says.")
    missing: float | None = option(0.0, Number(), "Reward of a completion without an answer.", optional=True)
    length_penalty: tuple[float, float] | None = option(None, _LENGTHS, "Lengths between which a penalty grows.")
    device: str | None = option(None, Text("a device of torch"), "Where the metric's model runs.")

    def worth(self, score: float | None, verdict: bool | None) -> float | None:
        """Return what a scored answer earns; None for one that could not be scored."""
        if score is None or self.value == "score":
            return None if score is None else float(score)
        if isinstance(self.value, str):
            return None if verdict is None else float(verdict)
        low, high = self.value
        return min(max((score - low) / (high - low), 0.0), 1.0)

    def penalty(self, length: int) -> float:
        """Return 0 up to the soft length, −1 from the hard one, and a line between them (DAPO, equation 13)."""
        if self.length_penalty is None:
            return 0.0
        soft, hard = self.length_penalty
        return -min(max((length - soft) / (hard - soft), 0.0), 1.0)


class ForReward(Scorer):
    """Adds reward functions to a scorer."""

    def reward(
        self,
        answers: str = "answer",
        questions: str | None = None,
        *,
        value: Value = "score",
        extract: Extract = None,
        missing: float | None = 0.0,
        length_penalty: tuple[float, float] | None = None,
        device: str | None = None,
        name: str | None = None,
        **given: Any,
    ) -> "Reward":
        """Return what `GRPOTrainer(reward_funcs=…)` and TRL's other online trainers take.

        All completions of a step are scored in one call, none of them twice. Several processes each score their own.

        Args:
            answers: Column of the data set with the right answers, a string or a list of strings a row. A row with
                None, or nothing but blanks, has no reward: TRL leaves it out.
            questions: Column with the questions; by default the prompts, of a conversation the last words of the user.
            value: `"score"`, the metric's score as in `compute`; `"verdict"`, 1 or 0; `(low, high)`, 0 up to a score
                of low, 1 from high, and a line between them.
            extract: Where the answer stands in a completion: a tag such as `"answer"`, of which the last pair counts; a
                regular expression (text with another character than letters, digits, `-` and `_`, or compiled),
                whose last match counts, of it the first group if it has one; a callable that takes the text and
                returns the answer or None. By default the whole completion is the answer.
            missing: Reward of a completion in which `extract` finds none; None leaves it out.
            length_penalty: `(soft, hard)`: a completion of more than soft tokens loses up to 1, which it loses from
                hard tokens on (DAPO, equation 13; TRL's `get_soft_overlong_punishment`).
            device: Where the metric's model runs. By default where `evaluate.load` was told to, else on the CPU: an
                accelerator is left to the model that is trained.
            name: In the trainer's logs; by default the metric's.
            **given: Options, as for `compute`; further columns of the metric, by their names in the data set.

        Raises:
            TypeError, ValueError: an option that cannot be used.
        """
        if "references" in given:
            raise TypeError(
                f"{self.name}: references is {shown(given['references'])}, which reward does not take; name the data "
                "set's column with the right answers: reward('solution')"
            )
        columns = {column: given.pop(column) for column in KNOWN_COLUMNS[2:] if column in given}
        columns |= {"references": answers} | ({} if questions is None else {"questions": questions})
        for role, column in columns.items():
            if not isinstance(column, str) or not column:
                expected = "the name of a column of the data set"
                raise TypeError(f"{self.name}: {_keyword(role)} is {shown(column)}; expected {expected}")
        shape = made(
            self.name,
            Shape,
            {"value": value, "missing": missing, "length_penalty": length_penalty, "device": device},
        )
        if value == "verdict" and not self.verdicts:
            raise ValueError(
                f"{self.name}: value is 'verdict', but {self.name} has none; expected 'score' or (low, high)"
            )
        _, options = self.check_ahead(**given)
        extraction = extractor(self.name, extract)
        columns = {role: column for role, column in columns.items() if role in self.columns}
        return Reward(self._placed(device), columns, options, shape, extraction, name or self.name)

    def _placed(self, device: str | None) -> Any:
        """Return this metric, or one like it whose model runs where a reward's is to; it is made once."""
        if "device" not in declarations(type(self.load_options)):
            if device is not None:
                raise ValueError(f"{self.name}: device is {device!r}, but the metric has no model")
            return self
        wanted = device or self.load_options.device or "cpu"
        if wanted == (self.load_options.device or best_device()):
            return self
        with self._turn:
            others = self.__dict__.setdefault("_placed_elsewhere", {})
            if wanted not in others:
                others[wanted] = copy.deepcopy(self)  # without the model and the rows of a call
                others[wanted].load_options = replace(self.load_options, device=wanted)
            return others[wanted]


class Reward:
    """Called by a trainer with completions, returns rewards. Made by a metric's `reward`."""

    def __init__(
        self,
        metric: Any,
        columns: Mapping[str, str],
        options: Mapping[str, Any],
        shape: Shape,
        extraction: Extraction | None,
        name: str,
    ) -> None:
        self.metric, self._columns, self._options = metric, columns, options
        self._shape, self._extraction = shape, extraction
        self.__name__ = name

    def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        completion_ids: Sequence[Sequence[int]] | None = None,
        *,
        log_metric: Callable[[str, float], None] | None = None,
        log_extra: Callable[[str, list[Any]], None] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return a reward for each completion; None for one without a reference, or that could not be scored.

        Args:
            prompts: Texts, or conversations: lists of messages with `role` and `content`.
            completions: Likewise; of a conversation the assistant's last message is scored.
            completion_ids: Tokens of each completion; a length penalty needs them.
            log_metric: Takes a figure and its value: the metric's means over these completions.
            log_extra: Takes a column of the trainer's table of completions and its values: answers and scores.
            **columns: The data set's columns; whatever else the trainer gives is not looked at.

        Raises:
            RowTypeError, RowValueError: a row that cannot be scored; the message names it.
            ValueError: a column is missing, or of another length.
        """
        texts = [message_text(self.metric.name, "completions", row, one) for row, one in enumerate(completions)]
        extract = self._extraction or str
        found: list[str | None] = [extract(text) for text in texts]
        rows = self._rows(prompts, found, columns)
        known = [row for row, right in enumerate(rows["references"]) if not _blank(right)]
        scored = self._scored(rows, [row for row in known if found[row] is not None])
        rewards: list[float | None] = [None] * len(texts)
        for row in known:
            if row in scored:
                rewards[row] = self._shape.worth(scored[row]["score"], scored[row].get("verdict"))
            elif found[row] is None:
                rewards[row] = self._shape.missing
        if log_metric is not None:
            self._log_figures(log_metric, scored, [found[row] is not None for row in known])
        if log_extra is not None:
            log_extra(f"{self.__name__}_answer", found)
            log_extra(f"{self.__name__}_score", [scored.get(row, {}).get("score") for row in range(len(texts))])
        return self._shortened(rewards, completion_ids)

    def _rows(self, prompts: Sequence[Any], found: list[str | None], given: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Return the metric's columns, a row for each completion."""
        name = self.metric.name
        rows: dict[str, list[Any]] = {"predictions": found}
        if "questions" in self.metric.columns and "questions" not in self._columns:
            rows["questions"] = [message_text(name, "prompts", row, one) for row, one in enumerate(prompts)]
        for role, column in self._columns.items():
            values = as_list(given.get(column))
            if values is None:
                there = ", ".join(key for key, value in given.items() if isinstance(value, list)) or "none"
                raise ValueError(
                    f"{name}: the data set has no column {column!r} (it has: {there}); expected one with the {role}: "
                    f"name it by reward({_keyword(role)}='…'), and keep it by remove_unused_columns=False"
                )
            rows[role] = values
        for role, values in rows.items():
            if len(values) != len(found):
                raise ValueError(f"{name}: {role} has {len(values)} rows, for {len(found)} completions")
        return rows

    def _scored(self, rows: Mapping[str, list[Any]], chosen: Sequence[int]) -> dict[int, dict[str, Any]]:
        """Return what `compute` says of each of the chosen rows, by its number; equal ones are scored once."""
        if not chosen:
            return {}
        import torch

        keys = {row: repr([values[row] for values in rows.values()]) for row in chosen}
        first: dict[str, int] = {}
        for row, key in keys.items():
            first.setdefault(key, row)
        numbers = {key: number for number, key in enumerate(first)}
        distinct = {role: [values[row] for row in first.values()] for role, values in rows.items()}
        try:
            # The training run draws the same random numbers as without the metric, whose model may be loaded here.
            with torch.random.fork_rng(devices=[]), torch.no_grad():
                table = self.metric.compute(**distinct, **self._options)["per_example"]
        except RowError as error:
            raise self._of_the_step(error, list(first.values())) from None
        return {row: {name: values[numbers[key]] for name, values in table.items()} for row, key in keys.items()}

    def _of_the_step(self, error: RowError, rows: Sequence[int]) -> RowError:
        """Return the error with the number of the completion, the name of the data set's column and the cure."""
        row, column = rows[error.row], self._columns.get(error.column)
        shown = "prompts" if column is None else column
        told = str(error).replace(f"{error.column}[{error.row}]", f"{shown}[{row}]", 1)
        cure = "name the column of the questions: reward(questions='…')"
        if column is not None:
            cure = f"change the data set's column {column!r} by its method map"
        if error.column == "references":
            cure += ", to None where a row has no answer"
        return type(error)(f"{told}; {cure}", shown, row)

    def _log_figures(
        self, log_metric: Callable[[str, float], None], scored: Mapping[int, Mapping[str, Any]], found: Sequence[bool]
    ) -> None:
        """Log the means of the scored rows, and in how many there was an answer."""
        if self._extraction is not None and found:
            log_metric(f"rewards/{self.__name__}/extracted", sum(found) / len(found))
        for column, figure in {"verdict": "accuracy", **{name: name for name in self.metric.means}}.items():
            values = [row[column] for row in scored.values() if row.get(column) is not None]
            if values:
                log_metric(f"rewards/{self.__name__}/{figure}", sum(map(float, values)) / len(values))

    def _shortened(self, rewards: list[float | None], ids: Sequence[Sequence[int]] | None) -> list[float | None]:
        """Take the length penalty off."""
        if self._shape.length_penalty is None:
            return rewards
        if ids is None:
            name = self.metric.name
            raise ValueError(f"{name}: length_penalty needs completion_ids, which the trainer did not give")
        return [
            None if reward is None else reward + self._shape.penalty(len(tokens))
            for reward, tokens in zip(rewards, ids, strict=True)
        ]


def _keyword(role: str) -> str:
    """Return what `reward` calls the column that the metric calls so."""
    return "answers" if role == "references" else role


def _blank(references: Any) -> bool:
    """Whether a row has no reference: None, a blank text, or a list of nothing else."""
    items = [references] if references is None or isinstance(references, str) else as_list(references)
    return items is not None and all(item is None or (isinstance(item, str) and not item.strip()) for item in items)
