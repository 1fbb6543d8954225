"""`evaluate-qa gate`: fail in CI if a system is significantly worse than the baseline."""

from pathlib import Path
from typing import Annotated

import typer

from ..parameters import SYSTEM_ROLES, AllowMixed, Json, SystemColumns
from ..terminal import options_of, reported_errors, warn

_rule, _out, _labels = map(options_of, ("Rule", "Output", "Human labels"))

_SHOWN = 10  # lost rows, and won rows, that the Markdown and JUnit files show


def gate(
    scored: Annotated[str, typer.Option(help="Read the scored rows of the new system: JSONL, CSV or Parquet.")],
    baseline: Annotated[str, typer.Option(help="Read the same rows, scored for the baseline.")],
    column: SystemColumns = None,
    max_drop: Annotated[
        float, _rule("Allow a drop of this size; 0.01 is one percentage point, or 0.01 in mean score.")
    ] = 0.0,
    by_score: Annotated[bool, _rule("Compare mean scores even if the rows have verdicts.", "--by-score")] = False,
    max_unscored: Annotated[float, _rule("Accept at most this share of rows without a score (0 to 1).")] = 0.05,
    confidence: Annotated[float, _rule("Set the confidence level of the one-sided bound of the drop (0 to 1).")] = 0.95,
    labels: Annotated[
        str | None,
        _labels("Decide by human labels of a random sample of the new system's rows; needs --baseline-labels, too."),
    ] = None,
    baseline_labels: Annotated[
        str | None, _labels("Read human labels of a random sample of the baseline's rows from this file.")
    ] = None,
    markdown: Annotated[
        Path | None, _out("Write a Markdown summary for a pull request to this file, replacing it.")
    ] = None,
    junit: Annotated[
        Path | None, _out("Write the result as JUnit XML with one test to this file, replacing it.")
    ] = None,
    allow_mixed: AllowMixed = False,
    json_file: Json = None,
) -> None:
    """Exit with 1, for CI, if the new system is significantly worse than the baseline.

    The gate fails if the lower 95% bound of the paired drop is above --max-drop. It compares verdicts if both files
    have them, else scores; rows with the same question are treated as one group. Passing does not prove that nothing
    got worse: the first line reports which drops these rows can detect. `evaluate-qa compare --changed` writes the rows
    that changed.

    Exit codes: 0 passed, 1 failed, 2 bad input. The same inputs always give the same output.
    """
    with reported_errors("gate", status=2):
        from ..files.column_names import names_of
        from ..files.writing import check_outputs, write_file, write_json
        from ..gating.files import as_junit, as_markdown
        from ..gating.run import as_json, run_gate
        from ..joining.column_roles import parse_columns
        from ..joining.signatures import signature_warnings
        from ..joining.systems import join_labels, join_systems, read_systems

        if (labels is None) != (baseline_labels is None):
            raise ValueError("--labels and --baseline-labels go together. Give both of them, or neither.")
        outputs = {"--markdown": markdown, "--junit": junit, "--json": json_file}
        inputs = {"--scored": scored, "--baseline": baseline, "--labels": labels, "--baseline-labels": baseline_labels}
        check_outputs(outputs, inputs)
        names = parse_columns(column, SYSTEM_ROLES)
        read = read_systems([baseline, scored], names, names_of("predictions"))
        warn("gate", signature_warnings(read, names.score, allow_mixed=allow_mixed))
        joined = join_systems(read, names, allow_mixed)
        found = run_gate(
            joined,
            join_labels(joined, [baseline_labels, labels], names) if labels and baseline_labels else [],
            max_drop=max_drop,
            by_score=by_score,
            max_unscored=max_unscored,
            confidence=confidence,
        )
        write_json(json_file, as_json(found))
        for target, content in ((markdown, as_markdown(found, _SHOWN).encode()), (junit, as_junit(found, _SHOWN))):
            if target is not None:
                write_file(target, content)
        typer.echo("\n".join([found.message, *found.notes]))
    if not found.drop.passed:
        raise typer.Exit(1)
