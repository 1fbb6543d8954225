"""The precision of `dtype="auto"`, and its effect on scores and signatures."""

from functools import partial

import pytest
import torch
from test_contract import assert_same

from evaluate_qa.metrics._shared import devices, engines
from evaluate_qa.metrics._shared.devices import fastest, multiplies_int8


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
    assert fastest("cpu") == expected
    assert multiplies_int8() == ("vnni" in flags or "asimddp" in flags)


@pytest.mark.parametrize(("supported", "expected"), [(True, "bfloat16"), (False, "float16")])
def test_an_accelerator_runs_in_a_supported_half_precision(monkeypatch, supported, expected):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: supported)
    assert fastest("cuda:1") == expected
    assert fastest("mps") == "float16"


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_auto_gives_the_scores_and_signature_of_its_precision(monkeypatch, name, load, case, dtype):
    if not case.loads or name == "judge":
        pytest.skip("the metric has no such option")
    monkeypatch.setattr(engines, "fastest", lambda _: dtype)
    if name == "evqascore":
        from evaluate_qa.metrics.evqascore import clip

        monkeypatch.setattr(clip, "fastest", lambda _: dtype)
    engine = {} if name == "evqascore" else {"engine": "torch"}
    of_choice, of_auto = (load(device="cpu", dtype=one, **engine).compute(**case.columns) for one in (dtype, "auto"))
    assert of_auto["signature"] == of_choice["signature"]
    assert ("|dtype:bfloat16" in of_auto["signature"]) == (dtype == "bfloat16")
    assert_same(of_auto, of_choice)


@pytest.mark.parametrize("name", ["bem", "nli_lex", "smile"], scope="session")
def test_onnxruntime_runs_in_float32(monkeypatch, load, case):
    monkeypatch.setattr(engines, "fastest", lambda _: "bfloat16")
    plain, auto = (load(device="cpu", **options).compute(**case.columns) for options in ({}, {"dtype": "auto"}))
    assert auto == plain


def test_the_judge_does_not_accept_auto(load, name):
    if name == "judge":
        with pytest.raises(ValueError, match="dtype is 'auto'; expected one of float32, float16, bfloat16"):
            load(dtype="auto")
