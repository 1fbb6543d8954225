"""`evaluate-qa gate`: fails in CI where a system got worse by more than is allowed, and by more than noise."""

from pathlib import Path
from typing import Annotated

import typer

from ..estimation.arguments import Columns, Json, Rule, with_options
from ..terminal import options_of, told_errors

_out = options_of("Output")


@with_options
def gate(
    scored: Annotated[str, typer.Option(help="Scored rows of the new system: JSONL, CSV or Parquet.")],
    baseline: Annotated[str, typer.Option(help="The same rows of the baseline.")],
    columns: Columns,
    rule: Rule,
    labels: Annotated[
        str | None,
        typer.Option(help="People's verdicts on a random sample of the new system's rows: decide by what people see."),
    ] = None,
    baseline_labels: Annotated[str | None, typer.Option(help="The same of the baseline's rows.")] = None,
    changed: Annotated[str | None, _out("File for all rows that were won and lost: JSONL, CSV or Parquet.")] = None,
    markdown: Annotated[
        Path | None, _out("File for a summary in Markdown, for a pull request; it is replaced.")
    ] = None,
    junit: Annotated[Path | None, _out("File for the outcome as JUnit XML, with one test.")] = None,
    rows: Annotated[int, _out("Rows lost, and rows won, that these two show.", "--rows")] = 10,
    json_file: Json = None,
) -> None:
    """Exit with 1 if a system is worse than the baseline on the same rows by more than --max-drop, and than noise.

    It fails where the lower 95% bound of the paired drop lies above --max-drop: of systems whose true drop is within
    that, 5% at most. By verdicts if both files have them (then, with no drop allowed, McNemar's exact test), else by
    scores; rows of a question go together. Passing proves nothing where rows are few: what they would catch is told.
    Rows without a score are left out and counted; more than 5% of them (--max-unscored) are bad input.

    Exit codes: 0 passed, 1 dropped, 2 bad input. The same inputs give the same bytes.
    """
    with told_errors("gate", status=2):
        from ..estimation.gate_files import junit as as_junit
        from ..estimation.gate_files import markdown as as_markdown
        from ..estimation.gated import as_json, decide, told
        from ..estimation.keys import either
        from ..estimation.systems import join_labels, join_systems, read_systems
        from ..files.writing import check_different, check_place, check_target, replacing, write_rows

        if (labels is None) != (baseline_labels is None):
            raise ValueError("give labels of both or of neither: --labels and --baseline-labels")
        outputs = {"--changed": changed, "--markdown": markdown, "--junit": junit, "--json": json_file}
        if changed is not None:
            check_target(changed, is_free=False)
        for file in filter(None, (markdown, junit, json_file)):
            check_place(file)
        check_different(outputs)
        inputs = {"--scored": scored, "--baseline": baseline, "--labels": labels, "--baseline-labels": baseline_labels}
        for name, source in inputs.items():
            check_different({name: source, **outputs})
        names, verdict_column = columns.names, columns.verdict_column
        read = read_systems([baseline, scored], names, verdict_column, [*either("prediction"), *either("reference")])
        joined = join_systems(read, names, verdict_column)
        labelled = join_labels(joined, [baseline_labels, labels], names) if labels and baseline_labels else []
        found = decide(joined, labelled, rule)
        if json_file is not None:
            from ..files.outputs import write_json

            write_json(json_file, as_json(found))
        if changed is not None:
            write_rows(changed, found.changed)
        for target, content in ((markdown, as_markdown(found, rows).encode()), (junit, as_junit(found, rows))):
            if target is not None:
                with replacing(target) as path:
                    path.write_bytes(content)
        typer.echo("\n".join([told(found), *found.notes]))
    if not found.drop.passed:
        raise typer.Exit(1)
