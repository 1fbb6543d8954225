"""ΔBLEU: BLEU against weighted references."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import sacrebleu

from .._shared.arrays import Floats
from .._shared.columns import PREDICTIONS, Column, RowValueError, Unexpected, as_list, clean, prediction, texts
from .._shared.messages import warn
from .._shared.progress import track_progress
from .._shared.rewards import ForReward
from .._shared.scorer import Scored
from .._shared.trainer_callback import ForTraining
from .ngrams import row_statistics
from .options import DeltaBleuOptions
from .results import bootstrap_scores, comparison, confidence, corpus_figures, row_figures
from .tokens import load_tokenizer


def check_references(value: object) -> list[str]:
    """Check one row of references: a string, or a list of strings, at least one of them not blank.

    A blank reference next to other references has length 0, as in sacrebleu. Some translated references of MORQA are
    blank; leaving them out would leave out their weights.
    """
    items = as_list(value)
    if items and all(isinstance(item, str) for item in items) and any(item.strip() for item in items):
        return [clean(item) for item in items]
    return texts(value)


def check_weights(value: object) -> list[float]:
    """Check one row of weights: numbers in [−1, 1], at least one above 0; `[]` for None, which means weights of 1."""
    if value is None:
        return []
    expected = "a list of numbers from -1 to 1, at least one of them above 0"
    items = as_list(value)
    if not items or not all(isinstance(item, Real) for item in items):
        raise Unexpected(expected)
    if not all(-1 <= item <= 1 for item in items) or max(items) <= 0:
        raise Unexpected(expected, RowValueError)
    return [float(item) for item in items]


def check_against(value: object) -> list[str]:
    """Check one answer of a second system. Return it in a list; `[]` for None, which means no second system."""
    return [] if value is None else [prediction(value)]


class DeltableuScorer(ForTraining, ForReward):
    """ΔBLEU scores answers against several references, each with a weight from -1 to 1.

    An n-gram earns the weight of the best reference that contains it. Good references therefore help more than poor
    ones, and bad references lower the score. If all weights are 1, ΔBLEU equals sacrebleu's BLEU.

    Returns:
        deltableu: Score of all rows together, from 0 to 100.
        counts, totals, precisions: One value per n-gram order; precisions are in percent.
        brevity_penalty: From 0 to 1.
        length_ratio, sys_len, ref_len: Lengths in tokens.
        signature: The settings that reproduce the numbers. Its `eff` is about all rows together: scores of single rows
            always use effective order.
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
    citation = Path(__file__).with_name("citation.bib").read_text(encoding="utf-8")
    urls = ("https://aclanthology.org/P15-2073", "https://github.com/mjpost/sacrebleu")
    columns: ClassVar[Mapping[str, Column]] = {
        "predictions": PREDICTIONS,
        "references": Column(
            check_references,
            ["string"],
            "The references: a string or a list of strings per row, at least one of them not blank.",
        ),
        "reference_weights": Column(
            check_weights, ["float64"], "The weight of each reference, from -1 to 1, at least one above 0 (default: 1)."
        ),
        "against": Column(check_against, ["string"], "The answers of a second system, to compare with the first."),
    }
    options = DeltaBleuOptions
    verdicts = False

    def check_rows(self, columns: Mapping[str, list[Any]], options: Any = None) -> None:
        """Raise RowValueError for a row without one weight for each reference, or without a second answer."""
        pairs = zip(columns["reference_weights"], columns["references"], strict=True)
        for row, (given, listed) in enumerate(pairs):
            if given and len(given) != len(listed):
                raise RowValueError(
                    f"deltableu: reference_weights[{row}] has length {len(given)}, but references[{row}] has length "
                    f"{len(listed)}; expected one weight for each reference",
                    "reference_weights",
                    row,
                )
        against = columns["against"]
        if any(against) and not all(against):
            row = against.index([])
            expected = "an answer of the second system for every row, or for no row"
            raise RowValueError(f"deltableu: against[{row}] is missing; expected {expected}", "against", row)

    def prepare(self, options: DeltaBleuOptions) -> None:
        """Load the tokenizer, so that a missing package is reported before anything is scored."""
        load_tokenizer(options.tokenize, options.language)

    def joint(self, columns: Mapping[str, list[Any]]) -> None:
        """Score each call alone: its signature depends on its rows, and there is no model that gains by batches."""

    def features(
        self,
        predictions: list[str],
        references: list[list[str]],
        reference_weights: list[list[float]],
        options: DeltaBleuOptions,
        **_against: Any,
    ) -> Floats:
        """Return the statistics of each row of one system, the input of `scoring.score`."""
        split = load_tokenizer(options.tokenize, options.language).split
        lower = str.lower if options.lowercase else str
        # The released program only lowers predictions.
        lower_reference = lower if options.variant == "paper" else str
        statistics = np.empty((len(predictions), 2 + 2 * options.max_ngram_order))
        rows = list(zip(predictions, references, reference_weights, strict=True))
        for row, (answer, listed, given) in enumerate(track_progress(rows, "deltableu", "row")):
            statistics[row] = row_statistics(
                split(lower(answer)),
                [split(lower_reference(reference)) for reference in listed],
                given or [1.0] * len(listed),
                options.max_ngram_order,
                options.variant,
            )
        return statistics

    def _compute(
        self,
        predictions: list[str],
        references: list[list[str]],
        reference_weights: list[list[float]],
        against: list[list[str]],
        options: DeltaBleuOptions,
    ) -> Scored:
        # Rows of several batches are together for the first time.
        self.check_rows({"references": references, "reference_weights": reference_weights, "against": against})
        order, value = options.max_ngram_order, options.smoothing_value
        numbers = {len(row) for row in references}
        settings = {
            "nrefs": numbers.pop() if len(numbers) == 1 else "var",
            "case": "lc" if options.lowercase else "mixed",
            "eff": "yes" if options.effective_order else "no",
            "tok": load_tokenizer(options.tokenize, options.language).signature,
            "smooth": options.smooth_method if value is None else f"{options.smooth_method}[{value:g}]",
            "order": None if order == DeltaBleuOptions.max_ngram_order else order,
            "weights": "given" if any(weight != 1 for row in reference_weights for weight in row) else "ones",
            "variant": options.variant,
            "sacrebleu": sacrebleu.__version__,
        }
        systems = [predictions, [text for (text,) in against]] if any(against) else [predictions]
        first, *second = (self.features(one, references, reference_weights, options) for one in systems)
        summary = corpus_figures(first, options)
        effective = replace(options, effective_order=True)
        if not summary["deltableu"] and corpus_figures(first, effective)["deltableu"]:
            warn(
                f"deltableu: the score of all rows is 0, because no answer has {order} tokens; use "
                "effective_order=True to leave out n-grams that are longer than all answers"
            )
        if options.n_bootstrap:
            summary["confidence"] = confidence(bootstrap_scores(first, options, options.n_bootstrap), options.seed)
        if second:
            summary["comparison"] = comparison(first, second[0], options)
        return Scored(row_figures(first, options), settings, summary, first.sum(axis=0).tolist())

    def pooled_score(self, statistics: Sequence[float], options: DeltaBleuOptions) -> float:
        """Return the score of all rows of several calls from the sum of their statistics."""
        return float(corpus_figures(np.array([statistics]), options)["deltableu"])
