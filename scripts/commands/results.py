"""`evaluate-qa results`: write a model's figures as the Hub shows them."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from ..parameters import LABELS_HELP, SYSTEM_ROLES, SystemColumns
from ..terminal import options_of, reported_errors, warn

_record = options_of("Record")


def results(
    scored: Annotated[str, typer.Option(help="Read the model's scored answers: JSONL, CSV or Parquet.")],
    model: Annotated[str, typer.Option(help="Name the model's repository on the Hub, such as org/name.")],
    dataset: Annotated[str, typer.Option(help="Name the data set's repository on the Hub, such as org/name.")],
    task: Annotated[str, typer.Option(help="Name the task, an id in the data set's eval.yaml.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Write .eval_results/<data set>-<task>.yaml in this folder, or replace it."
        ),
    ] = Path(),
    column: SystemColumns = None,
    labels: Annotated[str | None, typer.Option(help=f"{LABELS_HELP}, and estimate the accuracy from them.")] = None,
    record: Annotated[Path | None, _record("Also write an Every Eval Ever record to this JSON file.")] = None,
    organization: Annotated[str | None, _record("Name who evaluated the model, for --record.")] = None,
) -> None:
    """Write a model's accuracy for the Hub, which shows it on the pages of the model and the data set.

    The value is the share judged correct or, with --labels, the accuracy that `estimate` reports. The notes contain 95%
    intervals, the mean score and the metric's signature.
    """
    with reported_errors("results"):
        from datetime import UTC, datetime

        import yaml

        from ..files.writing import check_different, check_outputs, write_file, write_json
        from ..joining.column_roles import parse_columns
        from ..joining.signatures import signature_warnings
        from ..reporting import hub_results

        if (record is None) != (organization is None):
            raise ValueError("--record and --organization belong together. Give both or neither.")
        of = hub_results.Task(model, dataset, task)
        if not output.is_dir():
            raise ValueError(f"--output is {output}, which is not a folder. Name the folder of the model's files.")
        target = output / of.file
        check_different({"--scored": scored, "--labels": labels, "--record": record, "--output": target})
        check_outputs({"--record": record}, {})
        names = parse_columns(column, SYSTEM_ROLES)
        facts = hub_results.read(scored, [labels] if labels else [], names)
        warn("results", signature_warnings(facts.joined.files, names.score))
        if not labels:
            warn(
                "results",
                ["the Hub ranks this metric's value with those of the task's own scorer; --labels avoids that"],
            )
        signature = hub_results.signature(facts, names.score)
        target.parent.mkdir(exist_ok=True)
        entries = hub_results.entries(of, facts, signature)
        write_file(target, yaml.safe_dump(entries, sort_keys=False, width=1000).encode())
        if record is not None:
            write_json(record, hub_results.record(of, facts, signature, organization or "", datetime.now(UTC)))
    typer.echo(f"Wrote {target}: {hub_results.notes(facts, signature)}")
    typer.echo(
        f"Propose it to the model's authors: hf upload {model} {quote(str(target))} {of.file.as_posix()} --create-pr"
    )
