"""NLI+lex: does an answer entail the reference? Combined with a lexical signal."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .._shared.classifiers import LoadedClassifier, PairTexts, Preset, load
from .._shared.columns import ANSWERS, RowValueError, check_labels
from .._shared.matcher_features import PairFeatures, compute_features
from .._shared.model_options import EngineOptions
from .._shared.options import build_options
from .._shared.rewards import ForReward
from .._shared.scorer import Scored, as_columns
from .._shared.trainer_callback import ForTraining
from .._values.scorer import AnswerScorer
from .options import SIGNALS, TEMPLATE, NliLexOptions, Weights
from .scoring import class_probability, score
from .weights import FEWEST, UNFITTED, fit_weights, learner

PRESETS: Mapping[str, Preset] = {
    "default": (None, None),
    "paper": ("MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli", "main"),
}


def entailment_class(labels: list[str]) -> int:
    """Return the index of the class "entailment", in any case.

    >>> entailment_class(["not_entailment", "ENTAILMENT"])
    1
    """
    named = [i for i, label in enumerate(labels) if label.lower() in {"entailment", "entail", "entails"}]
    if len(named) != 1:
        raise ValueError(
            f"nli_lex: the checkpoint has the classes {', '.join(labels)}; expected exactly one named 'entailment' "
            "in its config.json (id2label)"
        )
    return named[0]


def nli_pair(
    question: str, answer: str, reference: str, premise: str = TEMPLATE, hypothesis: str = TEMPLATE
) -> PairTexts:
    """Return premise and hypothesis; without a question, the default template gives the bare answer and reference."""
    premise, hypothesis = (
        "{answer}" if template == TEMPLATE and not question else template for template in (premise, hypothesis)
    )
    return fill(premise, question, answer), (fill(hypothesis, question, reference),)


def fill(template: str, question: str, answer: str) -> str:
    """Fill question and answer into a template; braces in the texts have no meaning."""
    before, _, after = template.partition("{answer}")
    return before.replace("{question}", question) + answer + after.replace("{question}", question)


class NliLexScorer(ForTraining, ForReward, AnswerScorer):
    """NLI+lex judges an answer by entailment and by a lexical signal.

    A natural language inference model gives the probability that the answer, with the question, entails the reference.
    A logistic layer turns it into the probability that people would call the answer correct. The default model's layer
    adjusts for lengths and shared character trigrams, the paper's for whether the answer contains the reference. If a
    reference is a value, such as a number or a date, rules decide where they are sure; the score is then 1 or 0.

    Returns:
        nli_lex: Mean score, from 0 to 1.
        accuracy: Share of answers judged correct.
        entailment, match, recall: Means of the components.
        sentence_recall, sentence_precision, token_f1: Means of the components with `long_references="sentences"`.
        not_attempted: Share of abstentions: empty answers, refusals and clarifying questions, detected in English only.
        accuracy_attempted: Accuracy of the other answers; None if there are no others.
        unsupported_language: Number of rows in a script or language that the embedded matcher cannot read. Such an
            answer is correct if it contains the reference's words, in any inflection, and does not deny them.
        signature: The settings that reproduce the numbers.
        per_example: Lists with one entry per row: score, verdict, best_reference,
            unsupported_language, entailment, match, recall, not_attempted; value_kind, value_reference, value_answer
            and value_verdict of rows that rules for values decide; part_recall and part_precision with
            `references_are="all"`. Components, such as entailment, are the model's, also in rows that rules decide.

    Examples:
        >>> nli_lex = evaluate_qa.load("nli_lex")
        >>> out = nli_lex.compute(
        ...     predictions=["Radium was found by Marie Curie.", "Nobody knows."], references=["Marie Curie"] * 2
        ... )
        >>> out["per_example"]["verdict"]
        [True, False]
    """

    name = "nli_lex"
    citation = Path(__file__).with_name("citation.bib").read_text(encoding="utf-8")
    urls = ("https://github.com/saishridhar/DIVER-QA",)
    configurations = tuple(PRESETS)
    has_answer_keys = True
    columns = ANSWERS
    loading = EngineOptions
    options = NliLexOptions
    means = ("entailment", "match", "recall", "sentence_recall", "sentence_precision", "token_f1", "not_attempted")

    def check_rows(self, columns: Mapping[str, list[Any]], options: Any = None) -> None:
        """Raise RowValueError for an answer without the question that a given template contains."""
        templates = () if options is None else (options.premise, options.hypothesis)
        asking = [template for template in templates if template != TEMPLATE and "{question}" in template]
        for row, (answer, question) in enumerate(zip(columns["predictions"], columns["questions"], strict=True)):
            if asking and answer and not question:
                expected = f"a question for the template {asking[0]!r}"
                raise RowValueError(f"nli_lex: questions[{row}] is missing; expected {expected}", "questions", row)

    def load(self) -> LoadedClassifier:
        """Load the classifier."""
        return load("nli_lex", PRESETS[self.config_name], self.load_options, entailment_class)

    def prepare(self, options: NliLexOptions) -> None:
        """Load the model, and check that there are weights."""
        self.weights(options)

    def fit(
        self, *, predictions: Any, references: Any, labels: Any, questions: Any = None, **options: Any
    ) -> dict[str, float]:
        """Learn the logistic layer's weights from answers with human labels.

        Args:
            predictions: As for `compute`.
            references: As for `compute`.
            labels: True if people judged the answer correct, otherwise False.
            questions: As for `compute`.
            **options: Options of `compute`, such as `lexical` or the templates.

        Returns:
            The weights, for `compute(…, weights=…)`. The metric itself does not change.
        """
        given = {"predictions": predictions, "references": references, "questions": questions}
        chosen, rows = self.check_call(options | given)
        if chosen.by_sentence:
            raise ValueError(f"{self.name}: fit learns from whole references; leave out long_references='sentences'")
        judged = check_labels(self.name, labels, rows["predictions"])
        if min(right := sum(judged), wrong := len(judged) - right) < FEWEST:
            counts = f"{right} correct and {wrong} incorrect answers"
            raise ValueError(f"nli_lex: labels are of {counts}; expected at least {FEWEST} of each")
        learner()
        features = self.features(**rows, options=chosen)
        names = ("entailment", *SIGNALS[self._lexical(chosen)])
        values = {"entailment": features.outputs, **features.word_features}
        return fit_weights(values, names, features.starts, features.answered, np.array(judged, dtype=bool))

    def weights(self, options: NliLexOptions) -> Weights:
        """Return the logistic layer's weights for these options; plain NLI has none by default.

        Raise ValueError if there are no weights, or weights of another signal.
        """
        lexical, defaults = self._lexical(options), self.model.layers or UNFITTED
        changed = {"lexical": lexical, "weights": options.given_weights}  # a file is read only once
        given = build_options(self.name, NliLexOptions, vars(options) | changed).given_weights
        if given is None and lexical is not False and lexical not in defaults:
            raise ValueError(f"nli_lex: this model has no weights for lexical={lexical!r}; pass weights=, see fit")
        return defaults.get(lexical, {}) if given is None else given

    def features(
        self, predictions: list[str], references: list[list[str]], questions: list[str], options: NliLexOptions
    ) -> PairFeatures:
        """Return the features of each pair of an answer and a reference, without the weights."""
        pair = partial(nli_pair, premise=options.premise, hypothesis=options.hypothesis)
        return compute_features(
            self.model, predictions, references, questions, options, pair, class_probability, "nli_lex: answers"
        )

    def _lexical(self, options: NliLexOptions) -> Any:
        return options.lexical if options.lexical is not None else self.model.layer or "match"

    def _compute(
        self, predictions: list[str], references: list[list[str]], questions: list[str], options: NliLexOptions
    ) -> Scored:
        lexical, weights = self._lexical(options), self.weights(options)
        features = replace(self.features(predictions, references, questions, options), weights=weights)
        # The model's hash covers its own weights.
        given = None if options.weights is None and self.model.layers else weights
        templates = (options.premise, options.hypothesis)
        settings = {
            "nli": self.model.name,
            "lex": lexical or "none",
            "w": None if given is None else ",".join(f"{name}={weight:.6g}" for name, weight in given.items()) or None,
            "tmpl": None if templates == (TEMPLATE, TEMPLATE) else " / ".join(templates),
            **options.settings(),
            **self.model.options.settings(),
        }
        return Scored(as_columns(score(features, options)), settings)
