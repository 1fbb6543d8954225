"""The API: `/score` for one answer and `/batch` for many, with the names of fields and options as parameters."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import gradio as gr

from ..metric.declared import ChoiceControl, Control
from ..metric.hosted import HostedScorer, Row
from ..metric.specification import Field, Specification
from ..scoring import batch
from ..scoring.answering import analyze, as_record, explain, message_of
from ..scoring.certainty import as_figures, certainty
from ..scoring.files import OTHER, UploadedTable, collect
from ..scoring.records import records_of
from ..scoring.rows import from_mapping
from ..visitors.limits import Refusal

_KINDS = {"text": str, "lines": list[str], "numbers": list[float], "video": dict[str, Any]}


class Parameter(NamedTuple):
    """A parameter of an endpoint, with the label and description on the page about the API."""

    name: str
    kind: Any
    label: str
    info: str
    default: Any = inspect.Parameter.empty


def add_api(page: gr.Blocks, specification: Specification, scorer: HostedScorer) -> None:
    """Add the endpoints to the page; `/batch` only if the Space scores files."""

    def score(**given: Any) -> dict[str, Any]:
        """Score one answer. Returns score, verdict, best_reference, components, marked and why."""
        options = specification.options([given[control.name] for control in specification.controls])
        analysis = analyze(specification, scorer, from_mapping(specification.fields, given), options)
        return as_record(explain(specification, scorer, analysis, options))

    def score_rows(rows: list[Row], **given: Any) -> dict[str, Any]:
        """Score many answers. Returns the overall score, its interval, one record per answer, and the skipped rows.

        If the rows have `prediction_b`, two systems' answers are scored and compared.
        """
        if not isinstance(rows, list):
            raise Refusal("rows: expected a list of objects, one per answer.")
        options = specification.options([given[control.name] for control in specification.controls])
        table = collect(UploadedTable("rows", ""), enumerate(rows, 1), specification.fields)
        *_, scored = batch.score(specification, scorer, table, options)
        problems = [scored.stopped] * bool(scored.stopped) + scored.problems
        found, other = certainty(scored), {"score_b": scored.other.score} if scored.other else {}
        sure = {"certainty": None if found is None else as_figures(found)}
        return {"score": scored.score, **other, **sure, "rows": records_of(scored), "problems": problems}

    options = [_option(control) for control in specification.controls]
    # Required parameters first, and the answer before the others.
    fields = sorted(specification.fields, key=lambda field: (field.is_optional, field.column != "predictions"))
    _add(page, score, [*map(_field, fields), *options], api_name="score", concurrency_id="score", concurrency_limit=1)
    if specification.video is None:
        names = ", ".join(f"{field.name} (optional)" if field.is_optional else field.name for field in fields)
        info = f"One object per answer, with the keys {names}, and {OTHER} (optional) for a second system's answer."
        rows = Parameter("rows", list[dict[str, Any]], "Rows", info)
        _add(page, score_rows, [rows, *options], api_name="batch", concurrency_id="batch", concurrency_limit=2)


def _field(field: Field) -> Parameter:
    kind = _KINDS[field.kind]
    if field.is_optional:
        return Parameter(field.name, kind | None, field.label, field.info, None)
    return Parameter(field.name, kind, field.label, field.info)


def _option(control: Control) -> Parameter:
    labels = control.labels if isinstance(control, ChoiceControl) else {}
    values = "; ".join(f"{value}: {label}" for value, label in labels.items())
    return Parameter(control.name, control.type, control.label, f"{control.info} {values}".strip(), control.shown)


def _add(
    page: gr.Blocks, function: Callable[..., dict[str, Any]], parameters: Sequence[Parameter], **queue: Any
) -> None:
    """Add a function to the API, with these parameters, and with errors that a client may see."""
    signature = inspect.Signature(
        [
            inspect.Parameter(p.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=p.default, annotation=p.kind)
            for p in parameters
        ],
        return_annotation=dict[str, Any],
    )

    def endpoint(*values: Any) -> dict[str, Any]:
        try:
            return function(**signature.bind(*values).arguments)
        except Exception as error:
            raise gr.Error(message_of(error), print_exception=False) from None

    # Gradio reads the names, types and defaults from these.
    endpoint.__doc__ = function.__doc__
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
