"""The file of rows for a person to label."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from evaluate_qa.metrics._shared.messages import pluralize

from ..cascading.labeled_scores import verdict_threshold
from ..estimation.ppi import FEWEST
from ..files.column_names import names_of
from ..files.columns import read_columns
from ..files.rows import Row, RowsError, file_format
from ..files.values import is_formula
from ..files.writing import check_target, write_rows
from ..joining.column_roles import ColumnNames
from ..joining.keys import ID, TEXTS, index_rows, key_names, text_names
from ..joining.labels import LABELS, WEIGHT, Places, cluster_column, clusters_of, parse_numbers, parse_probabilities
from ..joining.signatures import column_beside
from ..uncertainty.arrays import Floats
from .samples import draw


def write_sample(
    source: str,
    target: str,
    names: ColumnNames,
    more: Sequence[str],
    count: int,
    stratified: bool,
    seed: int,
    by: str | None = None,
) -> tuple[int, int, list[str]]:
    """Draw rows and write them with an empty label, with sampling weights if the draw is stratified.

    Scores are not written, because they would bias the person. Rows without a score are not drawn, unless no row has
    one. The target must not exist, as it may hold labels. `more` are other columns for the person to see.

    A `stratified` sample has more of the rows with scores near the threshold of the verdicts, or else 0.5. With `by`, a
    column of doubts from 0 to 1 such as disagreement, it has more of the rows with large values; rows without a value,
    such as those that a matcher decided, count as 0.

    Return the number of drawn rows, the number of rows that could be drawn, and a warning if the drawn rows cover too
    few clusters for an interval.
    """
    _check_new(target)
    texts = [name for column in TEXTS for name in names_of(column)]
    verdict = column_beside(names.score, "verdict")
    file = read_columns(source, [ID, *names.id, *texts, *more, names.score, verdict, names.cluster or ID, by or ID])
    (identity,) = key_names([file], names.id, ("questions", "predictions"))
    index_rows(file, identity)  # raises RowsError if two rows share a key
    for name in more:
        file.named(name)
    needs_scores = stratified or names.score in file.present or names.score != ColumnNames.score
    scores = parse_probabilities(file, names.score) if needs_scores else np.zeros(len(file))
    there = np.flatnonzero(~np.isnan(scores))
    doubts = None if by is None else np.nan_to_num(parse_numbers(file, by, "Name another column with --by.", 0, 1))
    values = doubts
    if stratified:  # the strata are for a threshold of 0.5
        values = np.interp(scores, (0, verdict_threshold(file, verdict, scores) or 0.5, 1), (0, 0.5, 1))
    drawn, weights = draw(len(there), count, None if values is None else values[there], seed, doubts is not None)
    seen = dict.fromkeys([ID, *text_names(file.present), *identity, *more])
    shown = {name: file.values[name] for name in seen if name in file.values}
    write_rows(target, _rows(shown, there[drawn], weights, file_format(target) == ".csv"))
    clusters = clusters_of(file, names, there) or list(map(str, there))
    return len(drawn), len(there), _warnings(clusters, drawn, cluster_column(file, names), target)


def _warnings(clusters: Sequence[str], drawn: Places, column: str | None, target: str) -> list[str]:
    covered = len({clusters[place] for place in drawn.tolist()})
    if covered >= FEWEST:
        return []
    fix = f"Remove {target}, and draw more with --rows."
    if len({*clusters}) < FEWEST:
        fix = "Score more rows, or name another column with --column cluster=NAME."
    values = pluralize(covered, "different value")
    return [f"these rows cover {values} of {column!r}, and an interval needs at least {FEWEST}. {fix}"]


def _rows(shown: dict[str, list[object]], places: Places, weights: Floats | None, is_csv: bool) -> Iterator[Row]:
    for number, place in enumerate(places.tolist()):
        row = {name: column[place] for name, column in shown.items()}
        if is_csv:
            # `keys.normalize_spaces` removes the blank.
            row = {name: f" {value}" if is_formula(value) else value for name, value in row.items()}
        weight = {} if weights is None else {WEIGHT: float(weights[number])}
        yield {**row, LABELS[0]: None, **weight}


def _check_new(target: str) -> None:
    check_target(target)
    if file_format(target) == ".parquet":
        raise RowsError(f"{target}: Parquet files cannot be labeled by hand. Use .csv or .jsonl.")
    if Path(target).is_file():
        raise RowsError(f"{target} already exists, and may hold labels. Name another file, or remove it.")
