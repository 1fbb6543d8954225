"""`dtype="auto"`: the precision that is fastest where a model runs, by a short measurement that a small file remembers.

The file is `evaluate_qa/precision-….json` in Hugging Face's cache (`HF_HOME`), one for each processor, version of torch
and number of threads, so that a later process decides as this one did. Delete it to have it measured again.

Eight bits were tried and not built. With activations quantised by token, so that a score does not depend on the batch,
MiniLM's shape in batches of 32 by 32 tokens took on an AMD EPYC (AVX-512 VNNI, one thread), of float32's time: bfloat16
.62, torchao 0.18's dynamic int8 .63, our own layer over torch's int8 product .56. To be worth an option 8 bits would
have to be 1.3 times as fast as bfloat16. Only torch's own layer was (.40), which quantises by the batch.
"""

import json
import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeVar

from .acceleration import multiply_with_onednn
from .arguments import Dtype, ModelOptions
from .inference import best_device
from .processor import processor

# A half precision rounds: it is taken where it needs less than this share of float32's time, not where it is as fast.
_WORTH = 0.9
_ROUNDS = 5
# Tokens and width of what is measured: on a CPU a batch of the default model's, elsewhere enough to keep it busy.
_CPU, _ACCELERATOR = (1024, 384), (16384, 1024)

Given = TypeVar("Given", bound=ModelOptions)


def settled(options: Given) -> Given:
    """Return the options with the fastest precision in place of `"auto"`."""
    return replace(options, dtype=fastest(options.device or best_device())) if options.dtype == "auto" else options


def fastest(device: str) -> Dtype:
    """Return the precision to run models in on a device of torch; measures for about half a second where it must."""
    import torch

    return _fastest(device, torch.get_num_threads())


def chosen(seconds: Mapping[Dtype, Sequence[float]]) -> Dtype:
    """Return which precision is worth taking.

    Args:
        seconds: What the same work took in each round, by precision; `"float32"` is among them.

    Returns:
        The one with the smallest median if that is below 0.9 of float32's, else `"float32"`.
    """
    medians = {dtype: statistics.median(rounds) for dtype, rounds in seconds.items()}
    best = min(medians, key=medians.__getitem__)
    return best if medians[best] < _WORTH * medians["float32"] else "float32"


@cache
def _fastest(device: str, threads: int) -> Dtype:
    import torch
    from huggingface_hub import constants

    here = {"device": device, "torch": torch.__version__, "threads": threads}
    digest = sha256(json.dumps([processor(device).kind, here]).encode()).hexdigest()[:16]
    file = Path(constants.HF_HOME) / "evaluate_qa" / f"precision-{digest}.json"
    candidates = _candidates(device)
    for dtype in candidates:
        if dtype == _remembered(file):
            return dtype
    seconds = measured(device, candidates)
    dtype = chosen(seconds)
    medians = {name: statistics.median(rounds) for name, rounds in seconds.items()}
    _remember(file, {"dtype": dtype, "seconds": medians, "processor": processor(device).name, **here})
    return dtype


def _candidates(device: str) -> tuple[Dtype, ...]:
    """Return what is compared: float32, and bfloat16, or float16 on an accelerator without bfloat16 of its own."""
    import torch

    cuda = device.startswith("cuda") and torch.cuda.is_bf16_supported(including_emulation=False)
    return "float32", "bfloat16" if cuda or device.startswith("cpu") else "float16"


def measured(device: str, dtypes: Sequence[Dtype]) -> dict[Dtype, list[float]]:
    """Return the seconds that the feed-forward part of a layer takes, in alternating rounds after one to warm up."""
    import torch

    tokens, width = _CPU if device.startswith("cpu") else _ACCELERATOR
    seconds: dict[Dtype, list[float]] = {dtype: [] for dtype in dtypes}
    with torch.inference_mode():
        runs = {dtype: _layer(device, dtype, tokens, width) for dtype in dtypes}
        for number in range(1 + _ROUNDS):
            for dtype, (layer, inputs) in runs.items():
                start = time.perf_counter()
                layer(inputs)[0, 0].item()  # an accelerator has then done it
                if number:
                    seconds[dtype].append(time.perf_counter() - start)
    return seconds


def _layer(device: str, dtype: Dtype, tokens: int, width: int) -> tuple[Any, Any]:
    """Return a layer as metrics run it, and inputs; the numbers that a user draws stay what they are."""
    import torch

    generator = torch.Generator().manual_seed(0)
    shapes = (width, 4 * width), (4 * width, width)
    skip_init: Any = torch.nn.utils.skip_init
    first, second = (skip_init(torch.nn.Linear, *shape) for shape in shapes)
    layer = torch.nn.Sequential(first, torch.nn.GELU(), second)
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter, std=0.02, generator=generator)
    layer = layer.to(device, getattr(torch, dtype)).eval()
    multiply_with_onednn(layer)
    inputs = torch.randn(tokens, width, generator=generator)
    return layer, inputs.to(device, getattr(torch, dtype))


def _remembered(file: Path) -> Any:
    """Return what the file says; None where there is none, or a damaged one."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return json.loads(file.read_text(encoding="utf-8"))["dtype"]
    return None


def _remember(file: Path, found: Mapping[str, object]) -> None:
    """Write the file, all of it or none; where that cannot be, every process measures for itself."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as made:
            json.dump(found, made)
        Path(made.name).replace(file)
