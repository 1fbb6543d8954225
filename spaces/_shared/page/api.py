"""The API: `/score` for one answer, `/batch` for many, with arguments that have the names of fields and options."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from ..metric import Field, HostedScorer, Row, Specification
from ..scoring import batch
from ..scoring.answering import analyse, as_record, explain, told
from ..scoring.certainty import as_figures, certainty
from ..scoring.files import UploadedTable, collect
from ..scoring.records import records_of
from ..scoring.rows import from_mapping
from ..scoring.videos import Videos, read_videos
from ..visitors.limits import Refusal
from ..visitors.uploads import uploaded

_KINDS = {"text": str, "lines": list[str], "numbers": list[float], "video": dict[str, Any]}


def add_api(specification: Specification, scorer: HostedScorer) -> None:
    """Add both endpoints to the page that is being built."""

    def score(**given: Any) -> dict[str, Any]:
        """Score one answer. Returns score, verdict, best_reference, components, marked and why."""
        options = specification.options([given[control.name] for control in specification.controls])
        analysed = analyse(specification, scorer, from_mapping(specification.fields, given), options)
        return as_record(explain(specification, scorer, analysed, options))

    def score_rows(rows: list[Row], videos: Sequence[Any] = (), **given: Any) -> dict[str, Any]:
        """Score many answers. Returns the overall score, its interval, one record per answer, and the skipped rows.

        If the rows have `prediction_b`, two systems' answers are scored and compared.
        """
        if not isinstance(rows, list) or not isinstance(videos, (list, tuple)):
            raise Refusal("rows and videos: expected a list of objects, one per answer, and a list of files.")
        options = specification.options([given[control.name] for control in specification.controls])
        table = collect(UploadedTable("rows", ""), enumerate(rows, 1), specification.file_fields)
        paths = [uploaded("videos", video) for video in videos]
        *_, known = read_videos(specification, scorer, Videos(), paths)
        *_, scored = batch.score(specification, scorer, table, options, known)
        problems = [scored.stopped] * bool(scored.stopped) + scored.problems
        found, other = certainty(scored), {"score_b": scored.other.score} if scored.other else {}
        sure = {"certainty": None if found is None else as_figures(found)}
        return {"score": scored.score, **other, **sure, "rows": records_of(scored), "problems": problems}

    options = [_parameter(control.name, control.type, control.shown) for control in specification.controls]
    rows = _parameter("rows", list[dict[str, Any]])
    fields = [_field(field) for field in sorted(specification.fields, key=_place)]
    gr.api(_endpoint(score, [*fields, *options]), api_name="score", concurrency_id="score", concurrency_limit=1)
    many = [rows, _parameter("videos", list[dict[str, Any]])] if specification.reader else [rows]
    gr.api(_endpoint(score_rows, [*many, *options]), api_name="batch", concurrency_id="batch", concurrency_limit=2)


def _place(field: Field) -> tuple[bool, bool]:
    """Return what sorts the arguments: those that must be given first, and the answer before all."""
    return _may_be_left_out(field), field.column != "predictions"


def _may_be_left_out(field: Field) -> bool:
    return not field.required and field.column != "predictions"


def _field(field: Field) -> inspect.Parameter:
    kind = _KINDS[field.kind]
    return _parameter(field.name, kind | None, None) if _may_be_left_out(field) else _parameter(field.name, kind)


def _parameter(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind)


def _endpoint(function: Callable[..., dict[str, Any]], parameters: Sequence[inspect.Parameter]) -> Callable[..., Any]:
    """Return the function with these parameters, and errors that a client may see."""
    signature = inspect.Signature(parameters, return_annotation=dict[str, Any])

    def endpoint(*values: Any) -> dict[str, Any]:
        try:
            return function(**signature.bind(*values).arguments)
        except Exception as error:
            raise gr.Error(told(error), print_exception=False) from None

    endpoint.__doc__ = function.__doc__
    endpoint.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    # What gradio reads the names, types and defaults from.
    endpoint.__signature__ = signature  # type: ignore[attr-defined]
    return endpoint
