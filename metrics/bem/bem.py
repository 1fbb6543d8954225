"""BEM: whether an answer is equivalent to a reference, given the question, as an `evaluate` metric."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import datasets
import evaluate
import numpy as np

from .acceleration import read_first_token_only
from .checkpoints import MINILM
from .classifiers import LoadOptions, load
from .expansion import Inputs, LengthOptions, expand
from .formatting import bem_pair
from .inference import run
from .inputs import Check, CheckedInputs, RowValueError, Unexpected, prediction, texts
from .judge import PRESETS, Judge, load_judge
from .lexical import evidence
from .matcher import TASKS
from .onnx_backend import use_onnx
from .pairs import Pair
from .progress import progress
from .scoring import ScoreOptions, combined, margins, sigmoid
from .signature import signature
from .token_ids import id_rows
from .trainers import processes
from .training import ForTraining

# evaluate copies only the siblings that this file imports, not those that they import in turn.
_SIBLINGS = (MINILM, TASKS, Pair, id_rows, load, processes, progress, read_first_token_only, use_onnx)

VERSION = "1.0.0"

DESCRIPTION = """\
BEM judges whether an answer means the same as a reference answer to the question, with a classifier that reads all
three. Its score is the probability of "equivalent".
"""

INPUTS = """
Args:
    predictions: the answers, a list of strings.
    references: the right answers, a string or a list of strings for each row; the best one counts.
    questions: the questions, a list of strings.
    synthetic_answers, keywords, …: accepted for use with `evaluate.combine`, and ignored.
    per_example: False leaves out the scores of each row.
    threshold: scores above it are correct; default 0.5.
    lexical: False leaves out the embedded matcher's final layer, which weighs the words in common.
    long_answers: "window" (default; pieces of `window` tokens, the best counts) or "truncate".
    window: default 200. question_tokens: of a longer question only the end is read; default 96.
Returns:
    bem: mean score, from 0 to 1.
    accuracy: share of the answers that are judged correct.
    margin: mean of the classifier's own logit of "equivalent".
    signature: what is needed to reproduce the numbers.
    per_example: lists with an entry for each row: score, verdict, best_reference, margin.
Raises:
    ValueError, TypeError: a row or an option that cannot be used; the message names it and what is expected.
Examples:
    >>> bem = evaluate.load("bem")
    >>> out = bem.compute(
    ...     predictions=["It was painted by Leonardo.", "Michelangelo did."],
    ...     references=["Leonardo da Vinci", "Leonardo da Vinci"],
    ...     questions=["Who painted the Mona Lisa?", "Who painted the Mona Lisa?"],
    ... )
    >>> out["per_example"]["verdict"]
    [True, False]
"""

CITATION = """\
@inproceedings{bulian2022tomayto,
  title     = {Tomayto, Tomahto. Beyond Token-level Answer Equivalence for Question Answering Evaluation},
  author    = {Bulian, Jannis and Buck, Christian and Gajewski, Wojciech and B{\\"o}rschinger, Benjamin and
               Schuster, Tal},
  booktitle = {Proceedings of EMNLP 2022},
  pages     = {291--305},
  year      = {2022},
  url       = {https://aclanthology.org/2022.emnlp-main.20}
}
"""


@dataclass(frozen=True)
class Options(ScoreOptions, LengthOptions):
    """What `compute` takes besides columns."""

    def __post_init__(self) -> None:
        ScoreOptions.__post_init__(self)
        try:
            LengthOptions.__post_init__(self)
        except ValueError as error:
            raise ValueError(f"bem: {error}") from None


def _question(value: object) -> str:
    """Check one question, which BEM cannot do without."""
    if value is None or not (text := prediction(value)).strip():
        raise Unexpected("a question, which BEM needs for every row", RowValueError)
    return text


class Bem(ForTraining, CheckedInputs, evaluate.Metric):
    """The metric; see the module's card for its use."""

    configurations = tuple(PRESETS)
    columns: ClassVar[Mapping[str, Check]] = {"predictions": prediction, "references": texts, "questions": _question}
    required = ("predictions", "references", "questions")
    loading = LoadOptions
    options = Options
    _judge: Judge | None = None  # loaded by the first call

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            citation=CITATION,
            inputs_description=INPUTS,
            features=datasets.Features(
                {
                    "predictions": datasets.Value("string"),
                    "references": datasets.List(datasets.Value("string")),
                    "questions": datasets.Value("string"),
                }
            ),
            reference_urls=["https://aclanthology.org/2022.emnlp-main.20"],
        )

    def prepare(self, options: Options) -> None:
        """Load the model, once."""
        judge = self._loaded()
        if options.lexical and not judge.weights:
            raise ValueError(f"bem: lexical is True, but {judge.name} has no final layer; expected False or None")

    def _loaded(self) -> Judge:
        if self._judge is None:
            self._judge = load_judge(self.config_name, self.load_options)
        return self._judge

    def _compute(
        self,
        predictions: list[str],
        references: list[list[str]],
        questions: list[str],
        options: Options,
        per_example: bool,
    ) -> dict[str, Any]:
        judge = self._loaded()
        weights = {} if options.lexical is False else judge.weights
        inputs = expand(questions, predictions, references, options, judge.classifier)
        logits = judge.classifier.logits([bem_pair(*text) for text in inputs.texts], run, "bem: answers")
        margin = inputs.best_window(margins(logits, judge.equivalent))
        features = evidence(predictions, references) if weights else {}
        score = np.where(inputs.answered, sigmoid(combined(margin, features, weights)), 0.0)
        line = signature("bem", VERSION, self._settings(judge, options, bool(weights)))
        return _result(inputs, score, margin, options.threshold, line, per_example)

    def _settings(self, judge: Judge, options: Options, lexical: bool) -> dict[str, object]:
        """Return the signature's settings; those of an option follow only where it is not the default."""
        return {
            "cls": judge.name,
            "lex": "features" if lexical else "none",
            **options.settings(),
            "thr": None if options.threshold == Options.threshold else options.threshold,
            **self.load_options.settings,
        }


def _result(inputs: Inputs, score: Any, margin: Any, threshold: float, line: str, per_example: bool) -> dict[str, Any]:
    """Return means, signature and rows as Python numbers, strings and lists."""
    best = inputs.best_reference(score)
    columns = {
        "score": score[best].tolist(),
        "verdict": (score[best] > threshold).tolist(),
        "best_reference": (best - inputs.row_starts).tolist(),
        "margin": margin[best].tolist(),
    }
    result = {
        "bem": _mean(columns["score"]),
        "accuracy": _mean(columns["verdict"]),
        "margin": _mean(columns["margin"]),
        "signature": line,
    }
    return result | {"per_example": columns} if per_example else result


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
