"""ONNX Runtime in PyTorch's place for the network of a model, on a CPU; what is around it stays, such as a tokenizer.

The graph is exported once, compared with PyTorch, and kept for later calls. Other libraries need optimum-onnx for it,
of which no release loads beside transformers 5.
"""

import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

_PACKAGES = ("onnx", "onnxruntime", "onnxscript")
_TOLERANCE = 1e-4

Wrap = Callable[[Any], Any]


@dataclass(frozen=True)
class Network:
    """What is to run in ONNX Runtime.

    Args:
        metric: Name of the metric, for messages and the cache.
        label: Name of the checkpoint.
        fingerprint: Names the exported graph.
        module: PyTorch's, on the CPU in float32, called with keywords; its first output is what counts.
        probe: What it is exported with, its tensors by keyword. Of inputs of different lengths: a graph that has lost
            the attention mask gives another result for the shorter one.
        results: Runs the whole model on the same inputs and returns an array.
        wrap: Makes of the graph's output what the module returns.
    """

    metric: str
    label: str
    fingerprint: str
    module: Any
    probe: Mapping[str, Any]
    results: Callable[[], Any]
    wrap: Wrap


def check_onnx(metric: str) -> None:
    """Raise ImportError where a package is missing."""
    if missing := [package for package in _PACKAGES if find_spec(package) is None]:
        raise ImportError(f"{metric}: backend='onnx' lacks {', '.join(missing)}: pip install {' '.join(_PACKAGES)}")


def use_onnx(network: Network, cache: Path | None) -> None:
    """Make the network's module run in ONNX Runtime.

    Args:
        network: The network.
        cache: Where exported graphs are kept; by default in the Hugging Face cache.

    Raises:
        ValueError: it cannot be exported.
    """
    import torch
    import transformers
    from huggingface_hub import cached_assets_path

    folder = cache / "onnx" if cache else cached_assets_path("evaluate_qa", network.metric, "onnx")
    # Another version of the exporter may write another graph.
    graph = folder / f"{network.fingerprint[:16]}-torch{torch.__version__}-transformers{transformers.__version__}"
    if not graph.is_dir():
        log = logging.getLogger(__name__)
        log.warning("%s: exporting %s to ONNX, once, into %s", network.metric, network.label, graph)
        _export(network, graph)
    network.module.forward = _forward(graph, network.wrap)


def _export(network: Network, graph: Path) -> None:
    """Export the network, check it, and only then put it in its place, whole."""
    graph.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=graph.parent) as temporary:
        made = Path(temporary) / "graph"
        made.mkdir()
        try:
            _write(network, made)
            difference = _difference(network, made)
        except Exception as error:
            reason = str(error).partition("\n")[0]
            raise ValueError(
                f"{network.metric}: {network.label} cannot be exported to ONNX ({type(error).__name__}: {reason}); "
                "use backend='torch'"
            ) from error
        if not difference <= _TOLERANCE:
            raise ValueError(
                f"{network.metric}: {network.label} exported to ONNX gives other results (by {difference:.2g}); "
                "use backend='torch'"
            )
        try:
            made.rename(graph)
        except OSError:
            if not graph.is_dir():  # else another process was first
                raise


def _write(network: Network, folder: Path) -> None:
    import torch

    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("tokens")}
    with _quiet():
        program: Any = torch.onnx.export(
            network.module,
            kwargs=dict(network.probe),
            dynamic_shapes=dict.fromkeys(network.probe, axes),
            input_names=list(network.probe),
            dynamo=True,
            verbose=False,
        )
        program.save(folder / "model.onnx")


def _difference(network: Network, folder: Path) -> float:
    """Return by how much the results with the graph differ from PyTorch's."""
    expected = network.results()
    network.module.forward = _forward(folder, network.wrap)
    try:
        return float(np.abs(network.results() - expected).max())
    finally:
        del network.module.forward


def _forward(folder: Path, wrap: Wrap) -> Callable[..., Any]:
    """Return what stands in for the module's `forward`."""
    import onnxruntime
    import torch

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    session = onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
    inputs = [feature.name for feature in session.get_inputs()]
    output = session.get_outputs()[0].name

    def forward(**features: Any) -> Any:
        (values,) = session.run([output], {name: features[name].numpy() for name in inputs})
        return wrap(torch.from_numpy(values))

    return forward


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep to itself what the exporter says about its own insides."""
    log = logging.getLogger("torch.onnx")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)
