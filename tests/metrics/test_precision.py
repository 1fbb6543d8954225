"""The precision of `dtype="auto"`, its effect on scores and signatures, and scores on an accelerator."""

from functools import partial

import pytest
import torch
from test_contract import assert_same

from evaluate_qa.metrics._shared import devices, engines
from evaluate_qa.metrics._shared.devices import fastest_dtype, multiplies_int8
from evaluate_qa.metrics._shared.model_options import ModelOptions


def test_devices_and_dtypes_of_torch_are_read_by_name():
    given = ModelOptions(device=torch.device("cuda", 1), dtype=torch.bfloat16)
    assert (given.device, given.dtype) == ("cuda:1", "bfloat16")


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("avx2 avx512f avx512_vnni", "float32"),
        ("amx_bf16 amx_tile", "bfloat16"),
        ("avx512_bf16 avx512f", "bfloat16"),
        ("avx2 avx_vnni", "float32"),
        ("asimd asimddp bf16", "bfloat16"),
    ],
)
def test_a_cpu_runs_in_bfloat16_and_int8_if_it_has_instructions_for_them(monkeypatch, tmp_path, flags, expected):
    (tmp_path / "cpuinfo").write_text(f"model name\t: CPU\nflags\t\t: fpu {flags}\n\nprocessor\t: 1\n")
    found = partial(devices._cpu_has, cpu_info=tmp_path / "cpuinfo")
    monkeypatch.setattr(devices, "_cpu_has", found)
    monkeypatch.setattr(devices.platform, "machine", lambda: "x86_64")
    assert fastest_dtype("cpu") == expected
    assert multiplies_int8() == ("vnni" in flags or "asimddp" in flags)


@pytest.mark.parametrize(("supported", "expected"), [(True, "bfloat16"), (False, "float16")])
def test_an_accelerator_runs_in_a_supported_half_precision(monkeypatch, supported, expected):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: supported)
    assert fastest_dtype("cuda:1") == expected
    assert fastest_dtype("mps") == "float16"


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_auto_gives_the_scores_and_signature_of_its_precision(monkeypatch, name, load, case, dtype):
    if not case.loads or name == "judge":
        pytest.skip("the metric has no such option")
    monkeypatch.setattr(engines, "fastest_dtype", lambda _: dtype)
    if name == "evqascore":
        from evaluate_qa.metrics.evqascore import clip

        monkeypatch.setattr(clip, "fastest_dtype", lambda _: dtype)
    engine = {} if name == "evqascore" else {"engine": "torch"}
    of_choice, of_auto = (load(device="cpu", dtype=one, **engine).compute(**case.columns) for one in (dtype, "auto"))
    assert of_auto["signature"] == of_choice["signature"]
    assert ("|dtype:bfloat16" in of_auto["signature"]) == (dtype == "bfloat16")
    assert_same(of_auto, of_choice)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_an_accelerator_gives_the_scores_of_a_cpu(load, case):
    if not case.loads:
        pytest.skip("the metric has no model")
    here, there = (load(device=device).compute(**case.columns) for device in ("cpu", "cuda"))
    assert_same(here, there)
