"""The command `evaluate-qa synthesize`: phrase each reference as the sentence that a model would have answered.

SMILE compares predictions with such synthetic answers, which are made once per evaluation set, stored and reused.
"""

import json
import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated, Any, BinaryIO, NoReturn

import typer

from evaluate_qa.metrics._shared.chat_models import ChatModel, Conversation, LocalModel, NoAnswer
from evaluate_qa.metrics._shared.endpoint import Endpoint
from evaluate_qa.metrics._shared.progress import progress
from evaluate_qa.metrics.judge.prompts import Prompt

from ..files.bad_rows import bad_line, check_bad_rows
from ..files.claiming import claimed, claimed_too
from ..files.writing import check_different
from ..scoring.columns import Columns, parse_columns
from ..synthesis.output import Pair, SynthesisOutput, Task, check_output, read_tasks, settings_file
from ..synthesis.prompt import conversation, load_prompt
from ..synthesis.prompt import settings as prompt_settings
from ..terminal import options_of

PAPER_MODEL = "meta-llama/Llama-3.2-3B-Instruct"
_PAPER_REVISION = "0cb88a4f764b7a12671c53f0838cd831a0843b95"

# A wrong key, a stopped server or a model that says nothing fails every row: no use in waiting for them all. But so
# many rows may also fail for what is in them, for which a server refuses them or a limit cuts their answers off.
_FAILURES_IN_A_ROW = 20

_EASY: Pair = ("What is the capital of France?", "Paris")
"""What a model that answers at all has an answer to; asked when rows fail, to tell which of both it is."""

_FAILURES_SHOWN = 10

_server, _here = options_of("With --endpoint"), options_of("Without --endpoint")


class GaveUp(Exception):  # noqa: N818 - ends a run early; what was finished stays
    """Failures one after the other, and none of an answer to an easy question."""


class _InDoubt(Exception):  # noqa: N818 - stops the asking, until it is known whether there is use in it
    """Failures one after the other."""


class Synthesis:
    """One run: asks for each distinct pair once, writes each row as soon as all its answers are there.

    Attributes:
        pairs: What is to be asked for, in order of the input. Rows that need nothing asked are written at once.
    """

    def __init__(self, tasks: Sequence[Task], output: SynthesisOutput, on_failure: Callable[[Task, str], None]) -> None:
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
            f"gave up after {failures} failures one after the other, as {question!r} with {reference!r} failed, too"
        )


class Failures:
    """Rows without answers: listed in a file as they occur, and told at the end."""

    def __init__(self, file: BinaryIO | None) -> None:
        """Start with none; `file` takes a line of JSON for each: `row` (its number), `error` and `input`."""
        self._file = file
        self.reasons: list[str] = []

    def add(self, task: Task, reason: str) -> None:
        """Take down one row."""
        self.reasons.append(f"{task.where}: {reason}")
        if self._file:
            self._file.write(bad_line(task.number, reason, task.row))
            self._file.flush()

    def tell(self) -> None:
        """Print the first of them."""
        if not self.reasons:
            return
        typer.echo(f"{len(self.reasons):,} rows failed; the same command asks for them again:", err=True)
        for reason in self.reasons[:_FAILURES_SHOWN]:
            typer.echo(f"  {reason}", err=True)
        if len(self.reasons) > _FAILURES_SHOWN:
            typer.echo(f"  … and {len(self.reasons) - _FAILURES_SHOWN:,} more; --errors lists all", err=True)


def synthesize(
    source: Annotated[Path, typer.Option("--input", "-i", help="Rows to read: JSONL, CSV or Parquet.")],
    target: Annotated[Path, typer.Option("--output", "-o", help="Rows to write: JSONL. A second run resumes it.")],
    model: Annotated[str, typer.Option(help="Name on the Hub, folder, or name at the endpoint.")] = PAPER_MODEL,
    endpoint: Annotated[
        str | None, typer.Option(help="URL of an OpenAI-compatible server, instead of a model run here.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="Where questions and references are found: questions=query. Repeatable."),
    ] = None,
    prompt: Annotated[
        Path | None, typer.Option(help="What is asked: a jinja2 template of {{ question }} and {{ answer }}.")
    ] = None,
    errors: Annotated[Path | None, typer.Option(help="File that lists the rows that failed, as JSONL.")] = None,
    max_tokens: Annotated[int, typer.Option(help="Longest answer; one that is cut off fails.")] = 256,
    api_key_env: Annotated[str | None, _server("Variable that holds the key; default: OPENAI_API_KEY, if set.")] = None,
    concurrency: Annotated[int, _server("Requests at a time.")] = 16,
    timeout: Annotated[float, _server("Seconds a reply may take.")] = 60.0,
    max_retries: Annotated[int, _server("Repetitions, ever later, of a request that failed.")] = 5,
    extra_body: Annotated[str, _server("JSON object of more fields for each request.")] = "{}",
    revision: Annotated[str | None, _here("Commit, tag or branch on the Hub.")] = None,
    device: Annotated[str, _here("auto, cpu, cuda, mps, …")] = "auto",
    dtype: Annotated[str, _here("auto (as stored), float32, bfloat16 or float16.")] = "auto",
    batch_size: Annotated[int, _here("Prompts at a time.")] = 32,
) -> None:
    """Add the column synthetic_answers: for each reference, a sentence that answers the question with it.

    Run the same command again to continue after an interruption, or to retry the rows that failed. All rows are asked
    for, however many fail; but after 20 failures one after the other an easy question is asked, and the run ends if it
    fails, too, as with a wrong key or a stopped server.
    """
    try:
        chat_model: ChatModel
        if endpoint is None:
            revision = revision or (_PAPER_REVISION if model == PAPER_MODEL else None)
            chat_model = LocalModel(model, revision, device, dtype, batch_size, max_tokens)
        else:
            key, body = _api_key(api_key_env), _json_object(extra_body)
            chat_model = Endpoint(endpoint, model, key, concurrency, timeout, max_retries, max_tokens, body)
        asked = load_prompt(prompt)
        check_output(target)
        others = {"--prompt": prompt, "--errors": errors, "the settings of --output": settings_file(target)}
        check_different({"--input": source, "--output": target, **others})
        if errors:
            check_bad_rows(errors)
        columns = parse_columns(column or [], ("questions", "references"))
        tasks = read_tasks(source, Columns(columns))
        settings = {**chat_model.settings, **prompt_settings(asked)}
        with claimed_too(errors), claimed(target):
            output = SynthesisOutput(target, tasks, {**settings, "columns": columns})
            complete = _run(tasks, output, chat_model, asked, errors)
    except ModuleNotFoundError as error:
        _fail(f"{error}; install what is needed with: pip install 'evaluate-qa[synthesize]'")
    except (ValueError, OSError, MemoryError) as error:
        _fail(str(error))
    if not complete:
        raise typer.Exit(1)


def _run(
    tasks: Sequence[Task], output: SynthesisOutput, chat_model: ChatModel, prompt: Prompt, errors: Path | None
) -> bool:
    """Make what is missing, say how it went, and return whether all rows are there."""
    before, stopped = len(output.finished), ""
    with ExitStack() as stack:
        failures = Failures(stack.enter_context(errors.open("wb")) if errors else None)
        synthesis = Synthesis(tasks, output, failures.add)
        if synthesis.pairs:
            bar = stack.enter_context(progress("synthesize", len(synthesis.pairs), "answer", stays=True))
            try:
                synthesis.run(chat_model, prompt, bar.update)
            except GaveUp as reason:
                stopped = f"; {reason}"
    output.sort()
    done = len(output.finished)
    typer.echo(
        f"{done:,} of {len(tasks):,} rows are in {output.path}, {before:,} of them from before{stopped}", err=True
    )
    failures.tell()
    return done == len(tasks)


def _api_key(variable: str | None) -> str | None:
    key = os.environ.get(variable or "OPENAI_API_KEY")
    if variable and not key:
        raise ValueError(f"the variable {variable} is not set; put the key there: export {variable}=…")
    return key


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ValueError(f"--extra-body is {text!r}; expected a JSON object such as '{{\"seed\": 1}}'")
    return value


def _fail(message: str) -> NoReturn:
    typer.echo(f"evaluate-qa synthesize: {message}", err=True)
    raise typer.Exit(1)
