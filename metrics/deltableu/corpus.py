"""From texts to statistics: what the answers of any system are measured against."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._shared.progress import progress
from .ngrams import row_statistics
from .options import DeltaBleuOptions
from .scoring import Floats
from .tokens import Tokenizer


@dataclass(frozen=True)
class Corpus:
    """The references of all rows with their weights, and how texts are read.

    Attributes:
        references: The references of each row.
        weights: The weight of each reference of each row; an empty row stands for weights of 1.
        tokenizer: Splits texts.
        options: How statistics are made.
    """

    references: Sequence[Sequence[str]]
    weights: Sequence[Sequence[float]]
    tokenizer: Tokenizer
    options: DeltaBleuOptions

    def statistics(self, predictions: Sequence[str]) -> Floats:
        """Return the statistics of each row of a system's predictions, shape (rows, 2 + 2 · max_ngram_order)."""
        statistics = np.empty((len(predictions), 2 + 2 * self.options.max_ngram_order))
        rows = zip(predictions, self.references, self.weights, strict=True)
        with progress("deltableu", len(predictions), "row") as bar:
            for number, row in enumerate(rows):
                statistics[number] = self._row(*row)
                bar.update()
        return statistics

    def settings(self) -> dict[str, object]:
        """Return what a signature must say, in sacrebleu's terms."""
        options = self.options
        order, value = options.max_ngram_order, options.smoothing_value
        numbers = {len(row) for row in self.references}
        return {
            "nrefs": numbers.pop() if len(numbers) == 1 else "var",
            "case": "lc" if options.lowercase else "mixed",
            "eff": "yes" if options.effective_order else "no",
            "tok": self.tokenizer.signature,
            "smooth": options.smooth_method if value is None else f"{options.smooth_method}[{value:g}]",
            "order": None if order == DeltaBleuOptions.max_ngram_order else order,
            "weights": "given" if any(weight != 1 for row in self.weights for weight in row) else "ones",
            "variant": options.variant,
        }

    def _row(self, prediction: str, references: Sequence[str], weights: Sequence[float]) -> list[float]:
        options, split = self.options, self.tokenizer.split
        lower = options.lowercase
        # The released program lowers the prediction only.
        lower_references = lower and options.variant == "paper"
        return row_statistics(
            split(prediction.lower() if lower else prediction),
            [split(text.lower() if lower_references else text) for text in references],
            weights or [1.0] * len(references),
            options.max_ngram_order,
            options.variant,
        )
