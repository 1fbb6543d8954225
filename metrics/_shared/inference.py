"""How a model runs: where, in which batches, by what cheaper arithmetic, in which precision.

Batches are sorted by length, bounded by tokens, halved when memory runs out.

A forward pass is made cheaper at the same scores. On a CPU oneDNN multiplies the matrices: in single precision torch
itself takes MKL, which on AMD's CPUs does not use all of their instructions (measured: 2.3 times as slow). The weights
of models of BERT's family are put into oneDNN's own layout once, not at every product (measured on an AMD EPYC, one
thread: 1.05 times as fast, 1.3 with a single text). And the head of their classifiers reads the first token and no
other, so the last layer need not compute the others.

`dtype="auto"` is the precision that is fastest where a model runs, by a short measurement that a small file remembers:
`evaluate_qa/precision-….json` in Hugging Face's cache (`HF_HOME`), one for each processor, version of torch and number
of threads, so that a later process decides as this one did. Delete it to have it measured again.

Eight bits were tried and not built. With activations quantised by token, so that a score does not depend on the batch,
MiniLM's shape in batches of 32 by 32 tokens took on an AMD EPYC (AVX-512 VNNI, one thread), of float32's time: bfloat16
.62, torchao 0.18's dynamic int8 .63, our own layer over torch's int8 product .56. To be worth an option 8 bits would
have to be 1.3 times as fast as bfloat16. Only torch's own layer was (.40), which quantises by the batch.
"""

import json
import platform
import re
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .arguments import Dtype, ModelOptions
from .progress import progress

Indices = NDArray[np.intp]
Given = TypeVar("Given", bound=ModelOptions)

# Their layers are built alike, their heads read the first token only, and only its layer reads a matrix of weights.
_FAMILY = {"bert", "roberta", "xlm-roberta"}

# A half precision rounds: it is taken where it needs less than this share of float32's time, not where it is as fast.
_WORTH = 0.9
_ROUNDS = 5
# Tokens and width of what is measured: on a CPU a batch of the default model's, elsewhere enough to keep it busy.
_CPU, _ACCELERATOR = (1024, 384), (16384, 1024)

# Of what a Linux kernel says of a processor: a virtual machine's host may give many generations one name.
_KIND = re.compile(r"^(?:vendor_id|cpu family|model|stepping|flags|CPU \w+|Features)\s*: (.*)$", re.MULTILINE)
_NAME = re.compile(r"^model name\s*: (.*)$", re.MULTILINE)
_INSTRUCTIONS = re.compile(r"avx2|avx512f|asimd|sve2?|\w*(?:amx|bf16|vnni|i8mm)\w*")


def best_device() -> str:
    """Return the accelerator that torch sees, else the CPU."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def check_device(metric: str, device: str | None) -> None:
    """Raise ValueError for a device that torch cannot use."""
    import torch

    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, TypeError) as error:  # AssertionError where torch lacks the whole backend
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{metric}: device is {device!r}, which torch cannot use here ({reason})") from error


def batches(lengths: NDArray[Any], token_budget: int, batch_size: int | None = None) -> Iterator[Indices]:
    """Yield row numbers in batches, longest rows first.

    Rows of one batch are of nearly the same length, so that little of it is padding; the longest come first, so that
    memory runs out at once if it does, and a progress bar's estimate errs on the late side.

    Args:
        lengths: Tokens of each row, shape (rows,).
        token_budget: A batch holds at most this many tokens, padding counted; a longer row is a batch of its own.
        batch_size: At most this many rows in a batch, whatever the budget.

    Yields:
        Integer arrays that together hold every row number once.
    """
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        longest = max(1, int(lengths[order[start]]))
        size = max(1, token_budget // longest)
        size = min(size, batch_size) if batch_size else size
        yield order[start : start + size]
        start += size


def run(
    lengths: NDArray[Any],
    forward: Callable[[Indices], NDArray[Any]],
    *,
    token_budget: int,
    batch_size: int | None = None,
    describe: str | None = None,
) -> Iterator[tuple[Indices, NDArray[Any]]]:
    """Run a model over all rows and yield (row numbers, outputs) batch by batch, so that nothing need be held.

    Args:
        lengths: Tokens of each row, shape (rows,).
        forward: Takes row numbers, returns one output for each, shape (batch, …).
        token_budget: Tokens of a batch, padding counted.
        batch_size: Rows of a batch at most.
        describe: Title of the progress bar; without it, or where evaluate's or datasets' bars are off, there is none.

    Yields:
        Row numbers, shape (batch,), and their outputs, shape (batch, …). Longest rows first.

    Raises:
        MemoryError: a single row does not fit.
    """
    with progress(describe, len(lengths), "text") as bar:
        for batch in batches(lengths, token_budget, batch_size):
            for indices, outputs in _halving(batch, forward):
                bar.update(len(indices))
                yield indices, outputs


def _halving(batch: Indices, forward: Callable[[Indices], NDArray[Any]]) -> Iterator[tuple[Indices, NDArray[Any]]]:
    """Run one batch; where memory runs out, run its halves instead."""
    try:
        outputs = forward(batch)
    except (RuntimeError, MemoryError) as error:
        if not _out_of_memory(error):
            raise
        outputs = None
        reason = str(error)
    # The halves run outside the handler: while the exception lives, its traceback holds the failed batch's tensors.
    if outputs is not None:
        yield batch, outputs
    elif len(batch) == 1:
        raise MemoryError(f"out of memory with a single row; a device with more memory is needed ({reason})")
    else:
        middle = len(batch) // 2
        yield from _halving(batch[:middle], forward)
        yield from _halving(batch[middle:], forward)


def _out_of_memory(error: BaseException) -> bool:
    """CUDA raises torch.OutOfMemoryError, MPS and the CPU a RuntimeError that says so."""
    return isinstance(error, MemoryError) or "out of memory" in str(error) or "allocate memory" in str(error)


def read_first_token_only(model: Any) -> None:
    """Let the last layer of a BERT or RoBERTa classifier compute its first token only; leave other models alone.

    All tokens still have keys and values there; the query, and what comes after the attention, is the first token's.
    """
    if not _is_of_family(model) or getattr(model.config, "position_embedding_type", "absolute") != "absolute":
        return
    last = model.base_model.encoder.layer[-1].attention
    last.self.forward = partial(_attend_from_first, last.self)
    last.output.forward = partial(_add_to_first, last.output)


def multiply_with_onednn(model: Any) -> None:
    """Let oneDNN compute a model's linear layers, where they are on a CPU in float32 or bfloat16.

    The model can then no longer be trained; one of BERT's family can be neither copied nor saved, for the weights of
    its linear layers are in oneDNN's layout alone.
    """
    import torch

    # What torch.compile uses. Without it everything is as it was, only slower.
    library: Any = torch.backends.mkldnn
    multiply = getattr(torch.ops.mkldnn, "_linear_pointwise", None) if library.is_available() else None
    if multiply is None:
        return
    arrange = getattr(torch.ops.mkldnn, "_reorder_linear_weight", None)
    layers: list[Any] = [layer for layer in model.modules() if type(layer) is torch.nn.Linear]
    own = {layer for part in model.modules() if _is_of_family(part) for layer in part.modules()}
    for layer in layers:
        weight = layer.weight
        if weight.device.type != "cpu" or weight.dtype not in _onednn_dtypes():
            continue
        if arrange is not None and layer in own:
            weight = arrange(weight.detach(), None)
            layer.weight = torch.nn.Parameter(layer.weight.new_empty(0), requires_grad=False)
        layer.forward = partial(_multiply, multiply, weight, layer.bias)


def _is_of_family(module: Any) -> bool:
    return getattr(getattr(module, "config", None), "model_type", None) in _FAMILY


@cache
def _onednn_dtypes() -> set[Any]:
    """Return in which precisions oneDNN multiplies on this processor; in bfloat16 it refuses older ones."""
    import torch

    supported = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: False)
    return {torch.float32, torch.bfloat16} if supported() else {torch.float32}


def _attend_from_first(
    attention: Any, hidden_states: Any, attention_mask: Any = None, *_others: Any, **_options: Any
) -> tuple[Any, None]:
    from torch.nn.functional import scaled_dot_product_attention

    batch, _, width = hidden_states.shape
    query, key, value = (
        layer(states).view(batch, states.shape[1], -1, attention.attention_head_size).transpose(1, 2)
        for layer, states in (
            (attention.query, hidden_states[:, :1]),
            (attention.key, hidden_states),
            (attention.value, hidden_states),
        )
    )
    mask = None if attention_mask is None else attention_mask[:, :, :1]
    found = scaled_dot_product_attention(query, key, value, attn_mask=mask)
    return found.transpose(1, 2).reshape(batch, 1, width), None


def _add_to_first(output: Any, hidden_states: Any, input_tensor: Any) -> Any:
    return type(output).forward(output, hidden_states, input_tensor[:, :1])


def _multiply(operator: Any, weight: Any, bias: Any, values: Any) -> Any:
    return operator(values, weight, bias, "none", [], "")


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


@dataclass(frozen=True)
class Processor:
    """A CPU or an accelerator.

    Args:
        name: What its maker calls it, or the host of a virtual machine.
        instructions: The sets of instructions for matrices that a CPU has, as Linux names them; else none are known.
        kind: Tells processors of one name apart.
    """

    name: str
    instructions: tuple[str, ...]
    kind: str


@cache
def processor(device: str = "cpu") -> Processor:
    """Describe the processor behind a device of torch."""
    if device.startswith("cuda"):
        import torch

        name = torch.cuda.get_device_name(device)
        return Processor(name, (), name)
    said = ""
    with suppress(OSError):
        said = Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")[0]
    name = named[1] if (named := _NAME.search(said)) else platform.processor() or platform.machine()
    instructions = tuple(sorted(set(filter(_INSTRUCTIONS.fullmatch, said.split()))))
    return Processor(name, instructions, "\n".join([platform.machine(), name, *_KIND.findall(said)]))
