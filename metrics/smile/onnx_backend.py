"""ONNX Runtime in PyTorch's place for an embedding model's transformer, on a CPU; tokenizer and pooling stay.

The graph is exported once, compared with PyTorch, and kept for later calls. sentence-transformers has an ONNX backend
too, but it needs optimum-onnx, of which no release loads beside transformers 5.
"""

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from .checkpoint import Checkpoint

_PACKAGES = ("onnx", "onnxruntime", "onnxscript")
# Of different lengths: an exported graph that has lost the attention mask differs on the shorter one.
_PROBE = ["radium", "It was Marie Curie who discovered radium and polonium with her husband, in Paris."]
_TOLERANCE = 1e-4


def check_onnx() -> None:
    """Raise ImportError where a package is missing."""
    if missing := [package for package in _PACKAGES if find_spec(package) is None]:
        raise ImportError(f"smile: backend='onnx' lacks {', '.join(missing)}: pip install {' '.join(_PACKAGES)}")


def use_onnx(model: Any, checkpoint: Checkpoint, cache: Path | None) -> None:
    """Make the transformer of a SentenceTransformer run in ONNX Runtime.

    Args:
        model: The SentenceTransformer, on the CPU in float32.
        checkpoint: Names the exported graph.
        cache: Where exported graphs are kept; by default in the Hugging Face cache.

    Raises:
        ValueError: the model has no transformer, or one that cannot be exported.
    """
    import torch
    import transformers
    from huggingface_hub import cached_assets_path

    if not hasattr(model[0], "auto_model"):
        raise ValueError(f"smile: {checkpoint.label} does not begin with a transformer; use backend='torch'")
    folder = cache / "onnx" if cache else cached_assets_path("evaluate_qa", "smile", "onnx")
    # Another version of the exporter may write another graph.
    graph = folder / f"{checkpoint.fingerprint[:16]}-torch{torch.__version__}-transformers{transformers.__version__}"
    if not graph.is_dir():
        logging.getLogger(__name__).warning("smile: exporting %s to ONNX, once, into %s", checkpoint.label, graph)
        _export(model, checkpoint, graph)
    model[0].auto_model.forward = _forward(graph)


def _export(model: Any, checkpoint: Checkpoint, graph: Path) -> None:
    """Export the transformer, check it, and only then put it in its place, whole."""
    graph.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=graph.parent) as temporary:
        made = Path(temporary) / "graph"
        made.mkdir()
        try:
            _write(model, made)
            difference = _difference(model, made)
        except Exception as error:
            reason = str(error).partition("\n")[0]
            raise ValueError(
                f"smile: {checkpoint.label} cannot be exported to ONNX ({type(error).__name__}: {reason}); "
                "use backend='torch'"
            ) from error
        if not difference <= _TOLERANCE:
            raise ValueError(
                f"smile: {checkpoint.label} exported to ONNX gives other vectors (by {difference:.2g}); "
                "use backend='torch'"
            )
        try:
            made.rename(graph)
        except OSError:
            if not graph.is_dir():  # else another process was first
                raise


def _write(model: Any, folder: Path) -> None:
    import torch

    features = dict(model.tokenizer(_PROBE, padding=True, return_tensors="pt"))
    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("tokens")}
    with _quiet():
        program: Any = torch.onnx.export(
            model[0].auto_model,
            kwargs=features,
            dynamic_shapes=dict.fromkeys(features, axes),
            input_names=list(features),
            dynamo=True,
            verbose=False,
        )
        program.save(folder / "model.onnx")


def _difference(model: Any, folder: Path) -> float:
    """Return by how much the graph's vectors differ from PyTorch's."""
    transformer = model[0].auto_model
    expected = model.encode(_PROBE, show_progress_bar=False)
    transformer.forward = _forward(folder)
    try:
        return float(np.abs(model.encode(_PROBE, show_progress_bar=False) - expected).max())
    finally:
        del transformer.forward


def _forward(folder: Path) -> Callable[..., dict[str, Any]]:
    """Return what stands in for the transformer's `forward`."""
    import onnxruntime
    import torch

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    session = onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
    inputs = [feature.name for feature in session.get_inputs()]
    output = session.get_outputs()[0].name

    def forward(**features: Any) -> dict[str, Any]:
        (hidden,) = session.run([output], {name: features[name].numpy() for name in inputs})
        return {"last_hidden_state": torch.from_numpy(hidden)}

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
