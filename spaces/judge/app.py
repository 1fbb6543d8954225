"""The Space of judge, with a demo on recorded verdicts, and with visitors' own endpoints."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from evaluate_qa.files.rows import read_rows
from evaluate_qa.metrics._shared.endpoint import Endpoint
from evaluate_qa.metrics.judge.options import DEFAULT_BAND
from evaluate_qa.metrics.judge.protocols import load_protocol
from evaluate_qa.metrics.judge.scoring import needs_judge
from evaluate_qa.scoring.columns import MetricColumns
from evaluate_qa.spaces._shared.drawing import markup
from evaluate_qa.spaces._shared.metric.hosted import HostedScorer, Row
from evaluate_qa.spaces._shared.metric.outcome import Bar, Outcome, evidence_marks
from evaluate_qa.spaces._shared.metric.specification import MONA_LISA, NILE, RADIUM, Example, Specification, boxes
from evaluate_qa.spaces._shared.scoring.answering import message_of
from evaluate_qa.spaces._shared.visitors.endpoints import VisitorEndpoint, public_address
from evaluate_qa.verdict_files import VerdictDefaults, import_verdicts

VERDICTS = Path(__file__).with_name("verdicts.jsonl")
# The endpoints that visitors may enter: "" for none, "public" or "any"; see README.md.
ENDPOINTS = os.environ.get("JUDGE_ENDPOINTS", "")
if ENDPOINTS:
    import aiohttp  # noqa: F401 - else the first request would import it; see `_shared.page.frame.launch`

NEVER, ALWAYS = (0, 0), (0, 1)
# Options of `load` in the Python code if the visitor has no endpoint; publishing names the matcher's Space.
PYTHON = {"endpoint": "http://localhost:8000/v1", "model": "my-model", "first": "bem"}
# Shorter than the metric's defaults, because visitors wait.
SECONDS, RETRIES, CONCURRENCY = 20.0, 1, 8

DEMO = """\
The fast metric bem scores every answer below. Where it is **confident**, its verdict stands; otherwise the **judge**
decides. Drag the sliders to change the band of scores that go to the judge.

The judge of this demo is a person: the verdicts were written by hand and stand in for a model. They also serve as the
truth here, so a judge who decides every answer makes no mistake. The answers were chosen to show each case. The figures
say nothing about real data."""

OWN_TEXTS = {
    "": "This Space has no judge for your own texts. Start it yourself with JUDGE_ENDPOINTS=any, or use the code on "
    "the tab Python.",
    "given": "To judge your own texts, enter an endpoint under “Your own judge”.",
}


def recorded_rows() -> list[dict[str, Any]]:
    """Return the recorded verdicts, each with its row."""
    return [row for _, row in read_rows(VERDICTS)]


@cache
def import_recorded() -> Mapping[str, Any]:
    """Import the verdicts into a cache; return the options of `load` that use it."""
    folder = Path(tempfile.mkdtemp(prefix="judge-verdicts-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    import_verdicts(str(VERDICTS), folder, VerdictDefaults(None, load_protocol("default"), MetricColumns()))
    return {"model": recorded_rows()[0]["model"], "cache_dir": str(folder), "first": "bem"}


@dataclass(frozen=True)
class BothVerdicts:
    """The metric's columns for a row if the matcher decides, and if the judge does (None if it was not asked).

    If `recorded`, the judge's verdicts are the recorded ones.
    """

    matcher: Mapping[str, list[Any]]
    judge: Mapping[str, list[Any]] | None
    recorded: bool


def analyze(scorer: HostedScorer, row: Row, options: Any) -> BothVerdicts:
    """Ask the matcher, and the judge if its verdict is needed or recorded."""
    matcher = scorer.compute([row], {"ask": NEVER})["per_example"]
    is_recorded = scorer.metric.load_options.endpoint is None
    needed = is_recorded or needs_judge(matcher["score"], band_of(options))[0]
    judge = scorer.compute([row], {"ask": ALWAYS})["per_example"] if needed else None
    return BothVerdicts(matcher, judge, is_recorded)


def band_of(options: Any) -> tuple[float, float]:
    """Return the band of the matcher's scores in which the judge decides."""
    low, high = options.ask or DEFAULT_BAND
    return low, high


def explain(scorer: HostedScorer, row: Row, verdicts: BothVerdicts, options: Any) -> Outcome:
    """Return the matcher's verdict where it is confident, else the judge's."""
    matcher_score, band = verdicts.matcher["score"][0], band_of(options)
    asked = needs_judge([matcher_score], band)[0]
    columns = verdicts.judge if asked else verdicts.matcher
    score, verdict, best = (columns[name][0] if columns else None for name in ("score", "verdict", "best_reference"))
    bars = [Bar("bem", matcher_score, "bem's probability that the answer is right")]
    if asked and score is not None:
        by = "recorded by hand" if verdicts.recorded else "at your endpoint"
        bars.append(Bar("Judge", score, f"the judge's probability that the answer is right ({by})"))
    return Outcome(
        score=score,
        bars=bars,
        marks=[] if asked or best is None else evidence_marks(row, best),
        why=_why(verdicts, matcher_score, band, asked),
        verdict=verdict,
        best_reference=best,
    )


def _why(verdicts: BothVerdicts, matcher_score: float, band: tuple[float, float], asked: bool) -> str:
    low, high = band
    if band == NEVER:
        return f"bem decides, with a probability of {matcher_score:.2f}. The judge is never asked."
    if not asked:
        side = f"below {low:g}" if matcher_score < low else f"{high:g} or more"
        return f"bem is confident: {matcher_score:.2f} is {side}. The judge is not asked."
    unsure = f"bem is not confident: {matcher_score:.2f} is between {low:g} and {high:g}. The judge is asked"
    begun = "The judge is asked about every answer" if band == ALWAYS else unsure
    if verdicts.judge is None:
        return f"{begun}. Press Score."
    if verdicts.judge["judge_label"][0] is None:
        missing = OWN_TEXTS["given" if ENDPOINTS else ""] if verdicts.recorded else verdicts.judge["error"][0]
        return f"{begun}, but there is no verdict. {missing}"
    return f"{begun}. Its verdict is “{verdicts.judge['judge_label'][0]}”."


@dataclass(frozen=True)
class DemoAnswer:
    """An answer with the verdicts of matcher and judge; `asked` is True if the judge decides it."""

    question: str
    references: Sequence[str]
    answer: str
    score: float
    matcher_verdict: bool
    label: str
    judge_verdict: bool
    reason: str
    asked: bool = False

    @property
    def verdict(self) -> bool:
        """The cascade's verdict."""
        return self.judge_verdict if self.asked else self.matcher_verdict

    @property
    def is_mistake(self) -> bool:
        """True if the cascade's verdict is wrong."""
        return self.verdict != self.judge_verdict


def demo_answers(scorer: HostedScorer) -> list[DemoAnswer]:
    """Return the answers of the demo with the verdicts of matcher and judge, in the order of the matcher's score."""
    lines = recorded_rows()
    names = {"questions": "question", "references": "references", "predictions": "prediction"}
    answers = [{column: line[name] for column, name in names.items()} for line in lines]
    matcher, judge = (scorer.compute(answers, {"ask": ask})["per_example"] for ask in (NEVER, ALWAYS))
    found = [
        DemoAnswer(line["question"], line["references"], line["prediction"], score, fast, label, judged, line["reason"])
        for line, score, fast, label, judged in zip(
            lines, matcher["score"], matcher["verdict"], judge["judge_label"], judge["verdict"], strict=True
        )
    ]
    return sorted(found, key=lambda answer: answer.score)


def draw_cascade(answers: Sequence[DemoAnswer], band: tuple[float, float]) -> str:
    """Return figures, a picture and lists of the answers that the matcher and the judge decide."""
    asked = needs_judge([answer.score for answer in answers], band)
    answers = [replace(answer, asked=is_asked) for answer, is_asked in zip(answers, asked, strict=True)]
    count, (low, high) = len(answers), band
    alone = sum(one.matcher_verdict == one.judge_verdict for one in answers)
    together = sum(not one.is_mistake for one in answers)
    figures = {
        "Answers sent to the judge": (f"{sum(asked)} of {count}", ""),
        "Requests per 1,000 answers": (f"{1000 * sum(asked) / count:.0f}", ""),
        "Correct verdicts: bem alone": (f"{alone} of {count}", ""),
        "Correct verdicts: bem and judge": (f"{together} of {count}", ""),
    }
    groups = {
        f"bem decides: below {low:g}": [one for one in answers if not one.asked and one.score < low],
        f"The judge decides: {low:g} to {high:g}": [one for one in answers if one.asked],
        f"bem decides: {high:g} or more": [one for one in answers if not one.asked and one.score >= low],
    }
    return markup.render("cascade", figures, answers, low, high, groups)


def demo(scorer: HostedScorer, page: Any) -> None:
    """Lay out the tab Demo: the cascade on the recorded verdicts, with sliders for its band."""
    import gradio as gr

    answers = cache(partial(demo_answers, scorer))

    def draw(low: float, high: float) -> str:
        try:
            return draw_cascade(answers(), (min(low, high), max(low, high)))
        except Exception as error:
            return markup.problem(message_of(error))

    def slider(name: str, label: str, value: float) -> Any:
        return gr.Slider(0, 1, value, step=0.01, label=label, buttons=[], min_width=280, elem_id=f"demo-{name}")

    gr.Markdown(DEMO)
    low, high = DEFAULT_BAND
    with gr.Row():
        ends = [slider("low", "Ask the judge above", low), slider("high", "Ask the judge below", high)]
    shown = gr.HTML(markup.note("Loading the model …"), elem_id="demo-shown")
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    page.load(draw, ends, shown, **quiet)
    for end in ends:
        end.input(draw, ends, shown, queue=False, trigger_mode="always_last", **quiet)


def with_endpoint(scorer: HostedScorer, given: VisitorEndpoint) -> HostedScorer:
    """Return a scorer that asks the visitor's endpoint."""
    endpoint = Endpoint(
        given.url,
        given.model,
        given.key,
        CONCURRENCY,
        SECONDS,
        RETRIES,
        resolve=None if ENDPOINTS == "any" else public_address,
    )
    metric = scorer.metric
    return scorer.with_metric(type(metric)(endpoint=endpoint, model=given.model, first=metric.matcher))


FIELDS = boxes("Both bem and the judge read it.", required=True, limits="")
EXAMPLES = {
    **RADIUM,
    "In other words": Example({**MONA_LISA, "predictions": "Leonardo painted it, in Florence."}),
    "A number": Example({**NILE, "predictions": "It is 6,560 km long."}),
}
SPECIFICATION = Specification(
    "judge",
    FIELDS,
    EXAMPLES,
    explain,
    analyze,
    loading=import_recorded,
    python=PYTHON,
    demo=demo,
    asking=with_endpoint if ENDPOINTS else None,
)

if __name__ == "__main__":
    from evaluate_qa.spaces._shared.page.frame import launch

    launch(SPECIFICATION)
