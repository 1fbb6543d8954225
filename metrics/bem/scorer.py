"""BEM: is an answer equivalent to a reference, given the question?"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from .._shared.classifiers import LoadedClassifier, PairTexts, Preset, load
from .._shared.columns import ANSWERS, QUESTIONS, Column, RowValueError, Unexpected, question
from .._shared.matcher_features import PairFeatures, compute_features
from .._shared.model_options import EngineOptions
from .._shared.rewards import ForReward
from .._shared.scorer import Scored, as_columns
from .._shared.trainer_callback import ForTraining
from .._values.scorer import AnswerScorer
from .options import BemOptions
from .scoring import margins, score

PRESETS: Mapping[str, Preset] = {"default": (None, None), "paper": ("kortukov/answer-equivalence-bem", "main")}


def equivalent_class(labels: list[str]) -> int:
    """Return the index of the class "equivalent": by its name, or else 1 if there are two classes.

    >>> equivalent_class(["LABEL_0", "LABEL_1"])
    1
    """
    named = [i for i, label in enumerate(labels) if label.lower() in {"equivalent", "equivalence", "entailment"}]
    if len(named) == 1:
        return named[0]
    if len(labels) != 2:  # noqa: PLR2004
        raise ValueError(
            f"bem: the checkpoint has the classes {', '.join(labels)}; expected two, or one named 'equivalent'"
        )
    return 1


def bem_pair(question: str, answer: str, reference: str) -> PairTexts:
    """Return `[CLS] answer [SEP] | reference [SEP] question [SEP]`, as in the released program; segments end at |."""
    return answer, (reference, question)


def check_question(value: object) -> str:
    """Check one question; BEM needs one for every row."""
    if not (text := question(value)):
        raise Unexpected("a question, which BEM needs for every row", RowValueError)
    return text


class BemScorer(ForTraining, ForReward, AnswerScorer):
    """BEM judges whether an answer means the same as a reference, given the question.

    A classifier reads all three texts. The score is its probability that answer and reference are equivalent. If a
    reference is a value, such as a number or a date, rules decide where they are sure; the score is then 1 or 0.

    Returns:
        bem: Mean score, from 0 to 1.
        accuracy: Share of answers judged correct.
        margin: Mean logit of "equivalent", from the classifier alone.
        sentence_recall, sentence_precision, token_f1: Means of the components with `long_references="sentences"`.
        not_attempted: Share of abstentions: empty answers, refusals and clarifying questions, detected in English only.
        accuracy_attempted: Accuracy of the other answers; None if there are no others.
        unsupported_language: Number of rows in a script or language that the embedded matcher cannot read. Such an
            answer is correct if it contains the reference's words, in any inflection, and does not deny them.
        signature: The settings that reproduce the numbers.
        per_example: Lists with one entry per row: score, verdict, best_reference,
            unsupported_language, margin, not_attempted; value_kind, value_reference, value_answer and value_verdict of
            rows that rules for values decide; part_recall and part_precision with `references_are="all"`. Components,
            such as the margin, are the model's, also in rows that rules decide.

    Examples:
        >>> bem = evaluate_qa.load("bem")
        >>> out = bem.compute(
        ...     predictions=["It was painted by Leonardo.", "Michelangelo did."],
        ...     references=["Leonardo da Vinci", "Leonardo da Vinci"],
        ...     questions=["Who painted the Mona Lisa?", "Who painted the Mona Lisa?"],
        ... )
        >>> out["per_example"]["verdict"]
        [True, False]
    """

    name = "bem"
    citation = Path(__file__).with_name("citation.bib").read_text(encoding="utf-8")
    urls = ("https://aclanthology.org/2022.emnlp-main.20",)
    configurations = tuple(PRESETS)
    has_answer_keys = True
    columns: ClassVar[Mapping[str, Column]] = {**ANSWERS, "questions": Column(check_question, "string", QUESTIONS.help)}
    required = ("predictions", "references", "questions")
    loading = EngineOptions
    options = BemOptions
    means = ("margin", "sentence_recall", "sentence_precision", "token_f1", "not_attempted")

    def load(self) -> LoadedClassifier:
        """Load the classifier."""
        return load("bem", PRESETS[self.config_name], self.load_options, equivalent_class)

    def prepare(self, options: BemOptions) -> None:
        """Load the model, once."""
        super().prepare(options)
        if options.final_layer and not self.model.layers:
            raise ValueError(
                f"bem: final_layer is True, but {self.model.name} has no final layer; expected False or None"
            )

    def features(
        self, predictions: list[str], references: list[list[str]], questions: list[str], options: BemOptions
    ) -> PairFeatures:
        """Return the features of each pair of an answer and a reference, the input of `scoring.score`."""
        features = compute_features(
            self.model, predictions, references, questions, options, bem_pair, margins, "bem: answers"
        )
        return replace(features, weights=self.model.layers[self.model.layer] if self.model.layers else {})

    def _compute(
        self, predictions: list[str], references: list[list[str]], questions: list[str], options: BemOptions
    ) -> Scored:
        features = self.features(predictions, references, questions, options)
        layer = self.model.layer if features.weights and options.final_layer is not False else "none"
        settings = {"cls": self.model.name, "lex": layer, **options.settings(), **self.model.options.settings()}
        return Scored(as_columns(score(features, options)), settings)
