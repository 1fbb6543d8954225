"""`evaluate-qa compare`: compare systems on the same rows."""

from typing import Annotated

from ..parameters import SYSTEM_ROLES, AllowMixed, Json, Labels, SystemColumns, Systems
from ..terminal import options_of, reported_errors, warn


def compare(
    systems: Systems,
    column: SystemColumns = None,
    labels: Labels = None,
    changed: Annotated[
        str | None,
        options_of("Output")("Write the rows whose verdict changed (losses, wins) to this JSONL, CSV or Parquet file."),
    ] = None,
    allow_mixed: AllowMixed = False,
    json_file: Json = None,
) -> None:
    """Compare systems on the same rows: paired intervals, exact tests, smallest detectable difference.

    Each system is compared with the first one, the baseline. Rows are joined by id or question, and all files must have
    the same rows. Verdicts are tested with McNemar's exact test and scores with a sign-flip test, with Holm's
    correction for several systems.
    """
    with reported_errors("compare"):
        from ..estimation.arguments import parse_columns
        from ..estimation.compared import as_json, show
        from ..estimation.keys import either
        from ..estimation.signatures import signature_warnings
        from ..estimation.systems import join_labels, join_systems, powered_differences, read_systems, write_changed
        from ..files.writing import check_outputs, check_target, write_json
        from ..uncertainty.paired import compare as compared

        if changed is not None:
            check_target(changed, is_free=False)
        inputs = {
            f"{kind} {place}": file
            for kind, files in (("system", systems), ("--labels", labels or []))
            for place, file in enumerate(files, 1)
        }
        check_outputs({"--changed": changed, "--json": json_file}, inputs)
        if len(systems) == 1:
            raise ValueError(f"{systems[0]} is the only file. Give at least two files to compare.")
        names = parse_columns(column, SYSTEM_ROLES)
        more = [*either("prediction")] * bool(changed or labels) + [*either("reference")] * bool(changed)
        read = read_systems(systems, names, more)
        warn("compare", signature_warnings(read, names.score, allow_mixed=allow_mixed))
        joined = join_systems(read, names)
        pairs = compared(joined.scores, verdicts=joined.verdicts, clusters=joined.clusters)
        powered = powered_differences(joined, join_labels(joined, labels, names)) if labels else None
        write_json(json_file, as_json(joined, pairs, powered))
        if changed is not None:
            write_changed(changed, joined)
        show(joined, pairs, powered)
