"""A language model as the judge of answers, as an `evaluate` metric."""
# ruff: noqa: F401 - what is imported and not used is for evaluate to copy, see shell.py

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import evaluate

from .asking import Judging, Row
from .chat_models import ChatModel, Endpoint, LocalModel
from .checkpoints import check_whole
from .declarations import option
from .inference import best_device
from .inputs import ANSWERS, Column, RowValueError
from .options import JudgeLoading, JudgeOptions
from .progress import library_bars
from .protocols import Protocol
from .reading import Verdict, ways
from .scoring import BLANK, cost, score
from .shell import Scored, Shell
from .stores import Store

CITATION = """\
@inproceedings{zheng2023judging,
  title     = {Judging {LLM}-as-a-Judge with {MT-Bench} and Chatbot Arena},
  author    = {Zheng, Lianmin and Chiang, Wei-Lin and Sheng, Ying and Zhuang, Siyuan and Wu, Zhanghao and others},
  booktitle = {Advances in Neural Information Processing Systems},
  volume    = {36},
  year      = {2023},
  url       = {https://arxiv.org/abs/2306.05685}
}
"""


class Judge(Shell, evaluate.Metric):
    """A language model judges whether an answer is right, measured by reference answers.

    The model is behind an OpenAI-compatible endpoint, or run here. Each distinct row is asked about once, and with
    `cache_dir` once for all; a blank answer is wrong without asking.

    Returns:
        judge: Mean score, from 0 to 1, of the rows that have one.
        accuracy: Share of them that are judged correct.
        asked: Share of the rows about which the model was asked, now or earlier.
        unscored: How many rows have no verdict, because a request failed or its reply could not be read.
        cost: With `prices`, of what was asked in this call; None if the server does not count tokens.
        signature: What is needed to reproduce the numbers.
        per_example: Lists with an entry for each row: score, verdict, label, asked, cached, tokens_in, tokens_out, and
            error if there is any.

    Examples:
        >>> judge = evaluate.load("judge", endpoint="http://localhost:8000/v1", model="my-model")
        >>> out = judge.compute(predictions=["", " "], references=["Leonardo", "Michelangelo"])  # nothing to ask
        >>> out["accuracy"], out["per_example"]["label"]
        (0.0, ['not attempted', 'not attempted'])
    """

    citation = CITATION
    urls = ("https://arxiv.org/abs/2306.05685",)
    columns: ClassVar[Mapping[str, Column]] = ANSWERS
    loading = JudgeLoading
    options = JudgeOptions
    means = ("asked",)

    def check_rows(self, columns: Mapping[str, list[Any]]) -> None:
        """Raise RowValueError for a row without the question that the protocol needs."""
        if not self.load_options.asked.needs_question:
            return
        for row, question in enumerate(columns["questions"]):
            if not question.strip():
                needed = f"a question, which the protocol {self.load_options.asked.name!r} needs for every row"
                raise RowValueError(f"judge: questions[{row}] is {question!r}; expected {needed}", "questions", row)

    def load(self) -> Judging:
        """Make ready what asks; the model itself is loaded, or the server called, by the first row to ask about."""
        load: JudgeLoading = self.load_options
        return Judging(chat_model(load), load.asked, load.cache)

    def _compute(
        self, predictions: list[str], references: list[list[str]], questions: list[str], options: JudgeOptions
    ) -> Scored:
        rows = [
            Row(question, tuple(right), prediction)
            for question, right, prediction in zip(questions, references, predictions, strict=True)
        ]
        asked = [row for row in rows if row.prediction.strip()]
        judged = iter(self.model.rulings(asked, raises=options.unscored == "raise"))
        rulings = [next(judged) if row.prediction.strip() else BLANK for row in rows]
        settings = {
            "model": self._judge,
            "revision": self.load_options.model_revision,
            "protocol": self.model.protocol.signature,
            "score": ways([ruling.verdict for ruling in rulings if ruling.asked and ruling.verdict]),
            **self.load_options.settings(),
        }
        return Scored(score(rulings), settings)

    @property
    def _judge(self) -> str:
        """The judge's name, without the folders it lies in."""
        load: JudgeLoading = self.load_options
        name = os.fspath(load.model or "")
        return (Path(name).name if Path(name).is_dir() and load.endpoint is None else name).replace("|", "_")

    def result(self, scored: Scored, options: JudgeOptions, per_example: bool) -> dict[str, Any]:
        """Add what it cost and how many rows are unscored."""
        result = super().result(scored, options, per_example)
        more = {"unscored": 0} | ({"cost": cost(scored.scores, options.prices)} if options.prices else {})
        return more | result


def chat_model(load: JudgeLoading) -> ChatModel:
    """Return the judge, which is not called yet.

    Raises:
        ValueError: none is named.
    """
    if load.model is None:
        raise ValueError(
            "judge: there is no judge; give evaluate.load the name of a chat model (model=) and, unless it is to run "
            "here, the URL of its server (endpoint=)"
        )
    name = os.fspath(load.model)
    if load.endpoint is None:
        given = {"batch_size": load.batch_size, "token_budget": load.token_budget}
        bounds = {name: value for name, value in given.items() if value is not None}
        return LocalModel(
            name, load.model_revision, load.device or "auto", load.dtype, max_tokens=load.max_tokens, **bounds
        )
    return Endpoint(
        load.endpoint,
        name,
        os.environ.get("OPENAI_API_KEY"),
        load.concurrency,
        load.timeout,
        load.max_retries,
        load.max_tokens,
        dict(load.extra_body or {}),
    )
