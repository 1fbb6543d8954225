"""The judge: a language model decides whether answers are right."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any, ClassVar, cast

from .._shared.chat_models import ChatModel, LocalModel
from .._shared.columns import ANSWERS, Column, RowValueError, check_labels
from .._shared.endpoint import Endpoint
from .._shared.messages import pluralize, short_repr, warn
from .._shared.probes import is_folder, is_installed
from .._shared.rewards import ForReward
from .._shared.scorer import Scored
from .calibration import Weights, calibrate, check_labeled, fit_weights
from .client import JudgeClient, Jury, RecordedModel
from .decision_api import ASPECTS, DecisionQuestions
from .options import DEFAULT_BAND, JudgeLoading, JudgeOptions
from .scoring import BLANK, RowOutcome, aggregate_samples, alpha, cost, matcher_outcome, needs_judge, score
from .verdict_store import JudgedRow, VerdictStore

# The metrics of this package that can be matchers.
_MATCHERS = "bem, nli_lex or smile, or a judge that was loaded before"


@dataclass(frozen=True)
class JudgeScores(Scored):
    """The judge's scores, with the outcomes of the samples of each row."""

    samples: Sequence[Sequence[RowOutcome]] = ()

    def part(self, rows: Sequence[int]) -> "JudgeScores":
        """Return the scores of some rows, as of a call with only these rows."""
        return JudgeScores(super().part(rows).per_example, self.settings, samples=[self.samples[row] for row in rows])


class JudgeScorer(ForReward):
    """A language model judges whether an answer is right, given reference answers.

    The model runs behind an OpenAI-compatible endpoint or on this machine. It sees each distinct row of a call
    once; with `cache_dir`, once across calls. A blank answer counts as wrong and is not sent. Another metric, the
    matcher (`first`), can decide the rows that it is sure about.

    The model answers a chat prompt or, at a decision endpoint (`api`), typed questions with probabilities. Several
    models form a jury (`judges`), which decides by weighted votes.

    Returns:
        judge: Mean score, from 0 to 1, of the rows with a score.
        accuracy: Share of these rows that are judged correct.
        not_attempted: Share of these rows that are abstentions: blank, or so labeled by the judge or the matcher.
        accuracy_attempted: Accuracy of the other rows; None if there are no others.
        asked: Share of rows with a reply of the model, now or earlier.
        spread: With `samples`, the mean SD of a row's scores.
        flipped: With `swap`, the share of rows whose verdict changes when answer and reference are swapped.
        contradicts, complete, hedged, off_topic: With `aspects`, the mean probability of each of them.
        disagreement: With `judges`, the mean difference between the scores of two judges, from 0 to 1.
        alpha: With `judges`, Krippendorff's α of their verdicts when asked; None if all verdicts are equal.
        unscored: Number of rows without a verdict, because the request failed or the reply was unreadable.
        cost: With `prices`, the cost of this call; None if the server does not count tokens.
        signature: The settings that reproduce the numbers.
        per_example: Lists with one entry per row: score, verdict, judge_label, score_source, not_attempted, asked,
            cached, tokens_in, tokens_out, error, best_reference if it is known, reason if the protocol asks for it,
            samples and spread with `samples`, flipped with `swap`, confidence from a decision endpoint, aspects with
            `aspects`, judges (the number of verdicts) and disagreement with `judges`.

    Examples:
        >>> judge = evaluate_qa.load("judge", endpoint="http://localhost:8000/v1", model="my-model", first="bem")
        >>> out = judge.compute(  # bem is sure about both answers
        ...     predictions=["It was painted by Leonardo da Vinci.", "I do not know."],
        ...     references=["Leonardo da Vinci"] * 2, questions=["Who painted the Mona Lisa?"] * 2,
        ... )
        >>> out["per_example"]["judge_label"], out["asked"]
        (['correct', 'not attempted'], 0.0)
    """

    name = "judge"
    citation = Path(__file__).with_name("citation.bib").read_text(encoding="utf-8")
    urls = ("https://arxiv.org/abs/2306.05685",)
    columns: ClassVar[Mapping[str, Column]] = ANSWERS
    loading = JudgeLoading
    options = JudgeOptions
    means = ("asked", "spread", "flipped", "not_attempted", *ASPECTS, "disagreement")

    def __init__(self, config: str | None = None, **given: Any) -> None:
        super().__init__(config, **given)
        _ = self.matcher  # raises for a metric that cannot be a matcher

    def check_rows(self, columns: Mapping[str, list[Any]], options: Any = None) -> None:
        """Raise RowValueError for a row that the matcher refuses, or without the question that the protocol needs."""
        if self.matcher is not None and hasattr(self.matcher, "check_columns"):
            self.matcher.check_columns({name: rows for name, rows in columns.items() if name in self.matcher.columns})
        protocols = [load.loaded_protocol for load, _ in self.load_options.jury]
        needing = [protocol.name for protocol in protocols if protocol.needs_question]
        for row, question in enumerate(columns["questions"]):
            if needing and not question.strip():
                needed = f"a question, which the protocol {needing[0]!r} needs for every row"
                raise RowValueError(f"judge: questions[{row}] is {question!r}; expected {needed}", "questions", row)

    @property
    def gave_up(self) -> str | None:
        """Why the last call left out rows: 20 requests in a row had failed; None if it did not."""
        return next((judge.gave_up for judge in self.model.members if judge.gave_up), None)

    @cached_property
    def matcher(self) -> Any:
        """The matcher; None without one."""
        first = self.load_options.first
        if first is None:
            return None
        matcher = first if hasattr(first, "compute") else load_matcher(os.fspath(first), self.load_options.device)
        check_matcher(matcher)
        return matcher

    def prepare(self, options: JudgeOptions) -> None:
        """Load the judge; raise ValueError for options that need another one."""
        super().prepare(options)
        if options.ask is not None and self.load_options.first is None:
            raise ValueError("judge: ask is given without first; load the judge with a matcher, such as first='bem'")
        if options.samples > 1 and any(isinstance(judge.model, LocalModel) for judge in self.model.members):
            raise ValueError(
                "judge: samples is above 1, but a local model always gives the same reply; use samples=1 or an endpoint"
            )

    def fit(self, *, predictions: Any, references: Any, labels: Any, questions: Any = None) -> Weights:
        """Learn weights that combine the judge's score with the matcher's, from answers with human labels.

        The judge is asked about all answers. The weights must lower the log-loss on held-out questions. Predictions,
        references and questions are as for `compute`; a label is True if people judged the answer correct. The weights
        are for `load("judge", weights=…)`.

        Raises:
            ValueError: The judge already has weights, labels are missing or equal, or the weights gain nothing.
        """
        if self.load_options.weights is not None:
            raise ValueError("judge: fit needs the judge's own scores; load the judge without weights")
        columns = self.check_columns({"predictions": predictions, "references": references, "questions": questions})
        correct = check_labels(self.name, labels, columns["predictions"])
        questions_or_references = [
            question or listed[0] for question, listed in zip(columns["questions"], columns["references"], strict=True)
        ]
        check_labeled(correct, questions_or_references)  # before the judge costs anything
        judged = self.compute(**columns, ask=None if self.matcher is None else (0, 1))["per_example"]
        scores = {"judge": judged["score"]}
        if self.matcher is not None:
            scores["first"] = self.matcher.compute(**columns)["per_example"]["score"]
        asked_scores = zip(judged["asked"], *scores.values(), strict=True)
        kept = [row for row, (asked, *of_row) in enumerate(asked_scores) if asked and None not in of_row]
        return fit_weights(
            {name: [column[row] for row in kept] for name, column in scores.items()},
            [correct[row] for row in kept],
            [questions_or_references[row] for row in kept],
        )

    def load(self) -> Jury:
        """Prepare the judges. The first row that needs one loads the model or calls the server."""
        jury = self.load_options.jury
        judges = [judge_client(load) for load, _ in jury]
        if len(judges) > 1 and not is_installed("krippendorff"):
            raise ImportError(
                "judge: judges is given, but the package krippendorff is not installed; install it: "
                'pip install "evaluate-qa[jury]"'
            )
        return Jury(judges, [weight for _, weight in jury])

    def _compute(
        self, predictions: list[str], references: list[list[str]], questions: list[str], options: JudgeOptions
    ) -> Scored:
        rows = list(map(JudgedRow, questions, map(tuple, references), predictions))
        band = options.ask or DEFAULT_BAND
        decided, matcher_scores, matcher_signature = self._matcher_outcomes(rows, band)
        decided = [one if row.prediction.strip() else BLANK for row, one in zip(rows, decided, strict=True)]
        answers = self._ask([row for row, outcome in zip(rows, decided, strict=True) if outcome is None], options)
        samples = [[] if outcome else next(answers) for outcome in decided]
        outcomes = [one or aggregate_samples(own, options.swap) for one, own in zip(decided, samples, strict=True)]
        weights = self.load_options.calibration
        if weights:
            outcomes = [calibrate(*scored, weights) for scored in zip(outcomes, matcher_scores, strict=True)]
        settings = {
            "first": matcher_signature,
            "ask": None if self.matcher is None else f"{band[0]:g}-{band[1]:g}",
            **self._judge_settings(),
            "calibration": weights and ",".join(f"{name}={w:g}" for name, w in sorted(weights.items())),
            **options.settings(),
            **self.load_options.settings(),
        }
        optional = {column for judge in self.model.members for column in judge.protocol.columns}
        optional |= {"samples", "spread"} if options.samples > 1 else set()
        optional |= {"flipped"} if options.swap else set()
        optional |= {"judges", "disagreement"} if len(self.model.members) > 1 else set()
        scores = score(outcomes, [len(listed) for listed in references], optional)
        if errors := [error for error in scores["error"] if error]:
            counted = f"{len(errors):,} of {pluralize(len(rows), 'row')}"
            warn(f"judge: no verdict on {counted}, for example because: {errors[0]}")
        return JudgeScores(scores, settings, samples=samples)

    def _ask(self, rows: list[JudgedRow], options: JudgeOptions) -> Iterator[list[RowOutcome]]:
        """Yield the outcomes of the samples of each row; with `swap`, the last one is of the swapped row."""
        asked = []
        for row in rows:
            asked += [replace(row, sample=number) for number in range(options.samples)]
            asked += [row.swap()] if options.swap else []
        outcomes = iter(self.model.ask(asked, options.unscored == "raise"))
        for _ in rows:
            yield list(islice(outcomes, options.samples + options.swap))

    def _matcher_outcomes(
        self, rows: list[JudgedRow], band: tuple[float, float]
    ) -> tuple[list[RowOutcome | None], list[float | None], str | None]:
        """Return the matcher's outcomes, None for rows that go to the judge, its scores, and its signature."""
        if self.matcher is None:
            return [None] * len(rows), [None] * len(rows), None
        result = self.matcher.compute(
            predictions=[row.prediction for row in rows],
            references=[list(row.references) for row in rows],
            questions=[row.question for row in rows],
        )
        columns = result.get("per_example") or {}
        if "signature" not in result or not {"score", "verdict"} <= columns.keys():
            raise ValueError(
                f"judge: the matcher returned no signature, or no score and verdict per row; expected {_MATCHERS}"
            )
        scores = columns["score"]
        best, abstained = (columns.get(name, [None] * len(rows)) for name in ("best_reference", "not_attempted"))
        asked = needs_judge(scores, band)
        verdicts = zip(scores, columns["verdict"], best, abstained, strict=True)
        outcomes = [
            None if for_judge else matcher_outcome(*one) for for_judge, one in zip(asked, verdicts, strict=True)
        ]
        return outcomes, scores, result["signature"].replace("|", ",")

    def _judge_settings(self) -> dict[str, object]:
        """Return the signature's values of the judge, or those of all judges, separated by commas."""
        jury = self.load_options.jury
        judges = [
            {
                "model": _model_name(load),
                "revision": load.model_revision,
                "protocol": judge.protocol.signature,
                "request": judge.request,
                "weights": f"{weight:g}" if any(other != weight for _, other in jury) else None,
            }
            for judge, (load, weight) in zip(self.model.members, jury, strict=True)
        ]
        columns = {key: [judge[key] for judge in judges] for key in judges[0]}
        return {
            key: None if not any(values) else ",".join(str(value or "") for value in values)
            for key, values in columns.items()
        }

    def __getstate__(self) -> dict[str, Any]:
        # Like the model, the matcher is loaded again in another process.
        return {name: value for name, value in super().__getstate__().items() if name != "matcher"}

    def result(self, scored: Any, options: JudgeOptions, per_example: bool) -> dict[str, Any]:
        """Add the cost, the agreement of a jury, and the number of unscored rows."""
        samples = list(chain.from_iterable(scored.samples))
        requests = chain.from_iterable(sample.requests for sample in samples)
        more: dict[str, Any] = {"cost": cost(requests, options.prices)} if options.prices else {}
        more |= {"alpha": alpha(samples)} if self.load_options.judges else {}
        return more | super().result(scored, options, per_example)


def load_matcher(name: str, device: str | None) -> Any:
    """Load one of this package's scorers by name (on a device), or another metric through evaluate."""
    options = {}
    try:
        import evaluate_qa
    except ModuleNotFoundError:  # in a folder of `evaluate-qa install`
        from evaluate.loading import load
    else:
        load = evaluate_qa.loading.load_metric
        if device is not None and name in evaluate_qa.metric_names():
            options["device"] = device
    try:
        return load(name, **options)
    except FileNotFoundError as error:
        raise FileNotFoundError(f"judge: first is {short_repr(name)}, and there is no such metric: {error}") from error
    except ValueError as error:
        raise ValueError(f"judge: first is {short_repr(name)}: {error}") from error


def check_matcher(matcher: Any) -> None:
    """Raise ValueError for a metric of this package that cannot be a matcher; others are checked by their results."""
    if not hasattr(matcher, "verdicts"):
        return
    if not matcher.verdicts or "references" not in matcher.columns or not {*matcher.required} <= ANSWERS.keys():
        raise ValueError(
            f"judge: first is {matcher.name!r}, which does not judge answers by references; expected {_MATCHERS}"
        )


def _model_name(load: JudgeLoading) -> str:
    """Return the name of a judge's model without its folders."""
    name = os.fspath(load.model or "")
    return (Path(name).name if load.endpoint is None and is_folder(name) else name).replace("|", "_")


def judge_client(load: JudgeLoading) -> JudgeClient:
    """Return the judge without calling it; raise ValueError if it cannot be asked."""
    model, protocols = chat_model(load), load.protocols
    if isinstance(model, LocalModel):
        if isinstance(protocols[0], DecisionQuestions):
            raise ValueError(
                f"judge: {protocols[0].name!r} is given without endpoint, and a model on this machine answers only "
                "chat prompts; expected the URL of a decision endpoint (endpoint=), or neither api nor aspects"
            )
        protocols = protocols[:1]
    return JudgeClient(model, protocols, load.cache, load.batch)


def chat_model(load: JudgeLoading) -> ChatModel | RecordedModel:
    """Return the judge without calling it; raise ValueError if no model is named."""
    if load.model is None:
        raise ValueError(
            "judge: model is missing; load the judge with the name of a chat model (model=) and, unless it runs on "
            "this machine, the URL of its server (endpoint=)"
        )
    name, extra_body = os.fspath(load.model), dict(load.extra_body or {})
    if load.endpoint is None and load.cache and VerdictStore(load.cache).has_endpoint_verdicts(name):
        return RecordedModel(name, extra_body)
    if hasattr(load.endpoint, "reply"):
        return cast("ChatModel", load.endpoint)
    if load.endpoint is None:
        sizes = {"batch_size": load.batch_size, "token_budget": load.token_budget, "max_tokens": load.max_tokens}
        given = {name: value for name, value in sizes.items() if value is not None}
        return LocalModel(name, load.model_revision, load.device or "auto", load.dtype, **given)
    limits = load.concurrency, load.timeout, load.max_retries, load.max_tokens
    return Endpoint(load.endpoint, name, os.environ.get("OPENAI_API_KEY"), *limits, extra_body)
