"""`evaluate-qa estimate`: the accuracy of all answers, from labels of some of them."""

from dataclasses import replace
from typing import Annotated

import typer

from ..parameters import LABELS_HELP, Json, role_columns
from ..terminal import options_of, reported_errors, warn

_columns = options_of("Columns")
_ROLES = ("score", "id", "label", "weight", "cluster")


def estimate(
    scored: Annotated[str, typer.Option(help="Read all rows with their scores: JSONL, CSV or Parquet.")],
    labels: Annotated[str, typer.Option(help=f"{LABELS_HELP}, such as `evaluate-qa sample` draws.")],
    column: Annotated[list[str] | None, role_columns(*_ROLES)] = None,
    by: Annotated[str | None, _columns("Also estimate for each value of this column, such as system.")] = None,
    json_file: Json = None,
) -> None:
    """Estimate the accuracy of all answers from a few human labels.

    Prediction-powered inference (PPI++, Angelopoulos et al. 2023) combines the labels with the scores of all rows. The
    better the scores predict the labels, the narrower the 95% interval, which is valid even for poor scores. It is for
    answers of the same kind, not only for these rows. To compare systems, use `evaluate-qa compare --labels`.
    """
    with reported_errors("estimate"):
        from ..estimation import ppi
        from ..estimation.report import as_json, show
        from ..files.writing import check_outputs, write_json
        from ..joining.column_roles import parse_columns
        from ..joining.labels import join, read_labels, read_scored
        from ..joining.signatures import signature_warnings

        check_outputs({"--json": json_file}, {"--scored": scored, "--labels": labels})
        names = replace(parse_columns(column, _ROLES), group=by)
        rows = read_scored(scored, names)
        warn("estimate", signature_warnings({scored: rows}, names.score, allow_mixed=True))
        joined = join(rows, read_labels(labels, names), names)
        found = ppi.estimate(
            joined.scores, joined.labels, weights=joined.weights, clusters=joined.clusters, groups=joined.groups
        )
        write_json(json_file, as_json(joined, found))
        show(joined, found)
