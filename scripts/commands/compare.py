"""`evaluate-qa compare`: compare systems on the same rows."""

from pathlib import Path
from typing import Annotated

from ..parameters import SYSTEM_ROLES, AllowMixed, Json, Labels, SystemColumns, Systems
from ..terminal import as_markdown, options_of, print_report, reported_errors, warn

_out = options_of("Output")


def compare(
    systems: Systems,
    column: SystemColumns = None,
    labels: Labels = None,
    changed: Annotated[
        str | None,
        _out("Write the rows whose verdict changed (losses, wins) to this JSONL, CSV or Parquet file."),
    ] = None,
    markdown: Annotated[Path | None, _out("Write the printed tables as Markdown to this file, replacing it.")] = None,
    allow_mixed: AllowMixed = False,
    json_file: Json = None,
) -> None:
    """Compare systems on the same rows: paired intervals, exact tests, smallest detectable difference.

    Each system is compared with the first one, the baseline. Rows are joined by id or question, and all files must have
    the same rows. Verdicts are tested with McNemar's exact test and scores with a sign-flip test, with Holm's
    correction for several systems.
    """
    with reported_errors("compare"):
        from ..comparing.changes import write_changes
        from ..comparing.report import as_json, parts
        from ..estimation.systems import estimate_systems
        from ..files.column_names import names_of
        from ..files.writing import check_outputs, check_target, write_file, write_json
        from ..joining.column_roles import parse_columns
        from ..joining.signatures import signature_warnings
        from ..joining.systems import join_labels, join_systems, read_systems
        from ..uncertainty import paired

        if changed is not None:
            check_target(changed, is_free=False)
        inputs = {
            f"{kind} {place}": file
            for kind, files in (("system", systems), ("--labels", labels or []))
            for place, file in enumerate(files, 1)
        }
        check_outputs({"--changed": changed, "--markdown": markdown, "--json": json_file}, inputs)
        if len(systems) == 1:
            raise ValueError(f"{systems[0]} is the only file. Give at least two files to compare.")
        names = parse_columns(column, SYSTEM_ROLES)
        read = read_systems(systems, names, names_of("predictions") if changed or labels else ())
        warn("compare", signature_warnings(read, names.score, allow_mixed=allow_mixed))
        joined = join_systems(read, names, allow_mixed)
        pairs = paired.compare(joined.scores, verdicts=joined.verdicts, clusters=joined.clusters)
        ppi = estimate_systems(joined, join_labels(joined, labels, names)) if labels else None
        write_json(json_file, as_json(joined, pairs, ppi))
        if changed is not None:
            write_changes(changed, joined)
        found = list(parts(joined, pairs, ppi))
        if markdown is not None:
            lines = (part + "\n" if isinstance(part, str) else as_markdown(part) for part in found)
            write_file(markdown, "\n".join(lines).encode())
        print_report(*found)
