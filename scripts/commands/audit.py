"""`evaluate-qa audit`: measure a judge's agreement, stability and biases on labeled answers."""

from pathlib import Path
from typing import Annotated

import typer

from ..parameters import Json, Load
from ..terminal import options_of, reported_errors

_ask, _out = options_of("Requests"), options_of("Output")


def audit(
    data: Annotated[
        Path,
        typer.Option(
            help="Read labeled answers from this file: question, references, prediction, label and, optionally, system."
        ),
    ],
    load: Load = None,
    samples: Annotated[int, _ask("Ask about each answer this many times (1 to 100).")] = 3,
    family: Annotated[
        list[str] | None,
        _ask("Compare errors on this system, from the judge's model family, with others. Repeatable."),
    ] = None,
    dry_run: Annotated[bool, _ask("Print the number of requests and stop.", "--dry-run")] = False,
    against: Annotated[
        Path | None, _out("Report changes from this earlier audit of the same answers, a file that --json wrote.")
    ] = None,
    json_file: Json = None,
    output: Annotated[Path | None, _out("Write a page to this .html file.", "--output", "-o")] = None,
) -> None:
    """Audit a judge: agreement with people, flips, effects of length and format, injected instructions, drift.

    Choose the judge as in `score`: --load endpoint=URL --load model=NAME. The command asks about each answer several
    times: unchanged, swapped with its reference, and rewritten. It also adds prompt injections to each wrong answer.
    With --load cache_dir=FOLDER, a stopped audit continues.
    """
    with reported_errors("audit", "stopped. With --load cache_dir=FOLDER, the same command continues."):
        from ..auditing.report import page, read_audit, show
        from ..auditing.run import prepare, run
        from ..files.writing import check_outputs, write_file, write_json
        from ..options import parse_options
        from ..reporting.page import check_page_name

        if output is not None:
            check_page_name(output)
        check_outputs({"--json": json_file, "--output": output}, {"--data": data, "--against": against})
        earlier = None if against is None else read_audit(against)
        prepared = prepare(data, parse_options(load or [], "judge"), samples, family or [], earlier)
        typer.echo(f"evaluate-qa audit: {prepared.sending}", err=True)
        if dry_run:
            return
        found = run(prepared)
        write_json(json_file, found)
        if output is not None:
            write_file(output, page(found).encode(errors="replace"))
        show(found)
    for written in filter(None, (json_file, output)):
        typer.echo(f"Wrote {written}.")
