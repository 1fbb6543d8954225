"""Scores on an accelerator equal scores on a CPU."""

import pytest
import torch
from test_contract import assert_same


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_an_accelerator_gives_the_scores_of_a_cpu(load, case):
    if not case.loads:
        pytest.skip("the metric has no model")
    here, there = (load(device=device).compute(**case.columns) for device in ("cpu", "cuda"))
    assert_same(here, there)
