"""The API: `/score` and `/explain` for one answer, and `/batch` for many. Agents see the same endpoints as MCP tools.

The parameters have the names of fields and options. The tools are called `score_answer`, `explain_answer` and
`score_file`; on the Hub, Gradio puts the Space's name before them.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, get_type_hints

import gradio as gr

from evaluate_qa.joining.signatures import merge_signatures

from ..metric.declared import ChoiceControl, Control
from ..metric.hosted import HostedScorer, Row
from ..metric.outcome import Outcome
from ..metric.specification import Field, Specification
from ..scoring import batch
from ..scoring.answering import analyze, as_record, as_text, explain, message_of
from ..scoring.certainty import as_figures, certainty
from ..scoring.files import OTHER, from_mapping, parse_rows
from ..scoring.records import records_of

_KINDS = {"text": str, "lines": list[str], "numbers": list[float], "video": dict[str, Any]}
# Clients in Python have `gradio_client.handle_file` for this.
_UPLOAD = (
    "post the file as `files` to /gradio_api/upload, then pass "
    '{"path": the path in the reply, "meta": {"_type": "gradio.FileData"}}.'
)


class Parameter(NamedTuple):
    """A parameter of an endpoint, with the label and description on the page about the API."""

    name: str
    kind: Any
    label: str
    info: str
    default: Any = inspect.Parameter.empty


def _functions(specification: Specification, scorer: HostedScorer) -> list[Callable[..., Any]]:
    """Return the functions of `/score`, `/explain` and `/batch`."""

    def outcome(given: Mapping[str, Any]) -> tuple[Row, Outcome]:
        options = specification.options([given[control.name] for control in specification.controls])
        analysis = analyze(specification, scorer, from_mapping(specification.fields, given), options)
        found = explain(specification, scorer, analysis, options)
        if found.signature is None:  # a blank answer has the same one, and costs no request of a judge
            blank = scorer.compute([analysis.original | {"predictions": ""}], specification.arguments(options))
            found = replace(found, signature=blank["signature"])
        return analysis.row, found

    def score_answer(**given: Any) -> dict[str, Any]:
        """Score one answer. Returns score, verdict, best_reference, components, marked, why and signature."""
        return as_record(outcome(given)[1])

    def explain_answer(**given: Any) -> str:
        """Explain in words how one answer is scored: verdict, reasons, components, parts that counted, signature."""
        row, found = outcome(given)
        return as_text(found, row["predictions"])

    def score_file(rows: list[Row] | str, **given: Any) -> dict[str, Any]:
        """Score many answers. Returns overall score, interval, signature, one record per answer, and skipped rows.

        If the rows have `prediction_b`, two systems' answers are scored and compared.
        """
        options = specification.options([given[control.name] for control in specification.controls])
        *_, scored = batch.score(specification, scorer, parse_rows(rows, specification.fields), options)
        problems = [scored.stopped] * bool(scored.stopped) + scored.problems
        signatures = merge_signatures(scored.signatures)
        found, other = certainty(scored), {"score_b": scored.other.score} if scored.other else {}
        sure = {"certainty": None if found is None else as_figures(found), "signature": ", ".join(signatures)}
        return {"score": scored.score, **other, **sure, "rows": records_of(scored), "problems": problems}

    return [score_answer, explain_answer, score_file]


def add_api(page: gr.Blocks, specification: Specification, scorer: HostedScorer) -> None:
    """Add the endpoints to the page; `/batch` only if the Space scores files."""
    score_answer, explain_answer, score_file = _functions(specification, scorer)
    options = [_option(control) for control in specification.controls]
    # Required parameters first, and the answer before the others.
    fields = sorted(specification.fields, key=lambda field: (field.is_optional, field.column != "predictions"))
    for function, name in ((score_answer, "score"), (explain_answer, "explain")):
        parameters = [*map(_field, fields), *options]
        _add(page, function, parameters, api_name=name, concurrency_id="score", concurrency_limit=1)
    if specification.video is None:
        names = ", ".join(f"{field.name} (optional)" if field.is_optional else field.name for field in fields)
        info = (
            f"One object per answer, with the keys {names}, and {OTHER} (optional) for a second system's answer; or "
            "the text of a JSON list, or of a JSONL or CSV file with these columns."
        )
        rows = Parameter("rows", list[dict[str, Any]] | str, "Rows", info)
        _add(page, score_file, [rows, *options], api_name="batch", concurrency_id="batch", concurrency_limit=2)


def _field(field: Field) -> Parameter:
    kind, info = _KINDS[field.kind], field.info
    if field.kind == "video":
        info = f"{field.info}; {_UPLOAD}"
    if field.is_optional:
        return Parameter(field.name, kind | None, field.label, info, None)
    return Parameter(field.name, kind, field.label, info)


def _option(control: Control) -> Parameter:
    labels = control.labels if isinstance(control, ChoiceControl) else {}
    values = "; ".join(f"{value}: {label}" for value, label in labels.items())
    return Parameter(control.name, control.type, control.label, f"{control.info} {values}".strip(), control.shown)


def _add(page: gr.Blocks, function: Callable[..., Any], parameters: Sequence[Parameter], **queue: Any) -> None:
    """Add a function to the API, with these parameters, and with errors that a client may see."""
    signature = inspect.Signature(
        [
            inspect.Parameter(p.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=p.default, annotation=p.kind)
            for p in parameters
        ],
        return_annotation=get_type_hints(function)["return"],
    )

    def endpoint(*values: Any) -> Any:
        try:
            return function(**signature.bind(*values).arguments)
        except Exception as error:
            raise gr.Error(message_of(error), print_exception=False) from None

    # Gradio reads names, types, defaults and descriptions from these; the name and "Args" are those of the tool.
    arguments = "".join(f"    {p.name}: {p.label}. {p.info}\n" for p in parameters)
    endpoint.__name__, endpoint.__doc__ = function.__name__, f"{inspect.getdoc(function)}\n\nArgs:\n{arguments}"
    endpoint.__annotations__ = {parameter.name: parameter.kind for parameter in parameters}
    endpoint.__signature__ = signature  # type: ignore[attr-defined]
    added = gr.api(endpoint, **queue)
    # Gradio labels the parameters "1st", "2nd", …
    for number, parameter in zip(added["inputs"], parameters, strict=True):
        block: Any = page.blocks[number]
        block.label = parameter.label
        block._api_info = {**block._api_info, "additional_description": parameter.info}
    result: Any = page.blocks[added["outputs"][0]]
    result.label = "result"
