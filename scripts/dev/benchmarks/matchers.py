"""BEM and NLI+lex against a row-by-row transformers loop and against the model's raw forward throughput."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...loading import load_metric
from .measure import Prepare

Scores = list[float]

_TOKEN_BUDGET = {"cpu": 1024}
_ACCELERATOR_BUDGET = 65536


@dataclass(frozen=True)
class Job:
    """Rows to score, by which metric and how.

    Long answers are truncated and the words' evidence is left out, so that all cases do the same work and their
    scores can be compared.
    """

    metric: str
    predictions: Sequence[str]
    references: Sequence[Sequence[str]]
    questions: Sequence[str]
    load: Mapping[str, Any] = field(default_factory=dict)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the columns for `compute`."""
        return {"predictions": self.predictions, "references": self.references, "questions": self.questions}


def cases(job: Job) -> dict[str, tuple[Prepare, Job]]:
    """Return what is measured: two baselines with transformers' model, the metric's own forward passes, the metric."""
    return {
        "row-by-row loop": (row_by_row, job),
        "raw forward": (raw_forward, job),
        "raw forward, transformers": (stock_forward, job),
        job.metric: (metric, job),
        f"{job.metric}, engine=torch": (metric, replace(job, load={**job.load, "engine": "torch"})),
        f"{job.metric}, dtype=bfloat16": (metric, replace(job, load={**job.load, "dtype": "bfloat16"})),
    }


def metric(job: Job) -> Callable[[], Scores]:
    """The metric as a user calls it."""
    loaded = _loaded(job)

    def run() -> Scores:
        result = loaded.compute(**job.columns(), lexical=False, long_answers="truncate")
        scores: Scores = result["per_example"][_own(job)]
        return scores

    return run


def row_by_row(job: Job) -> Callable[[], Scores]:
    """What one writes with transformers: for each row, its pairs in one padded batch; the best reference's output."""
    import numpy as np
    import torch

    classifier, texts = _stock(job), _pairs(job)
    model, tokenizer = classifier.model, classifier.tokenizer

    def row(pairs: Sequence[Any]) -> float:
        first, second = zip(*((first, " [SEP] ".join(parts)) for first, parts in pairs), strict=True)
        inputs = tokenizer(list(first), list(second), truncation=True, padding=True, return_tensors="pt")
        with torch.inference_mode():
            logits = model(**inputs.to(model.device)).logits.float().cpu().numpy()
        margin = logits[:, 1] - logits[:, 0]
        own = margin if _own(job) == "margin" else 1 / (1 + np.exp(-margin))
        return float(own.max())

    def run() -> Scores:
        return [row(pairs) for pairs in texts]

    return run


def raw_forward(job: Job) -> Callable[[], int]:
    """Only the forward passes of the metric's model on torch over the distinct pairs, prepared beforehand."""
    return _forward(job, _loaded(replace(job, load={**job.load, "engine": "torch"})).model.classifier)


def stock_forward(job: Job) -> Callable[[], int]:
    """The same with the model as transformers has it."""
    return _forward(job, _stock(job))


def _forward(job: Job, classifier: Any) -> Callable[[], int]:
    import numpy as np
    import torch

    from evaluate_qa.metrics._shared.batching import batches

    inputs = classifier.encode(distinct_pairs(job))
    lengths = np.array([len(ids) for ids, _ in inputs])
    budget = _TOKEN_BUDGET.get(classifier.model.device.type, _ACCELERATOR_BUDGET)
    prepared = [classifier.tensors([inputs[i] for i in batch]) for batch in batches(lengths, budget)]

    def run() -> int:
        with torch.inference_mode():
            for batch in prepared:
                classifier.model(**batch)
            if classifier.model.device.type == "cuda":
                torch.cuda.synchronize()
        return int(lengths.sum())

    return run


def distinct_pairs(job: Job) -> list[Any]:
    """Return what goes through the model, each once."""
    return list(dict.fromkeys(pair for pairs in _pairs(job) for pair in pairs))


def _loaded(job: Job) -> Any:
    loaded = load_metric(job.metric, **job.load)
    loaded.compute(predictions=["warm"], references=["up"], questions=["?"])
    return loaded


def _stock(job: Job) -> Any:
    """Return the classifier as transformers runs it, warmed up."""
    from evaluate_qa.metrics._shared.arguments import ModelOptions
    from evaluate_qa.metrics._shared.classifiers import BuiltIn, load_plain

    classifier = load_plain(job.metric, (BuiltIn.MATCHER, None), ModelOptions(**job.load)).classifier
    classifier.forward(classifier.encode([("warm", ("up",))]))
    return classifier


def _own(job: Job) -> str:
    """Name of the classifier's own output, before any logistic layer."""
    return "margin" if job.metric == "bem" else "entailment"


def _pairs(job: Job) -> list[list[Any]]:
    """Return the inputs of each row, one for each reference."""
    from ...training.learner import FORMATS

    form = FORMATS[job.metric]
    rows = zip(job.questions, job.predictions, job.references, strict=True)
    return [[form(question, answer, reference) for reference in references] for question, answer, references in rows]
