"""Turn a metric into a reward function for TRL's online trainers, such as GRPOTrainer."""

import copy
import inspect
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, Literal, overload

from .columns import KNOWN_COLUMNS, RowError, Unexpected, as_list, check_column, check_flag, without_thoughts
from .devices import best_device
from .messages import short_repr
from .options import declarations
from .scorer import Scorer, mean
from .tracking import Tracker, check_tracker, track

Value = str | tuple[float, float]
Extract = str | re.Pattern[str] | Callable[[str], str | None] | None
Extractor = Callable[[str], str | None]
"""Returns the answer in a completion, or None if there is none."""

# The role whose last message in a conversation is read.
_ROLES = {"prompts": "user", "completions": "assistant"}


def extractor(metric: str, extract: Extract) -> Extractor | None:
    """Return a function that finds the answer in a completion; None if the whole completion is the answer.

    `extract` is the name of a tag (letters, digits, `-`, `_`), a regular expression, or a callable.
    """
    if extract is None:
        return None
    if isinstance(extract, str) and re.fullmatch(r"[\w-]+", extract):
        return partial(_in_tag, extract)
    if isinstance(extract, str):
        try:
            extract = re.compile(extract)
        except re.error as error:
            raise ValueError(
                f"{metric}: extract is {extract!r}, which is not a regular expression ({error})"
            ) from error
    if isinstance(extract, re.Pattern) and isinstance(extract.pattern, str):
        return partial(_last_match, extract)
    if callable(extract):
        return partial(_call_extractor, metric, extract)
    raise TypeError(f"{metric}: extract is {extract!r}; expected a tag, a regular expression or a callable")


def _in_tag(tag: str, text: str) -> str | None:
    before, closed, _ = without_thoughts(text).rpartition(f"</{tag}>")
    _, opened, answer = before.rpartition(f"<{tag}>")
    return answer.strip() if closed and opened else None


def _last_match(pattern: re.Pattern[str], text: str) -> str | None:
    found = [match[1 if pattern.groups else 0] for match in pattern.finditer(without_thoughts(text))]
    return found[-1].strip() if found and found[-1] is not None else None


def _call_extractor(metric: str, function: Callable[[str], Any], text: str) -> str | None:
    answer = function(text)
    if answer is not None and not isinstance(answer, str):
        raise TypeError(f"{metric}: extract returned {answer!r}; expected a string, or None if there is no answer")
    return answer


def _message_text(column: str, value: Any) -> str:
    """Return a text, or the last message of the user (`prompts`) or the assistant (`completions`) in a conversation."""
    if isinstance(value, str):
        return value
    try:
        contents = [message.get("content") for message in value if message["role"] == _ROLES[column]]
        content = contents[-1] if contents else None
        if content is None or isinstance(content, str):
            return content or ""
        return " ".join(block["text"] for block in content if block.get("type", "text") == "text")
    except (TypeError, KeyError, AttributeError):
        raise Unexpected("a text or a list of messages, {'role': …, 'content': …}") from None


def _is_finite(value: Any) -> bool:
    return isinstance(value, Real) and math.isfinite(value)


def _is_band(value: Any) -> bool:
    ends = as_list(value) or []
    return len(ends) == 2 and all(map(_is_finite, ends)) and ends[0] < ends[1]  # noqa: PLR2004


class ForReward(Scorer):
    """Adds `reward` to a scorer."""

    _on_cpu: Any = None

    @overload
    def reward(
        self, references: str = ..., questions: str | None = ..., *, asynchronous: Literal[True], **given: Any
    ) -> "AsyncReward": ...
    @overload
    def reward(
        self,
        references: str = ...,
        questions: str | None = ...,
        *,
        value: Value = ...,
        extract: Extract = ...,
        missing: float | None = ...,
        name: str | None = ...,
        log: Tracker | None = ...,
        asynchronous: Literal[False] = ...,
        **given: Any,
    ) -> "Reward": ...
    def reward(
        self,
        references: str = "answer",
        questions: str | None = None,
        *,
        value: Value = "score",
        extract: Extract = None,
        missing: float | None = 0.0,
        name: str | None = None,
        log: Tracker | None = None,
        asynchronous: bool = False,
        **given: Any,
    ) -> "Reward | AsyncReward":
        """Return a function for `GRPOTrainer(reward_funcs=…)` and the other online trainers of TRL.

        Each step scores all completions of a process in one call. The model runs on the CPU unless the metric was
        loaded with a `device`, so that the accelerator is free for the policy. A policy may learn to add filler, which
        can raise the scores of wrong answers: read samples, and limit the length of completions.

        Args:
            references: Column of the data set with the right answers, a string or a list of strings per row. A row
                with None or only blank answers gets no reward.
            questions: Column with the questions (default: the prompts; the user's last message in a conversation).
            value: `"score"`, the metric's score; `"verdict"`, 1 or 0; or `(low, high)`, which maps scores linearly from
                0 at low to 1 at high.
            extract: How to find the answer in a completion (default: all of it after `</think>`). A tag such as
                `"answer"`: the text in its last pair. A regular expression: its last match, or the first group of that
                match. A callable: returns the answer or None.
            missing: Reward of a completion without an answer; None gives no reward.
            name: Name in the trainer's logs (default: the metric's name).
            log: `"trackio"` or `"mlflow"`: log means, components and a table of the worst answers of each step to the
                active run. With several processes, only the first one logs its completions.
            asynchronous: Return a coroutine function, which scores in another thread: trainers then await several
                rewards at once, and a judge that waits for its server does not block their event loop.
            **given: Options of `compute`, and the names of further columns in the data set.

        Raises:
            TypeError, ValueError: An option is not valid.
            ImportError: The package that `log` names is not installed.
        """
        check_tracker(self.name, log)
        columns = {column: given.pop(column) for column in KNOWN_COLUMNS[2:] if column in given}
        columns |= {"references": references} | ({} if questions is None else {"questions": questions})
        self._check_reward(columns, value, missing, name)
        value = value if isinstance(value, str) else tuple(as_list(value) or ())
        check_flag(self.name, "asynchronous", asynchronous)
        missing = None if missing is None else float(missing)
        _, options = self.check_ahead(**given)
        columns = {role: column for role, column in columns.items() if role in self.columns}
        metric, find = self._metric_beside_policy(), extractor(self.name, extract)
        reward = Reward(metric, columns, options, value, find, missing, name, log, not asynchronous)
        return AsyncReward(reward) if asynchronous else reward

    def _check_reward(self, columns: Mapping[str, Any], value: Any, missing: Any, name: Any) -> None:
        """Raise an error for an argument of `reward` that is not valid."""
        for role, column in columns.items():
            if not isinstance(column, str) or not column:
                expected = "the name of a column of the data set"
                raise TypeError(f"{self.name}: {role} is {short_repr(column)}; expected {expected}")
        if not (value in ("score", "verdict") if isinstance(value, str) else _is_band(value)):
            raise ValueError(
                f"{self.name}: value is {value!r}; expected 'score', 'verdict' or (low, high) with low < high"
            )
        if isinstance(value, str) and value == "verdict" and not self.verdicts:
            raise ValueError(
                f"{self.name}: value is 'verdict', but {self.name} has no verdicts; expected 'score' or (low, high)"
            )
        if missing is not None and not _is_finite(missing):
            raise ValueError(f"{self.name}: missing is {missing!r}; expected a finite number or None")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"{self.name}: name is {short_repr(name)}; expected a string or None")

    def _metric_beside_policy(self) -> Any:
        """Return this metric, or a copy on the CPU if its model would by default run on the policy's accelerator."""
        options = self.load_options
        if "device" not in declarations(type(options)) or options.device or best_device() == "cpu":
            return self
        with self._turn:
            if self._on_cpu is None:
                self._on_cpu = copy.deepcopy(self)  # without the model
                self._on_cpu.load_options = replace(options, device="cpu")
            return self._on_cpu


@dataclass(eq=False)
class Reward:
    """A reward function, made by `metric.reward`. It can be pickled, as asynchronous trainers do."""

    metric: Any
    _columns: Mapping[str, str]
    _options: Mapping[str, Any]
    _value: Value
    _extract: Extractor | None
    _missing: float | None
    _name: str | None
    _log: Tracker | None
    _alone: bool = True

    def __post_init__(self) -> None:
        self.__name__ = self._name or self.metric.name

    def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        *,
        log_metric: Callable[[str, float], None] | None = None,
        log_extra: Callable[[str, list[Any]], None] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return the reward of each completion; None for one that has no reference or could not be scored.

        Args:
            prompts: Texts, or conversations: lists of messages with `role` and `content`.
            completions: Likewise; the assistant's last message of a conversation is scored.
            log_metric: Logs a number under a name: the means over these completions.
            log_extra: Logs a column under a name: the answers and their scores.
            **columns: The data set's columns, and other arguments of the trainer, which are ignored.

        Raises:
            RowTypeError, RowValueError: A row cannot be scored.
            ValueError: A column is missing, or has another length.
        """
        texts = check_column(self.metric.name, "completions", completions, partial(_message_text, "completions"))
        found: list[str | None] = list(map(self._extract or str, texts))
        rows = self._rows(prompts, found, columns)
        known = [row for row, references in enumerate(rows["references"]) if not _is_blank(references)]
        scored = self._score_rows(rows, [row for row in known if found[row] is not None])
        rewards: list[float | None] = [None] * len(texts)
        for row in known:
            rewards[row] = self._missing if found[row] is None else self._reward_value(scored[row])
        means = self._means(scored, [found[row] is not None for row in known])
        if log_metric is not None:
            for label, figure in means.items():
                log_metric(label, figure)
        if log_extra is not None:
            log_extra(f"{self.__name__}_answer", found)
            log_extra(f"{self.__name__}_score", [scored.get(row, {}).get("score") for row in range(len(texts))])
        if self._log is not None:
            score = mean([row["score"] for row in scored.values()])
            figures = means if score is None else {f"rewards/{self.__name__}/score": score, **means}
            table = [{role: values[row] for role, values in rows.items()} | scored[row] for row in scored]
            track(self._log, f"rewards/{self.__name__}", figures, table, columns.get("trainer_state"))
        return rewards

    def _reward_value(self, scored: Mapping[str, Any]) -> float | None:
        """Return the reward of a scored answer; None if it could not be scored."""
        value: float | None = scored["verdict" if self._value == "verdict" else "score"]
        if value is None or isinstance(self._value, str):
            return None if value is None else float(value)
        low, high = self._value
        return min(max((value - low) / (high - low), 0.0), 1.0)

    def _rows(self, prompts: Sequence[Any], found: list[str | None], given: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Return the columns for `compute`."""
        name = self.metric.name
        rows: dict[str, list[Any]] = {"predictions": found}
        if "questions" in self.metric.columns and "questions" not in self._columns:
            rows["questions"] = check_column(name, "prompts", prompts, partial(_message_text, "prompts"))
        for role, column in self._columns.items():
            values = as_list(given.get(column))
            if values is None:
                there = ", ".join(key for key, value in given.items() if isinstance(value, list)) or "none"
                raise ValueError(
                    f"{name}: the data set has no column {column!r} (it has: {there}); expected one with the {role}: "
                    f"name it with reward({role}='…'), and keep it with remove_unused_columns=False"
                )
            rows[role] = values
        for role, values in rows.items():
            if len(values) != len(found):
                raise ValueError(f"{name}: {role} has length {len(values)}; expected {len(found)}, one per completion")
        return rows

    def _score_rows(self, rows: Mapping[str, list[Any]], chosen: Sequence[int]) -> dict[int, dict[str, Any]]:
        """Return the row scores of `compute` by row number, for the chosen rows."""
        if not chosen:
            return {}
        given = {role: [values[row] for row in chosen] for role, values in rows.items()}
        try:
            with isolate_from_training(self._alone):
                table = self.metric.compute(**given, **self._options)["per_example"]
        except RowError as error:
            raise self._locate_error(error, chosen) from None
        return {row: {name: values[at] for name, values in table.items()} for at, row in enumerate(chosen)}

    def _locate_error(self, error: RowError, rows: Sequence[int]) -> RowError:
        """Return the error with the number of the completion, the name of the data set's column, and a fix."""
        row, column = rows[error.row], self._columns.get(error.column)
        place = "prompts" if column is None else column
        message = str(error).replace(f"{error.column}[{error.row}]", f"{place}[{row}]", 1)
        fix = "name the column of the questions: reward(questions='…')"
        if column is not None:
            fix = f"change the data set's column {column!r} with its method map"
        if error.column == "references":
            fix += ", to None for a row without an answer"
        return type(error)(f"{message}; {fix}", place, row)

    def _means(self, scored: Mapping[int, Mapping[str, Any]], found: Sequence[bool]) -> dict[str, float]:
        """Return the share of completions with an answer, and the means of the scored rows, by their names in logs."""
        columns: dict[str, Sequence[Any]] = {"extracted": found if self._extract is not None else []}
        for column, label in {"verdict": "accuracy", **{name: name for name in self.metric.means}}.items():
            columns[label] = [row.get(column) for row in scored.values()]
        means = {f"rewards/{self.__name__}/{label}": mean(values) for label, values in columns.items()}
        return {label: float(figure) for label, figure in means.items() if figure is not None}


class AsyncReward:
    """A reward as a coroutine function, made by `metric.reward(asynchronous=True)`. It can be pickled."""

    def __init__(self, reward: Reward) -> None:
        self._reward, self.metric, self.__name__ = reward, reward.metric, reward.__name__

    async def __call__(self, *given: Any, **columns: Any) -> list[float | None]:
        """Return the reward of each completion, as `Reward` does. Rewards of one metric take turns."""
        import asyncio

        return await asyncio.to_thread(self._reward, *given, **columns)


if sys.version_info >= (3, 12):
    # The mark of the class holds for its instances: `inspect.iscoroutinefunction(reward)` is True.
    inspect.markcoroutinefunction(AsyncReward)


def _is_blank(references: Any) -> bool:
    """Return whether a row has no reference: None, a blank text, or a list of only these."""
    items = [references] if references is None or isinstance(references, str) else as_list(references)
    return items is not None and all(item is None or (isinstance(item, str) and not item.strip()) for item in items)


@contextmanager
def isolate_from_training(alone: bool = True) -> Iterator[None]:
    """Record no gradients, and restore torch's random state at the end. Does nothing if torch is not imported.

    `alone` is False if another thread may draw random numbers meanwhile, which restoring the state would repeat.
    """
    torch: Any = sys.modules.get("torch")
    if torch is None:
        yield
        return
    with torch.random.fork_rng(devices=[], enabled=alone), torch.no_grad():
        yield
