"""The run behind `evaluate-qa synthesize`: ask a model for each missing answer and write rows as they are complete."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import BinaryIO

import typer

from evaluate_qa.metrics._shared.chat_models import ChatModel, Conversation, NoAnswer
from evaluate_qa.metrics._shared.progress import progress
from evaluate_qa.metrics.judge.prompts import Prompt

from ..files.bad_rows import bad_line
from .output import Pair, SynthesisOutput, SynthesisTask
from .prompt import conversation

# A wrong key, a stopped server or a model that says nothing fails every row: no use in waiting for them all. But so
# many rows may also fail for what is in them, for which a server refuses them or a limit cuts their answers off.
_FAILURES_IN_A_ROW = 20

_EASY: Pair = ("What is the capital of France?", "Paris")
"""What a model that answers at all has an answer to; asked when rows fail, to tell which of both it is."""

_FAILURES_SHOWN = 10


class GaveUp(Exception):  # noqa: N818 - ends a run early; what was finished stays
    """Failures one after the other, and none of an answer to an easy question."""


class _InDoubt(Exception):  # noqa: N818 - stops the asking, until it is known whether there is use in it
    """Failures one after the other."""


class Synthesis:
    """One run: asks for each distinct pair once, writes each row as soon as all its answers are there.

    Attributes:
        pairs: What is to be asked for, in order of the input. Rows that need nothing asked are written at once.
    """

    def __init__(
        self, tasks: Sequence[SynthesisTask], output: SynthesisOutput, on_failure: Callable[[SynthesisTask, str], None]
    ) -> None:
        """Take up what `output` has finished.

        Args:
            tasks: All rows.
            output: Where finished rows go.
            on_failure: Called with each row that did not get all its answers, and why.
        """
        self._tasks, self._output, self._on_failure = tasks, output, on_failure
        self._answers: dict[Pair, str | NoAnswer] = {}
        for number, answers in output.finished.items():
            self._answers.update(zip(tasks[number].pairs, answers, strict=True))
        self._waiting: dict[Pair, list[int]] = defaultdict(list)
        for number, task in enumerate(tasks):
            if number not in output.finished:
                self._finish_if_answered(number)
                for pair in dict.fromkeys(task.pairs):
                    if pair not in self._answers:
                        self._waiting[pair].append(number)
        self.pairs = list(self._waiting)

    def run(self, model: ChatModel, prompt: Prompt, on_answer: Callable[[], object]) -> None:
        """Ask `model` for all `pairs`, and call `on_answer` after each, for progress.

        All are asked for, however many fail, as long as the model answers an easy question: that is asked after 20
        failures one after the other, then after twice as many, until there is an answer again.

        Raises:
            GaveUp: it does not, so that nothing would be answered.
        """
        conversations = {pair: conversation(prompt, *pair) for pair in self.pairs}
        failures, most = 0, _FAILURES_IN_A_ROW

        def deliver(pair: Pair, answer: str | NoAnswer) -> None:
            nonlocal failures, most
            self._answers[pair] = answer
            for number in self._waiting[pair]:
                self._finish_if_answered(number)
            on_answer()
            if not isinstance(answer, NoAnswer):
                failures, most = 0, _FAILURES_IN_A_ROW
                return
            failures += 1
            if failures == most:
                most *= 2
                raise _InDoubt

        while left := [pair for pair in self.pairs if pair not in self._answers]:
            if failures:
                _require_answer(model, prompt, failures)
            with suppress(_InDoubt):
                _ask(model, {pair: conversations[pair] for pair in left}, deliver)

    def _finish_if_answered(self, number: int) -> None:
        task = self._tasks[number]
        if not all(pair in self._answers for pair in task.pairs):
            return
        answers = [self._answers[pair] for pair in task.pairs]
        failures = [str(answer) for answer in answers if isinstance(answer, NoAnswer)]
        if failures:
            self._on_failure(task, "; ".join(dict.fromkeys(failures)))
        else:
            self._output.append(number, [str(answer) for answer in answers])


def _ask(model: ChatModel, asked: Mapping[Pair, Conversation], deliver: Callable[[Pair, str | NoAnswer], None]) -> None:
    """Ask for the answer of each pair."""
    pairs = list(asked)
    model.answer(list(asked.values()), lambda index, answer: deliver(pairs[index], answer))


def _require_answer(model: ChatModel, prompt: Prompt, failures: int) -> None:
    """Raise GaveUp unless the model answers an easy question."""
    answers: dict[Pair, str | NoAnswer] = {}
    _ask(model, {_EASY: conversation(prompt, *_EASY)}, answers.__setitem__)
    if isinstance(answers[_EASY], NoAnswer):
        question, reference = _EASY
        raise GaveUp(
            f"The run ended early: {failures} requests in a row failed, and so did a test with the question "
            f"{question!r} and the reference {reference!r}."
        )


class Failures:
    """Rows without answers: listed in a file as they occur, and reported at the end."""

    def __init__(self, file: BinaryIO | None) -> None:
        """Start with none; `file` takes a line of JSON for each: `row` (its number), `error` and `input`."""
        self._file = file
        self.reasons: list[str] = []

    def add(self, task: SynthesisTask, reason: str) -> None:
        """Take down one row."""
        self.reasons.append(f"{task.where}: {reason}")
        if self._file:
            self._file.write(bad_line(task.number, reason, task.row))
            self._file.flush()

    def report(self) -> None:
        """Print the first of them."""
        if not self.reasons:
            return
        typer.echo(f"{len(self.reasons):,} rows failed. Run the same command again to retry them:", err=True)
        for reason in self.reasons[:_FAILURES_SHOWN]:
            typer.echo(f"  {reason}", err=True)
        if len(self.reasons) > _FAILURES_SHOWN:
            typer.echo(
                f"  … and {len(self.reasons) - _FAILURES_SHOWN:,} more. --errors FILE lists all of them.", err=True
            )


def run(
    tasks: Sequence[SynthesisTask], output: SynthesisOutput, chat_model: ChatModel, prompt: Prompt, errors: Path | None
) -> bool:
    """Generate the missing answers, report how it went, and return whether all rows are complete."""
    before, stopped = len(output.finished), ""
    with ExitStack() as stack:
        failures = Failures(stack.enter_context(errors.open("wb")) if errors else None)
        synthesis = Synthesis(tasks, output, failures.add)
        if synthesis.pairs:
            bar = stack.enter_context(progress("synthesize", len(synthesis.pairs), "answer", stays=True))
            try:
                synthesis.run(chat_model, prompt, bar.update)
            except GaveUp as reason:
                stopped = f" {reason}"
    output.sort()
    done = len(output.finished)
    typer.echo(
        f"{output.path} has {done:,} of {len(tasks):,} rows, {before:,} of them from an earlier run.{stopped}", err=True
    )
    failures.report()
    return done == len(tasks)
