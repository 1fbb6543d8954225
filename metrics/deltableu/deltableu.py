"""ΔBLEU: BLEU against weighted references, as an `evaluate` metric."""

from collections.abc import Mapping
from typing import Any, ClassVar

import datasets
import evaluate
import sacrebleu

from .columns import check_agreement, references, second_prediction, weights
from .corpus import Corpus
from .inputs import Check, CheckedInputs, prediction
from .ngrams import row_statistics
from .options import Options
from .pieces import Pieces
from .progress import progress
from .results import comparison, confidence, corpus_figures, row_figures
from .scoring import score
from .signature import signature
from .significance import bootstrap_scores
from .token_ids import id_rows
from .tokens import load_tokenizer
from .trainers import processes
from .training import ForTraining

# evaluate copies only the siblings that this file imports, not those that they import in turn.
_SIBLINGS = (Pieces, bootstrap_scores, id_rows, processes, progress, row_statistics, score)

VERSION = "1.0.0"

DESCRIPTION = """\
ΔBLEU scores answers against several references, each of which has a weight from -1 to 1: an n-gram earns the weight of
the best reference that has it, so that poor references help less than good ones and bad ones do harm. With all weights
1 it is BLEU, and equals sacrebleu's.
"""

INPUTS = """
Args:
    predictions: the answers, a list of strings.
    references: the right answers, a string or a list of strings for each row, at least one of them not blank.
    reference_weights (optional): for each row a list with the weight of each reference, from -1 to 1 and at least one
        above 0; None, or no such column, for weights of 1.
    against (optional): the answers of a second system, to be compared with the first.
    questions, keywords, …: accepted for use with `evaluate.combine`, and ignored.
    per_example: False leaves out the scores of each row.
    tokenize: sacrebleu's name of a tokenizer; by default `lang`, a two-letter code, chooses, and without it "13a".
    lowercase: ignore case; default False. max_ngram_order: default 4.
    effective_order: leave out the orders for which all answers are too short; default False.
    smooth_method: "exp" (default), "floor", "add-k" or "none". smooth_value: for "floor" and "add-k".
    variant: "paper" (default) or "released", the program that MORQA's figures were made with.
    n_bootstrap: resamples for a 95% confidence interval; default none. n_trials: of the comparison; default 10,000.
    seed: of both; default 12345.
Returns:
    deltableu: score of all rows together, from 0 to 100.
    counts, totals, precisions: for each n-gram order; the precisions are in percent.
    brevity_penalty: from 0 to 1. length_ratio, sys_len, ref_len: lengths in tokens.
    signature: what is needed to reproduce the numbers.
    per_example: lists with an entry for each row: score (0 to 100), brevity_penalty, sys_len, ref_len.
    confidence (with n_bootstrap): level, low, high, mean, n_bootstrap, seed.
    comparison (with against): deltableu of the second system, difference, p_value, test, n_trials, seed,
        confidence.
Raises:
    ValueError, TypeError: a row or an option that cannot be used; the message names it and what is expected.
Examples:
    >>> deltableu = evaluate.load("deltableu")
    >>> out = deltableu.compute(
    ...     predictions=["tinea of the hand"],
    ...     references=[["tinea of the hand", "most likely it is eczema"]],
    ...     reference_weights=[[0.7, 1.0]],
    ... )
    >>> round(out["deltableu"], 1)
    70.0
"""

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


class Deltableu(ForTraining, CheckedInputs, evaluate.Metric):
    """The metric; see the module's card for its use."""

    columns: ClassVar[Mapping[str, Check]] = {
        "predictions": prediction,
        "references": references,
        "reference_weights": weights,
        "against": second_prediction,
    }
    options = Options

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            citation=CITATION,
            inputs_description=INPUTS,
            features=datasets.Features(
                {
                    "predictions": datasets.Value("string"),
                    "references": datasets.List(datasets.Value("string")),
                    "reference_weights": datasets.List(datasets.Value("float64")),
                    "against": datasets.List(datasets.Value("string")),
                }
            ),
            reference_urls=["https://aclanthology.org/P15-2073", "https://github.com/mjpost/sacrebleu"],
        )

    def check_rows(self, columns: Mapping[str, list[Any]]) -> None:
        """Raise RowValueError where weights do not fit the references, or only some rows have a second prediction."""
        check_agreement(columns)

    def prepare(self, options: Options) -> None:
        """Load the tokenizer, so that what it lacks is reported before anything is scored."""
        load_tokenizer(options.tokenize, options.language)

    def _compute(
        self,
        predictions: list[str],
        references: list[list[str]],
        reference_weights: list[list[float]],
        against: list[list[str]],
        options: Options,
        per_example: bool,
    ) -> dict[str, Any]:
        # Rows of several batches meet here for the first time.
        check_agreement({"references": references, "reference_weights": reference_weights, "against": against})
        corpus = Corpus(references, reference_weights, load_tokenizer(options.tokenize, options.language), options)
        statistics = corpus.statistics(predictions)
        settings = corpus.settings() | {"sacrebleu": sacrebleu.__version__}
        result = corpus_figures(statistics, options)
        result["signature"] = signature("deltableu", VERSION, settings)
        if options.n_bootstrap:
            result["confidence"] = confidence(statistics, options)
        if any(against):
            others = corpus.statistics([text for (text,) in against])
            result["comparison"] = comparison(statistics, others, options)
        if per_example:
            result["per_example"] = row_figures(statistics, options)
        return result
