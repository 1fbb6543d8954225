"""`evaluate-qa cascade`: of which answers the matcher is sure enough, and about which a language model is asked."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..terminal import options_of, told_errors

if TYPE_CHECKING:
    from ..cascading.curve import Labelled

_columns, _sets, _out = map(options_of, ("Columns", "Sets", "Output"))

# Of the columns that a metric adds, so that none is there already.
_PREFIX = "matcher: "


def cascade(
    source: Annotated[
        str | None, typer.Option("--input", "-i", help="Rows that people have labelled: JSONL, CSV or Parquet.")
    ] = None,
    data: Annotated[
        list[str] | None,
        _sets(
            "Instead of --input, sets that count alike: evouna, efficientqa, semeval2013, saf, or a file as for fit."
        ),
    ] = None,
    data_dir: Annotated[Path | None, _sets("Folder with their source files, instead of downloading them.")] = None,
    limit: Annotated[int, _sets("Answers of each set, at most.", "--rows")] = 600,
    target: Annotated[float, typer.Option(help="Agreement with people that the matcher is to keep.")] = 0.95,
    confidence: Annotated[float, typer.Option(help="Probability with which it does.")] = 0.95,
    threshold: Annotated[float, typer.Option(help="Score from which the matcher calls an answer correct.")] = 0.5,
    metric: Annotated[
        str | None,
        typer.Option("--metric", "-m", help="Matcher that scores rows without scores, such as bem."),
    ] = None,
    load: Annotated[list[str] | None, typer.Option(help="name=value for evaluate.load of --metric.")] = None,
    column: Annotated[
        list[str] | None, _columns("Where a column of --metric is found: predictions=answer. Repeatable.")
    ] = None,
    score_column: Annotated[str, _columns("The matcher's probabilities.")] = "score",
    label: Annotated[str | None, _columns("People's verdicts. By default label or correct.")] = None,
    judge: Annotated[
        str | None, _columns("The model's verdicts, where they are known. By default judge_verdict or judge.")
    ] = None,
    prices: Annotated[str | None, typer.Option(help="Of a million tokens, of requests and of replies: 2.5,10.")] = None,
    tokens: Annotated[
        str | None, typer.Option(help="Of a request and a reply: 350,2. By default from judge_tokens_in and _out.")
    ] = None,
    json_file: Annotated[Path | None, _out("File for all figures, unrounded.", "--json")] = None,
    plot: Annotated[Path | None, _out("File for a drawing: .png, .svg or .pdf.")] = None,
) -> None:
    """Choose the band of the matcher's scores in which the judge is asked: ask=(low, high).

    It is the narrowest one that keeps the matcher's agreement with people outside of it above the target, with 95%
    confidence, if the labelled rows are a random sample (Trust or Escalate, Jung et al. 2024). What is asked, and how
    far matcher, cascade and model agree with people, is printed for other bands, too.

    Of several sets, --data, it is chosen by estimate: .95 of what lies beyond each end agrees, each set counting alike.
    """
    with told_errors("cascade"):
        from ..cascading.curve import cost_of_one
        from ..cascading.drawing import draw
        from ..cascading.reading import Names, read
        from ..cascading.report import as_json, find, show
        from ..cascading.several import as_json as as_json_of_sets
        from ..cascading.several import choose
        from ..cascading.several import show as show_sets
        from ..cascading.testing import check_shares
        from ..files.outputs import check_outputs, write_json

        if data:
            if source or plot or prices or not metric:
                raise ValueError("--data needs --metric, and takes no --input, --prices or --plot")
            check_outputs(json_file, None)
            check_shares(target=target, confidence=confidence, threshold=threshold)
            several = choose(_scored_sets(metric, load or [], data, data_dir, limit, threshold), target, confidence)
            if json_file is not None:
                write_json(json_file, as_json_of_sets(several))
            show_sets(several)
            return
        if source is None:
            raise ValueError("give rows that people have labelled, --input, or names of sets, --data")
        check_outputs(json_file, plot, inputs={"--input": Path(source)})
        priced, counted = _pair("--prices", prices), _pair("--tokens", tokens)
        scored = None if metric is None else lambda: _scores(metric, source, load or [], column or [])
        rows = read(source, Names(score_column, label, judge), threshold, scored)
        counted = counted or rows.tokens
        if priced and not counted:
            raise ValueError("--prices needs tokens: columns judge_tokens_in and judge_tokens_out, or --tokens 350,2")
        found = find(rows, target, confidence, cost_of_one(*counted, priced) if priced and counted else None)
        if json_file is not None:
            write_json(json_file, as_json(found))
        if plot is not None:
            draw(plot, found)
        show(found)


def _scored_sets(
    metric: str, load: list[str], data: list[str], data_dir: Path | None, limit: int, threshold: float
) -> "dict[str, Labelled]":
    """Score answers of each set that the shipped matcher was not trained on."""
    import numpy as np

    from ..cascading.several import labelled
    from ..loading import load_metric
    from ..options import parse_options
    from ..training.sources import read_sets, sample

    if limit < 1:
        raise ValueError(f"--rows is {limit}; expected 1 or more")
    sets = read_sets(data, data_dir)
    matcher, found = load_metric(metric, **parse_options(load, metric)), {}
    for one in sets:
        rows = sample(one.left_out, limit)
        result = matcher.compute(
            predictions=[row.answer for row in rows],
            references=[row.references for row in rows],
            questions=[row.question for row in rows],
        )
        scores = np.array(result["per_example"]["score"], dtype=float)
        found[one.name] = labelled(scores, np.array([bool(row.label) for row in rows]), threshold)
    return found


def _scores(metric: str, source: str, load: list[str], column: list[str]) -> Sequence[float | None]:
    """Score all rows by their texts."""
    if source == "-":
        raise ValueError("--metric needs an --input that is a file, as it is read twice")
    from ..files.rows import read_rows
    from ..loading import load_metric
    from ..options import parse_options
    from ..scoring.columns import Columns, parse_columns
    from ..scoring.row_scorer import RowScorer

    columns = Columns(parse_columns(column), blanks=source.endswith(".csv"))
    scorer = RowScorer(load_metric(metric, **parse_options(load, metric)), source, columns, {}, prefix=_PREFIX)
    rows = list(read_rows(source, columns.lists()))
    scorer.require_columns(rows)
    return [row[f"{_PREFIX}score"] for row in scorer.score(rows).rows]


def _pair(option: str, text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        one, other = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"{option} is {text!r}; expected two numbers by a comma, such as 2.5,10") from None
    if not (0 <= one < float("inf") and 0 <= other < float("inf")):
        raise ValueError(f"{option} is {text!r}; expected two numbers of at least 0")
    return one, other
