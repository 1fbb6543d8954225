"""`evaluate-qa cascade`: find the answers that should go to an LLM judge."""

from contextlib import suppress
from typing import Annotated

from ..parameters import Json, Source, role_columns
from ..terminal import options_of, reported_errors

_rule = options_of("Rule")
_ROLES = ("score", "verdict", "label", "judge", "cluster")


def cascade(
    source: Source,
    target: Annotated[
        float, _rule("Require at least this agreement with people on the answers that the metric decides (0 to 1).")
    ] = 0.95,
    threshold: Annotated[
        float | None,
        _rule("Let the metric call answers with at least this score correct (default: as its verdicts, or else 0.5)."),
    ] = None,
    prices: Annotated[
        str | None,
        _rule(
            "Compute costs with these prices per million request and reply tokens, such as 2.5,10. The file needs the "
            "columns judge_tokens_in and judge_tokens_out, which score --metric judge --prefix judge_ adds (default: "
            "no costs)."
        ),
    ] = None,
    column: Annotated[list[str] | None, role_columns(*_ROLES)] = None,
    json_file: Json = None,
) -> None:
    """Find which answers should go to the LLM judge (a band of scores).

    The input holds a metric's scores, which `evaluate-qa score` adds, and human labels. The command finds the narrowest
    band of scores, ask=(low, high), outside which the metric agrees with people at the rate --target, with 95%
    confidence, if the labeled rows are a random sample (Trust or Escalate, Jung et al. 2024). If several rows share a
    question, one random row is used. For this and other bands, it prints the share of answers for the judge, and how
    often metric, cascade and judge agree with people.
    """
    with reported_errors("cascade"):
        from ..cascading.labeled_scores import read_labeled_scores
        from ..cascading.report import find_cascade, show
        from ..files.writing import check_outputs, write_json
        from ..joining.column_roles import parse_columns

        check_outputs({"--json": json_file}, {"--input": source})
        priced = None if prices is None else _pair(prices)
        rows = read_labeled_scores(source, parse_columns(column, _ROLES), threshold)
        cost = None
        if priced:
            if not rows.tokens:
                raise ValueError(
                    f"{source} has no tokens in columns judge_tokens_in and judge_tokens_out, which --prices needs. "
                    "Add them with evaluate-qa score --metric judge --prefix judge_, or leave out --prices."
                )
            cost = (rows.tokens[0] * priced[0] + rows.tokens[1] * priced[1]) / 1e6
        found = find_cascade(rows, target, cost)
        write_json(json_file, found)
        show(found)


def _pair(text: str) -> tuple[float, float]:
    with suppress(ValueError):
        one, other = map(float, text.split(","))
        if 0 <= one < float("inf") and 0 <= other < float("inf"):
            return one, other
    raise ValueError(
        f"--prices is {text!r}; expected two numbers of at least 0 with a comma between them, such as 2.5,10"
    )
