"""ΔBLEU: BLEU against weighted references."""

from collections.abc import Mapping
from typing import Any, ClassVar

import sacrebleu

from .._shared.arguments import PREDICTIONS, Column
from .._shared.rewards import ForReward
from .._shared.scorer import Scored
from .._shared.training import ForTraining
from .columns import check_agreement, references, second_prediction, weights
from .corpus import Corpus
from .options import DeltaBleuOptions
from .results import Statistics, comparison, confidence, corpus_figures, row_figures
from .scoring import Floats
from .tokens import load_tokenizer

CITATION = """\
@inproceedings{galley2015deltableu,
  title     = {delta{BLEU}: A Discriminative Metric for Generation Tasks with Intrinsically Diverse Targets},
  author    = {Galley, Michel and Brockett, Chris and Sordoni, Alessandro and Ji, Yangfeng and Auli, Michael and
               Quirk, Chris and Mitchell, Margaret and Gao, Jianfeng and Dolan, Bill},
  booktitle = {Proceedings of ACL-IJCNLP 2015 (Volume 2: Short Papers)},
  pages     = {445--450},
  year      = {2015},
  url       = {https://aclanthology.org/P15-2073}
}
"""


class DeltableuScorer(ForTraining, ForReward):
    """ΔBLEU scores answers against several references, each with a weight from -1 to 1.

    An n-gram earns the weight of the best reference that contains it. Good references therefore help more than poor
    ones, and bad references lower the score. If all weights are 1, ΔBLEU equals sacrebleu's BLEU.

    Returns:
        deltableu: Score of all rows together, from 0 to 100.
        counts, totals, precisions: One value per n-gram order; precisions are in percent.
        brevity_penalty: From 0 to 1.
        length_ratio, sys_len, ref_len: Lengths in tokens.
        signature: The settings that reproduce the numbers.
        confidence: With n_bootstrap: level, low, high, mean, n_bootstrap, seed.
        comparison: With against: deltableu of the second system, difference, p_value, test, n_trials, seed, confidence.
        per_example: Lists with one entry per row: score (0 to 100), brevity_penalty, sys_len, ref_len.

    Examples:
        >>> deltableu = evaluate_qa.load("deltableu")
        >>> out = deltableu.compute(
        ...     predictions=["tinea of the hand"],
        ...     references=[["tinea of the hand", "most likely it is eczema"]],
        ...     reference_weights=[[0.7, 1.0]],
        ... )
        >>> round(out["deltableu"], 1)
        70.0
    """

    name = "deltableu"
    citation = CITATION
    urls = ("https://aclanthology.org/P15-2073", "https://github.com/mjpost/sacrebleu")
    columns: ClassVar[Mapping[str, Column]] = {
        "predictions": PREDICTIONS,
        "references": Column(
            references,
            ["string"],
            "The references: a string or a list of strings per row, at least one of them not blank.",
        ),
        "reference_weights": Column(
            weights, ["float64"], "The weight of each reference, from -1 to 1, at least one above 0 (default: 1)."
        ),
        "against": Column(second_prediction, ["string"], "The answers of a second system, to compare with the first."),
    }
    options = DeltaBleuOptions
    verdicts = False

    def check_rows(self, columns: Mapping[str, list[Any]], options: Any = None) -> None:
        """Raise RowValueError if weights do not match the references, or only some rows have a second prediction."""
        check_agreement(columns)

    def prepare(self, options: DeltaBleuOptions) -> None:
        """Load the tokenizer, so that a missing package is reported before anything is scored."""
        load_tokenizer(options.tokenize, options.language)

    def parts(self, *, options: DeltaBleuOptions, **columns: list[Any]) -> Floats:
        """Return the statistics of each row, the input of `scoring.score`."""
        return _corpus(columns["references"], columns["reference_weights"], options).statistics(columns["predictions"])

    def _compute(
        self,
        predictions: list[str],
        references: list[list[str]],
        reference_weights: list[list[float]],
        against: list[list[str]],
        options: DeltaBleuOptions,
    ) -> Scored:
        # Rows of several batches meet here for the first time.
        check_agreement({"references": references, "reference_weights": reference_weights, "against": against})
        corpus = _corpus(references, reference_weights, options)
        second = corpus.statistics([text for (text,) in against]) if any(against) else None
        settings = corpus.settings() | {"sacrebleu": sacrebleu.__version__}
        return Scored(Statistics(corpus.statistics(predictions), second), settings)

    def result(self, scored: Scored, options: DeltaBleuOptions, per_example: bool) -> dict[str, Any]:
        """Return the figures of all rows together, which are not means, and the figures of each row."""
        first, second = scored.scores.first, scored.scores.second
        result = corpus_figures(first, options)
        result["signature"] = self.signature(scored.settings)
        if options.n_bootstrap:
            result["confidence"] = confidence(first, options)
        if second is not None:
            result["comparison"] = comparison(first, second, options)
        return result | {"per_example": row_figures(first, options)} if per_example else result


def _corpus(references: list[list[str]], weights: list[list[float]], options: DeltaBleuOptions) -> Corpus:
    return Corpus(references, weights, load_tokenizer(options.tokenize, options.language), options)
