"""SMILE: a composite lexical-semantic metric for question answering."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._shared.columns import ANSWERS, Column, RowValueError, optional_texts
from .._shared.rewards import ForReward
from .._shared.scorer import Columns, Scored, as_columns
from .._shared.trainer_callback import ForTraining
from .._values.decision import Decision
from .._values.scorer import AnswerScorer
from .components import components
from .encoder import Encoder
from .engines import PRESETS
from .options import SmileLoading, SmileOptions
from .scoring import Components, bins, contenders, score
from .text import lemmatizer, lemmatizer_name


class SmileScorer(ForTraining, ForReward, AnswerScorer):
    """SMILE compares a short or long answer with one or several references, in meaning and in words.

    It averages two scores. The semantic score compares the embedding of the whole answer with the embedding of a
    synthetic answer or of the reference. The lexical score combines whether the answer contains the reference with the
    similarity of the answer's closest n-gram. If a reference is a value, such as a number or a date, rules decide where
    they are sure; the score is then 1 or 0.

    Returns:
        smile: Mean score, in [0, 1].
        accuracy: Share of answers judged correct.
        semantic, lexical, exact_match, ngram_similarity: Means of the components, in [0, 1].
        not_attempted: Share of abstentions: empty answers, refusals and clarifying questions, detected in English only.
        accuracy_attempted: Accuracy of the other answers; None if there are no others.
        signature: The settings that reproduce the numbers.
        per_example: Lists with one entry per row: score, verdict, best_reference, semantic, lexical, exact_match,
            ngram_similarity, best_ngram, bin (0 to 5), not_attempted; value_kind, value_reference, value_answer and
            value_verdict of rows that rules for values decide; part_recall and part_precision with
            `references_are="all"`. Components, such as semantic, are the model's, also in rows that rules decide.

    Examples:
        >>> smile = evaluate_qa.load("smile")
        >>> out = smile.compute(predictions=["It was Marie Curie."], references=["Marie Curie"])
        >>> round(out["smile"], 3), out["per_example"]["verdict"]
        (0.976, [True])
    """

    name = "smile"
    citation = Path(__file__).with_name("citation.bib").read_text(encoding="utf-8")
    urls = ("https://openreview.net/forum?id=lnpOvuQYih",)
    configurations = tuple(PRESETS)
    columns: ClassVar[Mapping[str, Column]] = {
        **ANSWERS,
        "synthetic_answers": Column(
            optional_texts, ["string"], "The reference written as a sentence: one string per row, or one per reference."
        ),
    }
    loading = SmileLoading
    options = SmileOptions
    means = ("semantic", "lexical", "exact_match", "ngram_similarity", "not_attempted")
    int8_margin = 0.008

    def check_rows(self, columns: Mapping[str, list[Any]], options: Any = None) -> None:
        """Raise RowValueError if a row has several synthetic answers, but not one per reference."""
        pairs = zip(columns["references"], columns["synthetic_answers"], strict=True)
        for row, (references, synthetic) in enumerate(pairs):
            if len(synthetic) not in {0, 1, len(references)}:
                raise RowValueError(
                    f"smile: synthetic_answers[{row}] has {len(synthetic)} entries; expected one string, or a list "
                    f"with one for each reference ({len(references)})",
                    "synthetic_answers",
                    row,
                )

    def load(self) -> Encoder:
        """Load the embedding model."""
        return Encoder(self.config_name, self.load_options)

    def prepare(self, options: SmileOptions) -> None:
        """Load the model and the lemmatizer's tables, once."""
        lemmatizer(options)
        super().prepare(options)

    def features(
        self,
        predictions: list[str],
        references: list[list[str]],
        questions: list[str],
        synthetic_answers: list[list[str]],
        options: SmileOptions,
        needed: Callable[[Components], NDArray[np.bool_]] | None = None,
    ) -> Components:
        """Return the components of each pair of an answer and a reference, the input of `scoring.score`."""
        lemma, candidates = lemmatizer(options), options.ngram_candidates
        return components(predictions, references, synthetic_answers, self.model, lemma, candidates, needed)

    def joint(self, columns: Mapping[str, list[Any]]) -> bool:
        """Return whether a call has synthetic answers, which its signature says."""
        return any(columns["synthetic_answers"])

    def apply_decisions(self, columns: Columns, decided: Sequence[tuple[Decision, int | None]]) -> Columns:
        """Return the scores that rules for values decide, with their bins."""
        changed = super().apply_decisions(columns, decided)
        return {**changed, "bin": bins(np.array(changed["score"])).tolist()}

    def _compute(
        self,
        predictions: list[str],
        references: list[list[str]],
        questions: list[str],
        synthetic_answers: list[list[str]],
        options: SmileOptions,
    ) -> Scored:
        contending = partial(contenders, options=options)
        features = self.features(predictions, references, questions, synthetic_answers, options, contending)
        settings = {
            "emb": self.model.name,
            **options.settings(),
            "lemma": lemmatizer_name(options),
            "syn": "given" if any(synthetic_answers) else None,
            "prompt": self.load_options.prompt_name,
            **self.model.options.settings(),
        }
        return Scored(as_columns(score(features, options)), settings)
