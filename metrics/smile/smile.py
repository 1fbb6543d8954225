"""SMILE: a composite lexical-semantic metric for question answering, as an `evaluate` metric."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import datasets
import evaluate

from .acceleration import multiply_with_onednn
from .candidates import Shortlist
from .checkpoints import Checkpoint
from .components import Rows, components
from .encoder import Encoder
from .inference import run
from .inputs import Check, CheckedInputs, RowValueError, optional_texts, prediction, question, texts
from .loading import PRESETS, LoadOptions
from .ngrams import NGrams
from .onnx_backend import use_onnx
from .progress import progress
from .scoring import CORRECT, ScoreOptions, Scores, score
from .signature import signature
from .text import TextOptions, lemmatizer, lemmatizer_name
from .token_ids import id_rows
from .trainers import processes
from .training import ForTraining
from .vectors import VectorStore

# evaluate copies only the siblings that this file imports, not those that they import in turn.
_SIBLINGS = (Checkpoint, NGrams, VectorStore, id_rows, multiply_with_onednn, processes, progress, run, use_onnx)

VERSION = "1.0.0"

DESCRIPTION = """\
SMILE judges a short or long answer to a question against one or several references. It averages a semantic score
(the embedding of the whole answer against that of a synthetic answer or the reference) and a lexical score (whether
the reference occurs in the answer, and how near the answer's nearest n-gram comes to it).
"""

INPUTS = """
Args:
    predictions: the answers, a list of strings.
    references: the right answers, a string or a list of strings for each row; the best one counts.
    synthetic_answers (optional): for each row the reference put as a sentence: one string, or one for each reference.
    questions, keywords, …: accepted for use with `evaluate.combine`, and ignored.
    per_example: False leaves out the scores of each row.
    w: weight of the semantic score, in [0, 1]; default 0.5.
    threshold: a score of at least this is correct; default 2/3.
    similarity: "scaled" (default) or "cosine". exact_match: "words" (default) or "fraction".
    combine: "arithmetic" (default) or "harmonic". lemmatizer: "simplemma" (default), "wordnet", "wordnet-noun", "none".
    lang: language of the texts for simplemma; default "en".
    ngram_candidates: embed only this many n-grams of each pair; default all.
Returns:
    smile: mean score, in [0, 1]. accuracy: share of rows judged correct.
    semantic, lexical, exact_match, ngram_similarity: means of the components, in [0, 1].
    signature: what is needed to reproduce the numbers.
    per_example: lists with an entry for each row: score, verdict, best_reference, semantic, lexical, exact_match,
        ngram_similarity, best_ngram, bin (0 to 5).
Raises:
    ValueError, TypeError: a row or an option that cannot be used; the message names it and what is expected.
Examples:
    >>> smile = evaluate.load("smile")
    >>> out = smile.compute(predictions=["It was Marie Curie."], references=["Marie Curie"])
    >>> round(out["smile"], 3), out["per_example"]["verdict"]
    (0.976, [True])
"""

CITATION = """\
@article{kendre2025smile,
  title   = {{SMILE}: A Composite Lexical-Semantic Metric for Question-Answering Evaluation},
  author  = {Kendre, Shrikant and Xu, Austin and Zhou, Honglu and Ryoo, Michael S. and Joty, Shafiq and
             Niebles, Juan Carlos},
  journal = {Transactions on Machine Learning Research},
  year    = {2025},
  url     = {https://openreview.net/forum?id=lnpOvuQYih}
}
"""


@dataclass(frozen=True)
class Options(ScoreOptions, TextOptions):
    """What `compute` takes besides columns.

    Args:
        ngram_candidates: Embed only this many n-grams of each pair, those that a cheap shortlist ranks best.

    Raises:
        ValueError: a value outside its range.
    """

    ngram_candidates: int | None = None

    def __post_init__(self) -> None:
        ScoreOptions.__post_init__(self)
        TextOptions.__post_init__(self)
        k = self.ngram_candidates
        if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
            raise ValueError(f"smile: ngram_candidates is {k!r}; expected a positive whole number")


class Smile(ForTraining, CheckedInputs, evaluate.Metric):
    """The metric; see the module's card for its use."""

    configurations = tuple(PRESETS)
    columns: ClassVar[Mapping[str, Check]] = {
        "predictions": prediction,
        "references": texts,
        "questions": question,
        "synthetic_answers": optional_texts,
    }
    loading = LoadOptions
    options = Options
    _encoder: Encoder | None = None  # loaded by the first call

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
                    "synthetic_answers": datasets.List(datasets.Value("string")),
                }
            ),
            reference_urls=["https://openreview.net/forum?id=lnpOvuQYih"],
        )

    def check_rows(self, columns: Mapping[str, list[Any]]) -> None:
        """Raise RowValueError where a row has several synthetic answers, but not one for each reference."""
        pairs = zip(columns["references"], columns["synthetic_answers"], strict=True)
        for row, (references, synthetic) in enumerate(pairs):
            if len(synthetic) not in {0, 1, len(references)}:
                raise RowValueError(
                    f"smile: synthetic_answers[{row}] has {len(synthetic)} entries; expected one string, or a list "
                    f"with one for each of the {len(references)} references",
                    "synthetic_answers",
                    row,
                )

    def prepare(self, options: Options) -> None:
        """Load the model and the lemmatiser's tables, once."""
        lemmatizer(options)
        self._loaded()

    def _loaded(self) -> Encoder:
        if self._encoder is None:
            self._encoder = Encoder(self.config_name, self.load_options)
        return self._encoder

    def _compute(
        self,
        predictions: list[str],
        references: list[list[str]],
        questions: list[str],
        synthetic_answers: list[list[str]],
        options: Options,
        per_example: bool,
    ) -> dict[str, Any]:
        encoder = self._loaded()
        k = options.ngram_candidates
        shortlist = Shortlist(k, encoder.word_vectors) if k else None
        rows = Rows(predictions, references, synthetic_answers)
        scores = score(components(rows, encoder, lemmatizer(options), shortlist), options)
        settings = self._settings(encoder, options, synthetic=any(synthetic_answers))
        return _result(scores, signature("smile", VERSION, settings), per_example)

    def _settings(self, encoder: Encoder, options: Options, synthetic: bool) -> dict[str, object]:
        """Return the signature's settings; those of an option follow only where it is not the default."""
        load = self.load_options
        return {
            "emb": encoder.name,
            "w": options.w,
            "sim": options.similarity,
            "em": options.exact_match,
            "lemma": lemmatizer_name(options),
            "lang": None if options.lang == "en" else options.lang,
            "comb": None if options.combine == "arithmetic" else options.combine,
            "thr": None if options.threshold == CORRECT else options.threshold,
            "cand": options.ngram_candidates,
            "syn": "given" if synthetic else None,
            "prompt": load.prompt_name,
            "dtype": None if load.dtype == "float32" else load.dtype,
            "backend": None if load.backend == "torch" else load.backend,
        }


def _result(scores: Scores, line: str, per_example: bool) -> dict[str, Any]:
    """Return means, signature and rows as Python numbers, strings and lists."""
    columns = {name: values if isinstance(values, list) else values.tolist() for name, values in vars(scores).items()}
    means = {name: _mean(columns[name]) for name in ("semantic", "lexical", "exact_match", "ngram_similarity")}
    result = {"smile": _mean(columns["score"]), "accuracy": _mean(columns["verdict"]), **means, "signature": line}
    return result | {"per_example": columns} if per_example else result


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
