"""`datasets.map` in two processes gives the scores of one call."""

import os

import datasets
import pytest
from tqdm import tqdm

import evaluate_qa

ROWS = {
    "prediction": ["It was Marie Curie.", "Lyon", "", "It is Paris, of course.", "I do not know.", "K2", "Victor Hugo"],
    "reference": [["Marie Curie", "Curie"], ["Paris"], ["Rome"], ["Paris"], ["42"], ["Everest", "K2"], ["Hugo"]],
    "question": ["Who found radium?", "Capital?", "Capital?", "Capital?", "What is it?", "Highest?", "Who wrote it?"],
}
OPTIONS = {"deltableu": {"effective_order": True}}


def scores(batch, metric, options):
    result = metric.compute(
        predictions=batch["prediction"], references=batch["reference"], questions=batch["question"], **options
    )
    return {"score": result["per_example"]["score"]}


@pytest.mark.parametrize("used", [False, True], ids=["fresh", "used before"])
@pytest.mark.parametrize("name", ["smile", "deltableu"])
def test_map_in_two_processes_gives_the_scores_of_one_call(processes, name, used, monkeypatch):
    # `map` replaces os.environ by a copy, and rich would still read the original.
    monkeypatch.setattr(os, "environ", os.environ)
    # A fork while tqdm's thread holds its lock would leave the lock of the copy locked forever.
    monkeypatch.setattr(tqdm, "monitor_interval", 0)
    options = OPTIONS.get(name, {})
    metric = evaluate_qa.load(name)
    expected = scores(ROWS, metric, options)
    assert len(set(expected["score"])) >= 4
    given = metric if used else evaluate_qa.load(name)
    rows = datasets.Dataset.from_dict(ROWS)
    mapped = rows.map(scores, batched=True, batch_size=2, num_proc=2, fn_kwargs={"metric": given, "options": options})
    assert mapped["prediction"][:] == ROWS["prediction"]
    assert mapped["score"][:] == pytest.approx(expected["score"], abs=1e-6)
