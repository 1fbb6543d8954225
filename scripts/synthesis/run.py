"""Ask a chat model for each missing answer, save it, and write the complete rows."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from evaluate_qa.metrics._shared.chat_models import ChatModel, Conversation, NoAnswer, TooManyFailures
from evaluate_qa.metrics._shared.columns import clean
from evaluate_qa.metrics._shared.messages import pluralize
from evaluate_qa.metrics._shared.progress import progress
from evaluate_qa.metrics.judge.prompts import Prompt, parse_prompt, read_prompt

from ..files.writing import write_rows
from .rows import COLUMN, Pair, SavedAnswers, SynthesisTask

_FAILURES_SHOWN = 10

_OWN = Path(__file__).with_name("prompt.jinja")
_SAMPLE = {"question": "a question", "answer": "an answer"}


def load_prompt(file: Path | None) -> Prompt:
    """Return the prompt of a file (default: our own); raise ValueError if it is missing or not a valid prompt."""
    file = file or _OWN
    if not file.is_file():
        raise ValueError(f"--prompt is {str(file)!r}; expected a file")
    try:
        prompt = parse_prompt(file.name, read_prompt(file), frozenset({"system", "source"}), _SAMPLE)
        if "answer" not in prompt.places:
            raise ValueError("it does not contain {{ answer }}")
    except ValueError as error:
        raise ValueError(f"--prompt {str(file)!r} cannot be used: {error}") from error
    return prompt


def conversation(prompt: Prompt, question: str, answer: str) -> Conversation:
    """Return the messages that ask for a sentence that answers the question with a reference."""
    return prompt.conversation({"question": clean(question), "answer": clean(answer)})


def run(
    tasks: Sequence[SynthesisTask],
    output: Path,
    folder: Path,
    chat_model: ChatModel,
    prompt: Prompt,
    settings: Mapping[str, Any],
) -> bool:
    """Generate the missing answers, write the complete rows, report, and return True if all rows are complete."""
    saved = SavedAnswers(folder, settings)
    before = len(saved.answers)
    pairs = dict.fromkeys(pair for task in tasks for pair in task.pairs)
    missing = [pair for pair in pairs if pair not in saved.answers]
    reasons, stopped = _ask(chat_model, prompt, missing, saved)
    complete = [task for task in tasks if all(pair in saved.answers for pair in task.pairs)]
    if complete:
        rows = (task.row | {COLUMN: [saved.answers[pair] for pair in task.pairs]} for task in complete)
        write_rows(output, rows)
    typer.echo(f"The output has answers for {len(complete):,} of {pluralize(len(tasks), 'row')}.", err=True)
    if before:
        typer.echo(f"An earlier run wrote {pluralize(before, 'answer')}.", err=True)
    if stopped:
        typer.echo(f"The run ended early because {stopped}", err=True)
    failures = [(task, [reasons[pair] for pair in task.pairs if pair in reasons]) for task in tasks]
    _report([(task, "; ".join(dict.fromkeys(found))) for task, found in failures if found])
    if len(complete) < len(tasks):
        return False
    saved.finish()
    return True


def _ask(
    chat_model: ChatModel, prompt: Prompt, pairs: Sequence[Pair], saved: SavedAnswers
) -> tuple[dict[Pair, str], str]:
    """Ask for answers and save them; return the reason for each failure, and why the run ended early, if it did."""
    reasons: dict[Pair, str] = {}
    if not pairs:
        return reasons, ""

    def deliver(index: int, answer: str | NoAnswer) -> None:
        bar.update()
        if isinstance(answer, NoAnswer):
            reasons[pairs[index]] = str(answer)
        else:
            saved.add(pairs[index], answer)

    with progress("synthesize", len(pairs), "answer", stays=True) as bar:
        try:
            chat_model.answer([conversation(prompt, *pair) for pair in pairs], deliver)
        except TooManyFailures as stop:
            return reasons, str(stop)
    return reasons, ""


def _report(failed: Sequence[tuple[SynthesisTask, str]]) -> None:
    """Print the number of failed rows, and the first ones."""
    if not failed:
        return
    typer.echo(f"{pluralize(len(failed), 'row')} failed. Run the same command again to retry them:", err=True)
    for task, reason in failed[:_FAILURES_SHOWN]:
        typer.echo(f"  {task.where}: {reason}", err=True)
    if len(failed) > _FAILURES_SHOWN:
        typer.echo(f"  … and {len(failed) - _FAILURES_SHOWN:,} more.", err=True)
