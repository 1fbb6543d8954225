"""What a benchmark ran on: the processor in words, and the fastest that it multiplies matrices."""

import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from evaluate_qa.metrics._shared.devices import best_device, processor
from evaluate_qa.metrics._shared.precision import fastest

# Rows, inner length, columns of a product; the fastest counts. The last two are a batch of the default model's.
_SHAPES = [(2048, 2048, 2048), (1024, 1024, 4096), (1024, 384, 1536), (1024, 1536, 384)]
_SECONDS = 0.3
_LEAST = 3


@dataclass(frozen=True)
class Machine:
    """A processor and how torch uses it.

    Args:
        processor: Its name.
        instructions: Its sets of instructions for matrices.
        system: The operating system.
        device: Device of torch.
        threads: Threads of torch.
        torch: Version of torch.
        auto: The precision that `dtype="auto"` stands for with the default models, which run on ONNX Runtime on a CPU.
    """

    processor: str
    instructions: Sequence[str]
    system: str
    device: str
    threads: int
    torch: str
    auto: str

    def __str__(self) -> str:
        sets = " ".join(self.instructions) or "instruction sets unknown"
        return f"{self.processor} ({sets}), {self.device}, threads: {self.threads}, torch {self.torch}"


def machine(device: str | None = None) -> Machine:
    """Describe the machine that this runs on."""
    import torch

    device = device or best_device()
    found = processor(device)
    system = f"{platform.system()} {platform.machine()}"
    threads = torch.get_num_threads()
    auto = "float32" if device == "cpu" else fastest(device)
    return Machine(found.name, found.instructions, system, device, threads, torch.__version__, auto)


def peak(job: Mapping[str, Any]) -> Callable[[], float]:
    """Operations a second of the fastest matrix product, of `job`'s precision on its device: 2 for each product.

    On a CPU torch's own and oneDNN's products are tried, as the metrics use both.
    """
    import torch

    device, dtype = job["device"], getattr(torch, job["dtype"])
    runs = [run for shape in _SHAPES for run in _products(shape, device, dtype)]

    def best() -> float:
        with torch.inference_mode():
            return max(operations / _least_seconds(product) for operations, product in runs)

    return best


def _products(shape: tuple[int, int, int], device: str, dtype: Any) -> list[tuple[int, Callable[[], Any]]]:
    """Return what a product of a shape costs, in operations, and ways to carry it out."""
    import torch

    from evaluate_qa.metrics._shared.onednn import multiply_with_onednn

    rows, inner, columns = shape
    values = torch.randn(rows, inner).to(device, dtype)
    plain, fast = (torch.nn.Linear(inner, columns).to(device, dtype).eval() for _ in range(2))
    multiply_with_onednn(fast)
    return [(2 * rows * inner * columns, partial(_done, layer, values)) for layer in (plain, fast)]


def _done(layer: Any, values: Any) -> float:
    """Multiply; a number of the result is there only when an accelerator has done all of it."""
    number: float = layer(values)[0, 0].item()
    return number


def _least_seconds(product: Callable[[], Any]) -> float:
    """Return the least time of several; what else runs on a machine can only add to it."""
    times: list[float] = []
    product()
    while len(times) < _LEAST or sum(times) < _SECONDS:
        start = time.perf_counter()
        product()
        times.append(time.perf_counter() - start)
    return min(times)
