"""NLI+lex: whether an answer entails the reference, with a lexical signal beside it, as an `evaluate` metric."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import datasets
import evaluate
import numpy as np

from .acceleration import read_first_token_only
from .checkpoints import MINILM
from .classifiers import LoadOptions, load
from .expansion import Inputs, LengthOptions, expand
from .fitting import fit_weights
from .formatting import TEMPLATE, nli_pair
from .inference import run
from .inputs import (
    Check,
    CheckedInputs,
    RowValueError,
    Unexpected,
    check_column,
    check_lengths,
    prediction,
    question,
    texts,
)
from .judge import PRESETS, Judge, load_judge
from .lexical import evidence
from .matcher import TASKS
from .onnx_backend import use_onnx
from .pairs import Pair
from .progress import progress
from .scoring import SIGNALS, ScoreOptions, Weights, chosen_weights, class_probability, probability
from .signature import signature
from .token_ids import id_rows
from .trainers import processes
from .training import ForTraining

# evaluate copies only the siblings that this file imports, not those that they import in turn.
_SIBLINGS = (MINILM, TASKS, Pair, id_rows, load, processes, progress, read_first_token_only, use_onnx)

VERSION = "1.0.0"

DESCRIPTION = """\
NLI+lex judges an answer by two signals: whether, together with the question, it entails the reference, by a natural
language inference model; and whether the reference's words are in it. A logistic layer turns both into the
probability that people would call the answer correct.
"""

INPUTS = """
Args:
    predictions: the answers, a list of strings.
    references: the right answers, a string or a list of strings for each row; the best one counts.
    questions (optional): the questions; without one, the bare texts are compared.
    synthetic_answers, keywords, …: accepted for use with `evaluate.combine`, and ignored.
    per_example: False leaves out the scores of each row.
    lexical: "match" (the paper's flag), "recall" (share of the reference's words), "features" (both, with numbers and
        negations), False (plain NLI); default "match", with the embedded matcher "recall".
    weights: of the logistic layer, a mapping or a JSON file, as `fit` returns and writes them.
    threshold: scores above it are correct; default 0.5.
    premise, hypothesis: templates; default "Question: {question} Answer: {answer}" for both.
    long_answers: "window" (default; pieces of `window` tokens, the best counts) or "truncate".
    window: default 200. question_tokens: of a longer question only the end is read; default 96.
Returns:
    nli_lex: mean score, from 0 to 1.
    accuracy: share of the answers that are judged correct.
    entailment, match, recall: means of the components.
    signature: what is needed to reproduce the numbers.
    per_example: lists with an entry for each row: score, verdict, best_reference, entailment, match, recall,
        missing_numbers, negations_differ.
Raises:
    ValueError, TypeError: a row or an option that cannot be used; the message names it and what is expected.
Examples:
    >>> nli_lex = evaluate.load("nli_lex")
    >>> out = nli_lex.compute(
    ...     predictions=["It was painted by Leonardo.", "Michelangelo did."],
    ...     references=["Leonardo da Vinci", "Leonardo da Vinci"],
    ...     questions=["Who painted the Mona Lisa?", "Who painted the Mona Lisa?"],
    ... )
    >>> out["per_example"]["verdict"]
    [True, False]
"""

CITATION = """\
@misc{balamurali2025revisiting,
  title  = {Revisiting {NLI}: Towards Cost-Effective and Human-Aligned Metrics for Evaluating {LLM}s in Question
            Answering},
  author = {Balamurali, Sai Shridhar and Cheng, Lu},
  year   = {2025}
}
"""


@dataclass(frozen=True)
class Options(ScoreOptions, LengthOptions):
    """What `compute` takes besides columns; the rest is inherited.

    Args:
        premise: Template of the premise, with `{answer}` once and `{question}`.
        hypothesis: Template of the hypothesis, where `{answer}` is the reference.

    Raises:
        ValueError: a value outside its range.
    """

    premise: str = TEMPLATE
    hypothesis: str = TEMPLATE

    def __post_init__(self) -> None:
        ScoreOptions.__post_init__(self)
        try:
            LengthOptions.__post_init__(self)
        except ValueError as error:
            raise ValueError(f"nli_lex: {error}") from None
        for name in ("premise", "hypothesis"):
            value = getattr(self, name)
            if not isinstance(value, str) or value.count("{answer}") != 1:
                raise ValueError(f"nli_lex: {name} is {value!r}; expected a template with {{answer}} in it once")


def _label(value: object) -> bool:
    """Check one human verdict."""
    if not isinstance(value, (bool, int, float, np.bool_)) or value not in {0, 1}:
        raise Unexpected("True or False", RowValueError)
    return bool(value)


class NliLex(ForTraining, CheckedInputs, evaluate.Metric):
    """The metric; see the module's card for its use."""

    configurations = tuple(PRESETS)
    columns: ClassVar[Mapping[str, Check]] = {"predictions": prediction, "references": texts, "questions": question}
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
            reference_urls=["https://github.com/saishridhar/DIVER-QA"],
        )

    def fit(
        self,
        *,
        predictions: Any,
        references: Any,
        labels: Any,
        questions: Any = None,
        path: str | Path | None = None,
        strength: float = 0.1,
        **options: Any,
    ) -> dict[str, float]:
        """Learn the weights of the logistic layer from answers that people have judged.

        Args:
            predictions: The answers.
            references: As for `compute`.
            labels: True where people judged the answer correct.
            questions: As for `compute`.
            path: Write the weights there too, as JSON.
            strength: Of the ridge penalty, ½ · strength · |w|².
            **options: As for `compute`: `lexical`, templates, long answers.

        Returns:
            The weights, for `compute(…, weights=…)`; the metric itself stays as it is.
        """
        chosen = Options(**options)
        given = {"predictions": predictions, "references": references, "questions": questions}
        rows = self.check_columns(given)
        judged = check_column(self.name, "labels", labels, _label)
        check_lengths(self.name, {"predictions": rows["predictions"], "labels": judged})
        lexical = self._lexical(chosen)
        names = ("entailment", *SIGNALS.get(str(lexical), ()))
        inputs, columns = self._columns(rows["predictions"], rows["references"], rows["questions"], chosen)
        weights = fit_weights(columns, names, inputs, np.array(judged, dtype=bool), strength)
        if path is not None:
            Path(path).expanduser().write_text(json.dumps(weights, indent=2) + "\n", encoding="utf-8")
        return weights

    def prepare(self, options: Options) -> None:
        """Load the model, once; check that there are weights."""
        chosen_weights(self._lexical(options), options.weights, self._loaded().weights)

    def _loaded(self) -> Judge:
        if self._judge is None:
            self._judge = load_judge(self.config_name, self.load_options)
        return self._judge

    def _lexical(self, options: Options) -> str | bool:
        return self._loaded().lexical if options.lexical is None else options.lexical

    def _columns(
        self, predictions: list[str], references: list[list[str]], questions: list[str], options: Options
    ) -> tuple[Inputs, dict[str, Any]]:
        """Return the pairs and what is known of each: entailment and the words' evidence."""
        judge = self._loaded()
        inputs = expand(questions, predictions, references, options, judge.classifier)
        pairs = [nli_pair(*text, options.premise, options.hypothesis) for text in inputs.texts]
        logits = judge.classifier.logits(pairs, run, "nli_lex: answers")
        entailment = inputs.best_window(class_probability(logits, judge.entailment))
        return inputs, {"entailment": entailment, **evidence(predictions, references)}

    def _compute(
        self,
        predictions: list[str],
        references: list[list[str]],
        questions: list[str],
        options: Options,
        per_example: bool,
    ) -> dict[str, Any]:
        lexical = self._lexical(options)
        weights = chosen_weights(lexical, options.weights, self._loaded().weights)
        inputs, columns = self._columns(predictions, references, questions, options)
        score = np.where(inputs.answered, probability(columns, weights), 0.0)
        line = signature("nli_lex", VERSION, self._settings(options, lexical, weights))
        return _result(inputs, score, columns, options.threshold, line, per_example)

    def _settings(self, options: Options, lexical: str | bool, weights: Weights) -> dict[str, object]:
        """Return the signature's settings; those of an option follow only where it is not the default."""
        templates = (options.premise, options.hypothesis)
        return {
            "nli": self._loaded().name,
            "lex": lexical or "none",
            "w": ",".join(f"{name}={weight:.6g}" for name, weight in weights.items()) or None,
            "tmpl": None if templates == (TEMPLATE, TEMPLATE) else " / ".join(templates),
            **options.settings(),
            "thr": None if options.threshold == Options.threshold else options.threshold,
            **self.load_options.settings,
        }


def _result(
    inputs: Inputs, score: Any, columns: Mapping[str, Any], threshold: float, line: str, per_example: bool
) -> dict[str, Any]:
    """Return means, signature and rows as Python numbers, strings and lists."""
    best = inputs.best_reference(score)
    rows = {
        "score": score[best].tolist(),
        "verdict": (score[best] > threshold).tolist(),
        "best_reference": (best - inputs.row_starts).tolist(),
        **{name: values[best].tolist() for name, values in columns.items()},
    }
    means = {name: _mean(rows[name]) for name in ("entailment", "match", "recall")}
    result = {"nli_lex": _mean(rows["score"]), "accuracy": _mean(rows["verdict"]), **means, "signature": line}
    return result | {"per_example": rows} if per_example else result


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
