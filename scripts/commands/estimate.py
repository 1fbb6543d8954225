"""`evaluate-qa estimate`: the accuracy of all answers, from labels of some and scores of all, and how sure it is."""

from typing import Annotated

import typer

from ..estimation.arguments import Answer, Cluster, Json, Label, Probability, Weight
from ..terminal import options_of, told_errors

_columns, _out = options_of("Columns"), options_of("Output")


def estimate(
    scored: Annotated[str, typer.Option(help="All rows with their scores: JSONL, CSV or Parquet.")],
    labels: Annotated[
        str,
        typer.Option(help="People's verdicts on a random sample of these rows, such as `evaluate-qa sample` draws."),
    ],
    score_column: Probability = "score",
    label: Label = None,
    identity: Answer = None,
    weight: Weight = None,
    cluster: Cluster = None,
    by: Annotated[str | None, _columns("An estimate for each value of this column, such as system.")] = None,
    difference: Annotated[
        list[str] | None,
        _columns("Two values of the column --by, by a comma: the first's accuracy less the second's. Repeatable."),
    ] = None,
    confidence: Annotated[float, _out("Share of samples whose interval holds the truth.")] = 0.95,
    json_file: Json = None,
) -> None:
    """Estimate the true accuracy of all rows from the labels of some and the scores of all.

    Prediction-powered inference (PPI++, Angelopoulos et al. 2023): scores that agree with the labels make the interval
    narrower; scores that do not are not trusted, and cannot make it wrong. Beside it stand the plain means.
    """
    with told_errors("estimate"):
        from ..estimation.joining import Names, join, read_labels, read_scored
        from ..estimation.powered import estimate as estimated
        from ..estimation.report import as_json, show
        from ..files.writing import check_different, check_place

        if json_file is not None:
            check_place(json_file)
        check_different({"--scored": scored, "--json": json_file})
        check_different({"--labels": labels, "--json": json_file})
        names = Names(score_column, identity or (), label, weight, cluster, by)
        joined = join(read_scored(scored, names), read_labels(labels, names), names)
        found = estimated(
            joined.scores,
            joined.labels,
            weights=joined.weights,
            clusters=joined.clusters,
            groups=joined.groups,
            differences=[_pair(text) for text in difference or []],
            confidence=confidence,
        )
        if json_file is not None:
            from ..files.outputs import write_json

            write_json(json_file, as_json(joined, found))
        show(joined, found)


def _pair(text: str) -> tuple[str, str]:
    one, comma, other = (part.strip() for part in text.partition(","))
    if not (one and comma and other) or "," in other:
        raise ValueError(f"--difference {text!r}: expected two values by a comma, such as gpt-4,llama")
    return one, other
