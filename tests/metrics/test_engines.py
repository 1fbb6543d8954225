"""The choice of an engine, equal scores of both engines, and scoring without torch."""

import json
import sys

import numpy as np
import pytest

import evaluate_qa
from evaluate_qa.metrics._shared import engines
from evaluate_qa.metrics._shared.engines import choose_engine
from evaluate_qa.metrics._shared.model_options import EngineOptions

EMBEDDED = ["bem", "nli_lex", "smile"]
PACKAGES = ("torch", "transformers")


def engine_of(model="matcher", embedded=True, **options):
    return choose_engine("bem", EngineOptions(**options), model, embedded, PACKAGES)[0]


def test_a_cpu_runs_the_embedded_models_on_onnxruntime(monkeypatch):
    monkeypatch.setattr(engines, "best_device", lambda: "cpu")
    monkeypatch.setattr(engines, "fastest_dtype", lambda _: "bfloat16")
    assert engine_of() == engine_of(device="cpu") == engine_of(dtype="auto") == "onnxruntime"
    assert (
        engine_of(device="cpu", dtype="bfloat16") == engine_of(embedded=False) == engine_of(engine="torch") == "torch"
    )
    for supported, expected in ((True, "int8"), (False, "float32")):
        monkeypatch.setattr(engines, "multiplies_int8", lambda supported=supported: supported)
        assert choose_engine("bem", EngineOptions(dtype="auto"), "matcher", True, PACKAGES)[1].dtype == expected


def test_an_accelerator_runs_models_on_torch(monkeypatch):
    monkeypatch.setattr(engines, "best_device", lambda: "cuda")
    assert engine_of() == "torch"
    assert engine_of(device="cpu") == engine_of(engine="onnxruntime") == "onnxruntime"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"device": "cuda"}, "device='cuda'"),
        ({"dtype": "float16"}, "dtype='float16'"),
        ({"model": "some/checkpoint", "embedded": False}, "model='some/checkpoint'"),
    ],
)
def test_requests_that_need_torch_raise_an_error_without_it(monkeypatch, options, reason):
    with pytest.raises(ValueError, match=f"^bem: {reason} needs torch, but engine is 'onnxruntime', which runs the "):
        engine_of(engine="onnxruntime", **options)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError) as caught:
        engine_of(**options)
    message = f"bem: torch is not installed, and {reason} needs it: pip install 'evaluate-qa[torch]'"
    assert (str(caught.value), caught.value.name) == (message, "torch")


def test_int8_runs_on_onnxruntime_on_cpus_that_support_it(monkeypatch):
    monkeypatch.setattr(engines, "multiplies_int8", lambda: True)
    assert engine_of(dtype="int8", device="cpu") == engine_of(dtype="int8", engine="onnxruntime") == "onnxruntime"
    for name, value in (("engine", "torch"), ("device", "cuda")):
        with pytest.raises(ValueError, match="int8") as caught:
            engine_of(dtype="int8", **{name: value})
        assert str(caught.value) == (
            "bem: dtype is 'int8', which only ONNX Runtime supports, for the embedded models on a CPU, but "
            f"{name}={value!r} is set; use dtype='auto'"
        )
    monkeypatch.setattr(engines, "multiplies_int8", lambda: False)
    with pytest.raises(ValueError, match="int8") as caught:
        engine_of(dtype="int8")
    assert str(caught.value) == (
        "bem: dtype is 'int8', which needs a CPU with AVX-VNNI, AVX512-VNNI or ARM's dot products, and /proc/cpuinfo "
        "does not list them; use dtype='auto'"
    )


def test_num_threads_sets_torchs_threads():
    import torch

    threads = torch.get_num_threads()
    try:
        engine_of(engine="torch", device="cpu", num_threads=threads + 1)
        assert torch.get_num_threads() == threads + 1
    finally:
        torch.set_num_threads(threads)


def sample():
    """Return the columns of every fourth row."""
    with evaluate_qa.sample_path().open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][::4]
    columns = {"predictions": "prediction", "references": "references", "questions": "question"}
    return {column: [row[name] for row in rows] for column, name in columns.items()}


@pytest.mark.slow
@pytest.mark.parametrize("metric", EMBEDDED)
def test_both_engines_and_all_batches_give_the_same_scores(metric):
    rows = sample()
    ours = evaluate_qa.load(metric, device="cpu").compute(**rows)
    others = [
        evaluate_qa.load(metric, device="cpu", engine="torch").compute(**rows),
        evaluate_qa.load(metric, device="cpu", engine="onnxruntime", batch_size=3, num_threads=2).compute(**rows),
    ]
    for other in others:
        assert other["signature"] == ours["signature"]
        assert np.abs(np.subtract(other["per_example"]["score"], ours["per_example"]["score"])).max() < 1e-5
        assert other["per_example"]["verdict"] == ours["per_example"]["verdict"]


BLOCKED = """
import json, sys
for name in ("evaluate", "datasets", "transformers", "torch", "sentence_transformers", "huggingface_hub", "onnx"):
    sys.modules[name] = None
import evaluate_qa
given = json.loads(sys.argv[1])
found = {name: evaluate_qa.load(name).compute(**given)["per_example"]["score"] for name in ("bem", "nli_lex", "smile")}
try:
    evaluate_qa.load("bem", "paper").compute(**given)
except ImportError as error:
    found["error"] = str(error)
reward = evaluate_qa.load("bem").reward("references", questions="questions")
found["reward"] = reward(prompts=given["questions"], completions=given.pop("predictions"), **given)
print(json.dumps(found))
"""


def test_embedded_models_score_without_torch_transformers_and_evaluate(processes, tmp_path):
    rows = {
        "predictions": ["It was Marie Curie.", "Lyon", "The answer is 42, I think, but [SEP] I am not sure."],
        "references": ["Marie Curie", ["Paris", "Paris, France"], "42"],
        "questions": ["Who discovered radium?", "What is the capital of France?", "What is it?"],
    }
    done = processes.run("-W", "error", "-c", BLOCKED, json.dumps(rows), cwd=tmp_path, check=True)
    found = json.loads(done.stdout)
    assert found.pop("error") == (
        "bem: torch is not installed, and model='kortukov/answer-equivalence-bem' needs it: "
        "pip install 'evaluate-qa[torch]'"
    )
    assert found.pop("reward") == found["bem"]
    for metric in EMBEDDED:
        expected = evaluate_qa.load(metric, device="cpu", engine="torch").compute(**rows)
        assert found[metric] == pytest.approx(expected["per_example"]["score"], abs=1e-5)
