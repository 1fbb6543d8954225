"""`evaluate-qa compare`: whether one system is better than another on the same rows, or the difference is noise."""

from typing import Annotated

import typer

from ..estimation.arguments import Columns, Json, Systems, with_options
from ..terminal import options_of, told_errors

_tests, _out = map(options_of, ("Tests", "Output"))


@with_options
def compare(
    systems: Systems,
    columns: Columns,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            help="People's verdicts on a random sample of a system's rows; a file for each system, in their order: the "
            "difference is then what people would see. Repeatable."
        ),
    ] = None,
    resamples: Annotated[int, _tests("Of the bootstrap and of the permutation test.")] = 5000,
    seed: Annotated[int, _tests("Seed of both.")] = 0,
    confidence: Annotated[float, _tests("Share of samples whose interval holds the truth.")] = 0.95,
    changed: Annotated[str | None, _out("File for the rows that were won and lost: JSONL, CSV or Parquet.")] = None,
    json_file: Json = None,
) -> None:
    """Compare systems on the same rows with the first of them: intervals, exact tests, and what the rows can show.

    Rows are joined by id or question, and must be the same set. Verdicts are tested by McNemar's exact test, scores by
    sign flips, both with Holm's correction if there are several systems.
    """
    with told_errors("compare"):
        from ..estimation.compared import as_json, show
        from ..estimation.keys import either
        from ..estimation.systems import changed_rows, join_labels, join_systems, powered_differences, read_systems
        from ..files.writing import check_different, check_place, check_target, write_rows
        from ..uncertainty.paired import compare as compared

        if changed is not None:
            check_target(changed, is_free=False)
        if json_file is not None:
            check_place(json_file)
        inputs = {
            f"{kind} {place}": file
            for kind, files in (("system", systems), ("--labels", labels or []))
            for place, file in enumerate(files, 1)
        }
        for name, file in inputs.items():
            check_different({name: file, "--changed": changed, "--json": json_file})
        names, verdict_column = columns.names, columns.verdict_column
        more = [*either("prediction")] * bool(changed or labels) + [*either("reference")] * bool(changed)
        read = read_systems(systems, names, verdict_column, more)
        joined = join_systems(read, names, verdict_column)
        pairs = compared(
            joined.scores,
            verdicts=joined.verdicts,
            clusters=joined.clusters,
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )
        powered = powered_differences(joined, join_labels(joined, labels, names), confidence) if labels else None
        if json_file is not None:
            from ..files.outputs import write_json

            write_json(json_file, as_json(joined, pairs, powered))
        if changed is not None:
            write_rows(changed, changed_rows(joined))
        show(joined, pairs, powered, confidence)
