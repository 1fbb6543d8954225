"""An accelerator gives the scores that a CPU gives."""

import pytest
import torch
from test_contract import assert_same


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_an_accelerator_scores_as_a_cpu_does(load, case):
    if not case.model:
        pytest.skip("the metric has no model")
    here, there = (load(device=device).compute(**case.columns) for device in ("cpu", "cuda"))
    assert_same(here, there)
