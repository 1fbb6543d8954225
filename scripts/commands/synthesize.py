"""`evaluate-qa synthesize`: write each reference as a sentence that answers the question.

SMILE compares predictions with these synthetic answers, which are written once per evaluation set.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from evaluate_qa.metrics._shared.chat_models import ChatModel
from evaluate_qa.metrics._shared.messages import pluralize
from evaluate_qa.metrics._shared.options import build_options

from ..files.rows import did_you_mean, file_format
from ..files.work_folder import holds_work, lock_work_folder
from ..files.writing import check_different, check_target
from ..options import parse_options
from ..parameters import metric_columns
from ..scoring.columns import MetricColumns, parse_column_mapping
from ..synthesis.rows import is_complete, read_tasks
from ..synthesis.run import load_prompt, run
from ..terminal import interrupt_on_sigterm, options_of, reported_errors

PAPER_MODEL = "meta-llama/Llama-3.2-3B-Instruct"
_PAPER_REVISION = "0cb88a4f764b7a12671c53f0838cd831a0843b95"

# Options of `--load`.
_OF_SERVERS = ("max_tokens", "concurrency", "timeout", "max_retries", "extra_body")
_OF_LOCAL_MODELS = ("max_tokens", "model_revision", "device", "dtype", "batch_size", "token_budget")

_model = options_of("Model")


def synthesize(
    source: Annotated[Path, typer.Option("--input", "-i", help="Read rows from this JSONL, CSV or Parquet file.")],
    target: Annotated[Path, typer.Option("--output", "-o", help="Write complete rows to this JSONL file.")],
    model: Annotated[str, _model("Use this chat model: its name on the Hub or at the endpoint, or its folder.")] = (
        PAPER_MODEL
    ),
    endpoint: Annotated[
        str | None,
        _model(
            "Ask an OpenAI-compatible server at this URL, with the key in OPENAI_API_KEY, if set (default: run the "
            "model here)."
        ),
    ] = None,
    load: Annotated[
        list[str] | None,
        _model(
            "Set an option of the model, such as max_tokens=256 (longest answer). With --endpoint also concurrency=16 "
            "(requests at a time), timeout=60 (seconds), max_retries=5, extra_body={} (more JSON fields); otherwise "
            "batch_size=32, device, dtype=auto, model_revision, token_budget. Values shown are defaults. Repeatable."
        ),
    ] = None,
    prompt: Annotated[
        Path | None,
        _model("Use this jinja2 template with {{ question }} and {{ answer }} as the prompt (default: our own)."),
    ] = None,
    column: Annotated[list[str] | None, metric_columns("questions", "references")] = None,
) -> None:
    """Add the column synthetic_answers: for each reference, a sentence that answers the question with it.

    Run the same command again to continue after an interruption or to retry failed rows. A failed row does not stop the
    run, but the run ends early if 20 requests in a row fail, for example because of a wrong key or a stopped server.
    The default model is gated: before the first run, accept its license on the Hub, and log in with `hf auth login`.
    """
    with reported_errors("synthesize", "stopped. Run the same command again to continue."):
        interrupt_on_sigterm()
        generator = _chat_model(model, endpoint, parse_options(load or []))
        asked = load_prompt(prompt)
        if file_format(target) != ".jsonl":
            raise ValueError(f"{target}: synthetic answers are written as JSONL. Use a name that ends in .jsonl.")
        check_target(target)
        check_different({"--input": source, "--output": target, "--prompt": prompt})
        columns = parse_column_mapping(column or [], ("questions", "references"))
        tasks = read_tasks(source, MetricColumns(columns))
        settings = {**generator.settings, "prompt": asked.hash, "columns": columns}
        with lock_work_folder(target) as folder:
            if not holds_work(folder) and is_complete(target, tasks):
                typer.echo(f"{target} is complete already: {pluralize(len(tasks), 'row')}.", err=True)
            elif not run(tasks, target, folder, generator, asked, settings):
                raise typer.Exit(1)


def _chat_model(model: str, endpoint: str | None, given: Mapping[str, Any]) -> ChatModel:
    """Return the model with the options of `--load`, which judge has, too; raise ValueError for an invalid one."""
    from evaluate_qa.metrics.judge.options import JudgeLoading
    from evaluate_qa.metrics.judge.scorer import chat_model

    known = _OF_LOCAL_MODELS if endpoint is None else _OF_SERVERS
    for name in given:
        if name not in known:
            where = "without --endpoint" if endpoint is None else "with --endpoint"
            raise ValueError(f"--load {name}: there is no such option {where}. {did_you_mean(name, known)}")
    usual = {"dtype": "auto", "max_tokens": 256, "model": model, "endpoint": endpoint}
    revision = {"model_revision": _PAPER_REVISION} if endpoint is None and model == PAPER_MODEL else {}
    loading = build_options("--load", JudgeLoading, usual | revision | dict(given))
    return cast("ChatModel", chat_model(loading))  # without a cache, it is no recorded one
